import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { isQueryError } from '../../../lake/query/errors.ts'
import { makeKey } from '../../auth/keys/key-format.ts'
import type { KeyIndex } from '../../auth/keys/key-index.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Served } from '../../engine/answers/own-answers.ts'
import { requestOf } from '../../engine/request/example-request.ts'
import { allParams, requestReader } from '../../engine/request/request.ts'
import { type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { formatsOf } from '../../kernel/formats.ts'
import { Problem } from '../../kernel/problems.ts'

/** A request of our own to a group of paths, charged to nobody. Rejects as a caller's would fail. */
export interface Probe {
  readonly group: string
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

/** After this time in ms, an unchanged answer is made again; until then its head suffices. */
const RENEW_MS = 10 * 60_000
/** Timeout of a probe, in ms. */
const TIMEOUT_MS = 5000

/**
 * Makes the probes of all groups: one list from memory and one from the lake per domain, and a read of the keys' store for
 * accounts. Documents and pages need only the process, whose minutes are recorded anyway.
 */
export function groupProbes(
  served: readonly Served[],
  { keys, clock }: { readonly keys: KeyIndex; readonly clock: () => number },
): Probe[] {
  const lists = served.filter(({ endpoint }) => pathParams(endpoint.path).length === 0)
  const ofDomains = [...Map.groupBy(lists, ({ endpoint }) => endpoint.domain)].flatMap(([group, all]) => {
    const chosen = [all.find(({ endpoint }) => isFromMemory(endpoint)), all.find(({ endpoint }) => endpoint.read.kind === 'lake')]
    return chosen.flatMap((one) => (one ? [{ group, run: endpointProbe(one, clock) }] : []))
  })
  return [...ofDomains, { group: 'account', run: async () => await keys.lookUp(makeKey()) }]
}

function isFromMemory({ read }: Endpoint): boolean {
  return read.kind === 'memory' || read.kind === 'system'
}

/** Requests one record of an endpoint's example. */
function endpointProbe({ endpoint, handler }: Served, clock: () => number): Probe['run'] {
  const read = requestReader(endpoint)
  const [format = 'json'] = formatsOf(endpoint.returns)
  const values = allParams(endpoint).has('limit') ? { limit: '1' } : {}
  let last: { readonly etag: string; readonly at: number } | null = null
  return async (signal) => {
    const now = clock()
    const prepared = await handler(read(requestOf(endpoint, values, now), {}), { format, now, plan: 'FREE', lease: (work) => work() })
    const { etag } = prepared.head
    if (last?.etag === etag && now - last.at < RENEW_MS) return
    const { file } = await prepared.answer(signal)
    await file?.close()
    last = { etag, at: now }
  }
}

/**
 * True for an error that a caller would see as a fault of the service. A full queue of queries shows in callers' own requests.
 */
function isFailure(error: unknown): boolean {
  if (isQueryError(error, 'busy')) return false
  return !(error instanceof Problem) || error.status >= 500
}

/** Runs probes one after the other, and records the groups whose probe fails. The caller closes it. */
export interface ProbeRunner {
  /** Runs all of them once. */
  run(): Promise<void>
  close(): Promise<void>
}

/** Makes the runner of probes, every `every_ms`; null: only on demand. */
export function openProbes(
  probes: readonly Probe[],
  options: {
    readonly requests: Pick<RequestLog, 'probeFailed'>
    readonly log: Pick<FastifyBaseLogger, 'warn'>
    readonly every_ms: number | null
    readonly timeout_ms?: number
  },
): ProbeRunner {
  const { requests, log, every_ms, timeout_ms = TIMEOUT_MS } = options
  const stop = new AbortController()
  let running: Promise<void> | null = null
  const runOne = async ({ group, run }: Probe): Promise<void> => {
    const ended = new AbortController()
    const signal = AbortSignal.any([stop.signal, ended.signal])
    const late = sleep(timeout_ms, null, { signal, ref: false }).then(() => {
      throw new Error(`no answer in ${timeout_ms} ms`)
    })
    try {
      await Promise.race([run(signal), late])
    } catch (err) {
      if (stop.signal.aborted || !isFailure(err)) return
      requests.probeFailed(group)
      log.warn({ err, group }, 'the probe of a group failed')
    } finally {
      ended.abort()
      late.catch(() => undefined)
    }
  }
  const runAll = async (): Promise<void> => {
    for (const probe of probes) if (!stop.signal.aborted) await runOne(probe)
  }
  const run = (): Promise<void> => {
    running ??= runAll().finally(() => {
      running = null
    })
    return running
  }
  const timer = every_ms === null ? null : setInterval(() => void run(), every_ms)
  timer?.unref()
  return {
    run,
    close: async () => {
      stop.abort()
      if (timer) clearInterval(timer)
      await running
    },
  }
}
