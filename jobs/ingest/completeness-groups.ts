import type { Lake } from '../../lake/open.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { CompletenessGroups, ExpectedGroups, Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'

/** Rows that a block must have had before its absence counts as missing, unless the feed declares another number. */
const LEAST_BLOCK = 20

/** What one publication states about a dataset's blocks. */
export interface GroupFacts {
  /** Rows by block, counting only rows with a single block. */
  readonly counts: Readonly<Record<string, number>>
  /** Completeness groups that the parser reported as missing. */
  readonly said: readonly string[]
  /** Expected things by block; a block without an entry is unknown (all are, if this is undefined). */
  readonly expected?: Readonly<Record<string, number>>
}

/** The blocks of a dataset after a publication: rows by block, and the missing blocks. */
export interface GroupState {
  readonly counts: Readonly<Record<string, number>>
  readonly missing: readonly string[]
  /** By missing block: data time (ms) of the first publication in the current run without it. */
  readonly lost_at: Readonly<Record<string, number>>
  /** By missing block: data time (ms) of the last publication that had it; no entry if no publication ever had it. */
  readonly had_at: Readonly<Record<string, number>>
}

/**
 * The blocks missing from a publication: those the parser reported, and expected ones without rows. For a block without an
 * expectation the previous publication decides: it is missing if it had enough rows there, or was missing there and has not
 * returned.
 */
export function missingAfter(rule: CompletenessGroups | null, before: Pick<GroupState, 'counts' | 'missing'>, now: GroupFacts): string[] {
  const isGone = (block: string): boolean => rule !== null && !now.counts[block]
  const due = Object.keys(now.expected ?? {}).filter((block) => isGone(block) && isDue(rule, now, block))
  const had = Object.keys(before.counts).filter((block) => (before.counts[block] as number) >= leastOf(rule))
  const gone = [...before.missing, ...had].filter((block) => isGone(block) && isDue(rule, now, block) === null)
  return [...new Set([...now.said, ...due, ...gone])].sort()
}

/** The block state after a publication; `before_at` is the data time (ms) of the previous one. */
export function groupsAfter(
  rule: CompletenessGroups | null,
  before: GroupState,
  now: GroupFacts & { readonly at: number; readonly before_at: number | null },
): GroupState {
  const missing = missingAfter(rule, before, now)
  const isLost = (block: string): boolean => before.missing.includes(block)
  const lost_at = missing.map((block) => [block, isLost(block) ? (before.lost_at[block] ?? now.at) : now.at] as const)
  const had_at = missing.flatMap((block) => {
    const at = isLost(block) ? (before.had_at[block] ?? null) : now.before_at
    return at === null ? [] : [[block, at] as const]
  })
  return { counts: now.counts, missing, lost_at: Object.fromEntries(lost_at), had_at: Object.fromEntries(had_at) }
}

/** Whether a block is expected in a publication; null if unknown. */
function isDue(rule: CompletenessGroups | null, { expected }: GroupFacts, block: string): boolean | null {
  const count = expected?.[block]
  return count === undefined ? null : count >= (rule?.leastExpected ?? leastOf(rule)) && !rule?.never?.includes(block)
}

/** The rows that a block must have had before its absence counts as missing. */
export function leastOf(rule: CompletenessGroups | null): number {
  return rule?.least ?? LEAST_BLOCK
}

/** A dataset's block rule, with the limits of the dataset that it counts in; null without blocks. */
export function ruleOf(feed: Feed, dataset: string): CompletenessGroups | null {
  const rule = feed.groups?.[dataset] ?? null
  if (rule?.countedIn === undefined) return rule
  const counted = feed.groups?.[rule.countedIn] ?? null
  const { expected, never, leastExpected = leastOf(counted) } = counted ?? {}
  return { ...rule, least: leastOf(counted), leastExpected, ...(expected && { expected }), ...(never && { never }) }
}

/** The block facts that the log records for an accepted fetch. */
export function groupFactsOf(accepted: AcceptedFetch, dataset: string): GroupFacts {
  const { blocks, said_missing, expected } = accepted
  return { counts: blocks[dataset] ?? {}, said: said_missing[dataset] ?? [], expected: expected?.[dataset] ?? {} }
}

/** Rows by dataset and block, for datasets with blocks; counted in the dataset that the rule names. */
export function groupCounts(
  feed: Feed,
  counted: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Record<string, Readonly<Record<string, number>>> {
  return Object.fromEntries(Object.entries(feed.groups ?? {}).map(([id, { countedIn }]) => [id, counted[countedIn ?? id] ?? {}]))
}

/** The blocks of a row, from the feed's block column: the distinct elements of a list, else the one value; none if null. */
export function groupsOf(row: AnyRow, column: string): string[] {
  const value = row[column]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? [...new Set(value.map(String))] : [String(value)]
}

/**
 * Counts a row for its block. A row with several blocks counts for none: it could come from any of them and would hide that
 * one is missing.
 */
export function countRow(counts: Record<string, number>, blocks: readonly string[]): void {
  const [block, ...others] = blocks
  if (block !== undefined && others.length === 0) counts[block] = (counts[block] ?? 0) + 1
}

/** Completeness groups by dataset as one list, such as `traffic_readings/M30`. */
export function groupNames(missing: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(missing).flatMap(([dataset, blocks]) => blocks.map((block) => `${dataset}/${block}`))
}

/** Expected things by block; null if nothing is known. */
type Expected = Readonly<Record<string, number>> | null

/** Time limit of the query: without an answer the previous publication decides. */
const MOST_MS = 10_000
const MOST_BLOCKS = 10_000
/** Cached answers per declaration: feeds that share one are some seconds apart. */
const MOST_KEPT = 4

const kept = new WeakMap<Lake, WeakMap<ExpectedGroups, Map<string, Promise<Expected>>>>()

/** The things that the lake expects in each block at a data time (ms), by dataset; only known blocks. */
export async function expectedGroups(
  context: IngestContext,
  feed: Feed,
  dataTime: number,
): Promise<Record<string, Readonly<Record<string, number>>>> {
  const found: Record<string, Readonly<Record<string, number>>> = {}
  for (const { id } of feed.into) {
    const declared = ruleOf(feed, id)?.expected
    const expected = declared && (await expectedAt(context, feed, declared, dataTime))
    if (expected) found[id] = expected
  }
  return found
}

/** The answer for the step of a data time; cached until the step or a table changes. */
async function expectedAt(context: IngestContext, feed: Feed, declared: ExpectedGroups, dataTime: number): Promise<Expected> {
  try {
    const { lake } = context
    const step_ms = declared.every_s * 1000
    const at = Math.floor(dataTime / step_ms) * step_ms
    const snapshots = await Promise.all(declared.from.map((dataset) => lake.snapshot(dataset)))
    if (snapshots.some((snapshot) => !snapshot || snapshot.snapshotId === null)) return null
    const ofLake = kept.get(lake) ?? new WeakMap<ExpectedGroups, Map<string, Promise<Expected>>>()
    kept.set(lake, ofLake)
    const answers = ofLake.get(declared) ?? new Map<string, Promise<Expected>>()
    ofLake.set(declared, answers)
    const name = [at, ...snapshots.map((snapshot) => snapshot?.snapshotId)].join('/')
    const answer = answers.get(name) ?? ask(lake, declared, at)
    answers.set(name, answer)
    for (const oldest of answers.keys()) {
      if (answers.size <= MOST_KEPT) break
      answers.delete(oldest)
    }
    // The next publication retries a failed query.
    answer.catch(() => answers.delete(name))
    return await answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.log.warn({ feed: feed.id, reason }, 'could not compute the expected blocks; the previous publication decides instead')
    return null
  }
}

async function ask(lake: Lake, { query }: ExpectedGroups, at: number): Promise<Expected> {
  const rows = await lake.query(query(at), { timeout_ms: MOST_MS, maxRows: MOST_BLOCKS })
  if (rows.length === 0) return null
  return Object.fromEntries(rows.map(({ block, count }) => [String(block), Number(count)]))
}
