import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { feedById } from '../../../../jobs/feeds/catalog.ts'
import { checkedRows } from '../../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { WHOLE } from '../../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../../scripts/stand-in/world/world.ts'
import type { TestService } from '../../service.ts'

const world = makeWorld(1, 'small')
export const TIMETABLE_FEEDS = ['renfe_gtfs_cercanias', 'renfe_gtfs_avldmd'] as const

/** Lands the timetable of a feed as the stand-in publishes it on a day (YYYY-MM-DD), or the result of `change` of its rows. */
export async function landTimetable(
  service: TestService,
  { feed: id, day, change = (rows) => rows }: { feed: string; day: string; change?: (rows: AnyRow[], dataset: string) => AnyRow[] },
): Promise<void> {
  const feed = feedById(id)
  const standIn = STAND_INS.find((one) => one.feed === id)
  const at = Date.parse(`${day}T09:00:00Z`)
  const written = standIn?.write(world, { resource: 'timetable', publishedAt: at, stampedAt: at, variant: WHOLE }) as Buffer
  for (const dataset of feed.into) {
    const rows: AnyRow[] = []
    for await (const batch of checkedRows(feed, dataset, [{ name: 'timetable', bytes: written }], { fetched_at: at }))
      for (const row of batch) rows.push({ ...row, fetch_id: `${id}.${day}` })
    if (rows.length > 0) await service.land(dataset, change(rows, dataset.id), at, [id])
  }
}

/** The present state of a train, for the golden query. */
export interface GoldenLive {
  readonly network: string
  readonly trip_id: string
  readonly train_number: string
  readonly service_date: string
  readonly relationship: string
  readonly delay_s: number | null
  readonly doubtful: boolean
  readonly skipped: readonly string[]
  readonly next_stop_id: string | null
}

/** The expected contents of a board, by one plain query over the Parquet files: nothing of the service is used. */
export interface Golden {
  board(asked: {
    readonly side: 'DEPARTURES' | 'ARRIVALS'
    readonly stop_id: string
    readonly at: string
    readonly now: string
    readonly live: readonly GoldenLive[]
  }): Promise<AnyRow[]>
  rows(text: string): Promise<AnyRow[]>
  close(): void
}

const TABLES = ['rail_stations', 'rail_routes', 'rail_trips', 'rail_stop_times', 'rail_calendar'] as const

/** Opens the Parquet files of a service's lake in a DuckDB of its own. */
export async function openGolden(service: TestService): Promise<Golden> {
  const root = fileURLToPath(service.lake.store.url)
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  for (const table of TABLES)
    await connection.run(`CREATE TABLE ${table} AS SELECT * FROM read_parquet('${root}/lake/rail/${table}/data/*.parquet')`)
  return {
    async board(asked) {
      await fillLive(connection, asked.live)
      return rowsOf(connection, boardQuery(asked))
    },
    rows: (text) => rowsOf(connection, text),
    close() {
      connection.disconnectSync()
      instance.closeSync()
    },
  }
}

async function rowsOf(connection: DuckDBConnection, text: string): Promise<AnyRow[]> {
  return (await (await connection.runAndReadAll(text)).getRowObjectsJson()) as AnyRow[]
}

const text = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`)

async function fillLive(connection: DuckDBConnection, live: readonly GoldenLive[]): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE live (network VARCHAR, trip_id VARCHAR, train_number VARCHAR, service_date DATE,
    relationship VARCHAR, delay_s INTEGER, doubtful BOOLEAN, skipped VARCHAR[], next_stop_id VARCHAR)`)
  for (const one of live)
    await connection.run(`INSERT INTO live VALUES (${text(one.network)}, ${text(one.trip_id)}, ${text(one.train_number)},
      ${text(one.service_date)}, ${text(one.relationship)}, ${one.delay_s ?? 'NULL'}, ${one.doubtful},
      [${one.skipped.map(text).join()}]::VARCHAR[], ${text(one.next_stop_id)})`)
}

/**
 * A service day begins at noon less twelve hours of Madrid's clock, in its newest version that begins by its midnight. A
 * long-distance trip has its number, and its variant where stated. Parts of a train count once, and so do trips of both networks
 * with one number and two common stations at most five minutes apart.
 */
function boardQuery({ side, stop_id, at, now }: Parameters<Golden['board']>[0]): string {
  const isDeparture = side === 'DEPARTURES'
  const [own, other] = isDeparture ? ['departure', 'arrival'] : ['arrival', 'departure']
  return `
    WITH days AS (
      SELECT CAST(timezone('Europe/Madrid', TIMESTAMPTZ '${at}') AS DATE) + CAST(step AS INTEGER) AS day FROM range(-1, 2) steps (step)
    ), versions AS (
      SELECT DISTINCT network, timetable_version, valid_from FROM rail_trips
    ), held AS (
      SELECT days.day, v.network, arg_max(v.timetable_version, v.valid_from) AS timetable_version
      FROM days JOIN versions v ON v.valid_from <= timezone('Europe/Madrid', CAST(days.day AS TIMESTAMP))
      GROUP BY ALL
    ), running AS (
      SELECT held.day, t.* FROM held
      JOIN rail_calendar c ON c.timetable_version = held.timetable_version AND c.service_date = held.day
      JOIN rail_trips t ON t.timetable_version = held.timetable_version AND t.service_id = c.service_id
    ), calls AS (
      SELECT r.*, s.stop_id, s.stop_sequence, s.arrival, s.departure,
        timezone('Europe/Madrid', CAST(r.day AS TIMESTAMP) + INTERVAL 12 HOUR) - INTERVAL 12 HOUR
          + to_seconds(coalesce(s.${own}, s.${other})) AS scheduled_at,
        min(s.stop_sequence) OVER trip AS first, max(s.stop_sequence) OVER trip AS last,
        first_value(s.stop_id) OVER (trip ORDER BY s.stop_sequence) AS origin_id,
        first_value(s.stop_id) OVER (trip ORDER BY s.stop_sequence DESC) AS destination_id,
        ${isDeparture ? '' : '-'}first_value(coalesce(s.${other}, s.${own})) OVER (trip ORDER BY s.stop_sequence ${isDeparture ? 'DESC' : ''}) AS far
      FROM running r JOIN rail_stop_times s ON s.timetable_version = r.timetable_version AND s.trip_id = r.trip_id
      WINDOW trip AS (PARTITION BY r.day, r.timetable_version, r.trip_id)
    ), pairs AS (
      SELECT one.day, one.network, one.trip_id, two.network AS its_network, two.trip_id AS its_trip_id
      FROM calls one JOIN calls two ON two.day = one.day AND two.train_number = one.train_number AND two.network <> one.network
        AND two.stop_id = one.stop_id AND (abs(two.arrival - one.arrival) <= 300 OR abs(two.departure - one.departure) <= 300)
      GROUP BY ALL HAVING count(DISTINCT one.stop_id) > 1
    ), parts AS (
      SELECT DISTINCT service_date, train_number, substr(trip_id, 6, 1) AS variant FROM live WHERE network = 'AVLDMD'
    ), said AS (
      SELECT r.day, r.network, r.trip_id, live.relationship = 'CANCELED' AS is_off, live.skipped, live.next_stop_id,
        CASE WHEN NOT live.doubtful THEN live.delay_s END AS late_s
      FROM running r
      LEFT JOIN parts ON parts.service_date = r.day AND parts.train_number = r.train_number AND parts.variant = r.variant
      JOIN live ON live.network = r.network AND live.service_date = r.day
        AND CASE WHEN live.network = 'AVLDMD' THEN live.train_number = r.train_number
            AND (parts.variant IS NULL OR parts.variant = substr(live.trip_id, 6, 1))
          ELSE live.trip_id = r.trip_id END
    ), here AS (
      SELECT calls.*, r.short_name FROM calls JOIN rail_routes r USING (timetable_version, route_id)
      WHERE stop_id = '${stop_id}' AND (first = last OR stop_sequence <> ${isDeparture ? 'last' : 'first'})
    ), mates AS (
      SELECT one.day, one.network, one.trip_id, one.stop_sequence, two.trip_id AS its_trip_id, two.short_name AS its_name,
        (two.far, ${isDeparture ? 'two.last - two.stop_sequence' : 'two.stop_sequence - two.first'}, two.network)
          > (one.far, ${isDeparture ? 'one.last - one.stop_sequence' : 'one.stop_sequence - one.first'}, one.network) AS is_better
      FROM here one JOIN pairs USING (day, network, trip_id)
      JOIN here two ON two.day = one.day AND two.network = its_network AND two.trip_id = its_trip_id
        AND abs(epoch(two.scheduled_at - one.scheduled_at)) <= 1800
    ), mated AS (
      SELECT day, network, trip_id, stop_sequence, bool_or(is_better) AS is_hidden, list(its_trip_id) AS mate_ids, min(its_name) AS its_name
      FROM mates GROUP BY ALL
    ), spoken AS (
      SELECT h.day, h.network, h.trip_id, h.stop_sequence, 0 AS place, '' AS by_trip, true AS is_here, s.is_off, s.skipped, s.late_s,
        s.next_stop_id, h.timetable_version
      FROM here h JOIN said s USING (day, network, trip_id)
      UNION ALL
      SELECT h.day, h.network, h.trip_id, h.stop_sequence, 1, s.trip_id, coalesce(list_contains(m.mate_ids, s.trip_id), false), s.is_off,
        s.skipped, s.late_s, s.next_stop_id, h.timetable_version
      FROM here h JOIN pairs b USING (day, network, trip_id)
      JOIN said s ON s.day = h.day AND s.network = b.its_network AND s.trip_id = b.its_trip_id
      LEFT JOIN mated m ON m.day = h.day AND m.network = h.network AND m.trip_id = h.trip_id AND m.stop_sequence = h.stop_sequence
    ), heard AS (
      SELECT *, (SELECT min(n.stop_sequence) FROM rail_stop_times n WHERE n.timetable_version = spoken.timetable_version
          AND n.trip_id = spoken.trip_id AND n.stop_id = spoken.next_stop_id) AS next
      FROM spoken
    ), summed AS (
      SELECT day, network, trip_id, stop_sequence,
        coalesce(bool_and(is_off) FILTER (is_here), false) AS is_off, bool_or(NOT is_off) AS is_running,
        coalesce(bool_or(list_contains(skipped, '${stop_id}')) FILTER (NOT is_off), false) AS is_skipped,
        coalesce(bool_or(next > stop_sequence) FILTER (NOT is_off), false) AS is_past,
        coalesce(bool_or(next <= stop_sequence) FILTER (NOT is_off), false) AS is_ahead,
        first(late_s ORDER BY place, by_trip) FILTER (NOT is_off AND late_s IS NOT NULL) AS said_s
      FROM heard GROUP BY ALL
    ), stated AS (
      SELECT here.*, mated.mate_ids, mated.its_name, coalesce(s.is_ahead, false) AS is_ahead,
        coalesce(s.is_off OR s.is_running, false) AS is_live,
        CASE WHEN scheduled_at <= TIMESTAMPTZ '${now}' + INTERVAL 4 HOUR AND NOT s.is_off THEN s.said_s END AS late_s,
        CASE WHEN s.is_off THEN 'CANCELLED' WHEN s.is_skipped THEN 'SKIPPED'
          WHEN s.is_past THEN '${isDeparture ? 'DEPARTED' : 'ARRIVED'}' ELSE 'SCHEDULED' END AS status
      FROM here
      LEFT JOIN mated USING (day, network, trip_id, stop_sequence)
      LEFT JOIN summed s USING (day, network, trip_id, stop_sequence)
      WHERE NOT coalesce(mated.is_hidden, false)
    ), timed AS (
      SELECT *, CASE WHEN status = 'SCHEDULED' THEN late_s END AS delay_s,
        CASE WHEN status = 'SCHEDULED' THEN scheduled_at + to_seconds(${isDeparture ? 'greatest(0, late_s)' : 'late_s'}) END AS expected
      FROM stated
    )
    SELECT CAST(day AS VARCHAR) AS service_date, network, trip_id, CAST(stop_sequence AS INTEGER) AS stop_sequence, is_live, status,
      CAST(epoch_ms(scheduled_at) AS DOUBLE) AS scheduled_at, CAST(epoch_ms(CASE WHEN late_s IS NOT NULL THEN expected END) AS DOUBLE) AS expected_at,
      delay_s, CASE WHEN first < last THEN origin_id END AS origin_id, CASE WHEN first < last THEN destination_id END AS destination_id,
      CASE WHEN network = 'CERCANIAS' THEN short_name ELSE its_name END AS line,
      CASE WHEN network = 'AVLDMD' THEN short_name ELSE its_name END AS product, mate_ids
    FROM timed
    WHERE scheduled_at < TIMESTAMPTZ '${at}' + INTERVAL 24 HOUR AND (scheduled_at >= TIMESTAMPTZ '${at}' OR (
      status = 'SCHEDULED' AND scheduled_at >= TIMESTAMPTZ '${at}' - INTERVAL 12 HOUR AND (
        (late_s IS NOT NULL AND expected >= TIMESTAMPTZ '${at}') OR (is_ahead AND TIMESTAMPTZ '${at}' <= TIMESTAMPTZ '${now}'))))
    QUALIFY row_number() OVER (
      PARTITION BY day, network, CASE WHEN variant IS NULL THEN trip_id ELSE train_number END, timed.scheduled_at
      ORDER BY status = 'CANCELLED', ${isDeparture ? 'last - stop_sequence' : 'stop_sequence - first'} DESC, trip_id) = 1
    ORDER BY timed.scheduled_at, service_date, network, trip_id, stop_sequence`
}
