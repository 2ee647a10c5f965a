import type { IncomingMessage } from 'node:http'
import type { Clock } from './clock.ts'
import { type FaultBoard, readFault } from './faults.ts'
import type { StreamFaults } from './stream-faults.ts'

/** The state that the control endpoint may change. */
export interface Controls {
  readonly board: FaultBoard
  readonly streamFaults: StreamFaults
  /** Null if captures are served: they have their own times. */
  readonly clock: Clock | null
  readonly state: () => Record<string, unknown>
}

const MAX_BODY = 65_536

/**
 * The control endpoint, for loopback only. `GET /_control/state`; `POST /_control/faults {feed, fault, …}`, `DELETE
 * /_control/faults[?feed=]`; `POST /_control/clock {advance_ms}`. Returns a status and the JSON body.
 */
export async function control(request: IncomingMessage, url: URL, controls: Controls): Promise<{ status: number; body: unknown }> {
  if (!isLoopback(request.socket.remoteAddress)) return { status: 403, body: { error: 'the control endpoint is for loopback only' } }
  try {
    return { status: 200, body: await act(request, url, controls) }
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } }
  }
}

async function act(request: IncomingMessage, url: URL, { board, streamFaults, clock, state }: Controls): Promise<unknown> {
  const what = `${request.method} ${url.pathname}`
  if (what === 'GET /_control/state') return state()
  if (what === 'POST /_control/faults') {
    const fault = await readJson(request)
    if (!streamFaults.take(fault)) board.set(readFault(fault))
  } else if (what === 'DELETE /_control/faults') {
    const feed = url.searchParams.get('feed') ?? undefined
    board.clear(feed)
    streamFaults.clear(feed)
  } else if (what === 'POST /_control/clock') {
    const body = await readJson(request)
    const by_ms = typeof body === 'object' && body !== null && 'advance_ms' in body ? body.advance_ms : undefined
    if (typeof by_ms !== 'number') throw new Error('the clock needs {"advance_ms": number}')
    if (!clock) throw new Error('captures have their own times: there is no clock to move')
    clock.advance(by_ms)
  } else throw new Error(`no ${what}; available: GET /_control/state, POST and DELETE /_control/faults, POST /_control/clock`)
  return state()
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error(`the body is over ${MAX_BODY} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || (address ?? '').replace('::ffff:', '').startsWith('127.')
}
