import { createHash } from 'node:crypto'
import { livePart, publishLive } from '../../lake/live/write.ts'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptedFrom,
  acceptFetch,
  dropRejected,
  fetchId,
  keepBodies,
  keepRejected,
  type RawFetch,
  readRejected,
} from '../../lake/raw/archive.ts'
import { type Feed, FormatError } from '../feeds/define.ts'
import { type Collected, collect, decodeKept } from './collect.ts'
import type { IngestContext } from './context.ts'
import { readKept } from './derive.ts'
import { liveRows } from './fold.ts'
import { judge } from './guard.ts'
import { FetchError } from './http.ts'
import { type FeedMemory, foldAccepted, syncMemory } from './memory.ts'
import { tally, warningLines } from './notes.ts'
import { type Publication, parsePublication } from './parse.ts'

/** How often a fetch is judged anew because somebody else accepted one meanwhile. */
const MOST_RACES = 5
const USER_AGENT = 'traffic-intelligence/1 (data lake of Spanish transport feeds)'

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

/** Runs a feed once: fetch, guard, keep raw, parse, check, live. The memory is brought up to date. Never throws for what a publisher does. */
export async function runFeed(
  context: IngestContext,
  memory: FeedMemory,
  signal: AbortSignal,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const began = performance.now()
  if (!memory.isShown || memory.unshown.length > 0) await showLive(context, memory)
  const done = await attempt(context, memory, signal)
  const { outcome, reason, ...rest } = done.outcome
  const level = outcome === 'failed' || outcome === 'rejected' ? 'warn' : 'info'
  context.log[level]({ feed: memory.feed.id, outcome, reason, ...rest, ms: Math.round(performance.now() - began) }, 'feed fetched')
  return done
}

async function attempt(
  context: IngestContext,
  memory: FeedMemory,
  signal: AbortSignal,
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { feed } = memory
  let collected: Collected
  try {
    collected = await collect(feed, { ...context, replays: context.mode === 'replay', last: memory.last, signal, userAgent: USER_AGENT })
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { memory, outcome: outcomeOf('failed', context.now(), { reason: error.message }) }
  }
  if (collected.kind === 'unchanged') return { memory, outcome: outcomeOf('unchanged', collected.fetched_at, { reason: 'not modified' }) }
  if (sameBytes(memory.last, collected)) return { memory, outcome: outcomeOf('unchanged', collected.fetched_at, { reason: 'same bytes' }) }
  let publication: Publication
  try {
    publication = await parsePublication(feed, collected.decoded, collected.fetched_at)
  } catch (error) {
    // A document that the parser did not foresee is kept too: it may not be had again.
    const reason =
      error instanceof FormatError ? error.message : `the parser failed: ${error instanceof Error ? error.message : String(error)}`
    if (!(error instanceof FormatError)) context.log.error({ feed: feed.id, err: error }, 'parser failed')
    const raw = rawFetch(feed, { fetched_at: collected.fetched_at, publication: null, rejected: reason })
    return { memory, outcome: await reject(context, memory, { raw, collected }) }
  }
  return decide(context, memory, { collected, publication, signal })
}

async function decide(
  context: IngestContext,
  memory: FeedMemory,
  got: { readonly collected: Collected & { kind: 'bodies' }; readonly publication: Publication; readonly signal: AbortSignal },
): Promise<{ memory: FeedMemory; outcome: FetchOutcome }> {
  const { feed } = memory
  const { collected, publication } = got
  let current = memory
  for (let race = 0; race < MOST_RACES; race++) {
    got.signal.throwIfAborted()
    const verdict = judge(feed, publication, current.last)
    if (verdict.kind === 'unchanged') {
      const outcome = outcomeOf('unchanged', collected.fetched_at, { reason: verdict.reason, data_time: publication.data_time })
      if (sameBytes(current.last, collected)) return { memory: current, outcome }
      // Other content under a publication time that is known adds nothing, but its bytes may not be had again.
      const reason = `${verdict.reason} with other content`
      await reject(context, current, {
        raw: rawFetch(feed, { fetched_at: collected.fetched_at, publication, rejected: reason }),
        collected,
      })
      return { memory: current, outcome: { ...outcome, reason } }
    }
    const raw = rawFetch(feed, {
      fetched_at: collected.fetched_at,
      publication,
      rejected: verdict.kind === 'reject' ? verdict.reason : null,
      ...verdict,
    })
    if (verdict.kind === 'reject') return { memory: current, outcome: await reject(context, current, { raw, collected }) }
    const bodies = await keepBodies(context.store, feed.id, collected.fetched_at, collected.received)
    await context.onStep?.('raw-kept')
    const accepted: AcceptedFetch = { ...raw, bodies, seq: current.seq + 1, accepted_by: 'guard' }
    if (await acceptFetch(context.store, accepted)) {
      await context.onStep?.('accepted')
      await takeIn(context, current, { accepted, publication })
      return { memory: current, outcome: outcomeOf('accepted', collected.fetched_at, accepted) }
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
 * Makes Redis hold the current state of a feed's datasets, with every change since the fetch it holds. Where those are not all known (it was
 * emptied, or another worker landed them), where a late fetch came before what it holds, or where the rows below were derived anew, the
 * change log begins anew if any row differs: who follows it is told to read the state again.
 */
export async function showLive(context: IngestContext, memory: FeedMemory): Promise<void> {
  const { last, unshown } = memory
  if (!last) return
  for (const { dataset, state, landed } of memory.parts.values()) {
    if (!dataset.live) continue
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
      rows: liveRows(dataset, state),
      changes: known.flatMap(({ changes }) => changes.get(dataset.id) ?? []),
      rebuild,
      rebuilds: landed.rebuilds,
    })
  }
  memory.unshown = []
  memory.isShown = true
}

/** Accepts a fetch that the guard rejected: an operator has looked. Throws where there is none of that id or it cannot be parsed. */
export async function acceptRejected(context: IngestContext, memory: FeedMemory, id: string): Promise<AcceptedFetch> {
  const raw = await readRejected(context.store, id)
  if (!raw) throw new Error(`no rejected fetch ${id}; scripts/feeds list shows those that wait`)
  const { feed } = memory
  const kept = await readKept(context, raw)
  const publication = await parsePublication(feed, await decodeKept(feed, kept), Date.parse(raw.fetched_at))
  const data_time = new Date(publication.data_time).toISOString()
  const [oldest] = await acceptedAfter(context.store, feed.id, 0, 1)
  if (oldest && oldest.seq > 1 && data_time < oldest.data_time)
    throw new Error(`${id} is of ${data_time}; the fetches around it are past their retention, the archive begins at ${oldest.data_time}`)
  const newer = await acceptedFrom(context.store, feed.id, publication.data_time)
  const twin = newer.find((accepted) => accepted.data_time === data_time)
  if (twin) throw new Error(`${id} is the publication of ${data_time}, which is accepted already as ${twin.fetch_id}`)
  const fetchedAt = Date.parse(raw.fetched_at)
  let current = memory
  for (let race = 0; race < MOST_RACES; race++) {
    const verdict = judge(feed, publication, current.last)
    const judged = verdict.kind === 'unchanged' ? { blocks: raw.blocks, missing: raw.missing_blocks } : verdict
    const accepted: AcceptedFetch = {
      ...raw,
      ...countsOf(publication),
      // Bytes lie by the month of their place in the log, so that retention need not look for old months further on.
      bodies: await keepBodies(context.store, feed.id, Math.max(fetchedAt, Date.parse(current.last?.fetched_at ?? raw.fetched_at)), kept),
      data_time,
      blocks: judged.blocks,
      missing_blocks: judged.missing,
      seq: current.seq + 1,
      accepted_by: 'operator',
    }
    if (await acceptFetch(context.store, accepted)) {
      await dropRejected(context.store, id)
      return accepted
    }
    current = await syncMemory(context, current)
  }
  throw new Error(`${id}: lost ${MOST_RACES} races for the next place in the log; try again`)
}

/** Keeps a rejected fetch apart; the same bytes rejected again are not kept again. */
async function reject(
  context: IngestContext,
  memory: FeedMemory,
  got: { readonly raw: RawFetch; readonly collected: Collected & { kind: 'bodies' } },
): Promise<FetchOutcome> {
  const { raw, collected } = got
  const digest = digests(collected).join()
  const again = memory.rejected?.digest === digest ? memory.rejected.fetch_id : null
  if (again === null) {
    const bodies = await keepBodies(context.store, raw.feed, collected.fetched_at, collected.received)
    await keepRejected(context.store, { ...raw, bodies })
    memory.rejected = { digest, fetch_id: raw.fetch_id }
  }
  return outcomeOf('rejected', collected.fetched_at, { ...raw, fetch_id: again ?? raw.fetch_id, reason: raw.rejected })
}

function digests(collected: Collected & { kind: 'bodies' }): string[] {
  return collected.received.map(({ received }) => createHash('sha256').update(received).digest('hex'))
}

function rawFetch(
  feed: Feed,
  facts: {
    readonly fetched_at: number
    readonly publication: Publication | null
    readonly rejected: string | null
    readonly blocks?: RawFetch['blocks']
    readonly missing?: RawFetch['missing_blocks']
  },
): RawFetch {
  const { fetched_at, publication } = facts
  return {
    fetch_id: fetchId(feed.id, fetched_at),
    feed: feed.id,
    fetched_at: new Date(fetched_at).toISOString(),
    data_time: new Date(publication?.data_time ?? fetched_at).toISOString(),
    bodies: [],
    ...(publication ? countsOf(publication) : { rows: {}, quarantined: 0, unknown_codes: 0 }),
    blocks: facts.blocks ?? {},
    missing_blocks: facts.missing ?? {},
    rejected: facts.rejected,
  }
}

function countsOf(publication: Publication): Pick<RawFetch, 'rows' | 'quarantined' | 'unknown_codes'> {
  return {
    rows: Object.fromEntries([...publication.rows].map(([id, rows]) => [id, rows.length])),
    quarantined: tally(publication.report.quarantined),
    unknown_codes: tally(publication.report.unknownCodes),
  }
}

function outcomeOf(
  outcome: FetchOutcome['outcome'],
  fetched_at: number,
  facts: Partial<Omit<RawFetch, 'data_time'>> & { readonly reason?: string | null; readonly data_time?: string | number },
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
    missing_blocks: Object.entries(facts.missing_blocks ?? {}).flatMap(([dataset, blocks]) => blocks.map((block) => `${dataset}/${block}`)),
  }
}

function sameBytes(last: AcceptedFetch | null, collected: Collected & { kind: 'bodies' }): boolean {
  if (!last || last.bodies.length !== collected.received.length) return false
  return digests(collected).every((sha256, at) => sha256 === last.bodies[at]?.sha256)
}
