import { valenciaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { SECTION_CITIES } from '../../../lake/datasets/road/traffic-sections.ts'
import type { Diagnostics } from '../define.ts'
import { cityLine, levelOf, type ReadFeature, type Section, sectionMapFeed, sectionOf } from './city-sections.ts'

const PLACE = SECTION_CITIES.valencia

/** `estado` by the city's documentation; 5 to 9 are the same states for underpasses. */
const LEVELS: Readonly<Record<string, string>> = {
  ...{ '0': 'FREE', '1': 'DENSE', '2': 'CONGESTED', '3': 'CLOSED', '4': 'UNKNOWN' },
  ...{ '5': 'FREE', '6': 'DENSE', '7': 'CONGESTED', '8': 'CLOSED', '9': 'UNKNOWN' },
}

/** València's sections with state and line: one layer of the city's map server. It states no time, so the fetch time counts. */
export const valenciaTraffic = sectionMapFeed({
  ...{ id: 'valencia_traffic', source, place: PLACE, maxBytes: 8_000_000, atLeast: 150 },
  url: 'https://geoportal.valencia.es/server/rest/services/OPENDATA/Trafico/MapServer/192/query?where=1=1&outFields=*&f=geojson',
  knows: ['gid', 'denominacion', 'estado', 'idtramo', 'fiwareid', 'the_geom'],
  isTimed: false,
  read(feature, { fetched_at }, diagnostics) {
    const section_id = textOf(feature.properties, 'gid')
    if (section_id === null) return { problem: 'no gid' }
    const state = textOf(feature.properties, 'estado')
    const level = state === null ? 'UNKNOWN' : levelOf(LEVELS, state, diagnostics)
    return {
      report: { section_id, observed_at: fetched_at, level, source_state: state },
      section: sectionIn(feature, section_id, diagnostics),
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
