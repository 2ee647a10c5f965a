import { createHash } from 'node:crypto'
import { type accidentHotspots, HOTSPOT_BANDWIDTHS_M } from '../../lake/datasets/safety/hotspots.ts'
import type { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { pointToUtm, utmToPoint } from '../../lake/places/utm.ts'
import type { FeedRow, Row } from '../../lake/schema/dataset.ts'
import { KERNELS, type Kernel, type Mark } from './density.ts'
import { findHotspots, type Hotspot } from './find.ts'

type Accident = Row<typeof roadAccidents>
export type HotspotRow = FeedRow<typeof accidentHotspots>

/** Sources whose accidents have positions, and the UTM zone of their city (EPSG:25830, 25831). */
const ZONES: Readonly<Record<string, number>> = { madrid: 30, barcelona: 31 }
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
  /** Random runs; the default of `findHotspots` by default. */
  readonly runs?: number
}

/**
 * The sets for the editions of road accidents: for each source with positions its three newest years, none more than three years
 * older than the newest. Older years do not replace missing ones, since streets change.
 */
export function hotspotSets(editions: readonly string[]): HotspotSet[] {
  return Object.keys(ZONES).flatMap((source) => {
    const ofSource = newest(editions.filter((edition) => new RegExp(`^${source}-\\d{4}$`).test(edition)))
    if (ofSource.length === 0) return []
    return KERNELS.flatMap((kernel) =>
      HOTSPOT_BANDWIDTHS_M.flatMap((bandwidth_m) =>
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

/**
 * The hotspots of a set, from all accidents with victims in its editions; `before` are its previous ones. Positions are projected
 * to the city's UTM zone. A year without any position is in neither `years` nor `coverage`.
 */
export async function hotspotsOf(set: HotspotSet, given: HotspotsGiven & { readonly signal?: AbortSignal }): Promise<HotspotRow[]> {
  const zone = ZONES[set.source] as number
  const located = given.accidents.flatMap((accident) => {
    if (accident.position === null) return []
    const { easting_m, northing_m } = pointToUtm(accident.position, zone)
    return [{ accident, x: easting_m, y: northing_m, weight: set.weighting === 'SEVERITY' ? (WEIGHTS[accident.severity] ?? 1) : 1 }]
  })
  const { accidents: _all, before: _before, ...options } = given
  const found = await findHotspots(located satisfies readonly Mark[], { ...set, ...options, seed: set.name })
  const ids = idsOf(set, found, given.before, zone)
  const densities = found.map(({ density }) => density)
  const years = [...new Set(located.map(({ accident }) => accident.year))].sort()
  const ofYears = given.accidents.filter(({ year }) => years.includes(year))
  return found.map((spot, at) => {
    const members = spot.members.map((nth) => (located[nth] as (typeof located)[number]).accident)
    const [first] = members.length > 0 ? members : [(located[0] as (typeof located)[number]).accident]
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
      p_value: spot.p_value,
      q_value: Math.round(spot.q_value * 1e4) / 1e4,
      peak: utmToPoint(spot.x, spot.y, zone),
      area: [spot.ring.map(([x, y]) => [utmToPoint(x, y, zone).lon, utmToPoint(x, y, zone).lat] as const)],
      area_m2: spot.area_m2,
      province_code: first?.province_code ?? '',
      municipality_code: first?.municipality_code ?? null,
      streets: most(members.map(({ road, street }) => road ?? street?.replace(NUMBERS, '') ?? null)),
      coverage: Math.round((1e4 * located.length) / ofYears.length) / 1e4,
      by_year: counts(members.map(({ year }) => String(year))),
      by_hour: counts(members.flatMap(({ hour_local }) => (hour_local === null ? [] : [String(hour_local)]))),
      by_type: counts(members.map(({ accident_type }) => accident_type ?? 'UNKNOWN')),
      by_severity: counts(members.map(({ severity }) => severity)),
    }
  })
}

/**
 * The id of each hotspot: that of the nearest previous one within a bandwidth, nearest pairs first, else a new one from its
 * position.
 */
function idsOf(set: HotspotSet, found: readonly Hotspot[], before: readonly HotspotRow[], zone: number): string[] {
  const old = before.map(({ hotspot_id, peak }) => ({ hotspot_id, ...pointToUtm(peak, zone) }))
  const pairs = found.flatMap((spot, at) =>
    old.flatMap(({ hotspot_id, easting_m, northing_m }) => {
      const apart_m = Math.hypot(spot.x - easting_m, spot.y - northing_m)
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
  return found.map(({ x, y }, at) => ids.get(at) ?? newId(`${set.name} ${Math.round(x)} ${Math.round(y)}`, used))
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
