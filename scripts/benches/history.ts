import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { sensorHistory } from '../../api/endpoints/road/sensor-history.ts'
import { openAlone, statementOf } from './duckdb-alone.ts'
import { endpointSql } from './endpoint-sql.ts'
import { startServer } from './incidents-api.ts'
import { startIncidentsService, writePublication } from './incidents-service.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { fillReadings, sensorAt } from './readings-lake.ts'
import type { Timer, Work } from './work.ts'

const SENSORS = 1000
/** A closed month and half of the current one. */
const LAKE = { sensors: SENSORS, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 16) }
const LIMIT = 1000

interface Asked {
  readonly interval: string
  readonly from: number
  readonly to: number
  /** Records in the reply. */
  readonly records: number
}

const THREE_DAYS: Asked = { interval: 'raw', from: Date.UTC(2026, 10, 10), to: Date.UTC(2026, 10, 13), records: 864 }
const A_MONTH: Asked = { interval: '1h', from: Date.UTC(2026, 10, 16), to: Date.UTC(2026, 11, 16), records: 720 }

/** Three days of a sensor's readings, from a closed month, over HTTP. */
export const historyRaw: Bench = historyBench('history-raw', THREE_DAYS, 'three days of readings, 864 records')

/** A sensor's month by the hour, half of it from the files of single days. */
export const historyHours: Bench = historyBench('history-1h', A_MONTH, 'a month by the hour, 720 records')

/** Fills the folder with the lake of the history benches, and with live rows. */
export async function fillHistory(folder: string): Promise<void> {
  await writePublication(folder)
  await fillReadings(homeOf(folder), LAKE)
}

/** The folder of the service in a history bench. */
export function homeOf(folder: string): string {
  return join(folder, 'home')
}

/** The path of a sensor's history; `number` selects sensor and instant, so that no two requests are equal. */
export function historyPath(number: number, asked: Asked = THREE_DAYS): string {
  const time = (at: number): string => new Date(at + Math.floor(number / SENSORS)).toISOString()
  const period = `interval=${asked.interval}&from=${time(asked.from)}&to=${time(asked.to)}`
  return `/api/trafico/sensores/${sensorOf(number)}/historico?${period}&limit=${LIMIT}`
}

function sensorOf(number: number): string {
  return sensorAt((number * 97) % SENSORS)
}

function historyBench(name: string, asked: Asked, what: string): Bench {
  return {
    name,
    about: `one reply over HTTP: ${what}; against the same SQL in DuckDB alone, its result as JSON text`,
    limit: 1.25,
    orWithin_ms: 5,
    rounds: 15,
    setUp: fillHistory,
    open: (folder, { only }) => openPair(folder, { only, asked }),
  }
}

/** Replies per round, each for another sensor; the mean time of one counts. */
const REPLIES = 10

async function openPair(folder: string, { only, asked }: { readonly only: boolean; readonly asked: Asked }): Promise<Pair> {
  const home = homeOf(folder)
  const ours = only ? await startIncidentsService(folder, home) : await startServer('api', folder, home)
  const { origin } = new URL(ours.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const lake = only ? null : await benchLake(home, { standBack: true })
  const alone = only ? null : await openAlone()
  let turn = 0
  return {
    measured: inReplies(asked, (timer) => {
      const url = `${origin}${historyPath(turn++, asked)}`
      return timer.part(() => fetchText(url, { agent, key: ours.key }))
    }),
    reference:
      alone &&
      lake &&
      inReplies(asked, async (timer) => {
        const { page } = endpointSql(sensorHistory, historyPath(turn++, asked), { from: asked.from, until: asked.to })
        const query = await statementOf(lake, page([]))
        return timer.part(() => alone.text(query))
      }),
    async close() {
      agent.destroy()
      await ours.close()
      alone?.close()
      await lake?.close()
    },
  }
}

/** A round's work: it produces several replies, each with all its records. */
function inReplies({ records }: Asked, textOf: (timer: Timer) => Promise<string>): Work {
  return {
    expected: { replies: REPLIES, records: REPLIES * records },
    repeats: REPLIES,
    async run(timer) {
      const texts: string[] = []
      while (texts.length < REPLIES) texts.push(await textOf(timer))
      const found = texts.reduce((sum, text) => sum + text.split('"period_start":').length - 1, 0)
      return { replies: texts.length, records: found }
    },
  }
}

/** The text of a reply. Throws if the status is not 200. */
export function fetchText(url: string, { agent, key }: { readonly agent: Agent | false; readonly key: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'X-API-Key': key } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${url} returned ${response.statusCode}: ${text.slice(0, 300)}`))
      })
    }).on('error', reject)
  })
}
