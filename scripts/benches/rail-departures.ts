import { fetchText, homeOf } from './history.ts'
import { type Lane, openLane, requestBytes } from './http-load.ts'
import { startServer } from './incidents-api.ts'
import { randomOf } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { benchTime, landTimetables, openRailWorld, startRailService } from './rail-service.ts'
import type { Expected, Work } from './work.ts'

const CONNECTIONS = 20
/** What one request in a hundred may take longer than, ms. */
const LIMIT_MS = 20
/** How long a round of the busiest station lasts: live data and the clock make its board anew three times or more meanwhile. */
const ROUND_MS = 20_000
/** Requests in a round of all stations. */
const REQUESTS = 4000
/** How far ahead of the present boards of all stations are of, s. */
const AHEAD_S = 12 * 3600
/** Requests in a round of the busiest station, at least. */
const LEAST_REQUESTS = 400
/** A board without a train is longer. */
const BOARD_BYTES = 50
/** Boards that are made before anything is measured: a service that has been up for some minutes has compiled its code by then. */
const WARM_UP = 1500

/** What a hundredth of those who ask for the next departures of the busiest station wait at least, 20 at once. The limit stands for a reference. */
export const railDepartures: Bench = {
  name: 'rail-departures',
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

/** The same of all stations, those with more trains more often, and of moments of the next hours: every board is made for the one who asks. */
export const railBoards: Bench = {
  name: 'rail-boards',
  about: `p99 of departures of stations and moments of which no two are the same at ${CONNECTIONS} connections, likewise, against ${LIMIT_MS} ms`,
  // Whoever asks waits for the boards of the 19 before: this is what the service can do in a second, not what one board takes.
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
  /** The station where most trains stop. */
  readonly busiest: string
  readonly lanes: readonly Lane[]
  /** The request for the departures of a station, at a moment (ms) or now. */
  request(station: string, at: number | null): Buffer
  /** The request for some station and moment. */
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

/** How long those wait who ask for boards, on all connections at once, until a round has no other request. */
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
