import { VESSEL_TYPES, vesselPositions, vessels } from '../../../lake/datasets/maritime/vessels.ts'
import { lengthM, simplifiedPoints } from '../../../lake/places/lines.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, keyedList, type State } from '../../kernel/endpoint.ts'
import { dayFromToday, idOfListed } from '../../kernel/example.ts'
import { field, joined, maybe, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { requiredAreaFilter } from '../../kernel/filters.ts'
import { codeParam, integerParam, listOf, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { checkDays, periodParams } from '../../kernel/params/params-time.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { stateFields } from '../common-fields.ts'

const [seen, said] = [vesselPositions.columns, vessels.columns]

/** The MMSI of a vessel as a path parameter. */
const mmsiParam = required(textParam('Maritime Mobile Service Identity: nine digits.', { max: 9, example: '224123450' }))

/** A vessel with its last position. */
const vessel = record(
  'Vessel',
  'A vessel with its last reported position.',
  {
    mmsi: seen.mmsi,
    ...pick(said, 'name', 'callsign', 'imo_number', 'vessel_type', 'ais_type'),
    ...pick(seen, 'ais_class', 'position', 'is_accurate', 'speed_kn', 'course_deg', 'heading_deg', 'rate_of_turn_deg_min'),
    navigation_status: seen.navigation_status,
    ...pick(said, 'length_m', 'beam_m', 'draught_m', 'destination'),
    described_at: optional(said.observed_at, 'When name, type, dimensions and voyage last changed; null if none were received.'),
    ...pick(seen, 'source', 'observed_at'),
    ...stateFields(seen.observed_at),
  },
  { id: 'mmsi' },
)

/** A vessel, ready for replies. */
type VesselRecord = ValueOf<(typeof vessel)['fields']>
type PositionRow = State<typeof vesselPositions>['rows'][number]
type VesselRow = State<typeof vessels>['rows'][number]

/** The record of a vessel from a position and its description. */
const toVessel = joined<typeof vessel.fields, [PositionRow, VesselRow | undefined]>([vesselPositions, vessels], vessel)

/** Each vessel once, by its newest position of any source, with the newest description of any. */
export function vesselsOf([positions, descriptions]: readonly [State<typeof vesselPositions>, State<typeof vessels>]): VesselRecord[] {
  const described = newestOf(descriptions.rows)
  return [...newestOf(positions.rows).values()].map((row) => toVessel(row, described.get(row.mmsi)))
}

/** The newest row of each vessel. */
export function newestOf<R extends { readonly mmsi: string; readonly observed_at: number }>(rows: readonly R[]): ReadonlyMap<string, R> {
  const newest = new Map<string, R>()
  for (const row of rows) if ((newest.get(row.mmsi)?.observed_at ?? Number.NEGATIVE_INFINITY) < row.observed_at) newest.set(row.mmsi, row)
  return newest
}

const STATES = [vesselPositions, vessels] as const
const ABOUT =
  'From AIS, by the receivers that the operator of this service has enabled (`/api/sources`). Pleasure and sailing craft are never stored, nor is a vessel before it has stated its type. Speeds are in knots. Data of aisstream.io comes without a licence to resell: see `meta.sources`.'

/** Vessels in an area. */
export const vesselList = defineEndpoint({
  path: '/api/maritimo/buques',
  plan: 'PRO',
  summary: 'Vessels in an area, with position, course and destination',
  summary_es: 'Buques de una zona, con posición, rumbo y destino',
  about: `Each vessel once, by its newest position of the last 30 minutes. ${ABOUT}`,
  filters: [
    requiredAreaFilter,
    columnFilter('type', listOf(codeParam('Kind of vessel.', VESSEL_TYPES, { example: 'CARGO' })), 'vessel_type'),
  ],
  returns: keyedList('vessels', vessel, ['mmsi'], { id: 'mmsi', sorts: ['mmsi', 'name', 'speed_kn', 'length_m', 'observed_at'] }),
  read: { kind: 'memory', from: STATES, isOfAny: true, records: vesselsOf },
  example: { bbox: '-6,35.5,-5,36.5' },
})

const p = (name: keyof typeof vesselPositions.columns) => column(vesselPositions, name)
const DESCRIPTION = ['name', 'callsign', 'imo_number', 'vessel_type', 'ais_type', 'length_m', 'beam_m', 'draught_m', 'destination'] as const
const pastColumns = {
  ...tableColumns(vesselPositions),
  ...pick(vessels.columns, ...DESCRIPTION),
  described_at: vessel.fields.described_at,
}
type Past = Parameters<typeof toVessel>[0] & NonNullable<Parameters<typeof toVessel>[1]> & Pick<VesselRecord, 'described_at'>

/** One vessel. */
export const vesselByMmsi = defineEndpoint({
  path: '/api/maritimo/buques/{mmsi}',
  plan: 'PRO',
  summary: 'One vessel with its last report',
  summary_es: 'Un buque con su último informe',
  about: `A vessel without reports for 30 minutes is shown with its last position of the last 7 days. ${ABOUT}`,
  params: { mmsi: mmsiParam },
  returns: { kind: 'one', record: vessel },
  read: {
    kind: 'memory',
    from: STATES,
    isOfAny: true,
    answer: ({ states }, { mmsi }) => vesselsOf(states).find((one) => one.mmsi === mmsi) ?? null,
    past: {
      // Positions have no end: newer ones replace them.
      ended: () => null,
      query: ({ mmsi }) => sql`
        SELECT *
        FROM (
          SELECT *, 'ACTIVE' AS status, ${p('observed_at')} AS updated_at, true AS is_stale
          FROM ${scan(vesselPositions, { mmsi: { eq: mmsi } })}
          ORDER BY ${p('observed_at')} DESC
          LIMIT 1
        )
        LEFT JOIN (
          SELECT ${join(DESCRIPTION.map((name) => column(vessels, name)))}, updated_at AS described_at
          FROM ${scan(vessels, { mmsi: { eq: mmsi } })}
          ORDER BY updated_at DESC
          LIMIT 1
        ) ON true`,
      columns: pastColumns,
      finish: (row: Past) => toVessel(row, row.described_at === null ? undefined : { ...row, observed_at: row.described_at }),
    },
  },
  example: { mmsi: idOfListed('224123450') },
})

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

const numbers = (about: string) => field.list(about, field.float(about, 'deg'))

/** The columns of the query: a leg with all its positions, as lists in the same order. */
const LEG = {
  source: columns.source,
  ...pick(leg.fields, 'started_at', 'ended_at', 'speed_mean_kn', 'speed_max_kn'),
  all_times: times,
  lons: numbers('Longitudes.'),
  lats: numbers('Latitudes.'),
  simplify_m: field.integer('Tolerance.', 'm'),
} as const

type LegRow = ValueOf<typeof LEG>

/** The track of one vessel. */
export const vesselTrack = defineEndpoint({
  path: '/api/maritimo/buques/{mmsi}/recorrido',
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
  returns: keyedList('legs', leg, ['started_at', 'source'], { sorts: ['started_at'], limit: { default: 100, max: 1000 } }),
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
