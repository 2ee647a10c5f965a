import { aircraftPositions, openskyPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { simplifiedPoints } from '../../../lake/places/lines.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { nested, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { type Param, param, plainText, required } from '../../kernel/params/params.ts'
import { type CachedQuery, defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { maybe } from '../../kernel/reply-fields.ts'
import { ABOUT_AIRCRAFT, AIRCRAFT_STATES, type Aircraft, aircraft, aircraftByAddress } from './aircraft.ts'
import { AVIATION_PAGE } from './figures.ts'

const { columns } = aircraftPositions
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]
/** Tolerance of the simplified track, m. */
const TOLERANCE_M = 100
/** Maximum tracks in memory. */
const MAX_TRACKS = 300
const SHOWN = ['observed_at', 'position', 'altitude_m', 'is_on_ground', 'ground_speed_m_s'] as const

const trackFields = pick(columns, ...SHOWN)
type TrackPoint = ValueOf<typeof trackFields>

const detail = record(
  'AircraftDetail',
  'An aircraft with its last position and its track of the last hour.',
  {
    ...aircraft.fields,
    geometry: maybe.line(`The track, simplified to ${TOLERANCE_M} m, oldest point first; null with fewer than two points.`, {
      type: 'LineString',
      coordinates: [
        [-3.56264, 40.471926],
        [-3.411905, 40.638211],
      ],
    }),
    track: nested.objects('The points of the line in order, with their times.', trackFields),
  },
  { id: 'icao24' },
)

/** The address of an aircraft as a path parameter: any other text is not found. */
const icao24Param: Param<string> = required(
  param({
    about: 'ICAO 24-bit address: six hexadecimal digits, after `~` for a non-ICAO address.',
    schema: { type: 'string', minLength: 1, maxLength: 10 },
    parse: (text) => plainText(text, 10).toLowerCase(),
    example: '3443c1',
  }),
)

type Positions = (typeof AIRCRAFT_STATES)[number]

/** Positions of one aircraft from an instant on, by `<address> <instant>`. */
const tracksIn = (dataset: Positions): CachedQuery<readonly TrackPoint[]> =>
  defineCachedQuery({
    name: `tracks of ${dataset.id}`,
    from: [dataset],
    maxEntries: MAX_TRACKS,
    read: async ({ all }, key) => {
      const [icao24 = '', from] = key.split(' ')
      const names = ['observed_at', 'position_lat', 'position_lon', 'altitude_m', 'is_on_ground', 'ground_speed_m_s']
      const rows = await all<Row<typeof aircraftPositions>>(
        sql`
          SELECT ${join(names.map((name) => column(dataset, name)))}
          FROM ${scan(dataset, { icao24: { eq: icao24 }, observed_at: { gte: Number(from) } })}
          ORDER BY observed_at`,
      )
      return rows
    },
  })

const TRACKS = { [aircraftPositions.id]: tracksIn(aircraftPositions), [openskyPositions.id]: tracksIn(openskyPositions) }

/** One aircraft. */
export const aircraftByIcao24 = defineEndpoint({
  path: '/api/aviacion/posiciones/{icao24}',
  domain: 'aviation',
  plan: 'PRO',
  summary: 'One aircraft with its last position and its track of the last hour',
  summary_es: 'Una aeronave, con su última posición y su recorrido de la última hora',
  about: `The track has the positions of the last hour from the lake, and the last position, all of one source. An aircraft without reports for two minutes is not found. ${ABOUT_AIRCRAFT}`,
  explained: AVIATION_PAGE,
  params: { icao24: icao24Param },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: AIRCRAFT_STATES,
    lake: AIRCRAFT_STATES,
    needs: [],
    isOfAny: true,
    omitsUnpublished: true,
    answer: async ({ states, optional: extra }, { icao24 }) => {
      const found = aircraftByAddress(...states).get(icao24)
      if (!found) return null
      const dataset = AIRCRAFT_STATES.find(({ sources }) => sources[0]?.id === found.source) ?? aircraftPositions
      const from = Math.floor((found.observed_at - HOUR_MS) / MINUTE_MS) * MINUTE_MS
      const past = await extra(TRACKS[dataset.id] as CachedQuery<readonly TrackPoint[]>, `${icao24} ${from}`)
      const track = simplified(past ?? [], found)
      const line = track.map(({ position: { lat, lon } }) => [lon, lat] as const)
      return { ...found, geometry: line.length < 2 ? null : line, track }
    },
  },
  example: { icao24: idOfListed('3443c1') },
})

/** The points that describe a track within the tolerance: those from the lake, then the last position. */
function simplified(past: readonly TrackPoint[], last: Aircraft): TrackPoint[] {
  const before = past.filter(({ observed_at }) => observed_at < last.observed_at)
  const points = [...before, last].map(
    ({ observed_at, position, altitude_m, is_on_ground, ground_speed_m_s }): TrackPoint => ({
      ...{ observed_at, position, altitude_m, is_on_ground, ground_speed_m_s },
    }),
  )
  const places = points.map(({ position: { lat, lon } }): Line[number] => [lon, lat])
  return simplifiedPoints(places, TOLERANCE_M).map((at) => points[at] as TrackPoint)
}
