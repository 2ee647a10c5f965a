import { bilbaoTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { SECTION_CITIES } from '../../../lake/datasets/road/traffic-sections.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { wholeNumber } from '../../formats/numbers.ts'
import type { Diagnostics } from '../define.ts'
import { cityArea, type ReadFeature, type SectionReport, sectionMapFeed, sectionOf } from './city-sections.ts'

const PLACE = SECTION_CITIES.bilbao

/** Minimum occupancy (%) of each computed level, densest first; see the decision in this folder's README. */
const LEVELS = [
  [50, 'CONGESTED'],
  [30, 'VERY_DENSE'],
  [15, 'DENSE'],
  [0, 'FREE'],
] as const

/** Bilbao's sections, each an area with intensity, occupancy and speed of the last five minutes, all as texts. */
export const bilbaoTraffic = sectionMapFeed({
  ...{ id: 'bilbao_traffic', source, place: PLACE, maxBytes: 4_000_000, atLeast: 40 },
  url: 'https://www.bilbao.eus/aytoonline/srvDatasetTrafico?formato=geojson',
  knows: ['CodigoSeccion', 'Ocupacion', 'Intensidad', 'Velocidad', 'FechaHora'],
  isTimed: true,
  read({ properties, geometry }, { near }, diagnostics) {
    const section_id = textOf(properties, 'CodigoSeccion')
    const [date = '', time = ''] = textOf(properties, 'FechaHora').split(' ')
    const observed_at = instantOf(date, time, { near })
    if (section_id === '') return { problem: 'no CodigoSeccion' }
    if (Number.isNaN(observed_at)) return { problem: 'FechaHora is no time' }
    return {
      report: { section_id, observed_at, level_basis: 'OCCUPANCY', ...measuresOf(properties, diagnostics) },
      section: sectionOf(PLACE, { section_id, name: null }, { area: cityArea(PLACE, geometry, diagnostics) }),
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
