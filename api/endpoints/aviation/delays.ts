import { airportDays, airportTraffic, arrivalAtfmDelays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airports, airportWeather } from '../../../lake/datasets/aviation/airports.ts'
import { AIRPORT_CONDITIONS, ATFM_CAUSES, CAUSE_SOURCES } from '../../../lake/datasets/aviation/codes.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { airportNames } from '../../../lake/places/airport-names.ts'
import type { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, LANGS, maybe, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters.ts'
import { integerParam } from '../../kernel/params/params.ts'
import { instantParam, openPeriodParams } from '../../kernel/params/params-time.ts'
import { appliedByRead, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { conditionsOf } from './airports.ts'
import { AVIATION_PAGE, atfmCauses } from './figures.ts'
import { airportFields, type Flight, flight, flightFilters, isLate, toFlight } from './flight.ts'

/** A report applies to flights due within this time before or after it, ms. */
const WEATHER_MS = 3 * 3_600_000
/** `at` selects flights due within this time before or after it, ms. */
const AT_MS = 12 * 3_600_000

const delayed = record(
  'DelayedFlight',
  'A flight at its airport: late, cancelled, diverted, or requested by its number.',
  {
    ...flight.fields,
    ...airportFields,
    weather: field.list(
      'Weather at the airport that delays flights, from a report within 3 hours of the scheduled time.',
      field.code('A condition.', AIRPORT_CONDITIONS),
      ['LOW_VISIBILITY'],
    ),
    cause: maybe.code('Probable cause; null without evidence. Airlines and Aena publish none.', ATFM_CAUSES, 'WEATHER'),
    cause_source: maybe.code('Evidence of the cause; null without one.', CAUSE_SOURCES, 'METAR'),
  },
  {
    languages: LANGS.filter((lang) => lang !== 'en'),
    localise: (one, lang) => ({ ...one, airport_name: (lang === 'en' ? null : airportNames(one.airport)?.[lang]) ?? one.airport_name }),
  },
)

type Delayed = ValueOf<typeof delayed.fields>
type AtfmCauses = ReadonlyMap<string, string> | null

const isUndone = ({ state }: Pick<Flight, 'state'>): boolean => state === 'CANCELLED' || state === 'DIVERTED'

const periodFilter = defineMemoryFilter({
  name: 'period',
  param: openPeriodParams(),
  matches:
    ({ from, to }) =>
    ({ scheduled_at }: Pick<Delayed, 'scheduled_at'>) =>
      (from === null || scheduled_at >= from) && (to === null || scheduled_at < to),
})

const atFilter = defineMemoryFilter({
  name: 'at',
  param: instantParam('Flights scheduled within 12 hours before or after this moment.', '2026-10-26T12:00:00Z'),
  matches:
    (at) =>
    ({ scheduled_at }: Pick<Delayed, 'scheduled_at'>) =>
      Math.abs(scheduled_at - at) <= AT_MS,
})

const delayFilter = appliedByRead(
  'min_delay',
  integerParam(
    `Flights with at least this delay; by default ${PUNCTUAL_MINUTES + 1}, and any with \`flight\`. Cancelled and diverted flights are always listed.`,
    { min: 0, max: 2880, unit: 'min', example: '60' },
  ),
)

/** The flights that a request lists: with a number also punctual ones. */
function listedOf(records: readonly Delayed[], asked: { readonly flight: string | null; readonly min_delay: number | null }) {
  const minutes = asked.min_delay ?? (asked.flight === null ? PUNCTUAL_MINUTES + 1 : null)
  if (minutes === null) return records
  return records.filter((one) => isUndone(one) || (one.delay_minutes !== null && one.delay_minutes >= minutes))
}

/** The flights of a state with their airports, weather there and probable causes; and counts by kind. */
const flightsOf = memo(
  (state: State<typeof flights>, catalogue: State<typeof airports>, reports: State<typeof airportWeather>, causes: AtfmCauses) => {
    const byIata = new Map(catalogue.rows.map((row) => [row.iata, row]))
    const weatherAt = new Map(reports.rows.map((row) => [row.iata, { observed_at: row.observed_at, conditions: conditionsOf(row) }]))
    const records = state.rows.map((row): Delayed => {
      const one = toFlight(row)
      const at = byIata.get(one.airport)
      const report = weatherAt.get(one.airport)
      const weather = report && Math.abs(report.observed_at - one.scheduled_at) <= WEATHER_MS ? report.conditions : []
      return {
        ...one,
        airport_name: airportNames(one.airport)?.es ?? at?.name ?? null,
        position: at?.position ?? null,
        weather,
        ...causeOf(one, weather, causes),
      }
    })
    const count = (is: (one: Delayed) => boolean): number => records.filter(is).length
    return {
      records,
      counts: {
        shown_flights: records.length,
        late_flights: count(isLate),
        cancelled_flights: count((one) => one.state === 'CANCELLED'),
        diverted_flights: count((one) => one.state === 'DIVERTED'),
      },
    }
  },
)

function causeOf(one: Flight, weather: readonly string[], causes: AtfmCauses): Pick<Delayed, 'cause' | 'cause_source'> {
  if (!isUndone(one) && !isLate(one)) return { cause: null, cause_source: null }
  const atfm = one.direction === 'ARRIVAL' ? causes?.get(`${one.airport} ${one.flight_date}`) : undefined
  if (atfm !== undefined) return { cause: atfm, cause_source: 'EUROCONTROL' }
  return weather.length > 0 ? { cause: 'WEATHER', cause_source: 'METAR' } : { cause: null, cause_source: null }
}

const counted = (about: string, example: number): ReturnType<typeof col.integer> =>
  field.integer(`${about}, of all airports, directions and times of the publication.`, '1', example)

/** Delays and cancellations now. */
export const delayList = defineEndpoint({
  path: '/api/aviacion',
  plan: 'PRO',
  summary: 'Late, cancelled or diverted flights at Spanish airports now, or one by number',
  summary_es: 'Vuelos retrasados, cancelados o desviados en España, o uno por su número',
  about:
    'Flights more than 15 minutes late, cancelled or diverted, among those that airports currently list: some 24 hours around the present. `flight` lists a flight by its number, also if it is on time. A flight between two Spanish airports is listed at both. `meta.missing` names unavailable datasets: without `flights` the list is empty.',
  explained: AVIATION_PAGE,
  filters: [...flightFilters, periodFilter, atFilter, delayFilter, areaFilter],
  returns: listReturn('flights', delayed, {
    sorts: ['id', 'scheduled_at', 'estimated_at', 'delay_minutes', 'airport', 'updated_at'],
    order: 'scheduled_at',
    orderWith: { flight: '-scheduled_at' },
    counts: {
      shown_flights: counted('Flights', 5432),
      late_flights: counted(`Flights more than ${PUNCTUAL_MINUTES} minutes late`, 861),
      cancelled_flights: counted('Cancelled flights', 52),
      diverted_flights: counted('Diverted flights', 7),
    },
  }),
  read: {
    kind: 'memory',
    from: [flights, airports, airportWeather],
    lake: [airportDays],
    needs: [],
    madeFrom: [{ dataset: airportTraffic }, { dataset: arrivalAtfmDelays }],
    isOfAny: true,
    reportsMissing: true,
    answer: async ({ states, optional: extra }, asked) => {
      const { records, counts } = flightsOf(...states, await extra(atfmCauses, ''))
      return { records: listedOf(records, asked), counts }
    },
  },
  example: { airport: 'MAD', limit: '5' },
})
