import { distanceM } from '../../../../lake/places/distance.ts'
import type { Point } from '../../../../lake/schema/columns.ts'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { keptOf } from '../../publisher.ts'
import { aircraftSeen, type SeenAircraft } from '../../world/aviation/aircraft.ts'

const [M_PER_FOOT, M_S_PER_KNOT, M_PER_NM] = [0.3048, 1852 / 3600, 1852] as const
const FLAGS = { MILITARY: 1, PIA: 4, LADD: 8 } as const

const round = (value: number, steps: number): number => Math.round(value * steps) / steps

/** The answer of adsb.lol for a circle: feet, knots and feet per minute. */
function adsbJson(
  seen: readonly SeenAircraft[],
  of: { readonly centre: Point; readonly radius_nm: number; readonly now: number; readonly hasUnknownCodes: boolean },
): string {
  const inside = seen.filter(({ position }) => distanceM(position, of.centre) <= of.radius_nm * M_PER_NM)
  const ac = inside.map((one, at) => {
    const isAir = one.altitude_m !== null
    const altitude = isAir ? { alt_baro: 25 * Math.round((one.altitude_m as number) / M_PER_FOOT / 25) } : { alt_baro: 'ground' }
    return {
      hex: one.icao24,
      type: of.hasUnknownCodes && at % 9 === 2 ? 'adsz_new' : one.icao24.startsWith('~') ? 'tisb_other' : one.isMlat ? 'mlat' : 'adsb_icao',
      flight: one.callsign.padEnd(8),
      ...(one.icao24.startsWith('~') ? {} : { r: one.registration, t: one.type }),
      ...(one.listing ? { dbFlags: FLAGS[one.listing] } : {}),
      ...altitude,
      ...(isAir ? { alt_geom: 25 * Math.round(((one.altitude_m as number) * 1.02) / M_PER_FOOT / 25) } : {}),
      gs: round(one.speed_m_s / M_S_PER_KNOT, 10),
      track: round(one.track_deg, 100),
      ...(isAir ? { baro_rate: 64 * Math.round((one.climb_m_s * 60) / M_PER_FOOT / 64) } : {}),
      ...{
        squawk: one.squawk,
        emergency: 'none',
        category: one.category,
        lat: round(one.position.lat, 1e6),
        lon: round(one.position.lon, 1e6),
      },
      ...{ nic: 8, rc: 186, seen_pos: one.age_s, version: 2, nac_p: 9, sil: 3, sil_type: 'perhour', alert: 0, spi: 0 },
      ...{ mlat: one.isMlat ? ['lat', 'lon'] : [], tisb: [], messages: 9000 + at, seen: Math.min(one.age_s, 0.4), rssi: -19.5 },
      dst: round(distanceM(one.position, of.centre) / M_PER_NM, 1000),
    }
  })
  return JSON.stringify({ ac, msg: 'No error', now: of.now, total: ac.length, ctime: of.now, ptime: 4 })
}

/** Bounds of a box, degrees. */
interface Bounds {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** The answer of OpenSky for a box: state vectors of 17 elements, metres and metres per second. */
function openskyJson(
  seen: readonly SeenAircraft[],
  of: { readonly bounds: Bounds; readonly now: number; readonly hasUnknownCodes: boolean },
): string {
  const time = Math.floor(of.now / 1000)
  const { south, north, west, east } = of.bounds
  const states = seen
    .filter(({ icao24, position: { lat, lon } }) => !icao24.startsWith('~') && lat >= south && lat <= north && lon >= west && lon <= east)
    .map((one, at) => [
      ...[one.icao24, one.callsign.padEnd(8), 'Spain', Math.floor(time - one.age_s), time],
      ...[round(one.position.lon, 1e4), round(one.position.lat, 1e4)],
      one.altitude_m === null ? null : round(one.altitude_m, 100),
      one.altitude_m === null,
      ...[round(one.speed_m_s, 100), round(one.track_deg, 100), one.altitude_m === null ? null : round(one.climb_m_s, 100), null],
      one.altitude_m === null ? null : round(one.altitude_m * 1.02, 100),
      ...[one.squawk, false, of.hasUnknownCodes && at % 9 === 2 ? 7 : one.isMlat ? 2 : 0],
    ])
  return JSON.stringify({ time, states: states.length === 0 ? null : states })
}

const FIVE_SECONDS = 5000
const POINT = /^\/v2\/point\/(-?\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)\/(\d+)$/
const BOX = ['lamin', 'lamax', 'lomin', 'lomax'] as const

const shared = {
  publishedAt: (_seed: number, now: number) => now - (now % FIVE_SECONDS),
  validators: 'none',
} as const

/** adsb.lol: the aircraft in a circle. */
export const adsbLol = defineStandIn('adsb_lol', {
  ...shared,
  path: '/v2/point/40.4/-3.7/250',
  route(path) {
    const [, lat, lon, radius] = POINT.exec(path) ?? []
    return radius === undefined ? null : `${lat}/${lon}/${radius}`
  },
  write(world, { resource, publishedAt, stampedAt, variant }) {
    const [lat = 0, lon = 0, radius = 0] = resource.split('/').map(Number)
    const seen = keptOf(world.part(aircraftSeen)(publishedAt), variant)
    return adsbJson(seen, {
      centre: { lat, lon },
      radius_nm: Math.min(250, radius),
      now: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    })
  },
  captures: {
    folder: 'adsb-lol',
    // v2_point_pyrenees_20261006T083240Z.json
    capturedAt: capturesNamed(/^v2_point_\w+_\w+\.json$/),
  },
})

/** The OpenSky Network: the aircraft in a box. */
export const opensky = defineStandIn('opensky', {
  ...shared,
  path: '/api/states/all?lamin=35.7&lamax=43.8&lomin=-9.5&lomax=4.4',
  route(path, query) {
    const bounds = BOX.map((name) => query.get(name))
    return path === '/api/states/all' && !bounds.includes(null) ? bounds.join('/') : null
  },
  write(world, { resource, publishedAt, stampedAt, variant }) {
    const [south = 0, north = 0, west = 0, east = 0] = resource.split('/').map(Number)
    const seen = keptOf(world.part(aircraftSeen)(publishedAt), variant)
    return openskyJson(seen, { bounds: { south, north, west, east }, now: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'opensky',
    // states_all_pyrenees_20261006T083237Z.json; the others are from other parts of the world, or empty.
    capturedAt: capturesNamed(/^states_all_pyrenees_\w+\.json$/),
  },
})
