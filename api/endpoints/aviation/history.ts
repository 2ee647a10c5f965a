import { airportDays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { meanFromSums, parameter, same, shareOfDays, sum } from '../../define/figures.ts'
import { series, steps } from '../../define/series.ts'
import { seriesOf } from '../../define/series-of.ts'
import { networkFields, punctualityFields } from './figures.ts'
import { airportIata } from './params.ts'

const points = series({
  name: 'AirportPoint',
  about: 'How punctual an airport was in one step.',
  example: ['2026-10-25T23:00:00.000Z', '1d'],
  of: { iata: airportDays.columns.iata },
  fields: {
    ...punctualityFields,
    ...networkFields,
    coverage: col.decimal(0, 'Share of the days of the step with figures, 0 to 1.', { scale: 6, unit: '1', example: 1 }),
  },
  key: ['iata'],
  sorts: ['movements', 'punctual_share', 'mean_delay_minutes', 'cancelled_share'],
})

const params = {
  iata: airportIata,
  time: steps({ '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}

const METHOD =
  'Sums over the days of a step: punctual_share is of the movements that were at most 15 minutes late, cancelled_share of the flights, mean_delay_minutes of the movements, early ones as 0, ATFM delay of the arrivals.'

/** The series of one airport. */
export const airportHistory = defineEndpoint({
  path: '/api/aviacion/aeropuertos/{iata}/historico',
  domain: 'aviation',
  plan: 'PRO',
  summary: 'Punctuality and traffic of one airport by day, week, month or year',
  about: `Days that are over, by the date at the airport: a day of flights is there once the next is over too. Figures of EUROCONTROL are of the day of UTC of the same date and come when it publishes them. Fields that one of the two sources lacks are null: where flights are turned off, those of EUROCONTROL remain. ${METHOD}`,
  figure: { grain: 'One airport in one step.', method: METHOD },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: airportDays,
    at: 'period_start',
    where: { iata: parameter('iata') },
    subject: { of: airports, where: { iata: parameter('iata') } },
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
      coverage: shareOfDays(),
    },
  }),
  example: { iata: 'MAD', from: dayFromToday(-3, '2026-10-26'), to: dayFromToday(0, '2026-10-27') },
})
