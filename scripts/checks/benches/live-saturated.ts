import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SETTINGS } from '../../../lake/config.ts'
import { readingsPath } from './analytic.ts'
import { fillLake } from './analytic-lake.ts'
import { fetchText } from './http-load.ts'
import { BENCH_ENGINE } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { type BenchApi, startServer } from './services.ts'
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
  async open(folder) {
    const ours = await startServer('lists', folder)
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
      peak_mb: ours.memory,
      close: () => ours.close(),
    }
  },
}

/** Callers, one for each place, who request another history after each reply. Stopping them returns the number of histories. */
function queries({ url, key }: Pick<BenchApi, 'url' | 'key'>): { begin(): () => Promise<number> } {
  let turn = 0
  return {
    begin() {
      let going = true
      let histories = 0
      const callers = Array.from({ length: PLACES }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        while (going) if ((await fetchText(`${url}${readingsPath(turn++)}`, { agent, key })).length > 0) histories++
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
async function readAll({ url, key }: Pick<BenchApi, 'url' | 'key'>, timer: Timer): Promise<Done> {
  let [replies, bytes] = [0, 0]
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let read = 0; read < READS; read++) {
        const body = await timer.part(() => fetchText(`${url}/api/incidents`, { agent, key }))
        bytes += body.length
        replies++
        await delay(PAUSE_MS)
      }
      agent.destroy()
    }),
  )
  return { replies, bytes }
}
