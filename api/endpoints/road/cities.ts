import { LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { SECTION_CITIES, trafficSectionStates } from '../../../lake/datasets/road/traffic-sections.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { RestsOn } from '../../kernel/endpoint.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'

/** A city with published traffic data. */
interface City {
  readonly name: string
  /** INE code of its municipality. */
  readonly municipality_code: string
  /** Kind of its data: readings of sensors, or states of street sections. */
  readonly kind: 'SENSORS' | 'SECTIONS'
  /** Source of its live data, as in its rows. */
  readonly source: string
}

const { barcelona, valencia, bilbao } = SECTION_CITIES

/** The cities, by id. */
export const CITIES: ReadonlyMap<string, City> = new Map<string, City>([
  ['madrid', { name: 'Madrid', municipality_code: '28079', kind: 'SENSORS', source: LIVE_SOURCE }],
  ['barcelona', { name: 'Barcelona', kind: 'SECTIONS', ...barcelona }],
  ['valencia', { name: 'València', kind: 'SECTIONS', ...valencia }],
  ['bilbao', { name: 'Bilbao', kind: 'SECTIONS', ...bilbao }],
])

/** The city id as a path parameter. */
export const cityId = required(textParam(`The city: ${[...CITIES.keys()].join(', ')}.`, { max: 40, example: 'madrid' }))

/** The live source of a city; for an unknown city an empty string, which no row has. */
export function sourceOf(city: string): string {
  return CITIES.get(city)?.source ?? ''
}

/** The live data of a city, which decides whether a reply is stale. */
export function liveDataOf(city: string): RestsOn {
  const dataset: Dataset = CITIES.get(city)?.kind === 'SECTIONS' ? trafficSectionStates : trafficReadings
  const source = dataset.sources.find(({ id }) => id === sourceOf(city))
  return { dataset, ...(source ? { source } : {}) }
}

/** The error for a city whose data has not landed. */
export function noCityData(city: string): Error {
  return noDataYet(`No traffic data of ${city} has arrived yet`, {
    missing: [liveDataOf(city).dataset],
    waits_for: ['the first publication of the city'],
  })
}
