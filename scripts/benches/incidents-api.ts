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
/** So many that no server waits for work: what a client and Redis take of the other processor is then not counted as ours. */
const CONNECTIONS = 64
const REQUESTS = 15_000

/**
 * Speeds are requests per second of the server's processor time: a server that has a processor to itself and work enough answers as many
 * in a second, and what else the machine does changes nothing.
 */

/** `/api/incidents` as browsers and SDKs ask for it, against a bare Fastify route that sends the same bytes. */
export const incidentsApi: Bench = {
  name: 'incidents-api',
  about:
    'requests per second of processor time of /api/incidents (br) with a key, charged and told its limits, against a bare Fastify route sending the same bytes',
  limit: 0.5,
  atLeast: true,
  rounds: 15,
  setUp: writePublication,
  open: (folder, { only }) => openPair(folder, INCIDENTS, { only, revalidate: false }),
}

/** The same asked for with its tag. */
export const incidentsNotModified: Bench = {
  name: 'incidents-304',
  about: '304s per second of processor time of /api/incidents with a key, against a bare Fastify route sending the bytes of the list',
  limit: 0.8,
  atLeast: true,
  rounds: 15,
  setUp: writePublication,
  open: (folder, { only }) => openPair(folder, INCIDENTS, { only, revalidate: true }),
}

/** An API with something to list, by the name that `incidents-server.ts` starts it by. */
interface Listed {
  readonly kind: 'api' | 'stations' | 'trains'
  readonly start: (folder: string, home: string) => Promise<BenchApi>
  /** Records of the list, at least. */
  readonly records: number
}

const INCIDENTS: Listed = { kind: 'api', start: startIncidentsService, records: 250 }
/** A list changes a little while it is asked for. */
const SHARE_OF_BYTES = 0.9

/** A list as browsers and SDKs ask for it (`revalidate`: with its tag), against a bare Fastify route that sends the bytes of the whole. */
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
    // Its Redis would outlive a bench that fails here.
    await ours.close()
    throw error
  }
  const headers = { ...asked, ...(revalidate ? { 'If-None-Match': reply.headers['ETag'] as string } : {}) }
  const status = revalidate ? 304 : 200
  const load = await openLoad({ url: ours.url, headers, status }, CONNECTIONS)
  const other = only ? null : await startServer('bare')
  if (other) await other.tell(reply)
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

/** The requests of a round, in processor time of the server where that is in a process of its own. */
function loaded(load: LoadClient, server: BenchApi | Server, requests: number): Pick<Work, 'run' | 'clock'> {
  return { run: async () => ({ ...(await load.run(requests)) }), ...('processor' in server ? { clock: server.processor } : {}) }
}

/** Throws unless a reply is a list of so many records at least. */
function checkList({ status, body }: BareReply, records: number): void {
  const text = brotliDecompressSync(Buffer.from(body, 'base64')).toString()
  if (status !== 200) throw new Error(`the list was answered with ${status}: ${text.slice(0, 300)}`)
  const listed = Object.values(JSON.parse(text) as Record<string, unknown>).find(Array.isArray)
  if (!listed || listed.length < records)
    throw new Error(`the list has ${listed?.length ?? 'no'} records, at least ${records} were expected`)
}

interface Server extends BenchApi {
  /** Processor time that it has taken so far, ms. */
  processor(): Promise<number>
  /** The most memory that it has had so far, MB. */
  memory(): Promise<number>
  tell(reply: BareReply): Promise<void>
}

/** Starts a server (see `incidents-server.ts`) in a process of its own. */
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
    async tell(reply) {
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
