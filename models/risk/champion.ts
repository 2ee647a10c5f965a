import { deviance, type Held } from './evaluate.ts'
import { predictWith, type RiskModel } from './fit.ts'
import { isWhole, type Profile } from './profile.ts'
import type { Split } from './split.ts'

const YEAR = 4

/** Rates and profiles as plain numbers, for storage. */
export type ModelRates = {
  readonly profiles: readonly Profile[]
  /** Province, road, index of the first section. */
  readonly roads: readonly (readonly [string, string, number])[]
  /** By road, section and kind: weekly accidents. */
  readonly rates: readonly (readonly (readonly number[])[])[]
}

/** The parts of a version for comparisons: what it serves, and a fit that did not see its held-out days (`Split.known_to`). */
export type Contender = ModelRates & { readonly data_to: string; readonly trial: ModelRates & Pick<Split, 'known_to'> }

/** The rates and profiles of a fit, for storage. */
export function keepRates({ grid, profiles, rates }: RiskModel): ModelRates {
  return {
    profiles,
    roads: grid.roads.map(({ province_code, road, first }) => [province_code, road, first] as const),
    rates: grid.roads.map(({ offset, length }) => Array.from({ length }, (_, at) => rates.map((ofKind) => ofKind[offset + at] as number))),
  }
}

/**
 * The champion's error over the held-out days of a split, by what it has that did not see them. Unknown sections get the mean.
 * Null if it has no such fit, or its data are newer.
 */
export function standingError(standing: Contender, held: Held, split: Split): number | null {
  const kept = unseeing(standing, split)
  if (kept === undefined || kept.profiles.length === 0 || !kept.profiles.every(isWhole)) return null
  return deviance(held.counts, expectedOf(kept, held))
}

/**
 * What a champion serves if all outcomes come after its data, else its trial: one fitted to earlier days, or one without the
 * held-out weeks, which are the same in each year, for outcomes in these. Older versions have only trials without weeks.
 */
export function unseeing(standing: Contender, { from, to, known_to }: Split): ModelRates | undefined {
  if (standing.data_to < from) return standing
  const trial: (ModelRates & Partial<Pick<Split, 'known_to'>>) | undefined = standing.trial
  if (typeof trial?.known_to === 'string') return trial.known_to < from ? trial : undefined
  return known_to === null && standing.data_to.slice(0, YEAR) <= to.slice(0, YEAR) ? trial : undefined
}

/** Predictions of stored rates for the held-out cells, in their order. */
function expectedOf({ profiles, roads, rates }: ModelRates, { model, cellsOf }: Held): Float64Array {
  const known = new Map(roads.map(([province_code, road, first], at) => [`${province_code}/${road}`, { first, sections: rates[at] ?? [] }]))
  const all = rates.flat()
  const grid = model.grid
  const ofKinds = profiles.map((_, kind) => {
    const mean = all.reduce((sum, ofSection) => sum + (ofSection[kind] ?? 0), 0) / all.length
    const ofKind = new Float64Array(grid.size)
    for (const { province_code, road, first, offset, length } of grid.roads) {
      const theirs = known.get(`${province_code}/${road}`)
      for (let at = 0; at < length; at++) ofKind[offset + at] = theirs?.sections[first + at - theirs.first]?.[kind] ?? mean
    }
    return ofKind
  })
  return predictWith({ grid, rates: ofKinds }, (kind, province_code) => cellsOf(profiles[kind] as Profile, province_code))
}
