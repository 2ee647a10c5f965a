import { reliablePosition } from '../../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../../lake/datasets/fuel/stations.ts'
import { cameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { lowEmissionZones } from '../../../../lake/datasets/road/low-emission-zones.ts'
import { speedCameras } from '../../../../lake/datasets/road/speed-cameras.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16-beacons.ts'
import { vmsDevices } from '../../../../lake/datasets/road/vms-devices.ts'
import { vmsMessages } from '../../../../lake/datasets/road/vms-messages.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherObservations } from '../../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../../lake/datasets/weather/weather-stations.ts'
import { foldRoad } from '../../../../lake/places/road-key.ts'
import type { Line, MultiPolygon, Point } from '../../../../lake/schema/columns.ts'
import type { StatesOf } from '../../../kernel/endpoint.ts'
import { memo } from '../../../kernel/reads/memo.ts'
import { stationsOf as fuelStationsOf, type Station } from '../../fuel/station.ts'
import { toAlertState } from '../../weather/alert.ts'
import { weatherNow } from '../../weather/weather.ts'
import { cameraId } from '../cameras.ts'
import { closesRoad } from '../incident-filters.ts'
import { placedIncidents } from '../incident-place.ts'
import { panelsOf } from '../panel.ts'
import type { Posts } from '../posts.ts'
import { sectionLine, speedCameraId } from '../speed-cameras.ts'
import { readingsOf } from '../traffic-intensity.ts'
import { toBeacon } from '../v16.ts'
import type { RoadItemKind } from './kinds.ts'
import { type Details, NO_DETAILS } from './route-item.ts'

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

/** What makes a thing a point on a road without anything else. */
const POINT = { km_to: null, to: null, line: null, area: null, prices: null } as const

const roadName = (road: string | null, km: number | null): string =>
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
    const { id, road, km, km_to, direction, descriptions, source, updated_at, position, to: end } = one
    const to = end?.lat === position?.lat && end?.lon === position?.lon ? null : end
    const { type, severity, delay_minutes, starts_at, expected_end_at } = one
    const incident = { type, severity, delay_minutes, starts_at, expected_end_at, is_closed: one.measures.some(closesRoad) }
    return {
      ...{ kind: type === 'ROADWORKS' ? 'WORKS' : 'INCIDENT', id, titles: descriptions, road, km, km_to, direction, position },
      ...{ to, line: one.geometry, area: null, prices: null, source, updated_at },
      ...{ url: `/api/incidents/${encodeURIComponent(id)}`, details: { ...NO_DETAILS, incident } },
    }
  }),
)

const beaconThings = memo((state: ThingStates[1]): Thing[] =>
  state.rows.map((row) => {
    const { id, road, km, direction, position, source, updated_at } = toBeacon(row)
    const where = roadName(road, km)
    const titles = { es: `Baliza V16${where}`, en: `V16 beacon${where}` }
    return { ...POINT, kind: 'BEACON', id, titles, road, km, direction, position, source, updated_at, url: '/api/v16', details: NO_DETAILS }
  }),
)

const panelThings = memo((messages: ThingStates[2], devices: ThingStates[3]): Thing[] =>
  panelsOf([messages, devices]).map(({ id, road, km, direction, position, source, updated_at, ...one }) => {
    const { display, text, speed_limit_kmh, shown_since } = one
    const what = `Panel${roadName(road, km)}${text === null ? '' : `: ${text.replaceAll('\n', ' ')}`}`
    return {
      ...{ ...POINT, kind: 'PANEL', id, titles: { es: what, en: what }, road, km, direction, position, source, updated_at },
      ...{
        url: `/api/panels/${encodeURIComponent(id)}`,
        details: { ...NO_DETAILS, panel: { display, text, speed_limit_kmh, shown_since } },
      },
    }
  }),
)

const sensorThings = memo((readings: ThingStates[4], sensors: ThingStates[5]): Thing[] =>
  readingsOf([readings, sensors]).flatMap(({ id, name, road, km, direction, position, source, updated_at, ...one }) => {
    // Sensors of a city are on streets, which a path along roads does not follow.
    if (one.is_stale || road === null) return []
    const { intensity_veh_h, occupancy_pct, speed_kmh, level_of_service } = one
    const where = name === null ? roadName(road, km) : ` ${name}`
    return {
      ...{ ...POINT, kind: 'SENSOR', id, titles: { es: `Detector${where}`, en: `Detector${where}` }, road, km, direction, position },
      ...{ source, updated_at, url: `/api/trafico/sensores/${encodeURIComponent(id)}` },
      details: { ...NO_DETAILS, sensor: { intensity_veh_h, occupancy_pct, speed_kmh, level_of_service } },
    }
  }),
)

const warningThings = memo((state: ThingStates[6]): Thing[] =>
  state.rows.map((row) => {
    const { id, texts, phenomenon, level, onset_at, expires_at, geometry, source, updated_at } = toAlertState(row)
    const es = texts.es.headline ?? texts.es.event ?? phenomenon
    const titles = { es, en: texts.en.headline ?? texts.en.event ?? es }
    return {
      ...{ ...POINT, kind: 'WEATHER_WARNING', id, titles, road: null, km: null, direction: null, position: null, area: geometry },
      ...{ source, updated_at, url: `/api/weather/alerts/${encodeURIComponent(id)}` },
      details: { ...NO_DETAILS, warning: { phenomenon, level, onset_at, expires_at } },
    }
  }),
)

const weatherThings = memo((observations: ThingStates[7], stations: ThingStates[8]): Thing[] =>
  weatherNow([observations, stations]).map(({ id, name, position, source, updated_at, ...one }) => {
    const { conditions, temp_c, precipitation_mm, visibility_m, wind_mean_m_s, gust_m_s } = one
    return {
      ...{ ...POINT, kind: 'WEATHER_STATION', id, titles: { es: name, en: name }, road: null, km: null, direction: null, position },
      ...{ source, updated_at, url: `/api/clima/estaciones/${encodeURIComponent(id)}` },
      details: { ...NO_DETAILS, weather: { conditions, temp_c, precipitation_mm, visibility_m, wind_mean_m_s, gust_m_s } },
    }
  }),
)

const fuelThings = memo((stations: ThingStates[9], prices: ThingStates[10]): Thing[] =>
  fuelStationsOf([stations, prices]).flatMap((one) => {
    const position = reliablePosition(one)
    if (!position || one.status !== 'ACTIVE') return []
    const { id, operator, road, km, schedule, side, source, updated_at } = one
    const title = [operator, one.municipality].filter((part) => part).join(', ')
    return {
      ...{ ...POINT, kind: 'FUEL_STATION', id, titles: { es: title, en: title }, road, km, direction: null, position, prices: one.prices },
      ...{ source, updated_at, url: `/api/gas-stations/${encodeURIComponent(id)}` },
      details: { ...NO_DETAILS, fuel_station: { operator, schedule, side, price_unit: 'EUR/L', price_issue: null } },
    }
  }),
)

const chargingThings = memo((state: ThingStates[11]): Thing[] =>
  state.rows.map((row) => {
    const { site_id: id, name, operator, road, km, position, source, updated_at } = row
    const { opening_hours, simultaneous_cars, connector_types, max_power_kw } = row
    const title = [operator ?? name, row.municipality].filter((part) => part).join(', ')
    return {
      ...{ ...POINT, kind: 'CHARGING_SITE', id, titles: { es: title, en: title }, road, km, direction: null, position },
      ...{ source, updated_at, url: `/api/electrolineras/${encodeURIComponent(id)}` },
      details: { ...NO_DETAILS, charging_site: { operator, opening_hours, simultaneous_cars, connector_types, max_power_kw } },
    }
  }),
)

const zoneThings = memo((state: ThingStates[12]): Thing[] =>
  state.rows.map(({ zone_id: id, name, area, source, updated_at }) => ({
    ...{
      ...POINT,
      kind: 'LOW_EMISSION_ZONE',
      id,
      titles: { es: name, en: name },
      road: null,
      km: null,
      direction: null,
      position: null,
      area,
    },
    ...{ source, updated_at, url: `/api/zbe/${encodeURIComponent(id)}`, details: NO_DETAILS },
  })),
)

const cameraThings = memo((state: ThingStates[13]): Thing[] =>
  state.rows.map((row) => {
    const { name, road, km, direction, position, image_url, source, updated_at } = row
    const id = cameraId(row)
    const where = road === null && name !== null ? ` ${name}` : roadName(road, km)
    return {
      ...{ ...POINT, kind: 'CAMERA', id, titles: { es: `Cámara${where}`, en: `Camera${where}` }, road, km, direction, position },
      ...{ source, updated_at, url: `/api/camaras/${encodeURIComponent(id)}`, details: { ...NO_DETAILS, camera: { image_url } } },
    }
  }),
)

const speedCameraThings = memo((state: ThingStates[14], posts: Posts | null): Thing[] =>
  state.rows.map((row) => {
    const { name, road, km, km_to, direction, type, speed_limit_kmh, source, updated_at } = row
    const id = speedCameraId(row)
    const where = road === null && name !== null ? ` ${name}` : roadName(road, km)
    // SCT publishes some without a usable position.
    const position =
      row.position ?? (road === null || km === null ? null : (posts?.at(foldRoad(road), km, row.province_code)[0]?.position ?? null))
    return {
      ...{ kind: 'SPEED_CAMERA', id, titles: { es: `Radar${where}`, en: `Speed camera${where}` }, road, km, km_to, direction },
      ...{ position, to: row.to, line: posts && sectionLine(row, posts), area: null, prices: null, source, updated_at },
      ...{ url: `/api/radares?ids=${encodeURIComponent(id)}`, details: { ...NO_DETAILS, speed_camera: { type, speed_limit_kmh } } },
    }
  }),
)
