import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { lengthM, simplifiedPoints } from '../../../lake/places/lines.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday, idOfListed } from '../../kernel/example.ts'
import { record } from '../../kernel/fields.ts'
import { integerParam, withDefault } from '../../kernel/params/params.ts'
import { checkDays, periodParams } from '../../kernel/params/params-time.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { mmsiParam } from './vessels.ts'

const { columns } = vesselPositions
const DAYS = 7
/** A gap without reports this long begins a new leg, s. */
const GAP_S = 1800
const EXAMPLE = ['2026-08-27T05:40:33.000Z', '2026-08-27T05:41:33.000Z'] as const

const times = field.list('Time of each position of the line, in order.', field.instant('Time of a position.'), [...EXAMPLE])

const leg = record('VesselTrackLeg', "A part of a vessel's track without a gap of 30 minutes or more between reports.", {
  source: columns.source,
  started_at: field.instant('First position of the leg.', EXAMPLE[0]),
  ended_at: field.instant('Last position of the leg.', EXAMPLE[1]),
  distance_m: field.integer('Length of the leg over ground, before simplification.', 'm', 438),
  speed_mean_kn: maybe.float('Mean speed over ground of its positions, in knots.', '[kn_i]', 14.2),
  speed_max_kn: maybe.float('Maximum speed over ground, in knots.', '[kn_i]', 14.3),
  positions: field.integer('Positions of the line.', '1', 2),
  times,
  geometry: maybe.line('The leg as a line; null for a single position.', {
    type: 'LineString',
    coordinates: [
      [-5.4412, 36.1312],
      [-5.446, 36.1315],
    ],
  }),
})

const p = (name: keyof typeof columns): Sql => column(vesselPositions, name)
const numbers = (about: string) => field.list(about, field.float(about, 'deg'))

/** The columns of the query: a leg with all its positions, as lists in the same order. */
const LEG = {
  source: columns.source,
  started_at: leg.fields.started_at,
  ended_at: leg.fields.ended_at,
  speed_mean_kn: leg.fields.speed_mean_kn,
  speed_max_kn: leg.fields.speed_max_kn,
  all_times: times,
  lons: numbers('Longitudes.'),
  lats: numbers('Latitudes.'),
  simplify_m: field.integer('Tolerance.', 'm'),
} as const

interface LegRow {
  readonly source: string
  readonly started_at: number
  readonly ended_at: number
  readonly speed_mean_kn: number | null
  readonly speed_max_kn: number | null
  readonly all_times: readonly number[]
  readonly lons: readonly number[]
  readonly lats: readonly number[]
  readonly simplify_m: number
}

/** The track of one vessel. */
export const vesselTrack = defineEndpoint({
  path: '/api/maritimo/buques/{mmsi}/recorrido',
  domain: 'maritime',
  plan: 'PRO',
  summary: 'Track of a vessel over at most 7 days, as lines',
  summary_es: 'Recorrido de un buque en 7 días como máximo, en líneas',
  about:
    'One line per leg: a gap of 30 minutes without reports begins a new leg, and each source has its own. Stored for 7 days are the last position of each minute and those between where the vessel turned or changed speed. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far. In GeoJSON each leg is a LineString.',
  params: {
    mmsi: mmsiParam,
    period: periodParams({ span: '24 hours', days: DAYS }),
    simplify: withDefault(
      integerParam('Maximum distance of a position from the simplified line.', { min: 0, max: 10_000, unit: 'm', example: '50' }),
      0,
    ),
  },
  returns: {
    kind: 'list',
    name: 'legs',
    record: leg,
    key: ['started_at', 'source'],
    sorts: ['started_at'],
    order: 'started_at',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [vesselPositions],
    query: ({ mmsi, period, simplify }, lake) => {
      const { from, to } = lake.period(period, 1)
      checkDays({ from, to, interval: null }, DAYS)
      return sql`
        SELECT
          ${p('source')},
          min(${p('observed_at')}) AS started_at,
          max(${p('observed_at')}) AS ended_at,
          round(avg(${p('speed_kn')}), 1) AS speed_mean_kn,
          max(${p('speed_kn')}) AS speed_max_kn,
          list(${p('observed_at')} ORDER BY ${p('observed_at')}) AS all_times,
          list(position_lon ORDER BY ${p('observed_at')}) AS lons,
          list(position_lat ORDER BY ${p('observed_at')}) AS lats,
          ${simplify}::INTEGER AS simplify_m
        FROM (
          SELECT *, sum(begins::INTEGER) OVER (PARTITION BY ${p('source')} ORDER BY ${p('observed_at')}) AS leg
          FROM (
            SELECT
              *,
              coalesce(
                epoch(${p('observed_at')}) - epoch(lag(${p('observed_at')}) OVER (PARTITION BY ${p('source')} ORDER BY ${p('observed_at')})) > ${GAP_S},
                true
              ) AS begins
            FROM ${scan(vesselPositions, { mmsi: { eq: mmsi }, observed_at: { gte: from, lt: to } })}
          )
        )
        GROUP BY ${p('source')}, leg`
    },
    rows: { columns: LEG, finish: toLeg },
    existenceCheck: {
      of: vesselPositions,
      find: (state, { mmsi }) => state.rows.some((row) => row['mmsi'] === mmsi),
      past: ({ mmsi }) => sql`SELECT 1 AS one FROM ${scan(vesselPositions, { mmsi: { eq: mmsi } })} LIMIT 1`,
    },
  },
  example: { mmsi: idOfListed('224123450'), from: dayFromToday(-1, '2026-08-27'), to: dayFromToday(1, '2026-08-28') },
})

function toLeg(row: LegRow) {
  const line = row.lons.map((lon, at) => [lon, row.lats[at] as number] as const)
  const kept = row.simplify_m > 0 ? simplifiedPoints(line, row.simplify_m) : [...line.keys()]
  const { source, started_at, ended_at, speed_mean_kn, speed_max_kn } = row
  return {
    ...{ source, started_at, ended_at, speed_mean_kn, speed_max_kn },
    distance_m: Math.round(lengthM(line)),
    positions: kept.length,
    times: kept.map((at) => row.all_times[at] as number),
    geometry: kept.length > 1 ? kept.map((at) => line[at] as readonly [number, number]) : null,
  }
}
