import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { filledBy } from '../../../jobs/derive/define.ts'
import { makeDeriver } from '../../../jobs/derive/derive.ts'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { collect } from '../../../jobs/ingest/collect.ts'
import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { withLock } from '../../../lake/live/lock.ts'
import { openContext } from '../scratch/context.ts'
import { derivedFrom } from './chosen.ts'
import { ADVANCE_MS, type Halt, MOST_WITHOUT_HALT, type WorkerOrder } from './order.ts'
import { checkWhole } from './whole.ts'

// A worker in a separate process: the real pipeline over real feeds, which halts where its order says.
const order = JSON.parse(process.argv[2] as string) as WorkerOrder
const feeds = order.feeds.map(feedById)
const derivations = order.derives ? derivedFrom(feeds) : []
const halts = [...(order.halts ?? [])]
const ballast = join(order.folder, 'ballast')
let now = 0
let come = 0
let last: PipelineStep | 'begin' = 'begin'
let filled: Halt | null = null
let isDeriving = false

// The process that ordered it has ended.
process.once('disconnect', () => process.exit(1))
const context = await openContext({ ...order, now: () => (order.realTime ? Date.now() : now), onStep: (step) => reach(step) })
const runner = makeRunner(context)
const deriver = makeDeriver(context, { derivations, feeds })
const started = new Promise((resolve) => process.once('message', resolve))
if (order.waits) await warmUp()
writeSync(1, 'open\n')
if (order.waits) await started
await prepareTables(context, [...feeds.flatMap(({ into }) => into), ...derivations.flatMap(filledBy)])
// The locks of a killed worker would expire by themselves, but later than most workers of this test live.
for (const key of await context.redis.keys('lock:derive:*')) await context.redis.del(key)
let quiet = 0
for (let iteration = 1; iteration <= order.iterations || halts.length > 0; iteration++) {
  const due = halts.length
  const failures = await iterate(iteration)
  quiet = halts.length < due ? 0 : quiet + 1
  const halt = filled
  if (halt) {
    failures.push(...(await checkWhole(context, feeds)).map((problem) => `PROBLEM ${problem}`))
    rmSync(ballast)
    filled = null
  }
  process.send?.({ iteration, failures, halt })
  if (halts.length > 0 && quiet > MOST_WITHOUT_HALT) break
  if (order.rest_ms !== undefined) await sleep(order.rest_ms)
}
await context.close()
process.exit(0)

async function iterate(iteration: number): Promise<string[]> {
  const failures: string[] = []
  if (!order.realTime) now = await advance()
  if (order.corrects) await correct(iteration % 2 === 0)
  reach('begin')
  const lands = iteration % 2 === 0
  for (const kind of lands ? (['fetch', 'land'] as const) : (['fetch'] as const))
    for (const feed of feeds) {
      try {
        await inTurn(kind, feed)
        if (kind === 'land') await deriveFrom(feed)
      } catch (error) {
        failures.push(`${kind} ${feed.id} after ${last}: ${chain(error)}`)
      }
    }
  return failures
}

function inTurn(kind: 'fetch' | 'land', feed: Feed): Promise<unknown> {
  const work = (signal: AbortSignal): Promise<unknown> => (kind === 'fetch' ? runner.fetch(feed, signal) : runner.land(feed, signal))
  if (order.lock_ms === undefined) return work(new AbortController().signal)
  return withLock({ redis: context.redis, name: `${kind}:${feed.id}`, ttl_ms: order.lock_ms, wait_ms: 60_000 }, work)
}

async function deriveFrom(feed: Feed): Promise<void> {
  isDeriving = true
  try {
    await deriver.after(feed, new AbortController().signal)
  } finally {
    isDeriving = false
  }
}

function reach(step: PipelineStep | 'begin'): void {
  last = step
  const halt = halts[0]
  if (filled || halt?.at !== step || (halt.deriving && !isDeriving) || ++come < halt.nth) return
  halts.shift()
  come = 0
  if (halt.by === 'fill') {
    filled = halt
    return fill(halt.leave ?? 0)
  }
  // Written before the process stops, and read by the process that resumes it.
  writeSync(1, `halted at ${step}\n`)
  process.kill(process.pid, halt.by)
}

/** Fills the disk up to the last `leave` bytes. */
function fill(leave: number): void {
  const file = openSync(ballast, 'w')
  let size = 0
  try {
    for (let chunk = Buffer.alloc(1 << 20); chunk.length >= 1; ) {
      try {
        size += writeSync(file, chunk)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        chunk = chunk.subarray(0, chunk.length >> 1)
      }
    }
    if (leave > 0) ftruncateSync(file, Math.max(0, size - leave))
  } finally {
    closeSync(file)
  }
}

/** Reads each feed once, so that modules are loaded before the worker begins. */
async function warmUp(): Promise<void> {
  for (const feed of feeds) {
    const signal = new AbortController().signal
    const got = await collect(feed, { ...context, last: null, signal, userAgent: 'chaos' })
    if (got.kind === 'bodies') await parsePublication(feed, got.decoded, got.fetched_at)
  }
}

async function advance(): Promise<number> {
  const { now } = await control('POST', 'clock', { advance_ms: order.advance_ms ?? ADVANCE_MS })
  return Date.parse(now)
}

/** Makes the stand-in publish codes that no list contains, or its normal data. */
async function correct(otherwise: boolean): Promise<void> {
  if (otherwise) for (const { id } of feeds) await control('POST', 'faults', { feed: id, fault: 'unknown_codes' })
  else await control('DELETE', 'faults')
}

async function control(method: 'POST' | 'DELETE', what: string, body?: unknown): Promise<{ now: string }> {
  const response = await fetch(`${order.publishers}/_control/${what}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
  if (!response.ok) throw new Error(`the stand-in refused ${method} ${what}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { now: string }
}

function chain(error: unknown): string {
  return error instanceof Error ? `${error.message}${error.cause ? ` (${chain(error.cause)})` : ''}` : String(error)
}
