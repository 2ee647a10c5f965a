import { FUEL_PRODUCTS } from '../../lake/datasets/fuel/codes.ts'
import { SEVERITIES } from '../../lake/datasets/road/codes.ts'
import { ALERT_LEVELS } from '../../lake/datasets/weather/codes.ts'
import { EVENT_TYPES } from '../../lake/events/types.ts'
import { boxOfRegion, provincesOf } from '../../lake/places/regions.ts'
import { foldRoad } from '../../lake/places/road-key.ts'
import { iataParam } from '../endpoints/aviation/flight.ts'
import { codeParam, listOf, numberParam, oneOf, textParam, type ValuesOf } from '../kernel/params/params.ts'
import { boxParam, provinceParam, roadParam } from '../kernel/params/params-place.ts'
import { type Facets, TOPICS } from './kinds.ts'

/** Every name that `topics` accepts: topics, and single event types. */
export const TOPIC_NAMES: readonly string[] = [...TOPICS, ...Object.keys(EVENT_TYPES)]

/** The filters of events, for streams and webhooks alike. */
export const EVENT_FILTERS = {
  topics: listOf(oneOf('Topics, or single event types such as `incident.created`; all by default.', TOPIC_NAMES, { example: 'incident' })),
  province: listOf(provinceParam),
  road: listOf(roadParam),
  severity: listOf(codeParam('Severity of incidents.', SEVERITIES, { example: 'HIGH' })),
  level: listOf(codeParam('Level of weather warnings.', ALERT_LEVELS, { example: 'ORANGE' })),
  bbox: boxParam('Box that the thing has to touch'),
  fuel: listOf(codeParam('Fuel of price changes.', FUEL_PRODUCTS, { example: 'DIESEL_A' })),
  station: listOf(textParam('Station of price changes.', { max: 20, example: '4375' })),
  price_below: numberParam('Only prices below this one, after the change.', { min: 0, max: 100, unit: 'EUR', example: '1.4' }),
  price_above: numberParam('Only prices above this one, after the change.', { min: 0, max: 100, unit: 'EUR', example: '1.8' }),
  airport: listOf(iataParam),
} as const

/** Values of the filters; null if not given. */
export type EventFilter = ValuesOf<typeof EVENT_FILTERS>

/** The description of the filters, wherever they are. */
export const ABOUT_FILTERS =
  'Filters are combined: an event must match all of them, so `road` leaves out all events without a road. ' +
  'Events about the service itself (`feed`, `export`, `api`) are selected by `topics` alone.'

/** The properties of an event that filters test. */
interface Filtered {
  readonly type: string
  readonly topic: string
  /** Null for events about the service itself. */
  readonly facets: Facets | null
}

/** The predicate of filters. */
export function eventPredicate(filter: EventFilter): (event: Filtered) => boolean {
  const { topics, bbox, price_below, price_above } = filter
  const names = topics && new Set<string>(topics)
  const roads = filter.road && new Set(filter.road)
  const tests: ((facets: Facets) => boolean)[] = []
  const oneOfThese = (wanted: readonly string[] | null, valuesOf: (facets: Facets) => readonly (string | null | undefined)[]): void => {
    if (wanted === null) return
    const set = new Set<string | null | undefined>(wanted)
    tests.push((facets) => valuesOf(facets).some((value) => set.has(value)))
  }
  // An island is selected by its box: events have no municipality.
  if (filter.province) {
    const wanted = filter.province.map((region) => ({ codes: provincesOf(region), box: boxOfRegion(region) }))
    const isInside = ({ provinces = [], isIn }: Facets): boolean =>
      wanted.some(
        ({ codes, box }) =>
          provinces.some((code) => code !== null && codes.includes(code)) && (box === null || (isIn?.({ kind: 'box', ...box }) ?? false)),
      )
    tests.push(isInside)
  }
  oneOfThese(filter.severity, ({ severity }) => [severity])
  oneOfThese(filter.level, ({ level }) => [level])
  oneOfThese(filter.fuel, ({ fuel }) => [fuel])
  oneOfThese(filter.station, ({ station }) => [station])
  oneOfThese(filter.airport, ({ airport }) => [airport])
  if (roads) tests.push(({ road }) => typeof road === 'string' && roads.has(foldRoad(road)))
  if (price_below !== null) tests.push(({ price }) => price !== undefined && price < price_below)
  if (price_above !== null) tests.push(({ price }) => price !== undefined && price > price_above)
  // The most expensive test is last.
  if (bbox) tests.push(({ isIn }) => isIn?.(bbox) ?? false)
  return ({ type, topic, facets }) => {
    if (names && !names.has(type) && !names.has(topic)) return false
    return facets === null || tests.every((isMet) => isMet(facets))
  }
}
