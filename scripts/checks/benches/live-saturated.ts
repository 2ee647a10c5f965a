import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SETTINGS } from '../../../lake/config.ts'
import { readingsPath } from './analytic.ts'
import { fillLake, homeOf } from './analytic-lake.ts'
import type { BenchApi } from './bench-api.ts'
import { startServer } from './incidents-api.ts'
import { startIncidentsService } from './incidents-service.ts'
import { BENCH_ENGINE } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import type { Done, Timer, Work } from './work.ts'

const READERS = 4
const READS = 400
const PAUSE_MS = 4
/** Query slots, plus all but one of the places in their queue. */
const PLACES = BENCH_ENGINE.slots + SETTINGS.queryQueue.fallback - 1
/** Minimum size of the list of incidents. */
const LIST_BYTES = 1000
const READING = {
  expected: { replies: READERS * READS, bytes: { min: READERS * READS * LIST_BYTES } },
  slowestHundredth: true,
} satisfies Omit<Work, 'run'>

/**
 * Waiting time of the slowest hundredth of the readers of `/api/incidents` while all query slots of the lake are taken and their
 * queue is never empty. The reference is the same without queries.
 */
export const liveSaturated: Bench = {
  name: 'live-saturated',
  about: 'p99 of /api/incidents with all query slots busy, against idle',
  limit: 5,
  rounds: 9,
  setUp: fillLake,
  async open(folder, { only }) {
    const home = homeOf(folder)
    const ours = only ? await startIncidentsService(folder, home) : await startServer('api', folder, home)
    const asking = queries(ours)
    return {
      measured: {
        ...READING,
        // One for each place: the queue was always full.
        expected: { ...READING.expected, histories: { min: PLACES } },
        async run(timer) {
          const done = asking.begin()
          let histories = 0
          let read: Done
          try {
            await delay(100)
            read = await readAll(ours, timer)
          } finally {
            histories = await done()
          }
          return { ...read, histories }
        },
      },
      reference: { ...READING, run: (timer) => readAll(ours, timer) },
      close: () => ours.close(),
    }
  },
}

/** Callers, one for each place, who request another history after each reply. Stopping them returns the number of histories. */
function queries({ url, key }: Pick<BenchApi, 'url' | 'key'>): { begin(): () => Promise<number> } {
  const { origin } = new URL(url)
  let turn = 0
  return {
    begin() {
      let going = true
      let histories = 0
      const callers = Array.from({ length: PLACES }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        while (going) if ((await bytesOf({ url: `${origin}${readingsPath(turn++)}`, key }, agent)) > 0) histories++
        agent.destroy()
      })
      const all = Promise.all(callers)
      return async () => {
        going = false
        await all
        return histories
      }
    },
  }
}

/** Readers who send requests repeatedly, with pauses; their waiting times are measured. */
async function readAll(api: Pick<BenchApi, 'url' | 'key'>, timer: Timer): Promise<Done> {
  let [replies, bytes] = [0, 0]
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let read = 0; read < READS; read++) {
        const body = await timer.part(() => bytesOf(api, agent))
        bytes += body
        replies++
        await delay(PAUSE_MS)
      }
      agent.destroy()
    }),
  )
  return { replies, bytes }
}

/** Sends a request, waits for the whole reply and returns the bytes of its body. Throws unless the status is 200. */
function bytesOf({ url, key }: Pick<BenchApi, 'url' | 'key'>, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'Accept-Encoding': 'br', 'X-API-Key': key } }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes)
        else reject(new Error(`${url} returned ${response.statusCode}`))
      })
    }).on('error', reject)
  })
}
