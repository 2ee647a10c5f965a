import { reliablePosition } from '../../../../lake/datasets/fuel/codes.ts'
import { fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { cameras, speedCameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { lowEmissionZones } from '../../../../lake/datasets/road/low-emission-zones.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import { vmsDevices, vmsMessages } from '../../../../lake/datasets/road/vms.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherObservations, weatherStations } from '../../../../lake/datasets/weather/weather-stations.ts'
import { foldRoad } from '../../../../lake/places/road-key.ts'
import type { Line, MultiPolygon, Point } from '../../../../lake/schema/columns.ts'
import type { StatesOf } from '../../../kernel/endpoint.ts'
import { pick } from '../../../kernel/fields.ts'
import { roadName } from '../../../kernel/params/params-place.ts'
import { memo } from '../../../kernel/reads/memo.ts'
import { stationsOf as fuelStationsOf, type Station } from '../../fuel/station.ts'
import { toAlertState } from '../../weather/alerts.ts'
import { weatherNow } from '../../weather/weather.ts'
import { cameraId } from '../cameras.ts'
import { closesRoad } from '../incident-filters.ts'
import { placedIncidents } from '../incident-place.ts'
import { panelsOf } from '../panels.ts'
import type { Posts } from '../posts.ts'
import { sectionLine, speedCameraId } from '../speed-cameras.ts'
import { readingsOf } from '../traffic-intensity.ts'
import { toBeacon } from '../v16.ts'
import { type Details, NO_DETAILS, type RoadItemKind } from './route-item.ts'

/** A thing along roads: where it is, and what it shows. */
export interface Thing {
  readonly kind: RoadItemKind
  readonly id: string
  readonly titles: { readonly es: string; readonly en: string }
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly direction: string | null
  readonly position: Point | null
  /** Where its stretch ends; null for a thing at a point. */
  readonly to: Point | null
  /** Its stretch along the road; null for a thing at a point, or if it is not known. */
  readonly line: Line | null
  /** The area that it concerns, instead of a position. */
  readonly area: MultiPolygon | null
  readonly url: string
  readonly details: Details
  /** Prices by product, of a filling station. */
  readonly prices: Station['prices'] | null
  readonly source: string
  readonly updated_at: number
}

/** The datasets of things along roads. Incidents come first: they set the age of replies. */
export const THING_DATASETS = [
  incidents,
  v16Beacons,
  vmsMessages,
  vmsDevices,
  trafficReadings,
  trafficSensors,
  weatherAlerts,
  weatherObservations,
  weatherStations,
  fuelStations,
  fuelPrices,
  chargingSites,
  lowEmissionZones,
  cameras,
  speedCameras,
] as const
export type ThingStates = StatesOf<typeof THING_DATASETS>

type Titles = Thing['titles']

/** A row with what every thing has, and its place if it has one. */
type Row = Pick<Thing, 'id' | 'source' | 'updated_at'> & Partial<Pick<Thing, 'road' | 'km' | 'direction' | 'position'>>

/** A thing from a row; `page` is the list of the things of its kind, or the path of its own page. */
function thing(
  kind: RoadItemKind,
  title: string | Titles,
  row: Row,
  { page, details, ...more }: Partial<Omit<Thing, 'details'>> & { readonly page: string; readonly details?: Partial<Details> },
): Thing {
  const { id, source, updated_at, road = null, km = null, direction = null, position = null } = row
  const titles = typeof title === 'string' ? { es: title, en: title } : title
  return {
    ...{ kind, id, titles, road, km, km_to: null, direction, position, to: null, line: null, area: null, prices: null },
    ...{ url: `${page}/${encodeURIComponent(id)}`, source, updated_at, ...more, details: { ...NO_DETAILS, ...details } },
  }
}

/** What a thing shows but for its place on a path, with its price of a fuel. */
export function shownThing(thing: Thing, fuel: string) {
  const { titles, road, prices, details } = thing
  const sold = prices?.[fuel]
  const { fuel_station } = details
  return {
    ...{ ...thing, title: titles.es, road: road === null ? null : roadName(road) },
    ...{ price: sold && !sold.price_issue ? sold.price : null, ...details },
    fuel_station: fuel_station && sold ? { ...fuel_station, price_unit: sold.price_unit, price_issue: sold.price_issue } : fuel_station,
  }
}

const whereOn = (road: string | null, km: number | null): string =>
  road === null ? '' : ` ${road}${km === null ? '' : ` km ${Math.round(10 * km) / 10}`}`

/** All things along roads by kind, each list made once per version of its states. `posts` draw the stretches of incidents. */
export function thingsOf(states: ThingStates, posts: Posts | null): readonly (readonly Thing[])[] {
  const [incident, beacon, message, device, reading, sensor, alert, observation, station, fuel, price, charger, zone, camera, speedCamera] =
    states
  return [
    incidentThings(incident, posts),
    beaconThings(beacon),
    panelThings(message, device),
    sensorThings(reading, sensor),
    warningThings(alert),
    weatherThings(observation, station),
    fuelThings(fuel, price),
    chargingThings(charger),
    zoneThings(zone),
    cameraThings(camera),
    speedCameraThings(speedCamera, posts),
  ]
}

const incidentThings = memo((state: ThingStates[0], posts: Posts | null): Thing[] =>
  placedIncidents(state, posts).map((one) => {
    const { position, to: end } = one
    const to = end?.lat === position?.lat && end?.lon === position?.lon ? null : end
    const incident = {
      ...pick(one, 'type', 'severity', 'delay_minutes', 'starts_at', 'expected_end_at'),
      is_closed: one.measures.some(closesRoad),
    }
    const more = { page: '/api/incidents', km_to: one.km_to, to, line: one.geometry, details: { incident } }
    return thing(one.type === 'ROADWORKS' ? 'WORKS' : 'INCIDENT', one.descriptions, one, more)
  }),
)

const beaconThings = memo((state: ThingStates[1]): Thing[] =>
  state.rows.map((row) => {
    const beacon = toBeacon(row)
    const where = whereOn(beacon.road, beacon.km)
    return thing('BEACON', { es: `Baliza V16${where}`, en: `V16 beacon${where}` }, beacon, { page: '', url: '/api/v16' })
  }),
)

const panelThings = memo((messages: ThingStates[2], devices: ThingStates[3]): Thing[] =>
  panelsOf([messages, devices]).map((one) => {
    const what = `Panel${whereOn(one.road, one.km)}${one.text === null ? '' : `: ${one.text.replaceAll('\n', ' ')}`}`
    return thing('PANEL', what, one, {
      page: '/api/panels',
      details: { panel: pick(one, 'display', 'text', 'speed_limit_kmh', 'shown_since') },
    })
  }),
)

const sensorThings = memo((readings: ThingStates[4], sensors: ThingStates[5]): Thing[] =>
  readingsOf([readings, sensors]).flatMap((one) => {
    // Sensors of a city are on streets, which a path along roads does not follow.
    if (one.is_stale || one.road === null) return []
    const where = one.name === null ? whereOn(one.road, one.km) : ` ${one.name}`
    const sensor = pick(one, 'intensity_veh_h', 'occupancy_pct', 'speed_kmh', 'level_of_service')
    return thing('SENSOR', `Detector${where}`, one, { page: '/api/trafico/sensores', details: { sensor } })
  }),
)

const warningThings = memo((state: ThingStates[6]): Thing[] =>
  state.rows.map((row) => {
    const one = toAlertState(row)
    const { es: spanish, en: english } = one.texts
    const es = spanish.headline ?? spanish.event ?? one.phenomenon
    const warning = pick(one, 'phenomenon', 'level', 'onset_at', 'expires_at')
    const more = { page: '/api/weather/alerts', area: one.geometry, details: { warning } }
    return thing('WEATHER_WARNING', { es, en: english.headline ?? english.event ?? es }, pick(one, 'id', 'source', 'updated_at'), more)
  }),
)

const weatherThings = memo((observations: ThingStates[7], stations: ThingStates[8]): Thing[] =>
  weatherNow([observations, stations]).map((one) => {
    const weather = pick(one, 'conditions', 'temp_c', 'precipitation_mm', 'visibility_m', 'wind_mean_m_s', 'gust_m_s')
    const row = pick(one, 'id', 'position', 'source', 'updated_at')
    return thing('WEATHER_STATION', one.name, row, { page: '/api/clima/estaciones', details: { weather } })
  }),
)

const fuelThings = memo((stations: ThingStates[9], prices: ThingStates[10]): Thing[] =>
  fuelStationsOf([stations, prices]).flatMap((one) => {
    const position = reliablePosition(one)
    if (!position || one.status !== 'ACTIVE') return []
    const title = [one.operator, one.municipality].filter((part) => part).join(', ')
    const fuel_station = { ...pick(one, 'operator', 'schedule', 'side'), price_unit: 'EUR/L', price_issue: null }
    const row = { ...pick(one, 'id', 'road', 'km', 'source', 'updated_at'), position }
    return thing('FUEL_STATION', title, row, { page: '/api/gas-stations', prices: one.prices, details: { fuel_station } })
  }),
)

const chargingThings = memo((state: ThingStates[11]): Thing[] =>
  state.rows.map((row) => {
    const title = [row.operator ?? row.name, row.municipality].filter((part) => part).join(', ')
    const charging_site = pick(row, 'operator', 'opening_hours', 'simultaneous_cars', 'connector_types', 'max_power_kw')
    const site = { ...pick(row, 'road', 'km', 'position', 'source', 'updated_at'), id: row.site_id }
    return thing('CHARGING_SITE', title, site, { page: '/api/electrolineras', details: { charging_site } })
  }),
)

const zoneThings = memo((state: ThingStates[12]): Thing[] =>
  state.rows.map(({ zone_id: id, name, area, source, updated_at }) =>
    thing('LOW_EMISSION_ZONE', name, { id, source, updated_at }, { page: '/api/zbe', area }),
  ),
)

/** What a camera is called after its kind: by its road, else by its name. */
const cameraPlace = ({ name, road, km }: { readonly name: string | null; readonly road: string | null; readonly km: number | null }) =>
  road === null && name !== null ? ` ${name}` : whereOn(road, km)

const cameraThings = memo((state: ThingStates[13]): Thing[] =>
  state.rows.map((row) => {
    const where = cameraPlace(row)
    const camera = { ...pick(row, 'road', 'km', 'direction', 'position', 'source', 'updated_at'), id: cameraId(row) }
    const details = { camera: pick(row, 'image_url') }
    return thing('CAMERA', { es: `Cámara${where}`, en: `Camera${where}` }, camera, { page: '/api/camaras', details })
  }),
)

const speedCameraThings = memo((state: ThingStates[14], posts: Posts | null): Thing[] =>
  state.rows.map((row) => {
    const { road, km, km_to, to } = row
    const id = speedCameraId(row)
    const where = cameraPlace(row)
    // SCT publishes some without a usable position.
    const position =
      row.position ?? (road === null || km === null ? null : (posts?.at(foldRoad(road), km, row.province_code)[0]?.position ?? null))
    const camera = { ...pick(row, 'road', 'km', 'direction', 'source', 'updated_at'), id, position }
    const url = `/api/radares?ids=${encodeURIComponent(id)}`
    const more = { page: '', url, km_to, to, line: posts && sectionLine(row, posts) }
    const details = { speed_camera: pick(row, 'type', 'speed_limit_kmh') }
    return thing('SPEED_CAMERA', { es: `Radar${where}`, en: `Speed camera${where}` }, camera, { ...more, details })
  }),
)
