import { aircraftPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { adsbLol } from '../../../lake/datasets/aviation/sources.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { numberIn, scaled } from '../../formats/numbers.ts'
import { knownPosition } from '../../formats/positions.ts'
import { type Diagnostics, type FeedBody, type FeedClock, FormatError, type Get, lookUp } from '../define.ts'
import { type RecordFile, recordFeed } from '../kit/record-feed.ts'
import { newestTime } from '../newest-time.ts'
import { type AdsbAircraft, isBlocked, isMilitary, readAnswer, withholdAircraft } from './aircraft-blocked.ts'

/** Radius of the circles, nautical miles: adsb.lol's maximum. */
export const CIRCLE_NM = 250

/**
 * Centres of circles that together cover the peninsula and the Balearics with their approaches, the Canaries, and the way between
 * them; a test checks it.
 */
export const CIRCLES: Readonly<Record<string, Point>> = Object.freeze({
  galicia: { lat: 42.2, lon: -8.6 },
  castilla: { lat: 42.2, lon: -2.6 },
  cataluna: { lat: 42, lon: 3.4 },
  algarve: { lat: 36.9, lon: -8.6 },
  andalucia: { lat: 37, lon: -2.6 },
  baleares: { lat: 37, lon: 3.4 },
  canarias_west: { lat: 28.4, lon: -16.6 },
  canarias_east: { lat: 28.6, lon: -12.4 },
  atlantic: { lat: 33, lon: -13.2 },
  morocco: { lat: 32.2, lon: -8.2 },
})

const M_PER_FOOT = 0.3048
const M_S_PER_KNOT = 1852 / 3600
/** Positions older than this at publication are dropped, s. */
const OLDEST_S = 60
/** Circles that have to answer; `meta` of the feed counts the others. */
const ENOUGH = Object.keys(CIRCLES).length - 2
/** Radius of the circles, with room for the difference between sphere and ellipsoid. */
const CIRCLE_M = CIRCLE_NM * 1852 * 1.01
const SQUAWK = /^[0-7]{4}$/
const ADDRESS = /^~?[0-9a-f]{6}$/
const EMERGENCIES: Readonly<Record<string, string>> = {
  ...{ general: 'GENERAL', lifeguard: 'MEDICAL', minfuel: 'MINIMUM_FUEL', nordo: 'NO_RADIO', unlawful: 'UNLAWFUL_INTERFERENCE' },
  ...{ downed: 'DOWNED', reserved: 'RESERVED' },
}
const SOURCES: Readonly<Record<string, string>> = {
  ...{ adsb_icao: 'ADSB', adsb_icao_nt: 'ADSB', adsb_other: 'ADSB', adsr_icao: 'ADSR', adsr_other: 'ADSR', adsc: 'ADSC', mlat: 'MLAT' },
  ...{ tisb_icao: 'TISB', tisb_other: 'TISB', tisb_trackfile: 'TISB', mode_s: 'MODE_S', mode_ac: 'MODE_S', other: 'OTHER' },
}

/** Aircraft over Spain and its approaches, once a minute: one request for each circle, the newest position of each aircraft. */
export const adsbLolPositions = recordFeed(
  {
    id: 'adsb_lol',
    source: adsbLol,
    into: aircraftPositions,
    every_s: 60,
    plans: [{ requests: Object.entries(CIRCLES).map(([name, centre]) => request(name, centre)), enough: ENOUGH }],
    freshBy: 'publication',
    band: { atLeast: 1, minRatio: 0.3 },
    rawRetentionDays: 2,
    columns: {
      hex: 'hex',
      type: 'type',
      callsign: 'flight',
      registration: 'r',
      aircraft: 't',
      altitude: 'alt_baro',
      geometric: 'alt_geom',
      speed: 'gs',
      track: 'track',
      computed_track: 'calc_track',
      baro_rate: 'baro_rate',
      geom_rate: 'geom_rate',
      squawk: 'squawk',
      emergency: 'emergency',
      category: 'category',
      lat: 'lat',
      lon: 'lon',
      received: 'received_at',
      military: 'is_military',
    },
    knows: [
      ...['ias', 'tas', 'mach', 'wd', 'ws', 'oat', 'tat', 'track_rate', 'roll', 'mag_heading', 'true_heading', 'nav_qnh', 'nav_heading'],
      ...['nav_altitude_mcp', 'nav_altitude_fms', 'nav_modes', 'nic', 'rc', 'seen_pos', 'version', 'nic_baro', 'nac_p', 'nac_v', 'sil'],
      ...['sil_type', 'gva', 'sda', 'alert', 'spi', 'mlat', 'tisb', 'messages', 'seen', 'rssi', 'dst', 'dir', 'dbFlags', 'lastPosition'],
      ...['desc', 'ownOp', 'year', 'rr_lat', 'rr_lon', 'gpsOkBefore', 'gpsOkLat', 'gpsOkLon', 'acas_ra'],
    ],
    needs: ['hex', 'lat', 'lon', 'received'],
    nonEmptyFields: ['altitude', 'speed'],
    requireAny: { 'an altitude or the ground': ({ altitude_m, is_on_ground }) => altitude_m !== null || is_on_ground === true },
    row(r) {
      const hex = r.text('hex')
      if (!ADDRESS.test(hex)) throw new FormatError('hex is no address')
      const isOnGround = r.isOneOf('altitude', ['ground']) ? true : r.cell('altitude') === null ? null : false
      const emergency = r.cell('emergency')
      return {
        ...{ source: adsbLol.id, icao24: hex, observed_at: r.integer('received'), is_icao_address: !hex.startsWith('~') },
        ...{ callsign: r.text('callsign'), registration: r.text('registration'), aircraft_type: r.text('aircraft') },
        ...{ category: r.text('category'), position: r.position('lat', 'lon') },
        altitude_m: isOnGround ? null : scaled(r.number('altitude'), M_PER_FOOT, 10),
        altitude_geometric_m: scaled(r.number('geometric'), M_PER_FOOT, 10),
        is_on_ground: isOnGround,
        ground_speed_m_s: scaled(r.number('speed'), M_S_PER_KNOT, 100),
        track_deg: scaled(r.number('track') ?? r.number('computed_track'), 1, 100),
        vertical_rate_m_s: scaled(r.number('baro_rate') ?? r.number('geom_rate'), M_PER_FOOT / 60, 100),
        squawk: r.parsed('squawk', 'squawk', (text) => (SQUAWK.test(text) ? text : Number.NaN)) as string | null,
        emergency: emergency === null || emergency === 'none' ? null : (lookUp(EMERGENCIES, emergency) ?? emergency),
        position_source: r.code('type', SOURCES),
        is_military: r.isOneOf('military', ['true']),
      }
    },
  },
  openCircles,
)

function request(name: string, { lat, lon }: Point): Get {
  const url = `https://api.adsb.lol/v2/point/${lat}/${lon}/${CIRCLE_NM}`
  const limits = { maxBytes: 4_000_000, maxDecodedBytes: 12_000_000, timeout_ms: 20_000 }
  return { name, url, ...limits, expects: 'json', withhold: withholdAircraft }
}

/** The newest position of each aircraft of all circles, as one file. */
function openCircles(bodies: readonly FeedBody[], diagnostics: Diagnostics, { fetched_at }: FeedClock): RecordFile[] {
  const answers = bodies.map(({ bytes }) => readAnswer(bytes))
  const newest = new Map<string, { readonly aircraft: AdsbAircraft; readonly at: number }>()
  for (const { now, ac } of answers) {
    for (const aircraft of ac) {
      const { hex, seen_pos, lat, lon } = aircraft
      const position = knownPosition(numberIn(lat), numberIn(lon))
      if (isBlocked(aircraft)) diagnostics.warn('an aircraft whose registration is blocked')
      else if (position === null || typeof seen_pos !== 'number') diagnostics.warn('an aircraft without a position')
      else if (seen_pos > OLDEST_S) diagnostics.warn(`a position that is older than ${OLDEST_S} s`)
      else if (!isInCircles(position)) diagnostics.warn('a position outside every circle that was requested')
      else {
        const at = Math.round(now - 1000 * seen_pos)
        const before = newest.get(String(hex))
        if (!before || before.at < at) newest.set(String(hex), { aircraft, at })
      }
    }
  }
  for (const name of Object.keys(CIRCLES))
    if (bodies.length > 1 && !bodies.some((body) => body.name === name)) diagnostics.warn(`the circle ${name} did not answer`)
  const times = answers.map(({ now }) => now)
  diagnostics.publishedAt(newestTime(times, fetched_at))
  const records = [...newest.values()].map(({ aircraft, at }) => ({
    names: [...Object.keys(aircraft), 'received_at', 'is_military'],
    values: [...Object.values(aircraft), at, isMilitary(aircraft) ? 'true' : null],
  }))
  return [{ name: 'circles', header: null, records }]
}

function isInCircles(position: Point): boolean {
  return Object.values(CIRCLES).some((centre) => distanceM(centre, position) <= CIRCLE_M)
}
