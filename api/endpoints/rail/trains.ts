import { RAIL_NETWORKS, RAIL_NUCLEOS } from '../../../lake/datasets/rail/codes.ts'
import { railPositions, railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { instantOf, offsetAt } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed, onlyOfRows } from '../../kernel/example.ts'
import { field, optional, pick, record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters.ts'
import { codeParam, integerParam, listOf } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { liveLineParam } from './known-names.ts'
import { lacksNucleo } from './live-trips.ts'
import { nextStopsOf } from './next-stops.ts'
import { runningTrains } from './running-trains.ts'
import { besideRenfe, TIMETABLE_TABLES } from './timetable-versions.ts'
import { ABOUT_TRAINS, networkOf, TRAIN_STATES, TRAINS_PAGE, type Train, train, trainDetail, trainId, trainIdParam } from './train.ts'

const delayFilter = defineMemoryFilter({
  name: 'min_delay',
  param: integerParam('Only trains at least this late; delays that are not credible (DOUBTFUL) do not count.', {
    ...{ min: 0, max: 1440, unit: 'min', example: '5' },
  }),
  matches: (minutes) => (one: Train) => one.delay_s !== null && one.delay_quality !== 'DOUBTFUL' && one.delay_s >= 60 * minutes,
})

/** Reads of both endpoints. Positions are known even without a timetable. */
const READ = {
  kind: 'memory',
  from: TRAIN_STATES,
  lake: TIMETABLE_TABLES,
  otherSources: besideRenfe,
  needs: [],
  isOfAny: true,
} as const

/** The running trains. */
export const trainList = defineEndpoint({
  path: '/api/trenes/posiciones',
  plan: 'PRO',
  summary: 'Positions of trains, with delay and timetable trip',
  summary_es: 'Dónde están los trenes: posición, retraso y viaje del horario',
  about: `Each train once. Without \`limit\` the reply contains all trains; \`left_out\` counts those with a position more than 10 minutes old. Trains of a núcleo that a publication lacks stay, marked \`is_stale\`. FGC states no delay, only \`is_on_time\`. ${ABOUT_TRAINS}`,
  explained: TRAINS_PAGE,
  filters: [
    defineMemoryFilter({
      name: 'network',
      param: codeParam('Network.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
      matches: (network) => (one: Train) =>
        one.network === network || (one.other_train_id !== null && networkOf(one.other_train_id) === network),
      present: { network: ({ network, other_train_id }) => (other_train_id === null ? network : [network, networkOf(other_train_id)]) },
    }),
    columnFilter('nucleo', listOf(codeParam('Commuter network.', RAIL_NUCLEOS, { example: '30' })), 'nucleo_code'),
    defineMemoryFilter({
      name: 'line',
      param: liveLineParam,
      matches: (lines) => (one: Train) => lines.includes(one.line ?? '') || lines.includes(one.product ?? ''),
      present: { line: ({ line, product }) => [line ?? [], product ?? []].flat() },
    }),
    areaFilter,
    delayFilter,
  ],
  returns: listReturn('trains', train, {
    sorts: ['id', 'delay_s', 'line', 'train_number', 'observed_at'],
    limit: { default: null, max: 20_000 },
    counts: {
      left_out: field.integer(
        'Trains in the current state that are not shown, whatever the filters: their position is more than 10 minutes old, or they have been missing from their publication for a minute.',
        '1',
        4,
      ),
    },
  }),
  read: {
    ...READ,
    answer: async (ask, p) => {
      const { all, left_out } = await runningTrains(ask)
      return { records: all, counts: { left_out }, isLacking: lacksNucleo(ask.states.slice(0, 2), p) }
    },
  },
  example: { network: 'CERCANIAS', nucleo: '30' },
})

/** One running train. */
export const trainById = defineEndpoint({
  path: '/api/trenes/posiciones/{id}',
  plan: 'PRO',
  summary: 'One running train with its next stops',
  summary_es: 'Un tren en marcha, con sus próximas paradas',
  about: `Planned and expected times of the stops ahead, and skipped stops. ${ABOUT_TRAINS}`,
  explained: TRAINS_PAGE,
  params: { id: trainIdParam },
  returns: { kind: 'one', record: trainDetail },
  read: {
    ...READ,
    answer: async (ask, { id }) => {
      const found = (await runningTrains(ask)).byId.get(id)
      return found ? { ...found.train, next_stops: nextStopsOf(found) } : null
    },
  },
  example: { id: idOfListed('CERCANIAS-23533-C1') },
})

const { columns } = railPositions
const DAY_BEGINS = '04:00'
const HOUR_MS = 3_600_000
/** A statement about a trip older than this is no longer valid: it changes whenever the train leaves a stop. */
const STATED_BEFORE_MS = 3 * HOUR_MS

const point = record('TrainTrackPoint', 'Position of a train at an instant.', {
  ...pick(columns, 'observed_at', 'position', 'position_source', 'vehicle_status', 'stop_id', 'platform'),
  delay_s: optional(
    railTripUpdates.columns.delay_s,
    'Delay in the trip updates at that time, in whole minutes; negative if early, null if they had no entry for the trip.',
  ),
  delay_quality: railTripUpdates.columns.delay_quality,
  ...pick(columns, 'trip_id', 'source', 'source_id'),
})

const p = (name: keyof typeof columns): Sql => column(railPositions, name)
const u = (name: keyof typeof railTripUpdates.columns | 'status'): Sql => column(railTripUpdates, name)

/** The track of one train on one service day. */
export const trainTrack = defineEndpoint({
  path: '/api/trenes/posiciones/{id}/recorrido',
  plan: 'PRO',
  summary: 'Track of a train on one service day',
  summary_es: 'Recorrido de un tren en un día de servicio',
  about:
    "Every published position of the train, from the lake, at most ten minutes behind the live state. A service day is from 04:00 to 04:00 on Madrid's clock. A date outside the stored days is rejected, and the error lists them. Without positions on a stored day the track is empty.",
  explained: TRAINS_PAGE,
  params: {
    id: trainIdParam,
    date: dateParam('Service day, by the date on which it begins; by default the last one with data.', '2026-05-26'),
  },
  returns: {
    kind: 'list',
    name: 'track',
    record: point,
    key: ['observed_at', 'source_id'],
    sorts: ['observed_at'],
    order: 'observed_at',
    // One day with a position every 20 s has 4,320.
    limit: { default: null, max: 10_000 },
  },
  read: {
    kind: 'lake',
    from: [railPositions, railTripUpdates],
    query: ({ id, date }, lake) => {
      const { from, to } = serviceDay(date ?? dateAt(lake.covered_until))
      if (date !== null) checkKept(date, lake)
      const network = networkOf(id)
      const shown = ['observed_at', 'position_lat', 'position_lon', 'position_source', 'vehicle_status', 'stop_id', 'platform'] as const
      return sql`
        SELECT
          ${join([...shown, 'trip_id', 'source', 'source_id'].map((name) => sql`seen.${column(railPositions, name)}`))},
          CASE WHEN said.${u('status')} <> 'ENDED' THEN said.${u('delay_s')} END AS ${u('delay_s')},
          CASE WHEN said.${u('status')} <> 'ENDED' THEN said.${u('delay_quality')} END AS ${u('delay_quality')}
        FROM (
          SELECT *
          FROM ${scan(railPositions, { network: { eq: network }, observed_at: { gte: from, lt: to } })}
          WHERE concat(${p('network')}, '-', coalesce(${p('train_number')}, ${p('source_id')}), '-' || ${p('line')}) = ${id}
        ) AS seen
        ASOF LEFT JOIN (
          SELECT *
          FROM ${scan(railTripUpdates, { network: { eq: network }, observed_at: { gte: from - STATED_BEFORE_MS, lt: to } })}
        ) AS said
        ON seen.${p('trip_id')} = said.${u('trip_id')} AND seen.${p('observed_at')} >= said.${u('observed_at')}`
    },
    existenceCheck: {
      of: railPositions,
      find: (state, { id }) => state.rows.some((row) => trainId(row as unknown as Parameters<typeof trainId>[0]) === id),
    },
  },
  example: { id: idOfListed('CERCANIAS-23533-C1'), date: onlyOfRows('2026-05-26') },
})

/** Throws `InvalidParam` for a service day that is entirely before or after the stored positions. */
function checkKept(date: string, { covered_from, covered_until }: LakeView): void {
  const [first, last] = [dateAt(covered_from ?? covered_until), dateAt(covered_until)]
  if (date >= first && date <= last) return
  throw new InvalidParam(`expected a service day with stored positions, from ${first} to ${last}`, { parameter: 'date', value: date })
}

/** The bounds of a service day, in ms since the epoch. */
function serviceDay(date: string): { readonly from: number; readonly to: number } {
  const next = new Date(Date.parse(date) + 24 * HOUR_MS).toISOString().slice(0, 10)
  return { from: instantOf(date, DAY_BEGINS), to: instantOf(next, DAY_BEGINS) }
}

/** The service day that an instant (ms) is in. */
function dateAt(instant: number): string {
  return new Date(instant + offsetAt(instant) - 4 * HOUR_MS).toISOString().slice(0, 10)
}
