import { createHash } from 'node:crypto'
import { type accidentHotspots, HOTSPOT_BANDWIDTHS_M } from '../../lake/datasets/safety/hotspots.ts'
import type { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../lake/datasets/safety/sources.ts'
import { distanceM } from '../../lake/places/distance.ts'
import { foldRoad } from '../../lake/places/road-key.ts'
import { pointToUtm, utmToPoint } from '../../lake/places/utm.ts'
import type { Line, Point } from '../../lake/schema/columns.ts'
import type { FeedRow, Row } from '../../lake/schema/dataset.ts'
import { findAlong } from './along.ts'
import { areaOf } from './contour.ts'
import { KERNELS, type Kernel } from './density.ts'
import { findHotspots, type Search } from './find.ts'

/** An accident, as far as it is used. */
type Accident = Pick<
  Row<typeof roadAccidents>,
  | 'year'
  | 'period_end'
  | 'province_code'
  | 'municipality_code'
  | 'road'
  | 'km'
  | 'street'
  | 'position'
  | 'location_error_m'
  | 'accident_type'
  | 'severity'
  | 'hour_local'
  | 'killed_24h'
  | 'hospitalised_24h'
  | 'slight_24h'
>
export type HotspotRow = FeedRow<typeof accidentHotspots>

/** Sources that publish positions, and the UTM zone of their city (EPSG:25830, 25831). */
const ZONES: Readonly<Record<string, number>> = { madrid: 30, barcelona: 31 }
/** The national table has roads and kilometres, which are located to some hundred metres: too coarse for 100 m. */
export const NATIONAL = { source: dgtAccidentFiles.id, editions: 'dgt', bandwidths_m: [250, 500] } as const
/** Maximum number of editions in a set: the newest, none of them older than the newest by more years than this. */
const MOST_EDITIONS = 3
const MOST_YEARS_OLDER = 3
const WEIGHTS: Readonly<Record<string, number>> = { FATAL: 5, SERIOUS: 3, SLIGHT: 1 }
/** The part after a street: its number or post, which Madrid repeats in the street name (`CALL. ALCALA, 20, 20`). */
const NUMBERS = /(, [^,]*\d[^,]*)+$/
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** A set of parameters. */
export interface HotspotSet {
  readonly name: string
  readonly source: string
  readonly kernel: Kernel
  readonly bandwidth_m: number
  readonly weighting: 'NONE' | 'SEVERITY'
  /** Editions of road_accidents in the set. */
  readonly editions: readonly string[]
}

/** Input data of a set's hotspots. */
export interface HotspotsGiven {
  readonly accidents: readonly Accident[]
  readonly before: readonly HotspotRow[]
  /** Random runs; the default of `findHotspots` or `findAlong` by default. */
  readonly runs?: number
}

/** True for a set of accidents that are located by road and kilometre. */
export function isByRoad({ source }: Pick<HotspotSet, 'source'>): boolean {
  return source === NATIONAL.source
}

/** The largest position error of accidents by road and kilometre that count at a bandwidth, m: half of it. */
export function mostErrorM(bandwidth_m: number): number {
  return bandwidth_m / 2
}

/**
 * The sets for the editions of road accidents: for each source with positions its three newest years, none more than three years
 * older than the newest. Older years do not replace missing ones, since streets change. National editions count if they are among
 * `located`: those with positions by road and kilometre.
 */
export function hotspotSets(editions: readonly string[], located: readonly string[] = []): HotspotSet[] {
  const ofCities = Object.keys(ZONES).map((source) => ({ source, editions, name: source, bandwidths_m: HOTSPOT_BANDWIDTHS_M }))
  const national = { ...NATIONAL, name: NATIONAL.editions, editions: editions.filter((edition) => located.includes(edition)) }
  return [...ofCities, national].flatMap(({ source, name, editions: all, bandwidths_m }) => {
    const ofSource = newest(all.filter((edition) => new RegExp(`^${name}-\\d{4}$`).test(edition)))
    if (ofSource.length === 0) return []
    return KERNELS.flatMap((kernel) =>
      bandwidths_m.flatMap((bandwidth_m) =>
        (['NONE', 'SEVERITY'] as const).map((weighting) => ({
          name: [source, kernel.toLowerCase(), bandwidth_m, weighting.toLowerCase()].join('.'),
          ...{ source, kernel, bandwidth_m, weighting, editions: ofSource },
        })),
      ),
    )
  })
}

/** The editions of one source that form a set, oldest first. */
function newest(editions: readonly string[]): string[] {
  const yearOf = (edition: string): number => Number(edition.slice(-4))
  const last = Math.max(...editions.map(yearOf))
  return editions
    .filter((edition) => yearOf(edition) >= last - MOST_YEARS_OLDER)
    .sort()
    .slice(-MOST_EDITIONS)
}

/** A black spot on the map; `members` are indices of the located accidents. */
interface Spot extends Pick<HotspotRow, 'p_value' | 'q_value' | 'peak' | 'area' | 'area_m2'> {
  /** A text that identifies its place. */
  readonly key: string
  /** Weighted accidents per m² at the peak. */
  readonly density: number
  readonly members: readonly number[]
}

type Options = Pick<Search, 'runs' | 'signal'>
type Located = Accident & { readonly position: Point }

/**
 * The hotspots of a set, from all accidents with victims in its editions; `before` are its previous ones. A year without any
 * position is in neither `years` nor `coverage`.
 */
export async function hotspotsOf(set: HotspotSet, given: HotspotsGiven & { readonly signal?: AbortSignal }): Promise<HotspotRow[]> {
  const { accidents, before, ...options } = given
  const located = accidents.filter((accident): accident is Located => accident.position !== null)
  const found = isByRoad(set) ? await spotsAlong(set, located, options) : await spotsInCity(set, located, options)
  const ids = idsOf(set, found, before)
  const densities = found.map(({ density }) => density)
  const years = [...new Set(located.map(({ year }) => year))].sort()
  const ofYears = accidents.filter(({ year }) => years.includes(year))
  return found.map((spot, at) => {
    const members = spot.members.map((nth) => located[nth] as Located)
    const [first] = members.length > 0 ? members : located
    const sum = (name: 'killed_24h' | 'hospitalised_24h' | 'slight_24h'): number =>
      members.reduce((total, one) => total + (one[name] ?? 0), 0)
    return {
      hotspot_set: set.name,
      hotspot_id: ids[at] as string,
      data_until: ofYears.reduce((latest, { period_end }) => Math.max(latest, period_end), 0),
      source: set.source,
      years,
      kernel: set.kernel,
      bandwidth_m: set.bandwidth_m,
      weighting: set.weighting,
      rank: at + 1,
      score: Math.round((1000 * densities.filter((one) => one <= spot.density).length) / densities.length) / 10,
      accidents: members.length,
      killed: sum('killed_24h'),
      serious: sum('hospitalised_24h'),
      slight: sum('slight_24h'),
      density_km2: spot.density * 1e6,
      // Rounded up: no p-value is zero.
      p_value: Math.ceil(1e4 * spot.p_value - 1e-9) / 1e4,
      q_value: Math.round(spot.q_value * 1e4) / 1e4,
      peak: spot.peak,
      area: spot.area,
      area_m2: spot.area_m2,
      province_code: first?.province_code ?? '',
      municipality_code: first?.municipality_code ?? null,
      streets: most(members.map(({ road, street }) => road ?? street?.replace(NUMBERS, '') ?? null)),
      coverage: Math.round((1e4 * located.length) / ofYears.length) / 1e4,
      by_year: counts(members.map(({ year }) => String(year))),
      by_hour: counts(members.flatMap(({ hour_local }) => (hour_local === null ? [] : [String(hour_local)]))),
      by_type: counts(members.map(({ accident_type }) => accident_type ?? 'UNKNOWN')),
      by_severity: counts(members.map(({ severity }) => severity)),
      position_error_m: isByRoad(set) ? Math.round(medianOf(members.map(errorOf))) : null,
    }
  })
}

const weightOf = ({ weighting }: HotspotSet, { severity }: Accident): number => (weighting === 'SEVERITY' ? (WEIGHTS[severity] ?? 1) : 1)
const errorOf = ({ location_error_m }: Accident): number => location_error_m ?? 0

/** The black spots of a city, in its UTM zone. */
async function spotsInCity(set: HotspotSet, located: readonly Located[], options: Options): Promise<Spot[]> {
  const zone = ZONES[set.source] as number
  const marks = located.map((accident) => {
    const { easting_m, northing_m } = pointToUtm(accident.position, zone)
    return { x: easting_m, y: northing_m, weight: weightOf(set, accident) }
  })
  const found = await findHotspots(marks, { ...set, ...options, seed: set.name })
  return found.map(({ x, y, ring, ...spot }) => ({
    ...spot,
    key: `${Math.round(x)} ${Math.round(y)}`,
    peak: utmToPoint(x, y, zone),
    area: [ring.map(([east, north]) => [utmToPoint(east, north, zone).lon, utmToPoint(east, north, zone).lat] as const)],
  }))
}

/** The black spots along roads; their outlines are around their accidents, each with its position error. */
async function spotsAlong(set: HotspotSet, located: readonly Located[], options: Options): Promise<Spot[]> {
  const marks = located.map((accident) => ({
    road: `${foldRoad(accident.road ?? '')} ${accident.province_code}`,
    km: accident.km ?? 0,
    position: accident.position,
    weight: weightOf(set, accident),
  }))
  const found = await findAlong(marks, { ...set, ...options, seed: set.name })
  return found.map(({ road, km, ...spot }) => {
    const { ring, area_m2 } = hullOf(spot.members.map((nth) => located[nth] as Located).map((one) => [one.position, errorOf(one)] as const))
    return { ...spot, key: `${road} ${km}`, area: [ring], area_m2 }
  })
}

/**
 * The id of each hotspot: that of the nearest previous one within a bandwidth, nearest pairs first, else a new one from its
 * position.
 */
function idsOf(set: HotspotSet, found: readonly Spot[], before: readonly HotspotRow[]): string[] {
  const pairs = found.flatMap(({ peak }, at) =>
    before.flatMap(({ hotspot_id, peak: former }) => {
      const apart_m = distanceM(peak, former)
      return apart_m <= set.bandwidth_m ? [{ at, hotspot_id, apart_m }] : []
    }),
  )
  const ids = new Map<number, string>()
  const used = new Set<string>()
  for (const { at, hotspot_id } of pairs.sort((one, other) => one.apart_m - other.apart_m || one.at - other.at)) {
    if (ids.has(at) || used.has(hotspot_id)) continue
    ids.set(at, hotspot_id)
    used.add(hotspot_id)
  }
  return found.map(({ key }, at) => ids.get(at) ?? newId(`${set.name} ${key}`, used))
}

/** A new unused id from a text. */
function newId(text: string, used: Set<string>): string {
  for (let turn = 0; ; turn++) {
    const digest = createHash('sha256').update(`${text} ${turn}`).digest()
    const id = `hs_${Array.from(digest.subarray(0, 12), (byte) => ID_LETTERS[byte % 32]).join('')}`
    if (used.has(id)) continue
    used.add(id)
    return id
  }
}

function counts(values: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const value of [...values].sort()) found[value] = (found[value] ?? 0) + 1
  return found
}

/** The three most frequent texts. */
function most(texts: readonly (string | null)[]): string[] {
  const found = counts(texts.filter((text): text is string => text !== null))
  return Object.entries(found)
    .sort(([one, many], [other, others]) => others - many || (one < other ? -1 : 1))
    .slice(0, 3)
    .map(([text]) => text)
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Corners of a circle. */
const CORNERS = 16

/**
 * The convex hull of circles (positions and radii, m) as a closed ring, counter-clockwise, and its area in m². Computed in the
 * UTM zone of the first one. By Andrew's monotone chain.
 */
export function hullOf(circles: readonly (readonly [Point, radius_m: number])[]): { readonly ring: Line; readonly area_m2: number } {
  const zone = Math.floor(((circles[0] as readonly [Point, number])[0].lon + 180) / 6) + 1
  const corners = circles
    .flatMap(([position, radius_m]) => {
      const { easting_m, northing_m } = pointToUtm(position, zone)
      return Array.from({ length: CORNERS }, (_, at) => {
        const angle = (2 * Math.PI * at) / CORNERS
        return [easting_m + radius_m * Math.cos(angle), northing_m + radius_m * Math.sin(angle)] as const
      })
    })
    .sort(([x, y], [otherX, otherY]) => x - otherX || y - otherY)
  const below = chainOf(corners)
  const above = chainOf(corners.toReversed())
  const ring = [...below, ...above.slice(1)]
  return {
    ring: ring.map(([x, y]) => {
      const { lon, lat } = utmToPoint(x, y, zone)
      return [lon, lat] as const
    }),
    area_m2: areaOf(ring),
  }
}

type Corner = readonly [x: number, y: number]

/** The corners of one side of the hull: each turn is to the left. */
function chainOf(corners: readonly Corner[]): Corner[] {
  const chain: Corner[] = []
  for (const corner of corners) {
    while (chain.length > 1 && !isLeft(chain.at(-2) as Corner, chain.at(-1) as Corner, corner)) chain.pop()
    chain.push(corner)
  }
  return chain
}

const isLeft = ([ax, ay]: Corner, [bx, by]: Corner, [cx, cy]: Corner): boolean => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0
