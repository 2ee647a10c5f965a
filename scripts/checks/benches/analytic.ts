import { Agent } from 'node:http'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { openAlone, statementOf } from './duckdb-alone.ts'
import { endpointSql } from './endpoint-sql.ts'
import { fetchText } from './http-load.ts'
import { benchLake } from './lake.ts'
import type { Bench } from './measure.ts'
import { fillReadings, sensorAt } from './readings-lake.ts'
import { stateCovered } from './roll-up.ts'
import { homeOf, startServer, writeIncidents } from './services.ts'
import type { Timer, Work } from './work.ts'

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
    await stateCovered(homeOf(folder), trafficReadings, { feed: 'madrid_traffic', until: TRAFFIC.to })
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
