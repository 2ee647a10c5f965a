import { airportDays, airportObservedDays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field } from '../../kernel/fields.ts'
import { oneOf, withDefault } from '../../kernel/params/params.ts'
import { mean, meanFromSums, parameter, same, shareOfDays, sum, value } from '../../kernel/reads/figures.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesBy } from '../../kernel/reads/series-of.ts'
import { seriesSource } from '../../kernel/reads/series-source.ts'
import { AVIATION_PAGE, networkFields, observedFields, punctualityFields } from './figures.ts'
import { airportIata } from './flight.ts'

const points = series({
  name: 'AirportPoint',
  about: 'Punctuality of an airport in one step.',
  example: ['2026-10-25T23:00:00.000Z', '1d'],
  of: { iata: airportDays.columns.iata },
  fields: {
    ...punctualityFields,
    ...networkFields,
    ...observedFields,
    coverage: field.decimal(
      'Share of the days of the step with figures, 0 to 1; for OBSERVED, the mean share of the minutes of its days with positions.',
      '1',
      6,
      1,
    ),
  },
  key: ['iata'],
  sorts: ['movements', 'punctual_share', 'mean_delay_minutes', 'cancelled_share', 'observed_departures', 'observed_arrivals'],
})

/** Sources: REPORTED from Aena and EUROCONTROL, OBSERVED from ADS-B receivers. */
const SERIES = ['REPORTED', 'OBSERVED'] as const

const params = {
  iata: airportIata,
  series: withDefault(
    oneOf('Source of the figures: Aena and EUROCONTROL (REPORTED), or ADS-B receivers (OBSERVED). A reply never has both.', SERIES, {
      example: 'REPORTED',
    }),
    'REPORTED',
  ),
  time: steps({ '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}

const METHOD =
  'Sums over the days of a step. punctual_share is the share of movements at most 15 minutes late. mean_delay_minutes refers to movements, with early ones as 0, cancelled_share to flights, ATFM delay to arrivals. OBSERVED: daily sums of aircraft on the ground near the airport and in the air within ten minutes, a lower bound.'

const NOT_REPORTED = {
  ...{ flights: value(null), movements: value(null), punctual_share: value(null), mean_delay_minutes: value(null), cancelled: value(null) },
  ...{ diverted: value(null), cancelled_share: value(null), nm_movements: value(null), atfm_delay_minutes: value(null) },
  atfm_delay_per_arrival_minutes: value(null),
} as const

/** Declarations shared by both series. */
const OF_AIRPORT = { params, returns: points, at: 'period_start', where: { iata: parameter('iata') } } as const

const reported = seriesSource({
  ...OF_AIRPORT,
  of: airportDays,
  fields: {
    iata: same('iata'),
    flights: sum('flights'),
    movements: sum('movements'),
    punctual_share: meanFromSums('punctual', 'movements'),
    mean_delay_minutes: meanFromSums('delay_minutes', 'movements'),
    cancelled: sum('cancelled'),
    diverted: sum('diverted'),
    cancelled_share: meanFromSums('cancelled', 'flights'),
    nm_movements: sum('nm_movements'),
    atfm_delay_minutes: sum('atfm_delay_minutes'),
    atfm_delay_per_arrival_minutes: meanFromSums('atfm_delay_minutes', 'atfm_arrivals'),
    observed_departures: value(null),
    observed_arrivals: value(null),
    coverage: shareOfDays(),
  },
})

const observed = seriesSource({
  ...OF_AIRPORT,
  of: airportObservedDays,
  fields: {
    iata: same('iata'),
    ...NOT_REPORTED,
    observed_departures: sum('observed_departures'),
    observed_arrivals: sum('observed_arrivals'),
    coverage: mean('coverage', { scale: 6 }),
  },
})

/** The series of one airport. */
export const airportHistory = defineEndpoint({
  path: '/api/aviacion/aeropuertos/{iata}/historico',
  plan: 'PRO',
  summary: 'Punctuality and traffic of one airport by day, week, month or year',
  summary_es: 'Puntualidad y tráfico de un aeropuerto por día, semana, mes o año',
  about:
    "Complete days, by the date at the airport: a day of flights is available once the next day has ended too. EUROCONTROL's figures are for the UTC day of the same date and appear when it publishes them. Fields that one of the two sources lacks are null. Longer steps are sums over their days.",
  explained: AVIATION_PAGE,
  statistic: { grain: 'One airport in one step.', method: METHOD },
  params,
  returns: points,
  read: seriesBy({
    params,
    returns: points,
    by: ({ series: chosen }) => chosen as (typeof SERIES)[number],
    sources: { REPORTED: reported, OBSERVED: observed },
    from: [airportDays, airportObservedDays],
    subject: { of: airports, where: { iata: parameter('iata') } },
  }),
  example: { iata: 'MAD', from: dayFromToday(-3, '2026-10-26'), to: dayFromToday(0, '2026-10-27') },
})
