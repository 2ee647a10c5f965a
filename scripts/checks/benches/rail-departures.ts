import { homeOf } from './analytic-lake.ts'
import { fetchText, type Lane, openLane, requestBytes } from './http-load.ts'
import { startServer } from './incidents-api.ts'
import { randomOf } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { benchTime, landTimetables, openRailWorld, startRailService } from './rail-service.ts'
import type { Expected, Work } from './work.ts'

const CONNECTIONS = 20
/** Limit of the slowest hundredth of the requests, ms. */
const LIMIT_MS = 20
/** Duration of a round of the busiest station: new live data and the clock rebuild its board at least three times in it. */
const ROUND_MS = 20_000
/** Requests in a round of all stations. */
const REQUESTS = 4000
/** Boards of all stations are requested for times up to this far in the future, s. */
const AHEAD_S = 12 * 3600
/** Least number of requests in a round of the busiest station. */
const LEAST_REQUESTS = 400
/** Minimum size of a board with trains. */
const BOARD_BYTES = 50
/** Boards that are built before the measurement: a service that has run for some minutes has compiled its code. */
const WARM_UP = 1500

/**
 * Waiting time of the slowest hundredth of requests for the busiest station's departures, 20 at once. The reference is a time
 * limit.
 */
export const railDepartures: Bench = {
  name: 'departures/busiest',
  about: `p99 of the next departures of the busiest station at ${CONNECTIONS} connections, with trains published every 20 and 30 s, against ${LIMIT_MS} ms`,
  limit: 1,
  rounds: 3,
  setUp: (folder) => landTimetables(homeOf(folder)),
  open: (folder, { only }) =>
    openBoards(folder, { only }, (boards) =>
      waiting(boards, { min: LEAST_REQUESTS }, () => {
        const end = performance.now() + ROUND_MS
        const request = boards.request(boards.busiest, null)
        return () => (performance.now() < end ? request : null)
      }),
    ),
}

/** The same for all stations, weighted by their trains, at times within the next hours: every request builds a board. */
export const railBoards: Bench = {
  name: 'departures/all',
  about: `p99 of departures at different stations and instants at ${CONNECTIONS} connections, with the same trains, against ${LIMIT_MS} ms`,
  // Each request waits for the 19 boards before it: this limits the throughput of the service, not the time of one board.
  limit: 5,
  rounds: 3,
  setUp: (folder) => landTimetables(homeOf(folder)),
  open: (folder, { only }) =>
    openBoards(folder, { only }, (boards) =>
      waiting(boards, REQUESTS, () => {
        let left = REQUESTS
        return () => (left-- > 0 ? boards.any() : null)
      }),
    ),
}

interface Boards {
  /** The station with the most stops. */
  readonly busiest: string
  readonly lanes: readonly Lane[]
  /** The request for the departures of a station, at an instant (ms) or now. */
  request(station: string, at: number | null): Buffer
  /** A request for a random station and instant. */
  any(): Buffer
}

async function openBoards(folder: string, { only }: { readonly only: boolean }, work: (boards: Boards) => Work): Promise<Pair> {
  const home = homeOf(folder)
  const world = await openRailWorld(home)
  const ours = only ? await startRailService(home, ...world.service) : await startServer('rail', home, ...world.service)
  const lanes = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLane(ours.url)))
  const random = randomOf(11)
  const began = benchTime(world.service[1])
  const request = (station: string, at: number | null): Buffer =>
    requestBytes(`${ours.url}${boardPath(station, at)}`, { 'Accept-Encoding': 'br', 'X-API-Key': ours.key })
  const any = (): Buffer => {
    const station = world.calls[Math.floor(random() * world.calls.length)] as string
    return request(station, began + 1000 * Math.floor(random() * AHEAD_S))
  }
  const [busiest] = world.calls as [string]
  const board = await fetchText(`${ours.url}${boardPath(busiest, null)}`, { agent: false, key: ours.key })
  if (!board.includes('"trip_id":')) throw new Error(`no train leaves the busiest station: ${board.slice(0, 300)}`)
  for (let board = 0; board < WARM_UP; board++) await lanes[0]?.ask(any(), 200)
  return {
    measured: work({ busiest, lanes, request, any }),
    reference: { limit_ms: LIMIT_MS },
    async close() {
      for (const lane of lanes) lane.end()
      await ours.close()
      await world.close()
    },
  }
}

function boardPath(station: string, at: number | null): string {
  return `/api/trenes/estaciones/${station}/salidas${at === null ? '' : `?at=${new Date(at).toISOString()}`}`
}

/** Waiting times of requests for boards, on all connections at once, until the round has no more requests. */
function waiting({ lanes }: Boards, replies: Expected[string], round: () => () => Buffer | null): Work {
  const least = typeof replies === 'number' ? replies : replies.min
  return {
    expected: { replies, bytes: { min: least * BOARD_BYTES } },
    slowestHundredth: true,
    async run(timer) {
      const next = round()
      const sizes: number[] = []
      await Promise.all(
        lanes.map(async (lane) => {
          for (let request = next(); request; request = next()) {
            const sent = request
            sizes.push(await timer.part(() => lane.ask(sent, 200)))
          }
        }),
      )
      return { replies: sizes.length, bytes: sizes.reduce((sum, one) => sum + one, 0) }
    },
  }
}
