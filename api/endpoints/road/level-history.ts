import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, record, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, withDefault } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { serviceField, serviceSql } from './levels.ts'
import { SENSORS_PAGE } from './sensors.ts'

const { columns } = trafficReadings
const STEP_MINUTES = 15

const levels = record('TrafficLevelHistory', 'The levels of service of a sensor in a period, the last of each step.', {
  id: columns.sensor_id,
  source: columns.source,
  starts_at: field.instant('Begin of the first step.', '2024-02-25T11:00:00.000Z'),
  step_minutes: field.integer('Length of a step.', 'min', STEP_MINUTES),
  levels: field.list('Level of each step, in order; null in one without a reading that has a level.', serviceField, ['FREE', 'DENSE']),
})

/** The columns of the query: a sensor with the numbers of its steps, from 0, and their levels in the same order. */
const ROW = {
  id: columns.sensor_id,
  source: columns.source,
  starts_at: levels.fields.starts_at,
  step_minutes: levels.fields.step_minutes,
  total: field.integer('Steps of the period.', '1'),
  steps: field.list('Steps.', field.integer('A step.', '1')),
  found: field.list('Levels.', field.text('A level.')),
} as const

const r = (name: keyof typeof columns): Sql => column(trafficReadings, name)

/** The past levels of all sensors. */
export const levelHistory = defineEndpoint({
  path: '/api/trafico/intensidad/historico',
  plan: 'PRO',
  isExtra: true,
  summary: 'Levels of service of all sensors over at most a day, step by step',
  summary_es: 'Nivel de servicio de todos los sensores en un día como máximo, por pasos',
  about:
    'One record per sensor of Madrid whose readings have a level, for showing a day again; DGT publishes no levels. Nothing is interpolated: a step without a reading is null. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far. /api/trafico/sensores has the positions, and /api/trafico/sensores/{id}/historico the measures of one sensor.',
  explained: SENSORS_PAGE,
  params: {
    period: periodParams({ span: '24 hours', days: 1 }),
    step: withDefault(
      integerParam(`Length of a step; ${STEP_MINUTES} by default.`, { min: 5, max: 60, unit: 'min', example: '30' }),
      STEP_MINUTES,
    ),
  },
  returns: keyedList('sensors', levels, ['id', 'source'], { sorts: ['id'], limit: { default: 1000, max: 20_000 } }),
  read: {
    kind: 'lake',
    from: [trafficReadings],
    query: ({ period, step }, lake) => {
      const { from, to } = lake.period(period, 1)
      const step_ms = 60_000 * step
      const level = serviceSql(r('level_of_service'))
      return sql`
        SELECT id, source, ${instant(from)} AS starts_at, ${step}::INTEGER AS step_minutes,
          ${Math.ceil((to - from) / step_ms)}::INTEGER AS total,
          list(step ORDER BY step) AS steps, list(level ORDER BY step) AS found
        FROM (
          SELECT ${r('sensor_id')} AS id, ${r('source')} AS source,
            CAST((epoch_ms(${r('observed_at')}) - ${from}::BIGINT) // ${step_ms}::BIGINT AS INTEGER) AS step,
            arg_max(${level}, ${r('observed_at')}) AS level
          FROM ${scan(trafficReadings, { observed_at: { gte: from, lt: to } })}
          WHERE ${level} IS NOT NULL
          GROUP BY ALL
        )
        GROUP BY id, source`
    },
    rows: { columns: ROW, finish: toLevels },
  },
  example: { from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(0, '2024-02-26') },
})

function toLevels({ total, steps, found, ...of }: ValueOf<typeof ROW>): ValueOf<typeof levels.fields> {
  const byStep = Array.from({ length: total }, (): string | null => null)
  for (const [at, step] of steps.entries()) byStep[step] = found[at] ?? null
  return { ...of, levels: byStep }
}
