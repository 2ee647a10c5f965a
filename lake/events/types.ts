import { flights, PUNCTUAL_MINUTES } from '../datasets/aviation/flights.ts'
import { fuelPrices } from '../datasets/fuel/prices.ts'
import { railAlerts } from '../datasets/rail/alerts.ts'
import { cameras, speedCameras } from '../datasets/road/cameras.ts'
import { chargingSites } from '../datasets/road/charging-sites.ts'
import { incidents } from '../datasets/road/incidents.ts'
import { lowEmissionZones } from '../datasets/road/low-emission-zones.ts'
import { v16Beacons } from '../datasets/road/v16.ts'
import { weatherAlerts } from '../datasets/weather/weather-alerts.ts'
import type { LiveChange } from '../live/types.ts'
import type { Dataset } from '../schema/dataset.ts'

/** Every event type with its description. The part before the dot is the topic. */
export const EVENT_TYPES = Object.freeze({
  'incident.created': 'An incident appeared.',
  'incident.updated': 'An incident changed.',
  'incident.ended': 'An incident ended.',
  'v16.activated': 'A V16 beacon was switched on.',
  'v16.ended': 'A V16 beacon is no longer active.',
  'camera.changed': 'A traffic camera appeared, changed or is no longer published (`status`).',
  'speed_camera.changed': 'A speed camera appeared, changed or is no longer published (`status`).',
  'low_emission_zone.changed': 'A low-emission zone appeared, changed or is no longer published (`status`).',
  'charging_site.changed': 'A charging site appeared, changed or is no longer published (`status`).',
  'rail_alert.created': 'A railway alert appeared.',
  'rail_alert.updated': 'A railway alert changed.',
  'rail_alert.ended': 'A railway alert ended.',
  'weather_alert.issued': 'A weather warning was issued.',
  'weather_alert.updated': 'A weather warning changed.',
  'weather_alert.ended': 'A weather warning expired or was withdrawn.',
  'fuel_price.changed': 'The pump price of a fuel at a station changed.',
  'flight.delayed': `A flight is more than ${PUNCTUAL_MINUTES} minutes late, or its delay changed while it was.`,
  'flight.cancelled': 'A flight was cancelled.',
  'feed.stale': 'A feed stopped delivering fresh data.',
  'feed.recovered': 'A feed delivers fresh data again.',
  'export.ready': 'An export job of the account is finished: its files can be downloaded.',
  'api.deprecated': 'An endpoint is deprecated.',
} as const)

/** Name of an event type. */
export type EventType = keyof typeof EVENT_TYPES

/** Changes of a dataset that are events, and their types. */
export interface ChangeEvents {
  readonly dataset: Dataset
  /** The event type of a change, or null if it is not an event. */
  readonly typeOf: (change: LiveChange) => EventType | null
  /** True for a catalogue: the first publication of a feed has nothing new. */
  readonly isCatalogue?: true
}

type ByKind = Readonly<Record<LiveChange['kind'], EventType | null>>

const byKind = (dataset: Dataset, types: ByKind): ChangeEvents => ({ dataset, typeOf: ({ kind }) => types[kind] })

const catalogue = (dataset: Dataset, type: EventType): ChangeEvents => ({ dataset, typeOf: () => type, isCatalogue: true })

/** Every dataset whose changes are events. */
export const CHANGE_EVENTS: readonly ChangeEvents[] = Object.freeze([
  byKind(incidents, { CREATED: 'incident.created', UPDATED: 'incident.updated', ENDED: 'incident.ended' }),
  {
    dataset: v16Beacons,
    typeOf: ({ kind, changed }) => {
      if (kind === 'ENDED') return 'v16.ended'
      // A beacon that was over and returns has another status than before.
      return kind === 'CREATED' || changed.includes('status') ? 'v16.activated' : null
    },
  },
  catalogue(cameras, 'camera.changed'),
  catalogue(speedCameras, 'speed_camera.changed'),
  catalogue(lowEmissionZones, 'low_emission_zone.changed'),
  catalogue(chargingSites, 'charging_site.changed'),
  byKind(railAlerts, { CREATED: 'rail_alert.created', UPDATED: 'rail_alert.updated', ENDED: 'rail_alert.ended' }),
  byKind(weatherAlerts, { CREATED: 'weather_alert.issued', UPDATED: 'weather_alert.updated', ENDED: 'weather_alert.ended' }),
  {
    dataset: fuelPrices,
    typeOf: ({ kind, changed }) => (kind === 'UPDATED' && changed.includes('price') ? 'fuel_price.changed' : null),
  },
  { dataset: flights, typeOf: flightEvent },
])

function flightEvent({ kind, changed, row }: LiveChange): EventType | null {
  const isNew = (column: string): boolean => kind === 'CREATED' || (kind === 'UPDATED' && changed.includes(column))
  if (row['state'] === 'CANCELLED') return isNew('state') ? 'flight.cancelled' : null
  return isNew('delay_minutes') && Number(row['delay_minutes'] ?? 0) > PUNCTUAL_MINUTES ? 'flight.delayed' : null
}
