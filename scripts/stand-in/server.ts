import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Conditions, captureAnswer, documentAnswer, faultAnswer, packedAsSent, plainAnswer } from './answers.ts'
import { type Capture, openArchive, openReplay, type Replay } from './captures.ts'
import { type Clock, makeClock } from './clock.ts'
import { control } from './control.ts'
import { type Editions, editionFor, makeEditions } from './editions.ts'
import { type ActiveFault, type FaultBoard, type FaultName, type FaultSetting, makeFaultBoard } from './faults.ts'
import type { FeedStandIn } from './publisher.ts'
import { STAND_INS } from './publishers/list.ts'
import { StreamFaults } from './stream-faults.ts'
import { startStreams } from './streams.ts'
import { type Archives, makeWorld, type Scale, type World } from './world/world.ts'

/** The source of the stand-in's data. */
export type Source =
  | {
      readonly kind: 'simulated'
      /** Each seed gives a different Spain; 1 by default. */
      readonly seed?: number
      /** Speed of the clock relative to the machine's; 1 by default, with 0 it only moves on request. */
      readonly speed?: number
      /** Instant (ms) at which the simulated clock starts; by default the machine's. */
      readonly start?: number
      readonly scale?: Scale
      /** Short by default. */
      readonly archives?: Archives
    }
  /** A folder of recorded captures such as `../shared/feeds`. */
  | { readonly kind: 'captures'; readonly dir: string }

/**
 * Writing a timetable takes longer than Node's default of 5 s for idle connections, and a client would then send into a closed
 * one.
 */
const KEEP_ALIVE_MS = 300_000

/** The options of `startPublishers`. */
export interface PublisherOptions {
  readonly source: Source
  /** By default 0: the system chooses. */
  readonly port?: number
  /** 127.0.0.1 by default. */
  readonly host?: string
  readonly faults?: readonly FaultSetting[]
  /** Port of the simulated AIS receiver; a free one by default. */
  readonly nmeaPort?: number
}

/** A running stand-in. */
export interface Publishers {
  /** Base address: `https://host/path` of a publisher is `<url>/host/path` here. */
  readonly url: string
  readonly port: number
  /** Where the simulated AIS receiver sends NMEA, as `tcp://host:port`; null if captures are served. */
  readonly nmea: string | null
  /** The active faults of streams. */
  readonly streamFaults: StreamFaults
  /** The stand-in's clock, ms; the machine's if captures are served. */
  now(): number
  /** Moves the simulated clock forward. Throws if captures are served. */
  advance(by_ms: number): void
  setFault(setting: FaultSetting): void
  clearFaults(feed?: string): void
  /** Number of answers by feed and status. */
  served(): Record<string, Record<string, number>>
  close(): Promise<void>
}

interface State {
  readonly source: Source
  readonly clock: Clock
  readonly board: FaultBoard
  readonly streamFaults: StreamFaults
  readonly world: World
  readonly editions: Editions
  readonly seed: number
  /** By feed; empty unless captures are served. */
  readonly replays: ReadonlyMap<string, Replay>
  /** Resources of recorded archives, by feed; empty unless captures are served. */
  readonly archives: ReadonlyMap<string, (resource: string) => Capture | null>
  readonly counts: Map<string, Record<string, number>>
}

/** Starts the stand-in of all publishers. Rejects if the port is taken or the captures' folder is missing. */
export async function startPublishers({
  source,
  port = 0,
  host = '127.0.0.1',
  faults = [],
  nmeaPort = 0,
}: PublisherOptions): Promise<Publishers> {
  const state = makeState(source)
  for (const fault of faults) state.board.set(fault)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(state, request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      send(response, plainAnswer(500, `the stand-in failed: ${error instanceof Error ? error.stack : String(error)}`), request)
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const { world, streamFaults } = state
  const streams =
    source.kind === 'simulated'
      ? await startStreams({ http: server, host, port: nmeaPort, world, faults: streamFaults, now: () => state.clock.now() })
      : null
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    nmea: streams?.nmea ?? null,
    streamFaults,
    now: () => state.clock.now(),
    advance(by_ms) {
      if (source.kind === 'captures') throw new Error('captures have their own times: there is no clock to move')
      state.clock.advance(by_ms)
    },
    setFault: (setting) => state.board.set(setting),
    clearFaults: (feed) => state.board.clear(feed),
    served: () => Object.fromEntries(state.counts),
    close: async () => {
      await streams?.close()
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      })
    },
  }
}

function makeState(source: Source): State {
  const isSimulated = source.kind === 'simulated'
  const { seed = 1, speed = 1, start = Date.now() } = isSimulated ? source : {}
  const clock = makeClock({ start, speed })
  const world = isSimulated ? makeWorld(seed, source.scale, source.archives) : makeWorld(seed)
  return {
    source,
    clock,
    board: makeFaultBoard({ feeds: STAND_INS, isSimulated, now: () => clock.now() }),
    streamFaults: new StreamFaults(),
    world,
    editions: makeEditions(world),
    seed,
    replays: new Map(source.kind === 'captures' ? STAND_INS.map((feed) => [feed.feed, openReplay(source.dir, feed)]) : []),
    archives: new Map(source.kind === 'captures' ? STAND_INS.map((feed) => [feed.feed, openArchive(source.dir, feed)]) : []),
    counts: new Map(STAND_INS.map((feed) => [feed.feed, {}])),
  }
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Two leading slashes would start a host.
  const url = new URL((request.url ?? '/').replace(/^\/+/, '/'), 'http://stand-in')
  response.setHeader('X-Stand-In', state.source.kind)
  if (state.source.kind === 'simulated') response.setHeader('Date', new Date(state.clock.now()).toUTCString())
  if (url.pathname.startsWith('/_control/')) {
    const clock = state.source.kind === 'simulated' ? state.clock : null
    const { status, body } = await control(request, url, {
      board: state.board,
      streamFaults: state.streamFaults,
      clock,
      state: () => describe(state),
    })
    return send(response, { ...plainAnswer(status, JSON.stringify(body)), headers: { 'Content-Type': 'application/json' } }, request)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, plainAnswer(405, 'only GET and HEAD', { Allow: 'GET, HEAD' }), request)
  const found = locate(url)
  if (!found) return send(response, plainAnswer(url.pathname === '/' ? 200 : 404, overview(state)), request)
  const { feed, resource, redirect, slip } = found
  if (redirect && state.source.kind === 'simulated')
    return send(response, plainAnswer(301, 'Moved Permanently', { Location: redirect }), request)
  if (slip && feed.slip) return send(response, plainBytes(feed.slip(slip, state.clock.now())), request)
  const faults = state.board.take(feed.feed)
  const latency = faults.get('latency')
  if (latency && !(await waitFor(latency.ms ?? 10_000, response))) return
  const conditions: Conditions = { ifNoneMatch: request.headers['if-none-match'], ifModifiedSince: request.headers['if-modified-since'] }
  const { answer, whenSent } = await answerFor(state, { feed, resource, conditions, faults, url })
  count(state, feed, answer)
  if (answer.isWhole && request.method === 'GET') response.once('finish', whenSent)
  send(response, answer, request)
}

interface Wanted {
  readonly feed: FeedStandIn
  readonly resource: string
  readonly conditions: Conditions
  readonly faults: ReadonlyMap<FaultName, ActiveFault>
  readonly url: URL
}

async function answerFor(
  state: State,
  { feed, resource, conditions, faults, url }: Wanted,
): Promise<{ answer: Answer; whenSent: () => void }> {
  const nothing = (): void => undefined
  const spoiled = faultAnswer(faults, url)
  if (spoiled) return { answer: spoiled, whenSent: nothing }
  const replay = state.replays.get(feed.feed)
  if (!replay) {
    const edition = editionFor(feed, { resource, seed: state.seed, now: state.clock.now(), faults })
    return { answer: await documentAnswer(feed, state.editions.get(feed, edition), conditions, faults), whenSent: nothing }
  }
  const archived = state.archives.get(feed.feed)?.(resource)
  if (archived) return { answer: captureAnswer({ feed, resource }, archived, conditions, faults), whenSent: nothing }
  const capture = resource === mainResource(feed) && !feed.captures?.archive ? replay.current() : null
  if (!capture) return { answer: plainAnswer(404, `no captures of ${feed.feed}/${resource}`), whenSent: nothing }
  return { answer: captureAnswer({ feed, resource }, capture, conditions, faults), whenSent: () => replay.served(capture) }
}

/**
 * The feed and document of `/host/path`. A redirect is returned as its target path, a two-step answer as the path of its
 * document.
 */
function locate({
  pathname,
  searchParams,
}: URL): { feed: FeedStandIn; resource: string; redirect: string | null; slip: string | null } | null {
  const [, host = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? []
  for (const feed of STAND_INS) {
    if (!feed.hosts.includes(host.toLowerCase())) continue
    const route = feed.route(rest, searchParams)
    if (typeof route === 'string') return { feed, resource: route, redirect: null, slip: null }
    if (route === null) continue
    const [isSlip, to] = 'slip' in route ? [true, route.slip] : [false, route.redirect]
    const resource = feed.route(to, new URLSearchParams())
    if (typeof resource === 'string') return { feed, resource, redirect: isSlip ? null : `/${host}${to}`, slip: isSlip ? to : null }
  }
  return null
}

/** The first of two steps: faults affect documents only. */
function plainBytes({ bytes, contentType }: { readonly bytes: Buffer; readonly contentType: string }): Answer {
  return { status: 200, headers: { 'Content-Type': contentType }, body: bytes, cutAfter: null, isWhole: false }
}

function mainResource(feed: FeedStandIn): string | undefined {
  return locate(new URL(`/${feed.hosts[0]}${feed.path}`, 'http://stand-in'))?.resource
}

function send(response: ServerResponse, answer: Answer, request: IncomingMessage): void {
  const { status, headers, body, cutAfter } = answer
  const isHeld = Buffer.isBuffer(body)
  // The length of a text that is packed while it is sent is unknown.
  const length: Record<string, string> = status === 304 || !isHeld ? {} : { 'Content-Length': String(body.length) }
  response.writeHead(status, { ...headers, ...length })
  if (request.method === 'HEAD' || status === 304) return void response.end()
  if (!isHeld) return void pipeline(packedAsSent(body), response).catch(() => response.destroy())
  if (cutAfter === null) return void response.end(body)
  response.write(body.subarray(0, cutAfter), () => request.socket.destroy())
}

/** Returns false if the client or the server closed the connection before the time was over. */
async function waitFor(ms: number, response: ServerResponse): Promise<boolean> {
  const gone = new AbortController()
  const stop = (): void => gone.abort()
  response.once('close', stop)
  try {
    await wait(ms, undefined, { signal: gone.signal })
    return true
  } catch {
    return false
  } finally {
    response.off('close', stop)
  }
}

function count(state: State, feed: FeedStandIn, answer: Answer): void {
  const counts = state.counts.get(feed.feed) as Record<string, number>
  const status = String(answer.status)
  counts[status] = (counts[status] ?? 0) + 1
}

function describe(state: State): Record<string, unknown> {
  return {
    source: state.source.kind,
    now: new Date(state.clock.now()).toISOString(),
    feeds: STAND_INS.map((feed) => ({
      feed: feed.feed,
      path: `/${feed.hosts[0]}${feed.path}`,
      captures_left: state.replays.get(feed.feed)?.left() ?? null,
    })),
    faults: state.board.list(),
    served: Object.fromEntries(state.counts),
  }
}

function overview(state: State): string {
  const what =
    state.source.kind === 'simulated' ? `a generated Spain, seed ${state.seed}: no real data` : `recorded captures of ${state.source.dir}`
  return [
    `Stand-in for the publishers' servers: ${what}.`,
    ...STAND_INS.map((feed) => `  ${feed.feed}  /${feed.hosts[0]}${feed.path}`),
    '  control  /_control/state',
  ].join('\n')
}
