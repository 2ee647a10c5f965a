import { createHash } from 'node:crypto'
import { forgetPart } from '../../lake/live/forget.ts'
import { livePart, publishLive } from '../../lake/live/write.ts'
import { type AcceptedFetch, acceptFetch, fetchId, keepBodies, keepRejected, type RawFetch } from '../../lake/raw/archive.ts'
import { type Feed, FormatError } from '../feeds/define.ts'
import { type Collected, collect } from './collect.ts'
import { expectedGroups, groupNames, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { tally, warningLines } from './diagnostics.ts'
import { liveRows } from './fold.ts'
import { clockTrouble, judge, judgeTimes, timeInOrder } from './guard.ts'
import { FetchError } from './http.ts'
import { type FeedMemory, foldAccepted, missingOf, syncMemory } from './memory.ts'
import { collectDemanded, type Demanded } from './on-demand.ts'
import type { Publication } from './parse.ts'
import { mayBeAhead, nearAhead } from './repeated-hour.ts'
import { isSameContent } from './same-content.ts'
import { parseSpooled, type Spooled } from './spool.ts'

/** Retries when another process accepted a fetch in the meantime. */
const MOST_RACES = 5
export const USER_AGENT = 'traffic-intelligence/1 (data lake of Spanish transport feeds)'

type Bodies = Collected & { readonly kind: 'bodies' }
type Missing = Readonly<Record<string, readonly string[]>>

/** How a run of a feed ended. */
export interface FetchOutcome {
  readonly outcome: 'accepted' | 'unchanged' | 'rejected' | 'failed'
  readonly reason: string | null
  readonly fetch_id: string | null
  readonly data_time: number | null
  readonly fetched_at: number
  readonly rows: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly unknown_codes: number
  readonly missing_blocks: readonly string[]
}

/**
 * Runs a feed once: fetch, guard, store raw, parse, check, update live state. Updates the memory. Never throws for a
 * publisher's error.
 */
export async function runFeed(
  context: IngestContext,
  memory: FeedMemory,
  signal: AbortSignal,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  return reportRun(context, memory, {}, async () => {
    if (!memory.isShown || memory.unshown.length > 0) await showLive(context, memory)
    return attempt(context, memory, signal)
  })
}

/** Processes the file of a period or of a stream, like `runFeed` processes its own fetch. */
export function runFile(context: IngestContext, memory: FeedMemory, taken: Taken): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { period } = taken
  return reportRun(context, memory, period === undefined ? {} : { period }, () => takeCollected(context, memory, taken))
}

/** Logs the outcome of a run. */
async function reportRun(
  { log }: IngestContext,
  { feed }: FeedMemory,
  about: { readonly period?: string },
  run: () => Promise<{ memory: FeedMemory; outcome: FetchOutcome }>,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const began = performance.now()
  const done = await run()
  const { outcome, reason, ...rest } = done.outcome
  const level = outcome === 'failed' || outcome === 'rejected' ? 'warn' : 'info'
  log[level]({ feed: feed.id, ...about, outcome, reason, ...rest, ms: Math.round(performance.now() - began) }, 'feed fetched')
  return done
}

async function attempt(
  context: IngestContext,
  memory: FeedMemory,
  signal: AbortSignal,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { feed } = memory
  let collected: Collected
  let settle: Demanded['settle'] | null = null
  try {
    const last = memory.same?.fetch_id === memory.last?.fetch_id ? memory.same : memory.last
    if (feed.onDemand) ({ collected, settle } = await collectDemanded(context, feed, { userAgent: USER_AGENT, signal }))
    else collected = await collect(feed, { ...context, replays: context.mode === 'replay', last, signal, userAgent: USER_AGENT })
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { memory, outcome: outcomeOf('failed', context.now(), { reason: error.message }) }
  }
  const done = await takeCollected(context, memory, { collected, signal })
  await settle?.(done.outcome.outcome === 'accepted' || done.outcome.outcome === 'unchanged')
  return done
}

/** What was collected: a whole feed, or the file of a period of an archive. */
interface Taken<C extends Collected = Collected> {
  readonly collected: C
  readonly period?: string
  readonly signal: AbortSignal
}

/** The fetch to compare with: the last accepted one, or the last of the period. */
function formerOf(memory: FeedMemory, period: string | undefined): AcceptedFetch | null {
  return period === undefined ? memory.last : (memory.periods.get(period) ?? null)
}

/** Judges and processes what was collected: the part of a run after the publisher answered. */
async function takeCollected(
  context: IngestContext,
  memory: FeedMemory,
  { collected, period, signal }: Taken,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { feed } = memory
  if (collected.kind === 'unchanged') return { memory, outcome: outcomeOf('unchanged', collected.fetched_at, { reason: 'not modified' }) }
  const same = await sameness(context, feed, { last: formerOf(memory, period), collected })
  if (same !== null) {
    if (memory.last && period === undefined)
      memory.same = { fetch_id: memory.last.fetch_id, bodies: collected.received.map(({ name, headers }) => ({ name, headers })) }
    return { memory, outcome: outcomeOf('unchanged', collected.fetched_at, { reason: same }) }
  }
  let spooled: Spooled
  const { decoded: bodies, fetched_at: fetchedAt } = collected
  try {
    spooled = await parseSpooled(context, feed, { bodies, fetchedAt, signal })
  } catch (error) {
    // A document that the parser does not expect is stored too: it may not be available again.
    const reason =
      error instanceof FormatError ? error.message : `the parser failed: ${error instanceof Error ? error.message : String(error)}`
    if (!(error instanceof FormatError)) context.log.error({ feed: feed.id, err: error }, 'parser failed')
    const raw = rawFetch(feed, { fetched_at: collected.fetched_at, period, publication: null, rejected: reason })
    return { memory, outcome: await reject(context, memory, { raw, collected }) }
  }
  try {
    if (mayBeAhead(spooled.publication, formerOf(memory, period))) {
      const ahead = await parseSpooled(context, feed, { bodies, fetchedAt, near: nearAhead(fetchedAt), signal })
      const isAhead = ahead.publication.data_time > fetchedAt
      await (isAhead ? spooled : ahead).drop()
      if (isAhead) spooled = ahead
    }
    // Captures represent the time they were made; files of an archive the time of their fetch.
    const inOrder = context.mode === 'replay' && period === undefined ? null : timeInOrder(spooled.publication, memory.last)
    if (inOrder === null) return await decide(context, memory, { collected, period, spooled, signal })
    await spooled.drop()
    // Some rows carry their fetch time, so the parser gets it.
    spooled = await parseSpooled(context, feed, { bodies, fetchedAt: inOrder, signal })
    return await decide(context, memory, { collected: { ...collected, fetched_at: inOrder }, period, spooled, signal })
  } finally {
    await spooled.drop()
  }
}

async function decide(
  context: IngestContext,
  memory: FeedMemory,
  got: Pick<Taken<Bodies>, 'collected' | 'signal'> & { readonly period: string | undefined; readonly spooled: Spooled },
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { feed } = memory
  const { collected, period, spooled } = got
  const { publication } = spooled
  const expected = await expectedGroups(context, feed, publication.data_time)
  const rawOf = (rejected: string | null): RawFetch =>
    rawFetch(feed, { fetched_at: collected.fetched_at, period, publication, expected, rejected })
  let current = memory
  for (let race = 0; race < MOST_RACES; race++) {
    got.signal.throwIfAborted()
    const last = formerOf(current, period)
    const verdict =
      judgeTimes(publication, current, context.now()) ?? judge(feed, publication, last && { last, missing: missingOf(current) }, expected)
    if (verdict.kind === 'unchanged') {
      const outcome = outcomeOf('unchanged', collected.fetched_at, { reason: verdict.reason, data_time: publication.data_time })
      if (sameBytes(last, collected)) return { memory: current, outcome }
      // Different content under a known publication time adds nothing, but its bytes may not be available again: store them.
      const reason = `${verdict.reason} with other content`
      await reject(context, current, { raw: rawOf(reason), collected })
      return { memory: current, outcome: { ...outcome, reason } }
    }
    const raw = rawOf(verdict.kind === 'reject' ? verdict.reason : null)
    const { missing } = verdict
    if (verdict.kind === 'reject') return { memory: current, outcome: await reject(context, current, { raw, collected, missing }) }
    const trouble = await clockTrouble(context, publication)
    if (trouble !== null) return { memory: current, outcome: outcomeOf('failed', collected.fetched_at, { reason: trouble }) }
    const bodies = await keepBodies(context.store, feed.id, collected.fetched_at, collected.received)
    await context.onStep?.('raw-kept')
    const accepted: AcceptedFetch = { ...raw, bodies, seq: current.seq + 1, accepted_by: 'guard' }
    if (await acceptFetch(context.store, accepted)) {
      await context.onStep?.('accepted')
      await spooled.keep(accepted)
      await takeIn(context, current, { accepted, publication })
      return { memory: current, outcome: outcomeOf('accepted', collected.fetched_at, { ...accepted, missing }) }
    }
    current = await syncMemory(context, current)
  }
  return {
    memory: current,
    outcome: outcomeOf('failed', collected.fetched_at, { reason: `lost ${MOST_RACES} races for the next place in the log` }),
  }
}

/** Folds an accepted fetch and shows it live. */
async function takeIn(
  context: IngestContext,
  memory: FeedMemory,
  fetch: { readonly accepted: AcceptedFetch; readonly publication: Publication },
): Promise<void> {
  const { accepted, publication } = fetch
  await foldAccepted(context, memory, accepted, publication)
  await showLive(context, memory)
  await context.onStep?.('live-written')
  for (const line of warningLines(publication.report)) context.log.warn({ feed: memory.feed.id, fetch_id: accepted.fetch_id }, line)
}

/**
 * Updates a feed's current state in Redis with every change since the last one shown. If those are not all known (Redis was
 * emptied, another worker landed), or a late fetch or a rebuild changed rows below, the change log restarts if any row
 * differs: its followers are notified to read the state again.
 */
export async function showLive(context: IngestContext, memory: FeedMemory): Promise<void> {
  const { last, unshown } = memory
  for (const { dataset, state, landed } of memory.parts.values()) {
    if (!dataset.live) continue
    // Every fetch was withdrawn, or none came yet.
    if (!last) await forgetPart(context.redis, { dataset: dataset.id, feed: memory.feed.id })
    if (!last) continue
    const part = await livePart(context.redis, dataset.id, memory.feed.id)
    const held = part?.seq ?? 0
    const begin = unshown.findIndex(({ seq }) => seq > held)
    const news = begin === -1 ? [] : unshown.slice(begin)
    const known = news.filter(({ seq, changes }) => seq > held && changes.has(dataset.id))
    const rebuild = part !== null && (known.length < news.length || part.rebuilds !== landed.rebuilds)
    if (held > memory.seq || (held === memory.seq && !rebuild)) continue
    await publishLive(context.redis, {
      dataset: dataset.id,
      feed: memory.feed.id,
      seq: memory.seq,
      since_seq: known.length === memory.seq - held ? held : -1,
      fetch_id: last.fetch_id,
      data_time: Date.parse(last.data_time),
      fetched_at: Date.parse(last.fetched_at),
      missing: state.blocks.missing,
      rows: liveRows(dataset, state, ruleOf(memory.feed, dataset.id)),
      changes: known.flatMap(({ changes }) => changes.get(dataset.id) ?? []),
      rebuild,
      rebuilds: landed.rebuilds,
    })
  }
  memory.unshown = []
  memory.isShown = true
}

/** Stores a rejected fetch separately; the same bytes are not stored twice. */
async function reject(
  context: IngestContext,
  memory: FeedMemory,
  got: { readonly raw: RawFetch; readonly collected: Bodies; readonly missing?: Missing },
): Promise<FetchOutcome> {
  const { raw, collected, missing = {} } = got
  const digest = digests(collected).join()
  const before = memory.rejected.get(raw.period)
  const again = before?.digest === digest ? before.fetch_id : null
  if (again === null) {
    const bodies = await keepBodies(context.store, raw.feed, collected.fetched_at, collected.received)
    await keepRejected(context.store, { ...raw, bodies })
    memory.rejected.set(raw.period, { digest, fetch_id: raw.fetch_id })
  }
  return outcomeOf('rejected', collected.fetched_at, { ...raw, missing, fetch_id: again ?? raw.fetch_id, reason: raw.rejected })
}

function digests(collected: Bodies): string[] {
  return collected.received.map(({ received }) => createHash('sha256').update(received).digest('hex'))
}

function rawFetch(
  feed: Feed,
  facts: {
    readonly fetched_at: number
    readonly period: string | undefined
    readonly publication: Publication | null
    readonly expected?: Publication['blocks']
    readonly rejected: string | null
  },
): RawFetch {
  const { fetched_at, period, publication, expected = {} } = facts
  return {
    fetch_id: fetchId(feed.id, fetched_at),
    feed: feed.id,
    fetched_at: new Date(fetched_at).toISOString(),
    data_time: new Date(publication?.data_time ?? fetched_at).toISOString(),
    ...(period === undefined ? {} : { period }),
    bodies: [],
    ...(publication ? countsOf(feed, publication) : { rows: {}, blocks: {}, said_missing: {}, quarantined: 0, unknown_codes: 0 }),
    ...recordedExpectation(expected),
    rejected: facts.rejected,
  }
}

/** The recorded expectation of a publication; empty if nothing was known. */
export function recordedExpectation(expected: Publication['blocks']): Pick<RawFetch, 'expected'> {
  return Object.keys(expected).length > 0 ? { expected } : {}
}

/** The counts that the archive records of a publication. */
export function countsOf(
  feed: Feed,
  publication: Publication,
): Pick<RawFetch, 'rows' | 'blocks' | 'said_missing' | 'quarantined' | 'unknown_codes'> {
  return {
    rows: Object.fromEntries(publication.counts),
    blocks: publication.blocks,
    said_missing: publication.report.missingBlocks,
    quarantined: tally(publication.report.quarantined),
    unknown_codes: tally(publication.report.unknownCodes),
  }
}

/** Builds the outcome of a run from the known facts. */
export function outcomeOf(
  outcome: FetchOutcome['outcome'],
  fetched_at: number,
  facts: Partial<Omit<RawFetch, 'data_time'>> & {
    readonly reason?: string | null
    readonly data_time?: string | number
    readonly missing?: Missing
  },
): FetchOutcome {
  const { data_time } = facts
  return {
    outcome,
    reason: facts.reason ?? null,
    fetch_id: facts.fetch_id ?? null,
    data_time: data_time === undefined ? null : typeof data_time === 'number' ? data_time : Date.parse(data_time),
    fetched_at,
    rows: facts.rows ?? {},
    quarantined: facts.quarantined ?? 0,
    unknown_codes: facts.unknown_codes ?? 0,
    missing_blocks: groupNames(facts.missing ?? {}),
  }
}

/** In which respect a reply repeats the last accepted fetch; null if it does not. */
async function sameness(
  context: IngestContext,
  feed: Feed,
  { last, collected }: { readonly last: AcceptedFetch | null; readonly collected: Bodies },
): Promise<string | null> {
  if (sameBytes(last, collected)) return 'same bytes'
  return (await isSameContent(context, feed, { last, decoded: collected.decoded })) ? 'same content' : null
}

function sameBytes(last: AcceptedFetch | null, collected: Bodies): boolean {
  if (!last || last.bodies.length !== collected.received.length) return false
  return digests(collected).every((sha256, at) => sha256 === last.bodies[at]?.sha256)
}
