import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { Band, Feed, SoonBand } from '../feeds/define.ts'
import { missingAfter, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { tally } from './diagnostics.ts'
import type { FeedMemory } from './memory.ts'
import type { Publication } from './parse.ts'

/** No publisher's clock is this wrong, ms: an older time is a misread or miswritten date. */
const OLDEST_MS = 10 * 365 * 86_400_000
/** Above this share of quarantined rows the format has changed. */
const MOST_QUARANTINED = 0.2
/** Fewer values that could not be used may all be placeholders. */
const LEAST_UNUSABLE = 20
/** Above this share of missing blocks the whole publication is incomplete, unless the feed declares another share. */
const MOST_MISSING = 0.5

type GroupCounts = Publication['blocks']

/** The reference of a judgement: the last accepted fetch by data time, and the blocks missing after it. */
export interface Before {
  readonly last: AcceptedFetch
  readonly missing: Readonly<Record<string, readonly string[]>>
}

/** The guard's verdict. `unchanged` is a success that adds nothing. */
export type Verdict =
  | { readonly kind: 'accept'; readonly missing: Record<string, string[]> }
  | { readonly kind: 'unchanged'; readonly reason: string }
  | { readonly kind: 'reject'; readonly reason: string; readonly missing: Record<string, string[]> }

/**
 * Judges a parsed publication against the previous state (null: none) by times and counts, and against the blocks that the
 * lake expects, by dataset.
 */
export function judge(feed: Feed, publication: Publication, before: Before | null, expected: GroupCounts = {}): Verdict {
  const last = before?.last ?? null
  const { blocks } = publication
  const missing = missingBlocks(feed, publication, expected, before)
  const reject = (reason: string): Verdict => ({ kind: 'reject', reason, missing })
  const stated = publication.report.publishedAt
  if (stated !== null && stated > publication.fetched_at + CLOCK_TOLERANCE_MS)
    return reject(`publication time ${isoInstant(stated)} is ahead of the fetch at ${isoInstant(publication.fetched_at)}`)
  if (stated !== null && stated < publication.fetched_at - OLDEST_MS)
    return reject(`publication time ${isoInstant(stated)} is more than ten years before the fetch at ${isoInstant(publication.fetched_at)}`)
  if (last && publication.data_time === Date.parse(last.data_time))
    return { kind: 'unchanged', reason: `publication of ${last.data_time} repeated` }
  if (last && publication.data_time < Date.parse(last.data_time))
    return reject(`publication time ${isoInstant(publication.data_time)} is older than the last accepted ${last.data_time}`)
  for (const dataset of feed.into) {
    const [now, then] = [missing[dataset.id] ?? [], before?.missing[dataset.id] ?? []]
    const back = then.filter((block) => !now.includes(block))
    const reason = countReason(feed, dataset, publication, { missing: now, back, blocks: blocks[dataset.id], last })
    if (reason) return reject(reason)
  }
  return { kind: 'accept', missing }
}

function countReason(
  feed: Feed,
  dataset: Dataset,
  publication: Publication,
  context: {
    readonly missing: readonly string[]
    /** Completeness groups that were missing after the previous publication and have returned. */
    readonly back: readonly string[]
    readonly blocks: Record<string, number> | undefined
    readonly last: AcceptedFetch | null
  },
): string | null {
  const rows = publication.counts.get(dataset.id) ?? 0
  const bad = tally({ [dataset.id]: publication.report.quarantined[dataset.id] ?? {} })
  if (bad > MOST_QUARANTINED * (rows + bad))
    return `${dataset.id}: ${bad} of ${rows + bad} rows quarantined, at most ${MOST_QUARANTINED * 100} % may be`
  for (const [column, count] of Object.entries(publication.report.unusable[dataset.id] ?? {}))
    if (count >= LEAST_UNUSABLE && count > MOST_QUARANTINED * rows)
      return `${dataset.id}: none of the ${count} values of ${column} is usable`
  const band = feed.bands[dataset.id]
  if (!band) return null
  if (rows < band.atLeast) return `${dataset.id}: ${rows} rows, at least ${band.atLeast} expected`
  const { last, missing } = context
  if (!last || (rows === 0 && band.mayBeEmpty)) return null
  const lastBlocks = last.blocks[dataset.id] ?? {}
  const older_ms = publication.data_time - Date.parse(last.data_time)
  const seen = Object.keys(lastBlocks)
  // A block that was already missing still counts in the total, otherwise the share missing grows with each publication.
  const known = new Set([...seen, ...missing]).size
  const mostMissing = feed.groups?.[dataset.id]?.mostMissing ?? MOST_MISSING
  if (seen.length > 1 && missing.length > mostMissing * known) return `${dataset.id}: ${missing.length} of ${known} blocks missing`
  const lost = missing.filter((block) => lastBlocks[block])
  if (lost.length > 0 && older_ms <= 1000 * (feed.groups?.[dataset.id]?.refusedFor_s ?? 0))
    return `${dataset.id}: ${lost.join(', ')} missing, of which the publication before has rows`
  const soon = soonBand(band, older_ms)
  const had = last.rows[dataset.id] ?? 0
  if (soon && rows === 0 && had > 0 && missing.length === 0) return `${dataset.id}: no rows after ${had}`
  const counts = context.blocks ?? {}
  // Completeness groups missing from either publication are not compared: a returning block would have too many rows forever.
  const apart = [...missing, ...context.back, ...(band.exceptGroups ?? [])]
  const [now, before] = apart.length === 0 ? [rows, had] : [outside(apart, counts), outside(apart, lastBlocks)]
  if (before <= 0) return null
  const ratio = now / before
  const least = soon && before >= (soon.ofAtLeast ?? 0) ? soon.minRatio : band.minRatio
  if (ratio < least)
    return `${dataset.id}: ${now} rows after ${before}, ${percent(ratio)} of them where at least ${percent(least)} is usual`
  if (ratio > band.maxRatio)
    return `${dataset.id}: ${now} rows after ${before}, ${percent(ratio)} of them where at most ${percent(band.maxRatio)} is usual`
  return null
}

/** The band for a publication this many ms after the last accepted one; null if none applies. */
function soonBand(band: Band, older_ms: number): SoonBand | null {
  return band.soon?.find(({ within_s }) => older_ms <= 1000 * within_s) ?? null
}

/** Rows in blocks other than the missing ones. */
function outside(missing: readonly string[], counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce((sum, [block, count]) => (missing.includes(block) ? sum : sum + count), 0)
}

function missingBlocks(feed: Feed, publication: Publication, expected: GroupCounts, before: Before | null): Record<string, string[]> {
  const missing: Record<string, string[]> = {}
  for (const { id } of feed.into) {
    const known = { counts: before?.last.blocks[id] ?? {}, missing: before?.missing[id] ?? [] }
    const { blocks, report } = publication
    const now = { counts: blocks[id] ?? {}, said: report.missingBlocks[id] ?? [], expected: expected[id] ?? {} }
    const all = missingAfter(ruleOf(feed, id), known, now)
    if (all.length > 0) missing[id] = all
  }
  return missing
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

/**
 * The fetch time to use if the publication states no time: just after the last fetch, if our clock went back slightly. This
 * keeps data times in order of acceptance. Null keeps the fetch's own time; a larger step back needs a person to decide.
 */
export function timeInOrder(publication: Publication, last: AcceptedFetch | null): number | null {
  if (!last || publication.report.publishedAt !== null) return null
  const before = Date.parse(last.data_time)
  const { data_time } = publication
  return data_time <= before && before - data_time <= CLOCK_TOLERANCE_MS ? before + 1 : null
}

/**
 * Rejects a fetch no newer than fetches that only the tables know, and states what to do if the last accepted fetch is ahead
 * of our clock.
 */
export function judgeTimes(publication: Publication, memory: FeedMemory, now: number): Verdict | null {
  const { last, landedUntil } = memory
  const newest = last ? Date.parse(last.data_time) : Number.NEGATIVE_INFINITY
  const { data_time } = publication
  const reject = (reason: string): Verdict => ({ kind: 'reject', reason, missing: {} })
  if (landedUntil !== null && newest < landedUntil && data_time <= landedUntil)
    return reject(
      `publication time ${isoInstant(data_time)} is not newer than ${isoInstant(landedUntil)}, which is in the tables but missing from the raw log`,
    )
  if (last && data_time < newest && newest > now + CLOCK_TOLERANCE_MS)
    return reject(
      `publication time ${isoInstant(data_time)} is older than the last accepted ${last.data_time} of ${last.fetch_id}, which is ahead of our ` +
        `clock (${isoInstant(now)}): if the clock is right, scripts/feeds withdraw ${last.fetch_id}`,
    )
  return null
}

/**
 * Describes a problem with our clock if a fetch has no other time; null if there is none. Compares with the store's clock: one
 * request per such fetch.
 */
export async function clockTrouble(context: IngestContext, publication: Publication): Promise<string | null> {
  if (!context.storeNow || context.mode === 'replay' || publication.report.publishedAt !== null) return null
  const theirs = await context.storeNow()
  const ours = context.now()
  if (Math.abs(ours - theirs) <= CLOCK_TOLERANCE_MS) return null
  return `our clock says ${isoInstant(ours)}, the store's ${isoInstant(theirs)}: a publication that states no time is not kept until they agree`
}
