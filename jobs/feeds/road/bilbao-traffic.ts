import { SECTION_CITIES } from '../../../lake/datasets/road/section-cities.ts'
import { bilbaoTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { wholeNumber } from '../../formats/numbers.ts'
import { batch, type Diagnostics, defineFeed } from '../define.ts'
import { cityArea, geoJsonFeatures, type ReadFeature, type Section, type SectionReport, sectionOf, sectionStates } from './city-sections.ts'

const PLACE = SECTION_CITIES.bilbao
const KNOWN = new Set(['CodigoSeccion', 'Ocupacion', 'Intensidad', 'Velocidad', 'FechaHora'])

/** Minimum occupancy (%) of each computed level, densest first; see the decision in this folder's README. */
const LEVELS = [
  [50, 'CONGESTED'],
  [30, 'VERY_DENSE'],
  [15, 'DENSE'],
  [0, 'FREE'],
] as const

/** Bilbao's sections, each an area with intensity, occupancy and speed of the last five minutes, all as texts. */
export const bilbaoTraffic = defineFeed({
  id: 'bilbao_traffic',
  source,
  into: [trafficSectionStates, trafficSections],
  every_s: 300,
  get: {
    name: 'sections',
    url: 'https://www.bilbao.eus/aytoonline/srvDatasetTrafico?formato=geojson',
    accept: 'application/geo+json, application/json',
    maxBytes: 4_000_000,
    timeout_ms: 30_000,
    expects: 'json',
  },
  bands: {
    traffic_section_states: { atLeast: 40, minRatio: 0.8, maxRatio: 1000 },
    traffic_sections: { atLeast: 40, minRatio: 0.8, maxRatio: 1000 },
  },
  *rows(bodies, { fetched_at, near = fetched_at }, diagnostics) {
    for (const body of bodies) {
      const reports: SectionReport[] = []
      const sections: Section[] = []
      for (const { properties, geometry } of geoJsonFeatures(body)) {
        for (const name of Object.keys(properties)) if (!KNOWN.has(name)) diagnostics.unknownCode('bilbao_traffic_column', name)
        const section_id = textOf(properties, 'CodigoSeccion')
        const [date = '', time = ''] = textOf(properties, 'FechaHora').split(' ')
        const observed_at = instantOf(date, time, { near })
        const problem = section_id === '' ? 'no CodigoSeccion' : Number.isNaN(observed_at) ? 'FechaHora is no time' : null
        if (problem !== null) {
          const sample = JSON.stringify(properties).slice(0, 200)
          for (const dataset of [trafficSectionStates, trafficSections]) diagnostics.reject(dataset, problem, sample)
          continue
        }
        reports.push({ section_id, observed_at, level_basis: 'OCCUPANCY', ...measuresOf(properties, diagnostics) })
        sections.push(sectionOf(PLACE, { section_id, name: null }, { area: cityArea(PLACE, geometry, diagnostics) }))
      }
      const { newest, states } = sectionStates(PLACE, reports, { fetchedAt: fetched_at, diagnostics })
      if (states.length > 0) diagnostics.publishedAt(newest)
      yield batch(trafficSectionStates, states)
      yield batch(trafficSections, sections)
    }
  },
})

/**
 * A section's measurements. A speed of 0 means none: it comes without vehicles, and sometimes with them. If nothing is
 * measured, or occupancy is full without a vehicle, the section may be empty, blocked or broken: its level is unknown.
 */
function measuresOf(
  properties: ReadFeature['properties'],
  diagnostics: Diagnostics,
): Pick<SectionReport, 'level' | 'intensity_veh_h' | 'occupancy_pct' | 'speed_kmh'> {
  const intensity_veh_h = measure(properties, 'Intensidad', diagnostics)
  const occupancy_pct = measure(properties, 'Ocupacion', diagnostics)
  const speed = measure(properties, 'Velocidad', diagnostics)
  if (speed === 0 && (intensity_veh_h ?? 0) > 0) diagnostics.warn('a speed of 0 with vehicles: left out')
  const isKnown = occupancy_pct !== null && (intensity_veh_h ?? 0) > 0
  const level = isKnown ? (LEVELS.find(([least]) => occupancy_pct >= least)?.[1] as string) : 'UNKNOWN'
  return { level, intensity_veh_h, occupancy_pct, speed_kmh: speed === 0 ? null : speed }
}

/** A whole number from 0 on; anything else is counted and null. */
function measure(properties: ReadFeature['properties'], name: string, diagnostics: Diagnostics): number | null {
  const value = wholeNumber(textOf(properties, name))
  if (value === null) return null
  if (value >= 0) return value
  diagnostics.warn(Number.isNaN(value) ? `${name} is no whole number` : `${name} is negative: left out`)
  return null
}

function textOf(properties: ReadFeature['properties'], name: string): string {
  return String(properties[name] ?? '').trim()
}
