import { airportDays, airportObservedDays, airportTraffic, arrivalAtfmDelays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airports, airportWeather } from '../../../lake/datasets/aviation/airports.ts'
import { AIRPORT_CONDITIONS } from '../../../lake/datasets/aviation/codes.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { airportNames } from '../../../lake/places/airport-names.ts'
import { foldName } from '../../../lake/places/names.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn, type MemoryAsk, type StatesOf } from '../../kernel/endpoint.ts'
import {
  field,
  LANGS,
  type Lang,
  maybe,
  meaning,
  nested,
  nulls,
  optional,
  pick,
  projection,
  record,
  type StateRow,
  type ValueOf,
} from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { textParam } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField } from '../common-fields.ts'
import {
  AVIATION_PAGE,
  monthsOfAirport,
  networkFields,
  networkOf,
  observedFields,
  punctualityFields,
  punctualityOf,
  RECENT_DAYS,
  recentDays,
  recentObserved,
  SUMS,
  type Sums,
  sumsOfFlights,
} from './figures.ts'
import { airportIata, isLate } from './flight.ts'

const VISIBILITY_BELOW_M = 1500
const CEILING_BELOW_M = 150
/** 25 knots, and a gale. */
const WIND_FROM_M_S = 12.9
const GUST_FROM_M_S = 17.2

/** Conditions in a report that delay flights, in the order of the code list. */
export function conditionsOf(
  report: Pick<StateRow<typeof airportWeather>, 'visibility_m' | 'ceiling_m' | 'wind_m_s' | 'gust_m_s' | 'weather'>,
): string[] {
  const { visibility_m, ceiling_m, wind_m_s, gust_m_s, weather } = report
  const found: Readonly<Record<keyof typeof AIRPORT_CONDITIONS.codes, boolean>> = {
    LOW_VISIBILITY: visibility_m !== null && visibility_m < VISIBILITY_BELOW_M,
    LOW_CEILING: ceiling_m !== null && ceiling_m < CEILING_BELOW_M,
    STRONG_WIND: (wind_m_s ?? 0) >= WIND_FROM_M_S || (gust_m_s ?? 0) >= GUST_FROM_M_S,
    THUNDERSTORM: /TS/.test(weather ?? ''),
    SNOW: /SN|SG|PL/.test(weather ?? ''),
    FREEZING: /FZ/.test(weather ?? ''),
  }
  return Object.entries(found).flatMap(([code, is]) => (is ? [code] : []))
}

const { columns } = airports
const HOUR_MS = 3_600_000

const base = record('AirportBase', 'A Spanish airport.', {
  id: columns.iata,
  icao: columns.icao,
  name: meaning(columns.name, "Aena's name in the requested language, else in Spanish; as published in English and for other airports."),
  published_name: meaning(columns.name, 'Name as published, in English.'),
  ...pick(columns, 'type', 'municipality'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'has_scheduled_service', 'elevation_m', 'time_zone', 'keywords', 'position'),
  ...originFields(columns),
})

const toBase = projection(airports, base, {
  name: (row) => airportNames(row.iata)?.es ?? row.name,
})

/** Translation of an airport: its name in another language. */
const inLanguages = Object.freeze({
  languages: LANGS,
  localise: <R extends Pick<ValueOf<typeof base.fields>, 'id' | 'name' | 'published_name'>>(one: R, lang: Lang): R => ({
    ...one,
    name: lang === 'en' ? one.published_name : (airportNames(one.id)?.[lang] ?? one.name),
  }),
})

const today = nested.maybe(
  'The flights of today, by the date at the airport: departed and landed flights count as movements; null if no source of flights is enabled.',
  { date: meaning(airportDays.columns.local_date, 'Date at the airport.'), ...punctualityFields },
)

const until = (about: string, example: string) => maybe.date(about, example)

const figures = {
  ...punctualityFields,
  flights_until: until(`Newest day of these figures, which cover ${RECENT_DAYS} days; null without known flights.`, '2026-10-25'),
  ...networkFields,
  network_until: until(`Newest day of EUROCONTROL's figures, which cover ${RECENT_DAYS} days; null without any.`, '2026-10-22'),
  ...observedFields,
  observed_coverage: optional(
    airportObservedDays.columns.coverage,
    `Share of the minutes of the ${RECENT_DAYS} days in which receivers sent positions from anywhere, 0 to 1; null if unknown.`,
  ),
  observed_until: until(`Newest day of the observed movements, which cover ${RECENT_DAYS} days; null without any.`, '2026-10-25'),
  today,
} as const

const airport = record('Airport', 'A Spanish airport with its punctuality and traffic.', { ...base.fields, ...figures }, inLanguages)

const STATES = [airports, flights, airportWeather] as const
const ABOUT_FIGURES = `Flights of Aena over the last ${RECENT_DAYS} complete days; movements and ATFM delay over the last ${RECENT_DAYS} days that EUROCONTROL has published. A flight is punctual up to ${PUNCTUAL_MINUTES} minutes late. Observed movements are a lower bound, in no other figure.`
const METHOD =
  'Sums over days: punctual_share refers to movements, cancelled_share to flights, mean_delay_minutes to movements with early ones as 0. Observed movements: an aircraft on the ground near the airport and in the air within ten minutes.'

/** Reads shared by both endpoints. */
const reads = {
  kind: 'memory',
  from: STATES,
  lake: [airportDays, airportObservedDays],
  needs: [],
  isOfAny: true,
  reportsMissing: true,
  madeFrom: [{ dataset: flights }, { dataset: airportTraffic }, { dataset: arrivalAtfmDelays }],
} as const

const NO_SUMS: Sums = nulls(SUMS)
const UNOBSERVED = nulls(pick(figures, 'observed_departures', 'observed_arrivals', 'observed_coverage', 'observed_until'))

/** The flights of a state by airport, with the time of its newest publication; null before the first. */
const shownBy = memo((...[, state]: StatesOf<typeof STATES>) =>
  state.parts.length === 0
    ? null
    : { byAirport: Map.groupBy(state.rows, ({ airport: at }) => at), at: Math.max(...state.parts.map(({ data_time }) => data_time)) },
)

function todayOf(row: StateRow<typeof airports>, states: StatesOf<typeof STATES>): ValueOf<typeof figures>['today'] {
  const shown = shownBy(...states)
  if (!shown) return null
  const date = localDate(shown.at, row.time_zone)
  const flown = (shown.byAirport.get(row.iata) ?? []).filter(({ flight_date }) => flight_date === date)
  return { date, ...punctualityOf(sumsOfFlights(flown)) }
}

type Read<S> = S extends { readonly read: (...args: never) => Promise<infer T> } ? T : never
/** Data of the lake for all airports; null if it cannot be read. */
interface Recent {
  readonly days: Read<typeof recentDays> | null
  readonly observed: Read<typeof recentObserved> | null
}

async function recentOf({ optional: extra }: Pick<MemoryAsk, 'optional'>): Promise<Recent> {
  return { days: await extra(recentDays, ''), observed: await extra(recentObserved, '') }
}

/** The airports of the catalogue with their figures, cached per state. */
const airportsOf = memo(
  (states: StatesOf<typeof STATES>, recent: Recent) => states[0].rows.map((row) => airportOf(row, states, recent)),
  (states, { days, observed }) => [...states, days, observed],
)

function airportOf(row: StateRow<typeof airports>, states: StatesOf<typeof STATES>, recent: Recent): ValueOf<typeof airport.fields> {
  const found = recent.days?.get(row.iata)
  const observed = recent.observed?.get(row.iata)
  const sums = found ?? NO_SUMS
  return {
    ...toBase(row),
    ...punctualityOf(sums),
    flights_until: sums.flights === null ? null : (found?.flights_until ?? null),
    ...networkOf(sums),
    network_until: sums.nm_movements === null && sums.atfm_arrivals === null ? null : (found?.network_until ?? null),
    ...pick(observed ?? UNOBSERVED, 'observed_departures', 'observed_arrivals', 'observed_coverage', 'observed_until'),
    today: todayOf(row, states),
  }
}

function otherNames(iata: string): readonly string[] {
  const { ca, eu, gl, also = [] } = airportNames(iata) ?? {}
  return [ca, eu, gl, ...also].filter((name) => name !== undefined)
}

const nameFilter = defineMemoryFilter({
  name: 'q',
  param: textParam('Part of the name, the town, the code or a common name; accents and case are ignored.', { example: 'barajas' }),
  matches: (text) => {
    const wanted = foldName(text)
    return (one: Pick<ValueOf<typeof base.fields>, 'id' | 'icao' | 'name' | 'published_name' | 'municipality' | 'keywords'>) =>
      [one.id, one.icao, one.name, one.published_name, one.municipality, one.keywords, ...otherNames(one.id)].some(
        (name) => name !== null && foldName(name).includes(wanted),
      )
  },
})

/** The catalogue of airports. */
export const airportListing = defineEndpoint({
  path: '/api/aviacion/aeropuertos',
  plan: 'PRO',
  summary: 'Spanish airports with punctuality and traffic',
  summary_es: 'Aeropuertos españoles con puntualidad y tráfico',
  about: `${ABOUT_FIGURES} Figures of an unavailable source are null, and \`meta.missing\` names its dataset.`,
  explained: AVIATION_PAGE,
  statistic: { grain: `One airport, ${RECENT_DAYS} days.`, method: METHOD },
  filters: [nameFilter, placeFilter, areaFilter],
  returns: listReturn('airports', airport, {
    sorts: [
      'id',
      'name',
      'elevation_m',
      'movements',
      'punctual_share',
      'cancelled_share',
      'mean_delay_minutes',
      'nm_movements',
      'atfm_delay_minutes',
      'observed_departures',
      'observed_arrivals',
    ],
  }),
  read: {
    ...reads,
    answer: async (ask) => airportsOf(ask.states, await recentOf(ask)),
  },
  example: { province: 'Madrid' },
})

const { source: _source, iata: _iata, icao: _icao, ...reported } = airportWeather.columns

const detail = record(
  'AirportDetail',
  'Current state of an airport, and its figures of today and the last twelve months.',
  {
    ...airport.fields,
    weather: nested.maybe('Its last weather report, at most six hours old; null without one.', {
      ...reported,
      conditions: field.list('Conditions in it that delay flights.', field.code('A condition.', AIRPORT_CONDITIONS), []),
    }),
    now: nested.maybe('Flights scheduled within an hour of the newest publication; null if no source of flights is enabled.', {
      flights: optional(airportDays.columns.flights, 'Flights.'),
      late: field.integer(`Flights that are more than ${PUNCTUAL_MINUTES} minutes late.`, '1', 14),
      ...pick(airportDays.columns, 'cancelled', 'diverted'),
    }),
    months: nested.objects('The last twelve months with data, oldest first; the newest may be incomplete.', {
      month: airportDays.columns.month,
      ...punctualityFields,
      ...networkFields,
    }),
  },
  inLanguages,
)

function nowOf(iata: string, states: StatesOf<typeof STATES>): ValueOf<typeof detail.fields>['now'] {
  const shown = shownBy(...states)
  if (!shown) return null
  const near = (shown.byAirport.get(iata) ?? []).filter(({ scheduled_at }) => Math.abs(scheduled_at - shown.at) <= HOUR_MS)
  const { flights: all, cancelled, diverted } = sumsOfFlights(near)
  return { flights: all, late: near.filter(isLate).length, cancelled, diverted }
}

/** One airport. */
export const airportByIata = defineEndpoint({
  path: '/api/aviacion/aeropuertos/{iata}',
  plan: 'PRO',
  summary: 'One airport: now, today and the last twelve months',
  summary_es: 'Un aeropuerto: ahora, hoy y los últimos doce meses',
  about: `${ABOUT_FIGURES} Fields of an unavailable source are null, and \`meta.missing\` names its dataset.`,
  explained: AVIATION_PAGE,
  statistic: { grain: `One airport: ${RECENT_DAYS} days, today and months.`, method: METHOD },
  params: { iata: airportIata },
  returns: { kind: 'one', record: detail },
  read: {
    ...reads,
    answer: async (ask, { iata }) => {
      const { states, optional: extra } = ask
      const known = airportsOf(states, await recentOf(ask)).find(({ id }) => id === iata)
      if (!known) return null
      const months = await extra(monthsOfAirport, iata)
      const report = states[2].rows.find((one) => one.iata === iata)
      return {
        ...known,
        weather: report ? { ...report, conditions: conditionsOf(report) } : null,
        now: nowOf(iata, states),
        months: (months ?? []).map((sums) => ({ month: sums.month, ...punctualityOf(sums), ...networkOf(sums) })),
      }
    },
  },
  example: { iata: 'MAD' },
})
