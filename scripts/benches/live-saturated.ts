import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SETTINGS } from '../../lake/config.ts'
import type { BenchApi } from './bench-api.ts'
import { fillHistory, historyPath, homeOf } from './history.ts'
import { startServer } from './incidents-api.ts'
import { startIncidentsService } from './incidents-service.ts'
import { BENCH_ENGINE } from './madrid-day.ts'
import type { Bench } from './measure.ts'

const READERS = 4
const READS = 400
const PAUSE_MS = 4

/**
 * What a hundredth of the readers of `/api/incidents` waits at least, while every slot for queries of the lake is taken and the queue for
 * them is never empty, against what it waits while there are no queries.
 */
export const liveSaturated: Bench = {
  name: 'live-saturated',
  about: 'p99 of /api/incidents with all query slots busy, against idle',
  limit: 5,
  rounds: 9,
  setUp: fillHistory,
  async open(folder, { only }) {
    const home = homeOf(folder)
    const ours = only ? await startIncidentsService(folder, home) : await startServer('api', folder, home)
    const asking = queries(ours)
    return {
      async measured() {
        const done = asking.begin()
        try {
          await delay(100)
          return await slowestHundredth(ours)
        } finally {
          await done()
        }
      },
      reference: () => slowestHundredth(ours),
      close: () => ours.close(),
    }
  },
}

/** Callers who ask for another history as soon as they have one: one for each slot and one for each place in the queue but one. */
function queries({ url, key }: Pick<BenchApi, 'url' | 'key'>): { begin(): () => Promise<void> } {
  const { origin } = new URL(url)
  let turn = 0
  return {
    begin() {
      let going = true
      const callers = Array.from({ length: BENCH_ENGINE.slots + SETTINGS.queryQueue.fallback - 1 }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        while (going) await timeOf({ url: `${origin}${historyPath(turn++)}`, key }, agent)
        agent.destroy()
      })
      const all = Promise.all(callers)
      return async () => {
        going = false
        await all
      }
    },
  }
}

async function slowestHundredth(one: Pick<BenchApi, 'url' | 'key'>): Promise<number> {
  const times: number[] = []
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let read = 0; read < READS; read++) {
        times.push(await timeOf(one, agent))
        await delay(PAUSE_MS)
      }
      agent.destroy()
    }),
  )
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] as number
}

/** Asks and waits for the whole reply; the ms it took. Throws for anything but a 200. */
function timeOf({ url, key }: Pick<BenchApi, 'url' | 'key'>, agent: Agent): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'Accept-Encoding': 'br', 'X-API-Key': key } }, (response) => {
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`${url} gave ${response.statusCode}`))
      })
      response.resume()
    }).on('error', reject)
  })
}
