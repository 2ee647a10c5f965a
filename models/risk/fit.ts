import { dayOf, type SectionAccident, weekOf } from './accidents.ts'
import { type Fold, fitWeights, levelsOf, mix, placesOf, ratesOn } from './credibility.ts'
import { type Grid, gridOf } from './grid.ts'
import { dayHours, fitProfile, type Profile, sunTable, weekHours } from './profile.ts'
import { fitSpread, type RiskForecast, varianceOf } from './spread.ts'

/** Maximum number of separate kinds of animals, and minimum accidents of each; all others form one more kind. */
const MOST_KINDS = 3
const LEAST_OF_KIND = 500
/** Number of folds that weeks are dealt to in turn: each is predicted from the others to fit the weights of the levels. */
const FOLDS = 10
/** Minimum weeks for a fit; with fewer there is no season. */
export const LEAST_WEEKS = 26

/** A fitted risk model; profiles and rates have the digits that are stored, so that a stored fit scores the same as a new one. */
export interface RiskModel {
  readonly grid: Grid
  /** Codes of the separate kinds of animals; the last kind is all others. */
  readonly kinds: readonly string[]
  readonly profiles: readonly Profile[]
  /** By kind: weekly accidents of every section. */
  readonly rates: readonly Float64Array[]
  /** Variance of each section's rate over all kinds: its uncertainty. */
  readonly variances: Float64Array
  /** Share of accidents on sections without earlier ones, over the folds. */
  readonly unseenShare: number
  readonly weeks: number
}

/**
 * Fits the rates of sections and the profiles of kinds to the accidents of some days (since 1970-01-01). Rates exclude accidents
 * on sections outside the data: folds only use the others' sections. `byWeekday` as in `ProfileGiven`. Throws if there are too
 * few weeks.
 */
export function fitRisk(accidents: readonly SectionAccident[], days: readonly number[], { byWeekday = false } = {}): RiskModel {
  const weeksOfDays = [...new Set(days.map(weekOf))].sort((one, other) => one - other)
  if (weeksOfDays.length < LEAST_WEEKS) throw new Error(`accidents of ${weeksOfDays.length} weeks; at least ${LEAST_WEEKS} are needed`)
  const kinds = kindsOf(accidents)
  const kindOf = ({ animal_code }: SectionAccident): number => {
    const at = animal_code === null ? -1 : kinds.indexOf(animal_code)
    return at < 0 ? kinds.length : at
  }
  const grid = gridOf(accidents)
  const provinces = [...new Set(grid.roads.map(({ province_code }) => province_code))].sort()
  const table = sunTable(days)
  const all = Array.from({ length: kinds.length + 1 }, (_, kind) => kind)
  const profiles = all.map((kind) =>
    fitProfile({ accidents: accidents.filter((accident) => kindOf(accident) === kind), days, provinces, byWeekday }, table),
  )

  const foldOf = (day: number): number => weeksOfDays.indexOf(weekOf(day)) % FOLDS
  const folds: Fold[][] = all.map(() => [])
  let unseen = 0
  for (let fold = 0; fold < FOLDS; fold++) {
    const [inside, outside] = [days.filter((day) => foldOf(day) === fold), days.filter((day) => foldOf(day) !== fold)]
    const others = accidents.filter(({ local_date }) => foldOf(dayOf(local_date)) !== fold)
    const theirs = gridOf(others)
    const counts = all.map(() => new Float64Array(theirs.size))
    for (const accident of accidents) {
      if (foldOf(dayOf(accident.local_date)) !== fold) continue
      const at = theirs.indexOf(accident)
      const ofKind = counts[kindOf(accident)] as Float64Array
      if (at < 0) unseen++
      else ofKind[at] = (ofKind[at] as number) + 1
    }
    const places = placesOf(theirs)
    const rates = ratesOn(theirs, others, { weeks: outside.length / 7, kinds: all.length, kindOf })
    const insideTable = sunTable(inside)
    for (const kind of all) {
      const exposure = exposureOf(theirs, (code) =>
        weekHours(profiles[kind] as Profile, code, inside, insideTable).reduce((sum, value) => sum + value, 0),
      )
      folds[kind]?.push({ levels: levelsOf(theirs, rates, kind), places, exposure, counts: counts[kind] as Float64Array })
    }
  }
  const weights = folds.map(fitWeights)
  const weeks = days.length / 7
  const rates = ratesOn(grid, accidents, { weeks, kinds: all.length, kindOf })
  const places = placesOf(grid)
  const levels = all.map((kind) => levelsOf(grid, rates, kind))
  const whole = all.map((kind) => ({
    ...{ levels: levels[kind] as Float64Array, places, counts: new Float64Array(0) },
    exposure: new Float64Array(grid.size).fill(1),
  }))
  const spread = fitSpread(
    Array.from({ length: FOLDS }, (_, fold) =>
      foretold(
        folds.map((ofKind) => ofKind[fold] as Fold),
        { weights, weeks: (weeks * (FOLDS - 1)) / FOLDS },
      ),
    ),
  )
  const mixed = foretold(whole, { weights, weeks })
  return {
    ...{ grid, kinds, profiles: profiles.map(rounded) },
    rates: all.map((kind) =>
      Float64Array.from(places, (place, section) =>
        short(mix(weights[kind]?.[place] as Float64Array, levels[kind] as Float64Array, section)),
      ),
    ),
    variances: mixed.means.map((mean, section) => varianceOf(spread, mean, mixed.variances[section] as number)),
    unseenShare: unseen / accidents.length,
    weeks,
  }
}

/** A value with the seven digits that are stored. */
export const short = (value: number): number => Number(value.toPrecision(7))

const rounded = ({ bySun, byHour, season }: Profile): Profile => ({
  ...{ bySun: bySun.map(short), byHour: byHour.map(short) },
  season: Object.fromEntries(Object.entries(season).map(([code, weeks]) => [code, weeks.map(short)])),
})

/** Sections' rates over all kinds, with the variance from credibility: that of a gamma whose own weeks have this weight. */
function foretold(
  ofKinds: readonly Fold[],
  { weights, weeks }: { readonly weights: readonly Float64Array[][]; readonly weeks: number },
): RiskForecast {
  const size = ofKinds[0]?.places.length ?? 0
  const sums = { counts: new Float64Array(size), means: new Float64Array(size), variances: new Float64Array(size) }
  for (const [kind, { levels, places, exposure, counts }] of ofKinds.entries())
    for (let section = 0; section < size; section++) {
      const ofPlace = weights[kind]?.[places[section] as number] as Float64Array
      const [rate, weeksHere] = [mix(ofPlace, levels, section), exposure[section] as number]
      sums.counts[section] = (sums.counts[section] as number) + (counts[section] ?? 0)
      sums.means[section] = (sums.means[section] as number) + rate * weeksHere
      sums.variances[section] = (sums.variances[section] as number) + (((ofPlace[0] as number) * rate) / weeks) * weeksHere ** 2
    }
  return sums
}

/** The most common kinds, in order. */
function kindsOf(accidents: readonly SectionAccident[]): string[] {
  const counts = new Map<string, number>()
  for (const { animal_code } of accidents) if (animal_code !== null) counts.set(animal_code, (counts.get(animal_code) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= LEAST_OF_KIND)
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .slice(0, MOST_KINDS)
    .map(([code]) => code)
}

function exposureOf(grid: Grid, of: (province_code: string) => number): Float64Array {
  const exposure = new Float64Array(grid.size)
  const known = new Map<string, number>()
  for (const { province_code, offset, length } of grid.roads) {
    const weeks = known.get(province_code) ?? of(province_code)
    known.set(province_code, weeks)
    exposure.fill(weeks, offset, offset + length)
  }
  return exposure
}

/** Expected accidents of every section in the 24 hours of a day (since 1970-01-01): section × hour. */
export function predictDay(model: RiskModel, day: number): Float64Array {
  return predictWith(model, (kind, province_code) => dayHours(model.profiles[kind] as RiskModel['profiles'][number], province_code, day))
}

/** The rates of sections times each kind's profile values in some cells of a province: section × cell. */
export function predictWith(
  model: Pick<RiskModel, 'grid' | 'rates'>,
  cellsOf: (kind: number, province_code: string) => Float64Array,
): Float64Array {
  const { grid, rates } = model
  let expected = new Float64Array(0)
  for (const [kind, ofKind] of rates.entries()) {
    const known = new Map<string, Float64Array>()
    for (const { province_code, offset, length } of grid.roads) {
      const cells = known.get(province_code) ?? cellsOf(kind, province_code)
      known.set(province_code, cells)
      if (expected.length === 0) expected = new Float64Array(grid.size * cells.length)
      for (let section = offset; section < offset + length; section++) {
        const rate = ofKind[section] as number
        for (let cell = 0; cell < cells.length; cell++) {
          const at = section * cells.length + cell
          expected[at] = (expected[at] as number) + rate * (cells[cell] as number)
        }
      }
    }
  }
  return expected
}
