import { TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { SECTION_PERIOD_S, type SectionCity, trafficSectionStates, trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { lengthM } from '../../../lake/places/lines.ts'
import { areaMiddle, lineMiddle } from '../../../lake/places/middles.ts'
import type { Line, MultiPolygon, Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readJson } from '../../formats/json.ts'
import { numberIn } from '../../formats/numbers.ts'
import { knownPoints, knownPosition, lineOf, ringOf } from '../../formats/positions.ts'
import {
  batch,
  type Diagnostics,
  defineFeed,
  type Feed,
  type FeedBody,
  type FeedClock,
  type FeedSpec,
  FormatError,
  lookUp,
} from '../define.ts'
import { newestTime } from '../newest-time.ts'

export type Section = FeedRow<typeof trafficSections>

/** A GeoJSON feature as published. */
export interface ReadFeature {
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: { readonly type?: unknown; readonly coordinates?: unknown } | null
}

/** The features of a GeoJSON document. Throws `FormatError` for anything else, such as an error in JSON. */
export function geoJsonFeatures({ name, bytes }: FeedBody): readonly ReadFeature[] {
  const found = readJson(bytes, name) as { readonly features?: unknown } | null
  if (!Array.isArray(found?.features)) throw new FormatError(`${name} has no features: ${JSON.stringify(found).slice(0, 200)}`)
  return found.features.map((feature: Partial<ReadFeature> | null) => {
    if (typeof feature?.properties !== 'object' || feature.properties === null)
      throw new FormatError(`${name} has a feature without properties`)
    return { properties: feature.properties, geometry: feature.geometry ?? null }
  })
}

/** A city whose GeoJSON has each section with its state and shape. */
interface SectionMap {
  readonly id: string
  readonly source: FeedSpec['source']
  readonly place: SectionCity
  readonly url: string
  readonly maxBytes: number
  /** Sections that it has at least. */
  readonly atLeast: number
  /** Members of a feature; any other is counted as unknown. */
  readonly knows: readonly string[]
  /** True if the newest report is the time of the publication. */
  readonly isTimed: boolean
  /** Reads a feature, or says why it is rejected. */
  readonly read: (feature: ReadFeature, clock: Required<FeedClock>, diagnostics: Diagnostics) => SectionRead | { readonly problem: string }
}

/** What a feature says of its section: its report, and the section itself. */
interface SectionRead {
  readonly report: SectionReport
  readonly section: Section
}

/** Declares the feed of a city's map of sections, read every five minutes. */
export function sectionMapFeed({ id, source, place, url, maxBytes, atLeast, knows, isTimed, read }: SectionMap): Feed {
  const band = { atLeast, minRatio: 0.8, maxRatio: 1000 }
  return defineFeed({
    id,
    source,
    into: [trafficSectionStates, trafficSections],
    every_s: 300,
    get: { name: 'sections', url, accept: 'application/geo+json, application/json', maxBytes, timeout_ms: 30_000, expects: 'json' },
    bands: { traffic_section_states: band, traffic_sections: band },
    *rows(bodies, { fetched_at, near = fetched_at }, diagnostics) {
      for (const body of bodies) {
        const found: SectionRead[] = []
        for (const feature of geoJsonFeatures(body)) {
          for (const name of Object.keys(feature.properties)) if (!knows.includes(name)) diagnostics.unknownCode(`${id}_column`, name)
          const one = read(feature, { fetched_at, near }, diagnostics)
          if (!('problem' in one)) found.push(one)
          else {
            const sample = JSON.stringify(feature.properties).slice(0, 200)
            for (const dataset of [trafficSectionStates, trafficSections]) diagnostics.reject(dataset, one.problem, sample)
          }
        }
        const reports = found.map(({ report }) => report)
        const { newest, states } = sectionStates(place, reports, { fetchedAt: fetched_at, diagnostics })
        if (isTimed && states.length > 0) diagnostics.publishedAt(newest)
        yield batch(trafficSectionStates, states)
        yield batch(
          trafficSections,
          found.map(({ section }) => section),
        )
      }
    },
  })
}

/** A section of a catalogue with its geometry: line or area, length and position. */
export function sectionOf(
  place: SectionCity,
  section: Pick<Section, 'section_id' | 'name'> & Partial<Section>,
  shape: { readonly line?: Line | null; readonly area?: MultiPolygon | null },
): Section {
  const { line = null, area = null } = shape
  return {
    ...{ source: place.source, city: place.city, municipality_code: place.municipality_code, section_number: null, is_underpass: null },
    ...section,
    ...{ line, area, length_m: line && Math.round(lengthM(line)) },
    position: line ? lineMiddle(line) : area ? areaMiddle(area) : null,
  }
}

/** A line of at least two different points in the city, to six decimals; otherwise null. What is left out is counted. */
export function cityLine(place: SectionCity, given: unknown, { warn }: Pick<Diagnostics, 'warn'>): Line | null {
  return lineOf(pointsOf(place, given, warn), warn)
}

/**
 * The polygons of a GeoJSON Polygon or MultiPolygon, outer rings counter-clockwise; otherwise null. What is left out is counted.
 */
export function cityArea(place: SectionCity, geometry: ReadFeature['geometry'], { warn }: Pick<Diagnostics, 'warn'>): MultiPolygon | null {
  const { type, coordinates } = geometry ?? {}
  const polygons = (
    type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' && Array.isArray(coordinates) ? coordinates : []
  ) as unknown[]
  const area = polygons.flatMap((given) => {
    const [outer = null, ...holes] = (Array.isArray(given) ? given : []).map((ring) => ringOf(pointsOf(place, ring, warn), warn))
    return outer === null ? [] : [[outer, ...holes.filter((hole) => hole !== null).map((hole) => hole.toReversed())]]
  })
  if (polygons.length === 0) warn('an area without polygons: left out')
  return area.length > 0 ? area : null
}

/** Points inside the city, without consecutive duplicates; others are left out and counted. */
function pointsOf({ box }: SectionCity, given: unknown, warn: Diagnostics['warn']): Line {
  const known = (Array.isArray(given) ? (given as unknown[]) : []).map((one): Point | null => {
    const [lon, lat] = (Array.isArray(one) ? one : []).map(numberIn)
    const point = knownPosition(lat, lon)
    const isInside = point && point.lon > box.west && point.lon < box.east && point.lat > box.south && point.lat < box.north
    return isInside ? { lat: Math.round(point.lat * 1e6) / 1e6, lon: Math.round(point.lon * 1e6) / 1e6 } : null
  })
  return knownPoints(known, warn).filter(([lon, lat], at, points) => points[at - 1]?.[0] !== lon || points[at - 1]?.[1] !== lat)
}

export type SectionState = FeedRow<typeof trafficSectionStates>

/** A report this much older than the newest of its publication is not current, ms. */
const MAX_AGE_MS = 30 * 60_000

/** A section in a publication: its own time, and its measured or stated values. */
export type SectionReport = Pick<SectionState, 'section_id' | 'level' | 'observed_at'> & Partial<SectionState>

/** Maps a state to a level with the publisher's table; an unmapped state is counted, and its level UNKNOWN. */
export function levelOf(levels: Readonly<Record<string, string>>, state: string, notes: Pick<Diagnostics, 'unknownCode'>): string {
  const level = lookUp(levels, state)
  if (level === undefined) notes.unknownCode(TRAFFIC_LEVELS, state)
  return level ?? 'UNKNOWN'
}

/**
 * The states of a publication, and its newest time (ms), which no wrong clock of a section moves. A section whose report is more
 * than 30 minutes older is frozen: it has no data at the publication time, and `reported_at` is the time of its last report.
 */
export function sectionStates(
  place: SectionCity,
  reports: readonly SectionReport[],
  { fetchedAt, diagnostics }: { readonly fetchedAt: number; readonly diagnostics: Pick<Diagnostics, 'warn'> },
): { readonly newest: number; readonly states: SectionState[] } {
  const newest = newestTime(
    reports.map(({ observed_at }) => observed_at),
    fetchedAt,
  )
  const states = reports.map((report) => {
    const isFrozen = newest - report.observed_at > MAX_AGE_MS
    if (isFrozen) diagnostics.warn('a section whose report is more than 30 minutes old: no data')
    const { section_id, observed_at } = report
    const row: SectionState = {
      source: place.source,
      period_s: SECTION_PERIOD_S,
      city: place.city,
      source_state: null,
      forecast_15min_level: null,
      source_forecast_state: null,
      level_basis: 'PUBLISHED',
      intensity_veh_h: null,
      occupancy_pct: null,
      speed_kmh: null,
      reported_at: null,
      ...report,
    }
    if (!isFrozen) return row
    const nothing = { level: 'UNKNOWN', forecast_15min_level: null, intensity_veh_h: null, occupancy_pct: null, speed_kmh: null }
    return { ...row, ...nothing, section_id, observed_at: newest, reported_at: observed_at }
  })
  return { newest, states }
}
