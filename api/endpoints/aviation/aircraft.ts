import { aircraftPositions, openskyPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { AIRCRAFT_CATEGORIES } from '../../../lake/datasets/aviation/codes.ts'
import { defineEndpoint, type StatesOf } from '../../kernel/endpoint.ts'
import { pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { requiredAreaFilter } from '../../kernel/filters/area.ts'
import { booleanParam, codeParam, listOf, param } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields } from '../common-fields.ts'
import { AVIATION_PAGE } from './figures.ts'

const { columns } = aircraftPositions

/** Fields of an aircraft. */
export const aircraft = record('Aircraft', 'An aircraft with its last position.', {
  ...pick(columns, 'icao24', 'is_icao_address', 'callsign', 'registration', 'aircraft_type', 'category', 'position', 'is_on_ground'),
  ...pick(columns, 'altitude_m', 'altitude_geometric_m', 'ground_speed_m_s', 'track_deg', 'vertical_rate_m_s', 'squawk', 'emergency'),
  ...pick(columns, 'position_source', 'is_military'),
  ...originFields(columns),
})

export type Aircraft = ValueOf<typeof aircraft.fields>

const toAircraft: (row: StateRow<typeof aircraftPositions>) => Aircraft = projection(aircraftPositions, aircraft)

/** Source datasets. */
export const AIRCRAFT_STATES = [aircraftPositions, openskyPositions] as const
type States = StatesOf<typeof AIRCRAFT_STATES>

/** Description shared by all endpoints with aircraft. */
export const ABOUT_AIRCRAFT =
  'Positions arrive once a minute from volunteers’ ADS-B receivers; without one nearby, low aircraft are missing. Aircraft with a blocked registration are never shown. Data of adsb.lol is under ODbL.'

/** The aircraft by address, cached per state: the newer position of two sources. */
export const aircraftByAddress = memo((...states: States): ReadonlyMap<string, Aircraft> => {
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
  domain: 'aviation',
  plan: 'PRO',
  summary: 'Positions of aircraft in an area',
  summary_es: 'Posiciones de aeronaves en una zona',
  about: `\`bbox\`, or \`lat\` and \`lon\`, is required. ${ABOUT_AIRCRAFT} An aircraft without reports for two minutes is no longer shown.`,
  explained: AVIATION_PAGE,
  params: {},
  filters: [
    requiredAreaFilter,
    columnFilter('on_ground', booleanParam('Only aircraft on the ground (true) or in the air (false).'), 'is_on_ground'),
    callsignFilter,
    columnFilter('category', listOf(codeParam('Emitter category.', AIRCRAFT_CATEGORIES, { example: 'A3' })), 'category'),
  ],
  returns: {
    kind: 'list',
    name: 'aircraft',
    record: aircraft,
    key: ['icao24'],
    id: 'icao24',
    order: 'icao24',
    sorts: ['icao24', 'callsign', 'altitude_m', 'ground_speed_m_s', 'observed_at'],
    limit: { default: null, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: AIRCRAFT_STATES,
    isOfAny: true,
    omitsUnpublished: true,
    answer: ({ states }) => [...aircraftByAddress(...states).values()],
  },
  example: { bbox: '-4.2,40.0,-3.0,41.0' },
})
