import { Agent } from 'node:http'
import { DuckDBInstance } from '@duckdb/node-api'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import type { Lake } from '../../../lake/open.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { readFiles, Scan } from '../../../lake/query/scan.ts'
import { type Rendered, render, type Sql } from '../../../lake/query/sql.ts'
import { endpointSql } from './endpoint-sql.ts'
import { fetchText } from './http-load.ts'
import { BENCH_ENGINE, benchLake, fillReadings, sensorAt } from './lake.ts'
import type { Bench, Timer, Work } from './measure.ts'
import { homeOf, startServer, writeIncidents } from './services.ts'

/** Readings of some sensors: a closed month and half of the current one. */
const TRAFFIC = { sensors: 1000, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 16) }
const DAY_MS = 86_400_000
/** Readings in a reply: three days of a sensor, every five minutes. */
const RECORDS = 864
/** Replies per round; the mean time of one counts. */
const REPLIES = 5

/** Three days of readings of a sensor, from a closed month; no two turns are equal. */
function readingsPath(turn: number): string {
  const time = (day: number): string => new Date(TRAFFIC.from + day * DAY_MS + Math.floor(turn / TRAFFIC.sensors)).toISOString()
  return `/api/trafico/sensores/${sensorAt((turn * 97) % TRAFFIC.sensors)}/historico?interval=raw&from=${time(9)}&to=${time(12)}&limit=1000`
}

/** An uncached reply from the lake, over HTTP. */
export const analyticReadings: Bench = {
  name: 'analytic/readings',
  about: `one uncached reply over HTTP from a warm service: three days of readings, ${RECORDS} records; against the same SQL in DuckDB alone, its result as JSON text`,
  limit: 1.2,
  // A reply of 20 ms varies by a fifth; the median of this many rounds varies by a few hundredths.
  rounds: 40,
  // The first replies run uncompiled code, which this bench does not measure.
  warmUps: 5,
  async setUp(folder) {
    await writeIncidents(folder)
    await fillReadings(homeOf(folder), TRAFFIC)
  },
  async open(folder) {
    const ours = await startServer('lists', folder)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const lake = await benchLake(homeOf(folder), { standBack: true })
    const alone = await openAlone()
    let turn = 0
    return {
      measured: inReplies((timer) => {
        const url = `${ours.url}${readingsPath(turn++)}`
        return timer.part(() => fetchText(url, { agent, key: ours.key }))
      }),
      reference: inReplies(async (timer) => {
        const { page } = endpointSql(sensorHistory, readingsPath(turn++), { from: TRAFFIC.from, until: TRAFFIC.to })
        const statement = await statementOf(lake, page([]))
        return timer.part(() => alone.text(statement))
      }),
      peak_mb: ours.memory,
      async close() {
        agent.destroy()
        await ours.close()
        alone.close()
        await lake.close()
      },
    }
  },
}

/** A round's work: it produces several replies, each with all its records. */
function inReplies(textOf: (timer: Timer) => Promise<string>): Work {
  return {
    expected: { replies: REPLIES, records: REPLIES * RECORDS },
    repeats: REPLIES,
    async run(timer) {
      let records = 0
      for (let reply = 0; reply < REPLIES; reply++) records += (await textOf(timer)).split('"period_start":').length - 1
      return { replies: REPLIES, records }
    },
  }
}

/** DuckDB by itself, configured like the service's engine. */
interface Alone {
  /** The rows of a statement as a JSON array, made by DuckDB. */
  text(query: Rendered): Promise<string>
  close(): void
}

/** Opens it; its threads inherit the priority of the threads of a lake that was opened before. */
async function openAlone(): Promise<Alone> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(BENCH_ENGINE.threads),
    memory_limit: `${BENCH_ENGINE.memory / 1e6}MB`,
  })
  const connection = await instance.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  await connection.run('SET GLOBAL parquet_metadata_cache = true')
  return {
    async text({ text, values, types }) {
      const reader = await connection.runAndReadAll(`SELECT CAST(to_json(list(r)) AS VARCHAR) FROM (${text}) r`, values, types)
      return (reader.getRows()[0]?.[0] ?? '[]') as string
    },
    close() {
      connection.disconnectSync()
      instance.closeSync()
    },
  }
}

/** The statement that the service would run for a query, with its files resolved. */
async function statementOf(lake: Lake, query: Sql): Promise<Rendered> {
  const found = new Map<unknown, Sql>()
  for (const relation of query.relations()) {
    if (!(relation instanceof Scan)) throw new Error('a statement of scans was expected')
    const { dataset, filter } = relation
    const state = (await lake.snapshot(dataset))?.state
    const files = state ? await prunedFiles(state, dataset, filter) : []
    found.set(
      relation,
      readFiles(
        dataset,
        files.map(({ key }) => lake.store.location(key)),
        { filter },
      ),
    )
  }
  return render(query, (relation) => found.get(relation) as Sql)
}
