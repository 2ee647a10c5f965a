import { brotliDecompressSync } from 'node:zlib'
import { fetchRaw, fetchText, type Lane, openLane, type RawReply, requestBytes } from './http-load.ts'
import type { Bench, Pair, Work } from './measure.ts'
import { startServer, startTrains, writeLists } from './services.ts'

/** So many that the server always has work: the processor time of the client and Redis is then not counted for the server. */
const CONNECTIONS = 64
/** A list changes a little during the requests. */
const SHARE_OF_BYTES = 0.9

/** A list as browsers and SDKs request it. */
interface Listed {
  readonly limit: number
  readonly path: string
  /** Least number of records in the list. */
  readonly records: number
  readonly requests?: number
  /** Whether requests have the list's current tag. */
  readonly revalidate?: boolean
}

/**
 * A list against a bare Fastify route with the bytes of the whole list. Speed is requests per second of the server's processor
 * time: other load on the machine does not affect it.
 */
function listBench(name: string, listed: Listed): Bench {
  return {
    name: `list/${name}`,
    about: `${listed.revalidate ? '304s' : 'replies (br)'} per second of processor time of ${listed.path} with a key, against a bare Fastify route sending the same bytes`,
    limit: listed.limit,
    atLeast: true,
    rounds: 15,
    setUp: writeLists,
    open: (folder) => openPair(folder, listed),
  }
}

async function openPair(folder: string, { path, records, requests = 15_000, revalidate = false }: Listed): Promise<Pair> {
  const [ours, other] = await Promise.all([startServer('lists', folder), startServer('bare')])
  const close = async (): Promise<void> => void (await Promise.all([ours.close(), other.close()]))
  try {
    const asked = { 'Accept-Encoding': 'br', 'X-API-Key': ours.key }
    const reply = await fetchRaw(`${ours.url}${path}`, asked)
    checkList(reply, records)
    const { Date: _date, Connection: _connection, 'Keep-Alive': _alive, ...own } = reply.headers
    await other.setReply({ status: reply.status, headers: own, body: reply.body.toString('base64') })
    const bytes = requests * reply.body.length
    const headers = { ...asked, ...(revalidate ? { 'If-None-Match': reply.headers['ETag'] as string } : {}) }
    const [sent, bare] = [requestBytes(`${ours.url}${path}`, headers), requestBytes(`${other.url}${path}`, asked)]
    const [lanes, bareLanes] = await Promise.all([openLanes(ours.url, CONNECTIONS), openLanes(other.url, CONNECTIONS)])
    const least = revalidate ? {} : { bytes: { min: bytes * SHARE_OF_BYTES } }
    return {
      measured: {
        expected: { replies: requests, ...least },
        clock: ours.processor,
        run: () => askAll(lanes, revalidate ? 304 : 200, repeated(sent, requests)),
      },
      reference: {
        expected: { replies: requests, bytes },
        clock: other.processor,
        run: () => askAll(bareLanes, 200, repeated(bare, requests)),
      },
      peak_mb: ours.memory,
      async close() {
        for (const lane of [...lanes, ...bareLanes]) lane.end()
        await close()
      },
    }
  } catch (error) {
    // Otherwise the Redis of the service would outlive a bench that fails here.
    await close()
    throw error
  }
}

/** Throws unless a reply is a list with enough records. */
function checkList({ status, body }: RawReply, records: number): void {
  const text = brotliDecompressSync(body).toString()
  if (status !== 200) throw new Error(`the list has the status ${status}: ${text.slice(0, 300)}`)
  const listed = Object.values(JSON.parse(text) as Record<string, unknown>).find(Array.isArray)
  if (!listed || listed.length < records) throw new Error(`the list has ${listed?.length ?? 'no'} records, expected at least ${records}`)
}

/** Opens connections to the server of a URL. */
function openLanes(url: string, count: number): Promise<Lane[]> {
  return Promise.all(Array.from({ length: count }, () => openLane(url)))
}

/** Returns a request so many times, then null. */
function repeated(sent: Buffer, times: number): () => Buffer | null {
  let left = times
  return () => (left-- > 0 ? sent : null)
}

/** Sends requests, one at a time on each connection, until there are no more; `ask` sends one. */
async function askAll(
  lanes: readonly Lane[],
  status: number,
  next: () => Buffer | null,
  ask = (lane: Lane, sent: Buffer): Promise<number> => lane.ask(sent, status),
): Promise<{ replies: number; bytes: number }> {
  let [replies, bytes] = [0, 0]
  await Promise.all(
    lanes.map(async (lane) => {
      for (let sent = next(); sent; sent = next()) {
        const body = await ask(lane, sent)
        bytes += body
        replies++
      }
    }),
  )
  return { replies, bytes }
}

const SUMMARY_MS = 2
const SUMMARIES = 500

/** `/api/trafico/resumen`, for one province after the other. */
const summary: Bench = {
  name: 'list/summary',
  about: `processor time of the server for /api/trafico/resumen, for each of 50 provinces in turn, at most ${SUMMARY_MS} ms`,
  limit: 1,
  rounds: 3,
  setUp: writeLists,
  async open(folder) {
    const ours = await startServer('lists', folder)
    const read = async (at: number): Promise<number> => {
      const url = `${ours.url}/api/trafico/resumen?province=${String(1 + (at % 50)).padStart(2, '0')}`
      return (JSON.parse(await fetchText(url, { key: ours.key })) as { readonly total: number }).total
    }
    return {
      measured: {
        expected: { counts: { min: 15 * SUMMARIES } },
        repeats: SUMMARIES,
        clock: ours.processor,
        async run() {
          let counts = 0
          for (let at = 0; at < SUMMARIES; at++) counts += await read(at)
          return { counts }
        },
      },
      reference: { limit_ms: SUMMARY_MS },
      peak_mb: ours.memory,
      close: () => ours.close(),
    }
  },
}

const BOARD_CONNECTIONS = 20
/** Limit of the slowest hundredth of the requests, ms. */
const BOARD_MS = 20
/** Duration of a round: new live data and the clock rebuild the board at least three times in it. */
const ROUND_MS = 20_000
/** Least number of requests in a round, and least size of a board with trains. */
const [LEAST_REQUESTS, BOARD_BYTES] = [400, 50]
/** Madrid-Puerta de Atocha, the station with the most stops. */
const BUSIEST = '/api/trenes/estaciones/18000/salidas'

/** Waiting time of the slowest hundredth of requests for the busiest station's departures. */
const departures: Bench = {
  name: 'departures/busiest',
  about: `p99 of the next departures of the busiest station at ${BOARD_CONNECTIONS} connections, with trains published every 20 s, against ${BOARD_MS} ms`,
  limit: 1,
  rounds: 3,
  setUp: writeLists,
  async open(folder) {
    const ours = await startServer('lists', folder)
    const trains = startTrains(ours.redisUrl as string, folder)
    const board = await fetchText(`${ours.url}${BUSIEST}`, { key: ours.key })
    const lanes = await openLanes(ours.url, BOARD_CONNECTIONS)
    const sent = requestBytes(`${ours.url}${BUSIEST}`, { 'Accept-Encoding': 'br', 'X-API-Key': ours.key })
    const measured: Work = {
      expected: { replies: { min: LEAST_REQUESTS }, bytes: { min: LEAST_REQUESTS * BOARD_BYTES } },
      slowestHundredth: true,
      async run(timer) {
        if (!board.includes('"trip_id":')) throw new Error(`no train leaves the busiest station: ${board.slice(0, 300)}`)
        const end = performance.now() + ROUND_MS
        const next = (): Buffer | null => (performance.now() < end ? sent : null)
        return await askAll(lanes, 200, next, (lane, one) => timer.part(() => lane.ask(one, 200)))
      },
    }
    return {
      measured,
      reference: { limit_ms: BOARD_MS },
      peak_mb: ours.memory,
      async close() {
        for (const lane of lanes) lane.end()
        await trains.close()
        await ours.close()
      },
    }
  },
}

/** Lists and boards over HTTP. */
export const LISTS: readonly Bench[] = [
  listBench('incidents', { path: '/api/incidents', limit: 0.75, records: 250 }),
  listBench('not-modified', { path: '/api/incidents', limit: 1, records: 250, revalidate: true }),
  // Half a gigabyte of replies: the whole country with prices.
  listBench('gas-stations', { path: '/api/gas-stations?limit=20000', limit: 0.8, records: 12_000, requests: 1000 }),
  listBench('trains', { path: '/api/trenes/posiciones', limit: 0.8, records: 250 }),
  summary,
  departures,
]
