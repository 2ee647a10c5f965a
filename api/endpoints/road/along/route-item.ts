import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../../lake/datasets/fuel/stations.ts'
import { cameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { ROAD_DIRECTIONS } from '../../../../lake/datasets/road/codes.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { speedCameras } from '../../../../lake/datasets/road/speed-cameras.ts'
import { vmsMessages } from '../../../../lake/datasets/road/vms-messages.ts'
import { DRIVING_CONDITIONS } from '../../../../lake/datasets/weather/codes.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherObservations } from '../../../../lake/datasets/weather/weather-observations.ts'
import { nested, nulls, optional, pick, type ValueOf } from '../../../kernel/fields.ts'
import { field, maybe } from '../../../kernel/reply-fields.ts'
import { readingFields } from '../sensor.ts'
import { ROAD_ITEMS } from './kinds.ts'

/** What a thing shows of itself, by kind: one of these members is set, the others are null. */
export const detailFields = {
  incident: nested.maybe('Of an incident or works; else null.', {
    ...pick(incidents.columns, 'type', 'severity', 'delay_minutes', 'starts_at', 'expected_end_at'),
    is_closed: field.boolean('True if it closes the road or a carriageway.', false),
  }),
  panel: nested.maybe('Of a panel; else null.', pick(vmsMessages.columns, 'display', 'text', 'speed_limit_kmh', 'shown_since')),
  camera: nested.maybe('Of a camera; else null.', pick(cameras.columns, 'image_url')),
  speed_camera: nested.maybe('Of a speed camera; else null.', pick(speedCameras.columns, 'type', 'speed_limit_kmh')),
  sensor: nested.maybe(
    'Of a traffic detector; else null.',
    pick(readingFields, 'intensity_veh_h', 'occupancy_pct', 'speed_kmh', 'level_of_service'),
  ),
  warning: nested.maybe('Of a weather warning; else null.', pick(weatherAlerts.columns, 'phenomenon', 'level', 'onset_at', 'expires_at')),
  weather: nested.maybe('Of a weather station; else null.', {
    conditions: field.list('Adverse driving conditions; empty if none.', field.code('A condition.', DRIVING_CONDITIONS), ['RAIN']),
    ...pick(weatherObservations.columns, 'temp_c', 'precipitation_mm', 'visibility_m', 'wind_mean_m_s', 'gust_m_s'),
  }),
  fuel_station: nested.maybe('Of a filling station; else null.', {
    operator: fuelStations.columns.brand,
    schedule: fuelStations.columns.opening_hours,
    side: fuelStations.columns.side,
    ...pick(fuelPrices.columns, 'price_unit', 'price_issue'),
  }),
  charging_site: nested.maybe(
    'Of a charging site; else null.',
    pick(chargingSites.columns, 'operator', 'opening_hours', 'simultaneous_cars', 'connector_types', 'max_power_kw'),
  ),
} as const

export type Details = ValueOf<typeof detailFields>

/** The details of a thing: those of its kind. */
export const NO_DETAILS = nulls(detailFields)

/** Fields of a thing along a road or a path, before its place there. */
export const itemFields = {
  kind: field.code('Kind of thing.', ROAD_ITEMS, 'INCIDENT'),
  id: field.text('Its id, as in `url`.', 'inc_7Q2M9KX4B1TZ'),
  title: field.text('What it is, in a few words.', 'Obras en la A-2, km 586,5'),
  titles: nested.object('The same by language.', {
    es: field.text('In Spanish.', 'Obras en la A-2, km 586,5'),
    en: field.text('In English.', 'Roadworks on the A-2, km 586.5'),
  }),
} as const

/** Fields of a thing after its place on the path. */
export const itemTail = {
  road: maybe.text('Its road, as its source states it; null if it states none.', 'A-2'),
  km: maybe.decimal('Its kilometre on that road.', 'km', 3, 586.5),
  km_to: maybe.decimal('End of its stretch on that road; null for a thing at a point.', 'km', 3, null),
  direction: maybe.code('Direction of its traffic along its road.', ROAD_DIRECTIONS, 'POSITIVE'),
  position: maybe.point('Where it is; of a stretch its begin, of a warning where the path enters it.', { lat: 41.514583, lon: 1.897944 }),
  price: optional(
    fuelPrices.columns.price,
    'Price of `fuel` at a filling station; null for other things, or if it is not sold there or not plausible.',
  ),
  ...detailFields,
  url: field.text('Path of the request that shows it whole.', '/api/incidents/inc_7Q2M9KX4B1TZ'),
  source: field.text('Source of the record.', 'dgt'),
  updated_at: field.instant('Publication that last changed it.', '2026-01-02T12:23:28.413Z'),
} as const
