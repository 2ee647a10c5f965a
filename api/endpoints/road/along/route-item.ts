import { fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { cameras, speedCameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { ROAD_DIRECTIONS } from '../../../../lake/datasets/road/codes.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { vmsMessages } from '../../../../lake/datasets/road/vms.ts'
import { DRIVING_CONDITIONS } from '../../../../lake/datasets/weather/codes.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherObservations } from '../../../../lake/datasets/weather/weather-stations.ts'
import { defineCodes } from '../../../../lake/schema/codes.ts'
import { field, maybe, nested, nulls, optional, pick, type ValueOf } from '../../../kernel/fields.ts'
import { defineMethodPage } from '../../../kernel/method-page.ts'
import { listOf, oneOf } from '../../../kernel/params/params.ts'
import { readingFields } from '../sensors.ts'

/** The page about lists along a road or path. */
export const ROUTE_PAGE = defineMethodPage('along-a-road', new URL('../route.md', import.meta.url))

/** Kinds of things along a road. */
export const ROAD_ITEMS = defineCodes('road_item', 'Kind of thing along a road or a path.', {
  INCIDENT: ['Incidencia', 'Incident'],
  WORKS: ['Obras', 'Roadworks'],
  BEACON: ['Baliza V16', 'V16 beacon'],
  PANEL: ['Panel de mensaje variable', 'Variable-message panel'],
  CAMERA: ['Cámara', 'Camera'],
  SPEED_CAMERA: ['Radar', 'Speed camera'],
  SENSOR: ['Detector de tráfico', 'Traffic detector'],
  WEATHER_WARNING: ['Aviso meteorológico', 'Weather warning'],
  WEATHER_STATION: ['Estación meteorológica', 'Weather station'],
  FUEL_STATION: ['Gasolinera', 'Filling station'],
  CHARGING_SITE: ['Electrolinera', 'Charging site'],
  LOW_EMISSION_ZONE: ['Zona de bajas emisiones', 'Low-emission zone'],
})

export type RoadItemKind = keyof typeof ROAD_ITEMS.codes

/** All kinds of things. */
export const KINDS = Object.keys(ROAD_ITEMS.codes) as RoadItemKind[]
/** Detectors of each lane are too many unless a caller wants them. */
export const DEFAULT_KINDS = KINDS.filter((kind) => kind !== 'SENSOR')

/** The kinds that a request wants. */
export const includeParam = listOf(oneOf('Only these kinds of things; by default all but SENSOR.', KINDS, { example: 'INCIDENT' }))

/** How traffic at a thing runs relative to a path. */
export const RELATIONS = defineCodes('path_relation', 'How the traffic that a thing concerns runs relative to the path.', {
  SAME_DIRECTION: ['En el sentido de la marcha', 'In the direction of travel'],
  OPPOSITE_DIRECTION: ['En sentido contrario', 'In the opposite direction'],
  BOTH_DIRECTIONS: ['En ambos sentidos', 'In both directions'],
  CROSSING_ROAD: ['En una carretera que cruza', 'On a road that crosses the path'],
  UNKNOWN: ['Se desconoce', 'Unknown: the thing states no direction, or its road is not located'],
})

export type Relation = keyof typeof RELATIONS.codes

/** Sides of a path. */
export const SIDES = defineCodes('path_side', 'Side of a path, in its direction of travel.', {
  LEFT: ['Izquierda', 'Left'],
  RIGHT: ['Derecha', 'Right'],
})

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
