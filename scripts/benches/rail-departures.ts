import { homeOf } from './history.ts'
import { type Lane, openLane, requestBytes } from './http-load.ts'
import { startServer } from './incidents-api.ts'
import type { Bench } from './measure.ts'
import { landTimetables, RAIL_BENCH_AT, startRailService } from './rail-service.ts'

const CONNECTIONS = 20
const REQUESTS = 4000
/** Requests in which the board is of one moment; of the next nothing is at hand. Live feeds make it new every 20 s. */
const SAME_MOMENT = 50
/** Boards that are made before anything is measured. */
const WARM_UP = 1500
/** What one request in a hundred may take longer than, ms. */
const LIMIT_MS = 20

/**
 * What a hundredth of those who ask for the departures of the busiest station wait at least, 20 at once: those for whom the board is made, as
 * it is made anew more often than once in a hundred requests. The limit stands in place of a reference.
 */
export const railDepartures: Bench = {
  name: 'rail-departures',
  about: `p99 of departures of the busiest station at ${CONNECTIONS} connections, made anew every ${SAME_MOMENT} requests, against ${LIMIT_MS} ms`,
  limit: 1,
  rounds: 5,
  setUp: (folder) => landTimetables(homeOf(folder)),
  async open(folder, { only }) {
    const ours = only ? await startRailService(homeOf(folder)) : await startServer('rail', homeOf(folder))
    const lanes = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLane(ours.url)))
    let asked = 0
    const ask = (moment: number): Buffer => {
      const at = RAIL_BENCH_AT + 1000 * (moment % 3600)
      return requestBytes(`${ours.url}?at=${new Date(at).toISOString()}`, { 'Accept-Encoding': 'br' })
    }
    const next = (): Buffer => ask(Math.floor(asked++ / SAME_MOMENT))
    // A service that has been up for some minutes: its code is compiled by then.
    for (let moment = 1; moment <= WARM_UP; moment++) await lanes[0]?.ask(ask(-moment), 200)
    return {
      measured: () => slowestHundredth(lanes, next),
      reference: async () => LIMIT_MS,
      async close() {
        for (const lane of lanes) lane.end()
        await ours.close()
      },
    }
  },
}

async function slowestHundredth(lanes: readonly Lane[], next: () => Buffer): Promise<number> {
  const times: number[] = []
  let left = REQUESTS
  await Promise.all(
    lanes.map(async (lane) => {
      while (left-- > 0) {
        const request = next()
        const began = performance.now()
        await lane.ask(request, 200)
        times.push(performance.now() - began)
      }
    }),
  )
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] as number
}
