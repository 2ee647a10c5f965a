import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { BenchApi } from './bench-api.ts'
import { type LoadClient, openLoad } from './http-load.ts'
import type { BareReply } from './incidents-server.ts'
import { startIncidentsService, writePublication } from './incidents-service.ts'
import type { Bench, Pair } from './measure.ts'
import type { Work } from './work.ts'

const SERVER = fileURLToPath(new URL('./incidents-server.ts', import.meta.url))
/** So many that the server always has work: the processor time of the client and Redis is then not counted for the server. */
const CONNECTIONS = 64
const REQUESTS = 15_000

/**
 * Speed is requests per second of the server's processor time. It equals the throughput of a server with a processor of its own
 * and enough work, and other load on the machine does not affect it.
 */

/** `/api/incidents` as browsers and SDKs request it, against a bare Fastify route with the same bytes. */
export const incidentsApi: Bench = {
  name: 'list/incidents',
  about:
    'requests per second of processor time of /api/incidents (br) with a key, charged and with limit headers, against a bare Fastify route sending the same bytes',
  limit: 0.5,
  atLeast: true,
  rounds: 15,
  setUp: writePublication,
  open: (folder, { only }) => openPair(folder, INCIDENTS, { only, revalidate: false }),
}

/** The same request with the current tag. */
export const incidentsNotModified: Bench = {
  name: 'list/not-modified',
  about: '304s per second of processor time of /api/incidents with a key, against a bare Fastify route sending the bytes of the list',
  limit: 0.8,
  atLeast: true,
  rounds: 15,
  setUp: writePublication,
  open: (folder, { only }) => openPair(folder, INCIDENTS, { only, revalidate: true }),
}

const SUMMARY_MS = 2
const SUMMARIES = 500

/** `/api/trafico/resumen`, for one province after the other. */
export const summaryApi: Bench = {
  name: 'list/summary',
  about: `processor time of the server for /api/trafico/resumen, for each of 50 provinces in turn, at most ${SUMMARY_MS} ms`,
  limit: 1,
  rounds: 3,
  setUp: writePublication,
  async open(folder, { only }) {
    const home = await mkdtemp(join(folder, 'service-'))
    const ours = only ? await startIncidentsService(folder, home) : await startServer('api', folder, home)
    const read = async (at: number): Promise<number> => {
      const url = new URL(`/api/trafico/resumen?province=${String(1 + (at % 50)).padStart(2, '0')}`, ours.url)
      const reply = await fetch(url, { headers: { 'X-API-Key': ours.key } })
      return ((await reply.json()) as { readonly total: number }).total
    }
    return {
      measured: {
        expected: { counts: { min: 15 * SUMMARIES } },
        repeats: SUMMARIES,
        ...clockOf(ours),
        async run() {
          let counts = 0
          for (let at = 0; at < SUMMARIES; at++) counts += await read(at)
          return { counts }
        },
      },
      reference: only ? null : { limit_ms: SUMMARY_MS },
      close: () => ours.close(),
    }
  },
}

/** An API with a list, named as in `incidents-server.ts`. */
interface Listed {
  readonly kind: 'api' | 'stations' | 'trains'
  readonly start: (folder: string, home: string) => Promise<BenchApi>
  /** Least number of records in the list. */
  readonly records: number
}

const INCIDENTS: Listed = { kind: 'api', start: startIncidentsService, records: 250 }
/** A list changes a little during the requests. */
const SHARE_OF_BYTES = 0.9

/**
 * A list as browsers and SDKs request it (`revalidate`: with its tag), against a bare Fastify route with the bytes of the whole
 * list.
 */
export async function openPair(
  folder: string,
  { kind, start, records }: Listed,
  { only, revalidate, requests = REQUESTS }: { readonly only: boolean; readonly revalidate: boolean; readonly requests?: number },
): Promise<Pair> {
  const home = await mkdtemp(join(folder, 'service-'))
  const ours = only ? await start(folder, home) : await startServer(kind, folder, home)
  const asked = { 'Accept-Encoding': 'br', 'X-API-Key': ours.key }
  const reply = await fetchRaw(ours.url, asked)
  try {
    checkList(reply, records)
  } catch (error) {
    // Otherwise its Redis would outlive a bench that fails here.
    await ours.close()
    throw error
  }
  const headers = { ...asked, ...(revalidate ? { 'If-None-Match': reply.headers['ETag'] as string } : {}) }
  const status = revalidate ? 304 : 200
  const load = await openLoad({ url: ours.url, headers, status }, CONNECTIONS)
  const other = only ? null : await startServer('bare')
  if (other) await other.setReply(reply)
  const otherLoad = other && (await openLoad({ url: other.url, headers: asked, status: 200 }, CONNECTIONS))
  const bytes = requests * Buffer.byteLength(reply.body, 'base64')
  const whole = revalidate ? {} : { bytes: { min: bytes * SHARE_OF_BYTES } }
  return {
    measured: { expected: { replies: requests, ...whole }, ...loaded(load, ours, requests) },
    reference: other && otherLoad && { expected: { replies: requests, bytes }, ...loaded(otherLoad, other, requests) },
    async close() {
      for (const one of [load, otherLoad]) one?.end()
      await Promise.all([ours.close(), other?.close()])
    },
  }
}

/** The requests of a round, measured in the server's processor time if it runs in another process. */
function loaded(load: LoadClient, server: BenchApi | Server, requests: number): Pick<Work, 'run' | 'clock'> {
  return { run: async () => ({ ...(await load.run(requests)) }), ...clockOf(server) }
}

const clockOf = (server: BenchApi | Server): Pick<Work, 'clock'> => ('processor' in server ? { clock: server.processor } : {})

/** Throws unless a reply is a list with enough records. */
function checkList({ status, body }: BareReply, records: number): void {
  const text = brotliDecompressSync(Buffer.from(body, 'base64')).toString()
  if (status !== 200) throw new Error(`the list has the status ${status}: ${text.slice(0, 300)}`)
  const listed = Object.values(JSON.parse(text) as Record<string, unknown>).find(Array.isArray)
  if (!listed || listed.length < records) throw new Error(`the list has ${listed?.length ?? 'no'} records, expected at least ${records}`)
}

interface Server extends BenchApi {
  /** Processor time used so far, ms. */
  processor(): Promise<number>
  /** Peak memory so far, MB. */
  memory(): Promise<number>
  setReply(reply: BareReply): Promise<void>
}

/** Starts a server (see `incidents-server.ts`) in a separate process. */
export async function startServer(
  kind: 'api' | 'stations' | 'rail' | 'trains' | 'tables' | 'bare',
  ...folders: readonly string[]
): Promise<Server> {
  const child: ChildProcess = fork(SERVER, [kind, ...folders], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ url, key }] = (await once(child, 'message')) as [{ readonly url: string; readonly key: string }]
  return {
    url,
    key,
    async processor() {
      child.send('processor')
      return ((await once(child, 'message')) as [number])[0]
    },
    async memory() {
      child.send('memory')
      return ((await once(child, 'message')) as [number])[0]
    },
    async setReply(reply) {
      child.send(reply)
      await once(child, 'message')
    },
    async close() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** A reply as it was sent: the body still compressed, and the headers that describe it. */
function fetchRaw(url: string, headers: Record<string, string>): Promise<BareReply> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const given = Object.fromEntries(
          response.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] as string]] : [])),
        )
        const { Date: _date, Connection: _connection, 'Keep-Alive': _alive, ...own } = given
        resolve({ status: response.statusCode ?? 0, headers: own, body: Buffer.concat(parts).toString('base64') })
      })
    })
      .on('error', reject)
      .end()
  })
}
