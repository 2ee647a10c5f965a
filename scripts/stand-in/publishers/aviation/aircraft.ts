import { capturesNamed, defineStandIn } from '../../define.ts'
import { adsbJson, openskyJson } from '../../formats/aircraft-json.ts'
import { keptOf } from '../../publisher.ts'
import { aircraftSeen } from '../../world/aviation/aircraft.ts'

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
