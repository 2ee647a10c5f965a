import { deviance, type Held } from './evaluate.ts'
import type { RiskModel } from './fit.ts'
import { predictWith } from './predict.ts'
import { isWhole, type Profile } from './profile.ts'

const YEAR = 4

/** What foretells, in plain numbers, so that it can be kept. */
export type KeptRates = {
  readonly profiles: readonly Profile[]
  /** Province, road, number of the first section. */
  readonly roads: readonly (readonly [string, string, number])[]
  /** By road, section and kind: accidents a week. */
  readonly rates: readonly (readonly (readonly number[])[])[]
}

/** A version as far as it can be held against others: what it serves, and the same fitted without the weeks that are held out. */
export type Contender = KeptRates & { readonly data_to: string; readonly trial: KeptRates }

const short = (value: number): number => Number(value.toPrecision(7))

/** The rates and profiles of a fit, as they are kept. */
export function keepRates({ grid, profiles, rates }: RiskModel): KeptRates {
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
 * The error of the standing version over the outcomes of the last scored window, of data from `data_from` to `data_to` of which those are held out: by
 * what it serves where the outcomes came after its data; where its data reach into their years, by what was fitted without the weeks that are held out,
 * which are the same of every year, for what it serves has seen them. A section that it does not know has the mean of those that it does. Null where it
 * can forecast none of it: it was kept by a revision that fitted nothing aside, or its data are newer.
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

/** What kept rates foretell of the cells that are held out, in the order of those. */
function expectedOf({ profiles, roads, rates }: KeptRates, { model, cellsOf }: Held): Float64Array {
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
