import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, meaning, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, withDefault } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { TRAINS_PAGE } from './train.ts'

const { columns } = railPositions
const STEP_MINUTES = 5

const times = field.list('Time of each position of the line, in order.', field.instant('Time of a position.'), [
  '2026-05-26T09:20:00.000Z',
  '2026-05-26T09:25:00.000Z',
])

const track = record('TrainTrack', 'The positions of a train in a period, the last of each step.', {
  id: field.text('The train, as in /api/trenes/posiciones.', 'CERCANIAS-23533-C1'),
  network: meaning(columns.network, 'Network of the train.'),
  ...pick(columns, 'line', 'train_number'),
  positions: field.integer('Positions of the line.', '1', 2),
  times,
  geometry: maybe.line('Its positions in order; null for a single one. Between two of them the train need not run straight.', {
    type: 'LineString',
    coordinates: [
      [-5.98, 37.39],
      [-5.95, 37.41],
    ],
  }),
})

const degrees = (about: string) => field.list(about, field.float(about, 'deg'))

/** The columns of the query: a train with its positions as lists in the same order. */
const ROW = {
  ...pick(track.fields, 'id', 'network', 'line', 'train_number'),
  times,
  lons: degrees('Longitudes.'),
  lats: degrees('Latitudes.'),
} as const

const p = (name: keyof typeof columns): Sql => column(railPositions, name)

/** The tracks of all trains. */
export const trainTracks = defineEndpoint({
  path: '/api/trenes/recorridos',
  plan: 'PRO',
  isExtra: true,
  summary: 'Tracks of all trains over at most a day, by steps of some minutes',
  summary_es: 'Recorridos de todos los trenes en un día como máximo, cada pocos minutos',
  about:
    'One record per train with its last published position in each step, for showing a day again. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far. /api/trenes/posiciones/{id}/recorrido has every position of one train, with its delay.',
  explained: TRAINS_PAGE,
  params: {
    period: periodParams({ span: '24 hours', days: 1 }),
    step: withDefault(
      integerParam(`Length of a step; ${STEP_MINUTES} by default.`, { min: 1, max: 60, unit: 'min', example: '10' }),
      STEP_MINUTES,
    ),
  },
  returns: listReturn('tracks', track, { sorts: ['id'], limit: { default: 1000, max: 20_000 } }),
  read: {
    kind: 'lake',
    from: [railPositions],
    query: ({ period, step }, lake) => {
      const { from, to } = lake.period(period, 1)
      return sql`
        SELECT id, network, line, train_number,
          list(seen_at ORDER BY seen_at) AS times, list(lon ORDER BY seen_at) AS lons, list(lat ORDER BY seen_at) AS lats
        FROM (
          SELECT
            concat(${p('network')}, '-', coalesce(${p('train_number')}, ${p('source_id')}), '-' || ${p('line')}) AS id,
            ${p('network')} AS network, ${p('line')} AS line, ${p('train_number')} AS train_number,
            max(${p('observed_at')}) AS seen_at,
            arg_max(position_lon, ${p('observed_at')}) AS lon,
            arg_max(position_lat, ${p('observed_at')}) AS lat
          FROM ${scan(railPositions, { observed_at: { gte: from, lt: to } })}
          WHERE position_lon IS NOT NULL
          GROUP BY 1, 2, 3, 4, time_bucket(to_minutes(${step}::INTEGER), ${p('observed_at')})
        )
        GROUP BY id, network, line, train_number`
    },
    rows: { columns: ROW, finish: toTrack },
  },
  example: { from: dayFromToday(-1, '2026-05-26'), to: dayFromToday(0, '2026-05-27') },
})

function toTrack({ lons, lats, ...of }: ValueOf<typeof ROW>): ValueOf<typeof track.fields> {
  const line = lons.map((lon, at) => [lon, lats[at] as number] as const)
  return { ...of, positions: line.length, geometry: line.length > 1 ? line : null }
}
