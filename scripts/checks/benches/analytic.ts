import { Agent } from 'node:http'
import { mobilityMatrix } from '../../../api/endpoints/mobility/od.ts'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import { hotspotList } from '../../../api/endpoints/safety/hotspots.ts'
import { accidentMicrodata } from '../../../api/endpoints/safety/microdata.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { fillLake, TRAFFIC, TRIPS } from './analytic-lake.ts'
import { type Alone, openAlone, statementOf } from './duckdb-alone.ts'
import { endpointSql } from './endpoint-sql.ts'
import { fetchText } from './http-load.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { sensorAt } from './readings-lake.ts'
import { homeOf, startServer } from './services.ts'
import type { Timer, Work } from './work.ts'

/** An endpoint, its requests (each different), and a member that each of its records has. */
interface Asked {
  readonly endpoint: Endpoint
  readonly path: (turn: number) => string
  readonly member: string
  readonly covered: { readonly from: number; readonly until: number }
  /** Records of each reply; at least one by default. */
  readonly records?: number
}

const DAY_MS = 86_400_000
const traffic = { from: TRAFFIC.from, until: TRAFFIC.to }
/** All readings. Statistics always cover complete steps, so a few milliseconds in the period change only the URL. */
const period = (turn: number): string => `from=${isoInstant(TRAFFIC.from + 1 + turn)}&to=${isoInstant(TRAFFIC.to)}&limit=1000`

/** Uncached replies from tables and roll-ups, over HTTP: one endpoint for each kind of record and query. */
export const ANALYTIC: readonly Bench[] = [
  analyticBench('analytic/readings', 'three days of readings, 864 records', {
    endpoint: sensorHistory,
    path: readingsPath,
    member: 'period_start',
    covered: traffic,
    records: 864,
  }),
  analyticBench('analytic/sensor-days', "a sensor's month and a half by day", {
    endpoint: sensorHistory,
    path: (turn) => `/api/trafico/sensores/${sensorAt((turn * 97) % TRAFFIC.sensors)}/historico?interval=1d&${period(turn)}`,
    member: 'period_start',
    covered: traffic,
  }),
  analyticBench('analytic/microdata', 'accidents on a road', {
    endpoint: accidentMicrodata,
    // Pages of the same size, independent of the number of rounds.
    path: (turn) => `/api/accidentes/microdata?road=A-${turn % 90}&year=${2022 + (turn % 3)}&limit=${500 + (turn % 101)}`,
    member: 'accident_id',
    covered: traffic,
  }),
  analyticBench('analytic/hotspots', 'black spots of two cities', {
    endpoint: hotspotList,
    path: (turn) =>
      `/api/accidentes/hotspots?format=json&kernel=${turn % 2 ? 'GAUSSIAN' : 'EPANECHNIKOV'}&bandwidth=${[100, 250, 500][turn % 3]}&min_score=${(turn % 500) / 10}`,
    member: 'density_km2',
    covered: traffic,
  }),
  analyticBench('analytic/od', 'trips from a zone to all, by hour of three days', {
    endpoint: mobilityMatrix,
    path: (turn) =>
      `/api/movilidad/od?origin=${String(1001 + 7 * (turn % 700)).padStart(5, '0')}&group_by=hour&from=${isoInstant(TRIPS.from + 1 + turn)}&to=${isoInstant(TRIPS.to)}&limit=1000`,
    member: 'trips',
    covered: { from: TRIPS.from, until: TRIPS.to },
  }),
]

/** Three days of readings of a sensor, from a closed month; no two turns are equal. */
export function readingsPath(turn: number): string {
  const time = (day: number): string => new Date(TRAFFIC.from + day * DAY_MS + Math.floor(turn / TRAFFIC.sensors)).toISOString()
  return `/api/trafico/sensores/${sensorAt((turn * 97) % TRAFFIC.sensors)}/historico?interval=raw&from=${time(9)}&to=${time(12)}&limit=1000`
}

function analyticBench(name: string, what: string, asked: Asked): Bench {
  return {
    name,
    about: `one uncached reply over HTTP from a warm service: ${what}; against the same SQL in DuckDB alone, its result as JSON text`,
    limit: 1.25,
    orWithin_ms: 5,
    // A reply of 20 ms varies by a fifth; the median of this many rounds varies by a few hundredths.
    rounds: 40,
    // The first replies run uncompiled code, which these benches do not measure.
    warmUps: 5,
    setUp: fillLake,
    open: (folder) => openPair(folder, asked),
  }
}

/** Replies per round; the mean time of one counts. */
const REPLIES = 5

async function openPair(folder: string, asked: Asked): Promise<Pair> {
  const ours = await startServer('lists', folder)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const lake = await benchLake(homeOf(folder), { standBack: true })
  const alone = await openAlone()
  let turn = 0
  return {
    measured: inReplies(asked, (timer) => {
      const url = `${ours.url}${asked.path(turn++)}`
      return timer.part(() => fetchText(url, { agent, key: ours.key }))
    }),
    reference: inReplies(asked, (timer) => askAlone(lake, { alone, timer }, { asked, path: asked.path(turn++) })),
    peak_mb: ours.memory,
    async close() {
      agent.destroy()
      await ours.close()
      alone.close()
      await lake.close()
    },
  }
}

/** A round's work: it produces several replies, each with all its records. */
function inReplies({ member, records }: Asked, textOf: (timer: Timer) => Promise<string>): Work {
  return {
    expected: { replies: REPLIES, records: records === undefined ? { min: REPLIES } : REPLIES * records },
    repeats: REPLIES,
    async run(timer) {
      const counts: number[] = []
      while (counts.length < REPLIES) {
        const text = await textOf(timer)
        counts.push(text.split(`"${member}":`).length - 1)
        if (counts.at(-1) === 0) throw new Error(`no record in ${text.slice(0, 300)}`)
      }
      return { replies: counts.length, records: counts.reduce((sum, count) => sum + count, 0) }
    },
  }
}

/** Runs the endpoint's SQL directly, measures DuckDB's time, and returns the text of the page. */
async function askAlone(
  lake: Lake,
  { alone, timer }: { readonly alone: Alone; readonly timer: Timer },
  { asked, path }: { readonly asked: Asked; readonly path: string },
): Promise<string> {
  const { first, page, asides } = endpointSql(asked.endpoint, path, asked.covered)
  const run = async (query: Sql): Promise<string> => {
    const statement = await statementOf(lake, query)
    return timer.part(() => alone.text(statement))
  }
  const found = first ? (JSON.parse(await run(first)) as AnyRow[]) : []
  const text = await run(page(found))
  for (const query of asides(found)) await run(query)
  return text
}
