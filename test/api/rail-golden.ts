import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { checkedRows } from '../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { WHOLE } from '../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import type { TestService } from './service.ts'

const world = makeWorld(1, 'small')
export const TIMETABLE_FEEDS = ['renfe_gtfs_cercanias', 'renfe_gtfs_avldmd'] as const

/** Lands the timetable of a feed as the stand-in publishes it on a day (YYYY-MM-DD), or what `change` makes of its rows. */
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
    for await (const batch of checkedRows(feed, dataset, [{ name: 'timetable', bytes: written }], at))
      for (const row of batch) rows.push({ ...row, fetch_id: `${id}.${day}` })
    if (rows.length > 0) await service.land(dataset, change(rows, dataset.id), at, [id])
  }
}

/** A train as it is said to be now, for the golden query. */
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

/** What a board has to show, told by one plain query over the Parquet files: nothing of the service is used. */
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
 * Service days begin at noon less twelve hours of Madrid's clock, and each day is run by the newest version that begins no later than its
 * midnight. A trip of long distance goes by its number, and by its variant where that is spoken of; parts of one train are shown once.
 */
function boardQuery({ side, stop_id, at, now }: Parameters<Golden['board']>[0]): string {
  const [own, other] = side === 'DEPARTURES' ? ['departure', 'arrival'] : ['arrival', 'departure']
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
      SELECT r.*, s.stop_id, s.stop_sequence,
        timezone('Europe/Madrid', CAST(r.day AS TIMESTAMP) + INTERVAL 12 HOUR) - INTERVAL 12 HOUR
          + to_seconds(coalesce(s.${own}, s.${other})) AS scheduled_at,
        min(s.stop_sequence) OVER trip AS first, max(s.stop_sequence) OVER trip AS last,
        first_value(s.stop_id) OVER (trip ORDER BY s.stop_sequence) AS origin_id,
        first_value(s.stop_id) OVER (trip ORDER BY s.stop_sequence DESC) AS destination_id
      FROM running r JOIN rail_stop_times s ON s.timetable_version = r.timetable_version AND s.trip_id = r.trip_id
      WINDOW trip AS (PARTITION BY r.day, r.timetable_version, r.trip_id)
    ), parts AS (
      SELECT DISTINCT service_date, train_number, substr(trip_id, 6, 1) AS variant FROM live WHERE network = 'AVLDMD'
    ), here AS (
      SELECT calls.*, live.relationship, live.skipped, live.relationship IS NOT NULL AS is_live,
        CASE WHEN NOT live.doubtful AND scheduled_at <= TIMESTAMPTZ '${now}' + INTERVAL 4 HOUR THEN live.delay_s END AS late_s,
        (SELECT min(n.stop_sequence) FROM rail_stop_times n
          WHERE n.timetable_version = calls.timetable_version AND n.trip_id = calls.trip_id AND n.stop_id = live.next_stop_id) AS next
      FROM calls
      LEFT JOIN parts ON parts.service_date = calls.day AND parts.train_number = calls.train_number AND parts.variant = calls.variant
      LEFT JOIN live ON live.network = calls.network AND live.service_date = calls.day
        AND CASE WHEN live.network = 'AVLDMD' THEN live.train_number = calls.train_number
            AND (parts.variant IS NULL OR parts.variant = substr(live.trip_id, 6, 1))
          ELSE live.trip_id = calls.trip_id END
      WHERE calls.stop_id = '${stop_id}' AND (first = last OR stop_sequence <> ${side === 'DEPARTURES' ? 'last' : 'first'})
    ), told AS (
      SELECT *,
        CASE WHEN relationship = 'CANCELED' THEN 'CANCELLED' WHEN list_contains(skipped, stop_id) THEN 'SKIPPED'
          WHEN next > stop_sequence THEN '${side === 'DEPARTURES' ? 'DEPARTED' : 'ARRIVED'}' ELSE 'SCHEDULED' END AS status
      FROM here
    ), timed AS (
      SELECT *, CASE WHEN status = 'SCHEDULED' THEN late_s END AS delay_s,
        CASE WHEN status = 'SCHEDULED' THEN scheduled_at + to_seconds(${side === 'DEPARTURES' ? 'greatest(0, late_s)' : 'late_s'}) END AS expected
      FROM told
    )
    SELECT CAST(day AS VARCHAR) AS service_date, network, trip_id, CAST(stop_sequence AS INTEGER) AS stop_sequence, is_live, status,
      CAST(epoch_ms(scheduled_at) AS DOUBLE) AS scheduled_at, CAST(epoch_ms(CASE WHEN late_s IS NOT NULL THEN expected END) AS DOUBLE) AS expected_at,
      delay_s, CASE WHEN first < last THEN origin_id END AS origin_id, CASE WHEN first < last THEN destination_id END AS destination_id
    FROM timed
    WHERE scheduled_at < TIMESTAMPTZ '${at}' + INTERVAL 24 HOUR AND (scheduled_at >= TIMESTAMPTZ '${at}' OR (
      status = 'SCHEDULED' AND scheduled_at >= TIMESTAMPTZ '${at}' - INTERVAL 12 HOUR AND (
        (late_s IS NOT NULL AND expected >= TIMESTAMPTZ '${at}') OR (next <= stop_sequence AND TIMESTAMPTZ '${at}' <= TIMESTAMPTZ '${now}'))))
    QUALIFY row_number() OVER (
      PARTITION BY day, network, CASE WHEN variant IS NULL THEN trip_id ELSE train_number END, timed.scheduled_at
      ORDER BY status = 'CANCELLED', ${side === 'DEPARTURES' ? 'last - stop_sequence' : 'stop_sequence - first'} DESC, trip_id) = 1
    ORDER BY timed.scheduled_at, service_date, network, trip_id, stop_sequence`
}
