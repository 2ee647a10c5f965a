import { openskyPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { opensky } from '../../../lake/datasets/aviation/sources.ts'
import { readJsonObject } from '../../formats/json.ts'
import { numberIn, scaled } from '../../formats/numbers.ts'
import { type Box, isInBoxes, knownPosition } from '../../formats/positions.ts'
import { type Diagnostics, type FeedBody, type FeedClock, FormatError, type Get } from '../define.ts'
import { type RecordFile, recordFeed } from '../kit/record-feed.ts'
import { newestTime } from '../newest-time.ts'
import { withholdStates } from './aircraft-blocked.ts'

/** Boxes that cost four credits together: a standard account has 4,000 a day, one cycle every 87 s. */
const BOXES = {
  peninsula: { south: 35.7, north: 43.8, west: -9.5, east: 4.4 },
  canarias: { south: 27.5, north: 29.5, west: -18.2, east: -13.3 },
} as const satisfies Readonly<Record<string, Box>>
const TOKEN = { url: 'https://auth.opensky-network.org/auth/realms/opensky-network/protocol/openid-connect/token' }
/** The elements of a state by position; the last one is only present on request. */
const ELEMENTS = [
  ...['icao24', 'callsign', 'origin_country', 'time_position', 'last_contact', 'longitude', 'latitude', 'baro_altitude', 'on_ground'],
  ...['velocity', 'true_track', 'vertical_rate', 'sensors', 'geo_altitude', 'squawk', 'spi', 'position_source', 'category'],
] as const
const POSITION_SOURCES: Readonly<Record<string, string>> = { 0: 'ADSB', 1: 'ASTERIX', 2: 'MLAT', 3: 'FLARM' }
/** Positions older than this at publication are dropped, s. */
const OLDEST_S = 60

/** Aircraft from OpenSky, for non-commercial services, with the operator's account. */
export const openskyStates = recordFeed(
  {
    id: 'opensky',
    source: opensky,
    into: openskyPositions,
    every_s: 90,
    plans: [{ requests: [request('peninsula'), request('canarias')], enough: 1 }],
    terms: 'OPENSKY_NON_COMMERCIAL',
    freshBy: 'publication',
    band: { atLeast: 1, minRatio: 0.3 },
    rawRetentionDays: 2,
    columns: {
      icao24: 'icao24',
      callsign: 'callsign',
      received: 'time_position',
      lon: 'longitude',
      lat: 'latitude',
      altitude: 'baro_altitude',
      ground: 'on_ground',
      speed: 'velocity',
      track: 'true_track',
      rate: 'vertical_rate',
      geometric: 'geo_altitude',
      squawk: 'squawk',
      positioned_by: 'position_source',
    },
    knows: ['origin_country', 'last_contact', 'sensors', 'spi', 'category'],
    needs: ['icao24', 'lat', 'lon', 'received', 'ground'],
    nonEmptyFields: ['speed'],
    row(r) {
      const isOnGround = r.isOneOf('ground', ['true'])
      return {
        ...{ source: opensky.id, icao24: r.text('icao24'), observed_at: 1000 * r.integer('received'), is_icao_address: true },
        ...{ callsign: r.text('callsign'), registration: null, aircraft_type: null, category: null, position: r.position('lat', 'lon') },
        altitude_m: isOnGround ? null : scaled(r.number('altitude'), 1, 10),
        altitude_geometric_m: scaled(r.number('geometric'), 1, 10),
        is_on_ground: isOnGround,
        ground_speed_m_s: scaled(r.number('speed'), 1, 100),
        track_deg: scaled(r.number('track'), 1, 100),
        vertical_rate_m_s: scaled(r.number('rate'), 1, 100),
        ...{ squawk: r.text('squawk'), emergency: null, position_source: r.code('positioned_by', POSITION_SOURCES), is_military: null },
      }
    },
  },
  openStates,
)

function request(name: keyof typeof BOXES): Get {
  const { south, north, west, east } = BOXES[name]
  return {
    name,
    url: `https://opensky-network.org/api/states/all?lamin=${south}&lamax=${north}&lomin=${west}&lomax=${east}`,
    ...{ maxBytes: 4_000_000, maxDecodedBytes: 12_000_000, timeout_ms: 20_000, expects: 'json' },
    withhold: withholdStates,
    secret: { env: 'OPENSKY_CLIENT', header: 'authorization', token: TOKEN },
  }
}

/** The states of both boxes as one file; `states` is null if there are none. */
function openStates(bodies: readonly FeedBody[], diagnostics: Diagnostics, { fetched_at }: FeedClock): RecordFile[] {
  const answers = bodies.map(({ bytes }) => readJsonObject(bytes, 'the answer'))
  const times = answers.map(({ time }) => (typeof time === 'number' ? 1000 * time : Number.NaN))
  if (times.some(Number.isNaN)) throw new FormatError('the answer has no time')
  const records = answers.flatMap(({ states }, at) => {
    if (states !== null && !Array.isArray(states)) throw new FormatError('states is no list')
    return ((states ?? []) as unknown[]).flatMap((state) => {
      if (!Array.isArray(state) || state.length < ELEMENTS.length - 1) throw new FormatError('a state has fewer than 17 elements')
      const { time_position: seen, latitude, longitude } = Object.fromEntries(ELEMENTS.map((name, nth) => [name, state[nth] as unknown]))
      const isOld = typeof seen === 'number' && (times[at] as number) - 1000 * seen > 1000 * OLDEST_S
      const position = knownPosition(numberIn(latitude), numberIn(longitude))
      const isOutside = position !== null && !isInBoxes(position, Object.values(BOXES))
      if (isOld || isOutside || typeof seen !== 'number' || position === null) {
        const problem = isOutside ? 'a position outside every box that was requested' : 'an aircraft without a position'
        diagnostics.warn(isOld ? `a position that is older than ${OLDEST_S} s` : problem)
        return []
      }
      return [{ names: ELEMENTS, values: state }]
    })
  })
  diagnostics.publishedAt(newestTime(times, fetched_at))
  return [{ name: 'states', header: null, records }]
}
