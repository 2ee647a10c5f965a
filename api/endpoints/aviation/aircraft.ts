import { aircraftPositions, openskyPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { AIRCRAFT_CATEGORIES } from '../../../lake/datasets/aviation/codes.ts'
import { simplifiedPoints } from '../../../lake/places/lines.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { defineEndpoint, keyedList, type StatesOf } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { maybe, nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { requiredAreaFilter } from '../../kernel/filters.ts'
import { booleanParam, codeParam, listOf, type Param, param, plainText, required } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { type CachedQuery, defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields } from '../common-fields.ts'
import { AVIATION_PAGE } from './figures.ts'

const { columns } = aircraftPositions

/** Fields of an aircraft. */
const aircraft = record('Aircraft', 'An aircraft with its last position.', {
  ...pick(columns, 'icao24', 'is_icao_address', 'callsign', 'registration', 'aircraft_type', 'category', 'position', 'is_on_ground'),
  ...pick(columns, 'altitude_m', 'altitude_geometric_m', 'ground_speed_m_s', 'track_deg', 'vertical_rate_m_s', 'squawk', 'emergency'),
  ...pick(columns, 'position_source', 'is_military'),
  ...originFields(columns),
})

type Aircraft = ValueOf<typeof aircraft.fields>

const toAircraft: (row: StateRow<typeof aircraftPositions>) => Aircraft = projection(aircraftPositions, aircraft)

/** Source datasets. */
const AIRCRAFT_STATES = [aircraftPositions, openskyPositions] as const
type States = StatesOf<typeof AIRCRAFT_STATES>

/** Description shared by all endpoints with aircraft. */
const ABOUT_AIRCRAFT =
  'Positions arrive once a minute from volunteers’ ADS-B receivers; without one nearby, low aircraft are missing. Aircraft with a blocked registration are never shown. Data of adsb.lol is under ODbL.'

/** The aircraft by address, cached per state: the newer position of two sources. */
const aircraftByAddress = memo((...states: States): ReadonlyMap<string, Aircraft> => {
  const newest = new Map<string, Aircraft>()
  for (const row of states.flatMap(({ rows }) => rows)) {
    const before = newest.get(row.icao24)
    if (!before || before.observed_at < row.observed_at) newest.set(row.icao24, toAircraft(row))
  }
  return newest
})

const callsignParam = param({
  about: 'Callsigns with this prefix, such as the three letters of an airline; case is ignored.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9]{1,8}$' },
  parse: (text) => {
    if (!/^[A-Za-z0-9]{1,8}$/.test(text)) throw new InvalidParam('expected 1 to 8 letters and digits, such as IBE or IBE32EJ')
    return text.toUpperCase()
  },
  example: 'IBE',
})

const callsignFilter = defineMemoryFilter({
  name: 'callsign',
  param: callsignParam,
  matches: (begin) => (one: Pick<Aircraft, 'callsign'>) => one.callsign?.toUpperCase().startsWith(begin) === true,
})

/** The aircraft in an area. */
export const aircraftList = defineEndpoint({
  path: '/api/aviacion/posiciones',
  plan: 'PRO',
  summary: 'Positions of aircraft in an area',
  summary_es: 'Posiciones de aeronaves en una zona',
  about: `\`bbox\`, or \`lat\` and \`lon\`, is required. ${ABOUT_AIRCRAFT} An aircraft without reports for two minutes is no longer shown.`,
  explained: AVIATION_PAGE,
  filters: [
    requiredAreaFilter,
    columnFilter('on_ground', booleanParam('Only aircraft on the ground (true) or in the air (false).'), 'is_on_ground'),
    callsignFilter,
    columnFilter('category', listOf(codeParam('Emitter category.', AIRCRAFT_CATEGORIES, { example: 'A3' })), 'category'),
  ],
  returns: keyedList('aircraft', aircraft, ['icao24'], {
    id: 'icao24',
    sorts: ['icao24', 'callsign', 'altitude_m', 'ground_speed_m_s', 'observed_at'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: AIRCRAFT_STATES,
    isOfAny: true,
    omitsUnpublished: true,
    answer: ({ states }) => [...aircraftByAddress(...states).values()],
  },
  example: { bbox: '-4.2,40.0,-3.0,41.0' },
})

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
