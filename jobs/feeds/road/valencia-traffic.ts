import { SECTION_CITIES } from '../../../lake/datasets/road/section-cities.ts'
import { valenciaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { batch, type Diagnostics, defineFeed } from '../define.ts'
import {
  cityLine,
  geoJsonFeatures,
  levelOf,
  type ReadFeature,
  type Section,
  type SectionReport,
  sectionOf,
  sectionStates,
} from './city-sections.ts'

const PLACE = SECTION_CITIES.valencia

/** `estado` by the city's documentation; 5 to 9 are the same states for underpasses. */
const LEVELS: Readonly<Record<string, string>> = {
  ...{ '0': 'FREE', '1': 'DENSE', '2': 'CONGESTED', '3': 'CLOSED', '4': 'UNKNOWN' },
  ...{ '5': 'FREE', '6': 'DENSE', '7': 'CONGESTED', '8': 'CLOSED', '9': 'UNKNOWN' },
}
const KNOWN = new Set(['gid', 'denominacion', 'estado', 'idtramo', 'fiwareid', 'the_geom'])

/** València's sections with state and line: one layer of the city's map server. It states no time, so the fetch time counts. */
export const valenciaTraffic = defineFeed({
  id: 'valencia_traffic',
  source,
  into: [trafficSectionStates, trafficSections],
  every_s: 300,
  get: {
    name: 'sections',
    url: 'https://geoportal.valencia.es/server/rest/services/OPENDATA/Trafico/MapServer/192/query?where=1=1&outFields=*&f=geojson',
    accept: 'application/geo+json, application/json',
    maxBytes: 8_000_000,
    timeout_ms: 30_000,
    expects: 'json',
  },
  bands: {
    traffic_section_states: { atLeast: 150, minRatio: 0.8, maxRatio: 1000 },
    traffic_sections: { atLeast: 150, minRatio: 0.8, maxRatio: 1000 },
  },
  *rows(bodies, { fetched_at }, diagnostics) {
    for (const body of bodies) {
      const reports: SectionReport[] = []
      const sections: Section[] = []
      for (const { properties, geometry } of geoJsonFeatures(body)) {
        for (const name of Object.keys(properties)) if (!KNOWN.has(name)) diagnostics.unknownCode('valencia_traffic_column', name)
        const section_id = textOf(properties, 'gid')
        if (section_id === null) {
          const sample = JSON.stringify(properties).slice(0, 200)
          for (const dataset of [trafficSectionStates, trafficSections]) diagnostics.reject(dataset, 'no gid', sample)
          continue
        }
        const state = textOf(properties, 'estado')
        const level = state === null ? 'UNKNOWN' : levelOf(LEVELS, state, diagnostics)
        reports.push({ section_id, observed_at: fetched_at, level, source_state: state })
        sections.push(sectionIn({ properties, geometry }, section_id, diagnostics))
      }
      yield batch(trafficSectionStates, sectionStates(PLACE, reports, { fetchedAt: fetched_at, diagnostics }).states)
      yield batch(trafficSections, sections)
    }
  },
})

function sectionIn({ properties, geometry }: ReadFeature, section_id: string, diagnostics: Diagnostics): Section {
  const name = textOf(properties, 'denominacion')
  if (geometry === null) diagnostics.warn('a section without a line')
  const line = geometry === null ? null : cityLine(PLACE, geometry.type === 'LineString' ? geometry.coordinates : null, diagnostics)
  const is_underpass = name === null ? null : /^pas(o|) inferior\b/i.test(name)
  return sectionOf(PLACE, { section_id, name, section_number: textOf(properties, 'idtramo'), is_underpass }, { line })
}

function textOf(properties: ReadFeature['properties'], name: string): string | null {
  const value = properties[name]
  return value === null || value === undefined ? null : String(value).trim() || null
}
