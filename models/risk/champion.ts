import { deviance, type Held } from './evaluate.ts'
import type { RiskModel } from './fit.ts'
import { predictWith } from './predict.ts'
import { isWhole, type Profile } from './profile.ts'

const YEAR = 4

/** Rates and profiles as plain numbers, for storage. */
export type ModelRates = {
  readonly profiles: readonly Profile[]
  /** Province, road, index of the first section. */
  readonly roads: readonly (readonly [string, string, number])[]
  /** By road, section and kind: weekly accidents. */
  readonly rates: readonly (readonly (readonly number[])[])[]
}

/** The parts of a version for comparisons: what it serves, and a fit without the held-out weeks. */
export type Contender = ModelRates & { readonly data_to: string; readonly trial: ModelRates }

const short = (value: number): number => Number(value.toPrecision(7))

/** The rates and profiles of a fit, for storage. */
export function keepRates({ grid, profiles, rates }: RiskModel): ModelRates {
  return {
    profiles: profiles.map(({ bySun, byHour, season }) => ({
      ...{ bySun: bySun.map(short), byHour: byHour.map(short) },
      season: Object.fromEntries(Object.entries(season).map(([code, weeks]) => [code, weeks.map(short)])),
    })),
    roads: grid.roads.map(({ province_code, road, first }) => [province_code, road, first] as const),
    rates: grid.roads.map(({ offset, length }) =>
      Array.from({ length }, (_, at) => rates.map((ofKind) => short(ofKind[offset + at] as number))),
    ),
  }
}

/**
 * The champion's error over the last scored window, with held-out data from `data_from` to `data_to`. Uses what it serves for
 * outcomes after its data, else its fit without the held-out weeks, the same in each year. Unknown sections get the mean. Null if
 * its revision had no such fit, or its data are newer.
 */
export function standingError(
  standing: Contender,
  held: Held,
  { data_from, data_to }: { readonly data_from: string; readonly data_to: string },
): number | null {
  const isNewer = standing.data_to.slice(0, YEAR) > data_to.slice(0, YEAR)
  const kept = standing.data_to < data_from ? standing : isNewer ? undefined : standing.trial
  if (kept === undefined || kept.profiles.length === 0 || !kept.profiles.every(isWhole)) return null
  return deviance(held.counts, expectedOf(kept, held))
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
