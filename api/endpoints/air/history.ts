import { airMeasurements, airQualityStations } from '../../../lake/datasets/air/air-quality.ts'
import { type Column, col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field } from '../../kernel/fields.ts'
import { max, mean, min, parameter, same, shareOfHours, value } from '../../kernel/reads/figures.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { airStationId, pollutantParam } from './air-quality.ts'

const { columns } = airMeasurements

const concentration = (about: string): Column<number | null> =>
  col.decimal(0, about, { scale: 2, unitIn: 'unit', nullable: true, example: 38 })

const points = series({
  name: 'AirPoint',
  about: 'A pollutant at a station in one step.',
  example: ['2026-09-02T20:00:00.000Z', '1h'],
  of: { station_id: columns.station_id, pollutant: columns.pollutant },
  fields: {
    value_mean: concentration('Mean of the valid hours; null without any.'),
    value_min: concentration('Lowest valid hour.'),
    value_max: concentration('Highest valid hour.'),
    unit: columns.unit,
    source: columns.source,
    coverage: field.decimal('Share of valid hours in the step, 0 to 1.', '1', 6, 1),
  },
  key: ['station_id', 'pollutant', 'source'],
})

const params = {
  id: airStationId,
  pollutant: pollutantParam('Only these pollutants.'),
  time: steps({ '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1h' }),
}

const figures = {
  station_id: same('station_id'),
  pollutant: same('pollutant'),
  value_mean: mean('value'),
  value_min: min('value'),
  value_max: max('value'),
  unit: same('unit'),
  source: same('source'),
} as const

const METHOD = "Means, minima and maxima of the valid hourly values of a step; days are Madrid's. Nothing is interpolated."

/** The series of one station. */
export const airStationHistory = defineEndpoint({
  path: '/api/calidad-aire/estaciones/{id}/historico',
  plan: 'PRO',
  summary: 'Series of the pollutants of one station by hour, day, week, month or year',
  summary_es: 'Serie de los contaminantes de una estación, por hora, día, semana, mes o año',
  about: `Measurements of the networks of Madrid and Barcelona, not validated; other stations have an index only. ${METHOD}`,
  statistic: { grain: 'One pollutant at one station in one step.', method: METHOD },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: airMeasurements,
    at: 'hour_begins_at',
    where: { station_id: parameter('id'), pollutant: parameter('pollutant'), validity: 'VALID' },
    subject: { of: airQualityStations, where: { station_id: parameter('id') } },
    points: { step: '1h', fields: { ...figures, coverage: value(1) } },
    fields: { ...figures, coverage: shareOfHours() },
  }),
  example: { id: '28079004', from: dayFromToday(-1, '2026-09-02'), to: dayFromToday(1, '2026-09-03'), interval: '1h' },
})
