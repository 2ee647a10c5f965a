import { flights } from '../../lake/datasets/aviation/flights.ts'
import { fuelPrices } from '../../lake/datasets/fuel/prices.ts'
import { railAlerts } from '../../lake/datasets/rail/alerts.ts'
import { cameras, speedCameras } from '../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../lake/datasets/road/charging-sites.ts'
import { incidents } from '../../lake/datasets/road/incidents.ts'
import { lowEmissionZones } from '../../lake/datasets/road/low-emission-zones.ts'
import { v16Beacons } from '../../lake/datasets/road/v16.ts'
import { weatherAlerts } from '../../lake/datasets/weather/weather-alerts.ts'
import { EVENT_TYPES, type EventType } from '../../lake/events/types.ts'
import type { Json, MultiPolygon, Point } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { INT32 } from '../../lake/schema/json.ts'
import { changedOf as changedFlight, flight, toFlight } from '../endpoints/aviation/flight.ts'
import { END_DEPENDS } from '../endpoints/lifecycle-fields.ts'
import { changedAlert, alertDetail as railAlert } from '../endpoints/rail/alert.ts'
import { camera, toCamera } from '../endpoints/road/cameras.ts'
import { chargingSite, toSite } from '../endpoints/road/chargers.ts'
import { changedIncident, changedOf as changedIncidentMembers, incidentDetail } from '../endpoints/road/incident.ts'
import { publishedSpeedCamera, toSpeedCamera } from '../endpoints/road/speed-cameras.ts'
import { beacon, changedBeacon } from '../endpoints/road/v16.ts'
import { toZone, zone } from '../endpoints/road/zones.ts'
import { alertState, changedOf as changedWarning, endedBy, toAlertState } from '../endpoints/weather/alerts.ts'
import type { ChangeOf } from '../kernel/endpoint.ts'
import { optional, pick, type RecordShape, record } from '../kernel/fields.ts'
import { changedMembers } from '../kernel/reads/changed.ts'
import { type Area, isInside, touches } from '../kernel/reads/geo.ts'
import { recordSchema } from '../kernel/reads/shape.ts'

/** The properties that events can be filtered by. A facet is absent if events of the type never have it. */
export interface Facets {
  readonly provinces?: readonly (string | null)[]
  readonly road?: string | null
  readonly severity?: string | null
  readonly level?: string | null
  readonly fuel?: string
  readonly station?: string
  readonly price?: number
  readonly airport?: string
  /** True if the thing touches an area. */
  readonly isIn?: (area: Area) => boolean
}

/** How the changes of a dataset become events. */
export interface EventKind {
  /** Topic of its types. */
  readonly topic: string
  readonly dataset: Dataset
  readonly record: RecordShape
  /** Returns the API's object after the change. */
  readonly thing: (change: ChangeOf<never>) => AnyRow
  /** Returns its changed members, by the changed columns. */
  readonly membersOf: (columns: readonly string[]) => string[]
  readonly facets: (thing: never) => Facets
  /** The path of the whole object; absent if no path shows one alone. */
  readonly path?: string
}

interface Located {
  readonly province_code: string | null
  readonly position: Point | null
}

const placeOf = ({ province_code, position }: Located): Facets => ({
  provinces: [province_code],
  isIn: (area) => isInside(area, position),
})

const fuelPrice = record('FuelPriceEvent', 'The price of a fuel at a station after it changed.', {
  station_id: fuelPrices.columns.station_id,
  fuel: fuelPrices.columns.product,
  price: optional(fuelPrices.columns.price, 'Pump price after the change, taxes included.'),
  ...pick(fuelPrices.columns, 'price_unit', 'price_issue', 'province_code', 'observed_at'),
})

type FuelPrice = { readonly station_id: string; readonly fuel: string; readonly price: number; readonly province_code: string }

interface OnRoad extends Located {
  readonly road: string | null
}
const onRoad = (one: OnRoad): Facets => ({ ...placeOf(one), road: one.road })
const PROVINCE = { province: ['province_code'] } as const

/** Every kind of change that becomes an event, by dataset. */
export const EVENT_KINDS: readonly EventKind[] = Object.freeze([
  {
    topic: 'incident',
    dataset: incidents,
    record: incidentDetail,
    thing: changedIncident,
    membersOf: changedIncidentMembers,
    facets: (one: OnRoad & { readonly severity: string }) => ({ ...onRoad(one), severity: one.severity }),
    path: '/api/incidents/{id}',
  },
  {
    topic: 'v16',
    dataset: v16Beacons,
    record: beacon,
    thing: changedBeacon,
    membersOf: changedMembers(v16Beacons, beacon.fields, PROVINCE),
    facets: onRoad,
  },
  {
    topic: 'camera',
    dataset: cameras,
    record: camera,
    thing: ({ row }) => toCamera(row),
    membersOf: changedMembers(cameras, camera.fields, { ...PROVINCE, id: [] }),
    facets: onRoad,
    path: '/api/camaras/{id}',
  },
  {
    topic: 'speed_camera',
    dataset: speedCameras,
    record: publishedSpeedCamera,
    thing: ({ row }) => toSpeedCamera(row),
    membersOf: changedMembers(speedCameras, publishedSpeedCamera.fields, { ...PROVINCE, id: [] }),
    facets: onRoad,
    path: '/api/radares?ids={id}',
  },
  {
    topic: 'low_emission_zone',
    dataset: lowEmissionZones,
    record: zone,
    thing: ({ row }) => toZone(row),
    membersOf: changedMembers(lowEmissionZones, zone.fields, { ...PROVINCE, label_conditions: ['label_conditions'], hours: ['hours'] }),
    facets: ({ province_code, geometry }: { readonly province_code: string | null; readonly geometry: MultiPolygon | null }) => ({
      provinces: [province_code],
      isIn: (area) => geometry !== null && touches(area, geometry),
    }),
    path: '/api/zbe/{id}',
  },
  {
    topic: 'charging_site',
    dataset: chargingSites,
    record: chargingSite,
    thing: ({ row }) => toSite(row),
    membersOf: changedMembers(chargingSites, chargingSite.fields, { ...PROVINCE, points: ['points'] }),
    facets: onRoad,
    path: '/api/electrolineras/{id}',
  },
  {
    topic: 'rail_alert',
    dataset: railAlerts,
    record: railAlert,
    thing: changedAlert,
    membersOf: changedMembers(railAlerts, railAlert.fields, {
      ...{ text: ['text_es'], text_language: ['translations', 'text_es'], translations: ['translations'], hashtags: ['hashtags'] },
      ...{ stop_ids: ['stop_ids'], route_ids: ['route_ids'], lines: ['lines'], nucleo_codes: ['nucleo_codes'], products: [] },
      ...{ train_id: ['train_number', 'network', 'lines'], other_train_id: [] },
      ...{ origin_id: [], origin: [], destination_id: [], destination: [] },
      ...END_DEPENDS,
    }),
    facets: () => ({}),
    path: '/api/trenes/alertas/{id}',
  },
  {
    topic: 'weather_alert',
    dataset: weatherAlerts,
    record: alertState,
    thing: (change) => (change.kind === 'ENDED' ? endedBy(toAlertState(change.row), change.at) : toAlertState(change.row)),
    membersOf: changedWarning,
    facets: (one: { readonly province_codes: readonly string[]; readonly level: string; readonly geometry: MultiPolygon }) => ({
      provinces: one.province_codes,
      level: one.level,
      isIn: (area) => touches(area, one.geometry),
    }),
    path: '/api/weather/alerts/{id}',
  },
  {
    topic: 'fuel_price',
    dataset: fuelPrices,
    record: fuelPrice,
    thing: ({ row }) => ({ ...(row as AnyRow), fuel: (row as AnyRow)['product'] }),
    membersOf: changedMembers(fuelPrices, fuelPrice.fields, { fuel: [], price: ['price'] }),
    facets: ({ station_id, fuel, price, province_code }: FuelPrice) => ({ provinces: [province_code], fuel, station: station_id, price }),
  },
  {
    topic: 'flight',
    dataset: flights,
    record: flight,
    thing: ({ row }) => toFlight(row),
    membersOf: changedFlight,
    facets: ({ airport }: { readonly airport: string }) => ({ airport }),
  },
] satisfies readonly EventKind[])

const text = (description: string, example: Json) => ({ type: 'string', description, examples: [example] })
const instant = (description: string) => ({ type: ['string', 'null'], format: 'date-time', description })

/** The JSON Schema of `data` of the other event types. */
const OTHER_DATA: Readonly<Partial<Record<EventType, Readonly<Record<string, unknown>>>>> = {
  ...Object.fromEntries(
    ['feed.stale', 'feed.recovered'].map((type) => [
      type,
      {
        type: 'object',
        description: 'The feed, with members as in /api/freshness.',
        properties: {
          id: text('Id of the feed.', 'dgt_incidents'),
          domain: text('Domain of its data.', 'road'),
          source: text('Source that publishes it.', 'dgt'),
          datasets: { type: 'array', items: { type: 'string' }, description: 'Datasets that it fills.' },
          health: text('Health of the feed.', 'STALE'),
          cadence_s: { ...INT32, description: 'Expected time between two fetches. Unit: s.' },
          last_success_at: instant('Last successful fetch.'),
          data_time: instant('Publication time of the newest data.'),
          failing_since: instant('Since when fetches fail.'),
        },
      },
    ]),
  ),
  'export.ready': { type: 'object', description: 'The export job, as its own path shows it.' },
  'api.deprecated': {
    type: 'object',
    description: 'The deprecated endpoint.',
    properties: {
      path: text('Its path.', '/api/example'),
      since: text('Day from which it should no longer be used.', '2026-01-02'),
      sunset: text('Last day on which it answers.', '2027-01-02'),
      replacement: { type: ['string', 'null'], description: 'The path that takes its place.' },
    },
  },
}

/** Returns the JSON Schema of `data` of an event type. */
export function dataSchema(type: EventType): Readonly<Record<string, unknown>> {
  const other = OTHER_DATA[type]
  const changed = { type: 'array', items: { type: 'string' }, description: 'Members that differ from before; none of what is new.' }
  if (other) return { ...other, properties: { ...(other['properties'] as object), changed } }
  const kind = EVENT_KINDS.find(({ topic }) => topic === topicOf(type)) as EventKind
  const schema = recordSchema(kind.record, { strict: false })
  return { ...schema, properties: { ...(schema['properties'] as object), changed } }
}

/** Returns the topic of an event type: the part before the dot. */
export function topicOf(type: EventType): string {
  return type.slice(0, type.indexOf('.'))
}

/** Every topic, in the order of the types. */
export const TOPICS: readonly string[] = [...new Set((Object.keys(EVENT_TYPES) as EventType[]).map(topicOf))]
