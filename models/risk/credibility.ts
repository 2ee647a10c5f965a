import type { SectionAccident } from './accidents.ts'
import type { Grid, RoadSections } from './grid.ts'

/** Levels that a section's rate is a mixture of, each in accidents of the kind per week. */
export const LEVELS = [
  'own',
  'own_all_kinds',
  'next_sections',
  'second_and_third_sections',
  'rest_of_road',
  'province',
  'rest_of_road_all_kinds',
  'next_sections_all_kinds',
] as const
const WIDTH = LEVELS.length
/**
 * Places whose sections' own counts are biased differently, since accidents define the sections: roads of one section, of two,
 * ends of longer roads, the rest.
 */
export const PLACES = ['ALONE', 'OF_TWO', 'END', 'INNER'] as const

/** Counts of each kind by section, as weekly rates. */
export interface Rates {
  readonly byKind: readonly Float64Array[]
  readonly all: Float64Array
}

/** Outcomes of a fold's sections, and their levels from the other folds. */
export interface Fold {
  /** `WIDTH` values per section. */
  readonly levels: Float64Array
  readonly places: Uint8Array
  /** Weeks of exposure of each section, by the profile of its province. */
  readonly exposure: Float64Array
  readonly counts: Float64Array
}

/** Rates of the accidents on a grid, for each of some kinds. */
export function ratesOn(
  grid: Grid,
  accidents: readonly SectionAccident[],
  { weeks, kinds, kindOf }: { readonly weeks: number; readonly kinds: number; readonly kindOf: (accident: SectionAccident) => number },
): Rates {
  const byKind = Array.from({ length: kinds }, () => new Float64Array(grid.size))
  const all = new Float64Array(grid.size)
  for (const accident of accidents) {
    const at = grid.indexOf(accident)
    if (at < 0) continue
    const kind = byKind[kindOf(accident)] as Float64Array
    kind[at] = (kind[at] as number) + 1 / weeks
    all[at] = (all[at] as number) + 1 / weeks
  }
  return { byKind, all }
}

/** Place of each section on its road, as an index of `PLACES`. */
export function placesOf(grid: Grid): Uint8Array {
  const places = new Uint8Array(grid.size)
  for (const { offset, length } of grid.roads)
    for (let at = 0; at < length; at++) places[offset + at] = length === 1 ? 0 : length === 2 ? 1 : at === 0 || at === length - 1 ? 2 : 3
  return places
}

/** The levels of all sections for a kind: `WIDTH` values each. */
export function levelsOf(grid: Grid, { byKind, all }: Rates, kind: number): Float64Array {
  const own = byKind[kind] as Float64Array
  const levels = new Float64Array(grid.size * WIDTH)
  const ofProvince = provinceMeans(grid, own, all)
  for (const road of grid.roads) {
    const province = ofProvince.get(road.province_code) as { readonly own: number; readonly all: number }
    const share = province.all > 0 ? province.own / province.all : 0
    const sums = { own: sumOf(own, road), all: sumOf(all, road) }
    for (let at = 0; at < road.length; at++) {
      const section = road.offset + at
      const next = (rates: Float64Array, steps: readonly number[], otherwise: number) => meanAround(rates, { road, at, steps, otherwise })
      const rest = (sum: number, mine: number, otherwise: number) => (road.length > 1 ? (sum - mine) / (road.length - 1) : otherwise)
      const [mine, mineAll] = [own[section] as number, all[section] as number]
      levels.set(
        [
          mine,
          mineAll * share,
          next(own, [-1, 1], province.own),
          next(own, [-3, -2, 2, 3], province.own),
          // Rounding may make the difference slightly negative.
          Math.max(0, rest(sums.own, mine, province.own)),
          province.own,
          Math.max(0, rest(sums.all, mineAll, province.all)) * share,
          next(all, [-1, 1], province.all) * share,
        ],
        section * WIDTH,
      )
    }
  }
  return levels
}

function sumOf(rates: Float64Array, { offset, length }: RoadSections): number {
  let sum = 0
  for (let at = offset; at < offset + length; at++) sum += rates[at] as number
  return sum
}

function provinceMeans(grid: Grid, own: Float64Array, all: Float64Array): Map<string, { own: number; all: number }> {
  const means = new Map<string, { own: number; all: number }>()
  for (const [province_code, roads] of Map.groupBy(grid.roads, (road) => road.province_code)) {
    const sections = roads.reduce((sum, { length }) => sum + length, 0)
    const mean = (rates: Float64Array): number => roads.reduce((sum, road) => sum + sumOf(rates, road), 0) / sections
    means.set(province_code, { own: mean(own), all: mean(all) })
  }
  return means
}

/** Mean of the sections some steps away on the same road; `otherwise` if there are none. */
function meanAround(
  rates: Float64Array,
  of: { readonly road: RoadSections; readonly at: number; readonly steps: readonly number[]; readonly otherwise: number },
): number {
  let [sum, sections] = [0, 0]
  for (const step of of.steps) {
    const at = of.at + step
    if (at < 0 || at >= of.road.length) continue
    sum += rates[of.road.offset + at] as number
    sections++
  }
  return sections === 0 ? of.otherwise : sum / sections
}

/** Iterations of the fit. */
const ROUNDS = 100

/**
 * Weights of the levels (a row of `WIDTH` for each of `PLACES`) that maximize the likelihood of each fold given the others:
 * linear empirical Bayes (Bühlmann's credibility). As a Poisson mixture fitted by EM, weights are at least 0, and a place's
 * rates add up to its accidents.
 */
export function fitWeights(folds: readonly Fold[]): Float64Array[] {
  return PLACES.map((_, place) => {
    const weights = new Float64Array(WIDTH).fill(1 / WIDTH)
    for (let round = 0; round < ROUNDS; round++) {
      const [gained, held] = [new Float64Array(WIDTH), new Float64Array(WIDTH)]
      for (const { levels, places, exposure, counts } of folds)
        for (let section = 0; section < places.length; section++) {
          if (places[section] !== place) continue
          const expected = mix(weights, levels, section) * (exposure[section] as number)
          const ratio = expected > 0 ? (counts[section] as number) / expected : 0
          for (let level = 0; level < WIDTH; level++) {
            const part = (exposure[section] as number) * (levels[section * WIDTH + level] as number)
            held[level] = (held[level] as number) + part
            gained[level] = (gained[level] as number) + ratio * part
          }
        }
      for (let level = 0; level < WIDTH; level++)
        weights[level] =
          (held[level] as number) > 0 ? ((weights[level] as number) * (gained[level] as number)) / (held[level] as number) : 0
    }
    return weights
  })
}

/** The rate of a section by the weights of its place. */
export function mix(weights: Float64Array, levels: Float64Array, section: number): number {
  let rate = 0
  for (let level = 0; level < WIDTH; level++) rate += (weights[level] as number) * (levels[section * WIDTH + level] as number)
  return rate
}
