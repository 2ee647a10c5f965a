import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { Blocks, Feed } from '../feeds/define.ts'

/** A block has to have had this many rows for its absence to mean that it is missing, unless its feed tells another number. */
const LEAST_BLOCK = 20

/** What one publication says of the blocks of a dataset. */
export interface BlockFacts {
  /** Rows by block, of those that are in no other. */
  readonly counts: Readonly<Record<string, number>>
  /** Blocks that the parser said it lacks. */
  readonly said: readonly string[]
  /** Things that were expected of each block; those that are not in it, all where it is absent, are unknown. */
  readonly expected?: Readonly<Record<string, number>>
}

/** What is known of a dataset's blocks after a publication: its rows by block, and the blocks that are missing. */
export interface BlockState {
  readonly counts: Readonly<Record<string, number>>
  readonly missing: readonly string[]
  /** Of each missing block the first publication of those in a row that lack it, as data time in ms. */
  readonly lost_at: Readonly<Record<string, number>>
  /** Of each missing block the publication right before those, as data time in ms; of one that has been missing from the first on there is none. */
  readonly had_at: Readonly<Record<string, number>>
}

/**
 * The blocks that are missing from a publication: those that the parser said, those that have no row and were expected, and of those of
 * which nothing is known what the publication before it in order of data time tells: those that had enough rows then, and those that were
 * missing then and are not back.
 */
export function missingAfter(rule: Blocks | null, before: Pick<BlockState, 'counts' | 'missing'>, now: BlockFacts): string[] {
  const isGone = (block: string): boolean => rule !== null && !now.counts[block]
  const due = Object.keys(now.expected ?? {}).filter((block) => isGone(block) && isDue(rule, now, block))
  const had = Object.keys(before.counts).filter((block) => (before.counts[block] as number) >= leastOf(rule))
  const gone = [...before.missing, ...had].filter((block) => isGone(block) && isDue(rule, now, block) === null)
  return [...new Set([...now.said, ...due, ...gone])].sort()
}

/** What is known of a dataset's blocks after a publication of a data time (ms); `before_at` is that of the one before it. */
export function blocksAfter(
  rule: Blocks | null,
  before: BlockState,
  now: BlockFacts & { readonly at: number; readonly before_at: number | null },
): BlockState {
  const missing = missingAfter(rule, before, now)
  const isLost = (block: string): boolean => before.missing.includes(block)
  const lost_at = missing.map((block) => [block, isLost(block) ? (before.lost_at[block] ?? now.at) : now.at] as const)
  const had_at = missing.flatMap((block) => {
    const at = isLost(block) ? (before.had_at[block] ?? null) : now.before_at
    return at === null ? [] : [[block, at] as const]
  })
  return { counts: now.counts, missing, lost_at: Object.fromEntries(lost_at), had_at: Object.fromEntries(had_at) }
}

/** Whether a block is expected of a publication; null where that is not known. */
export function isDue(rule: Blocks | null, { expected }: BlockFacts, block: string): boolean | null {
  const count = expected?.[block]
  return count === undefined ? null : count >= (rule?.leastExpected ?? leastOf(rule)) && !rule?.never?.includes(block)
}

/** Rows that a block must have had for its absence to mean that it is missing. */
export function leastOf(rule: Blocks | null): number {
  return rule?.least ?? LEAST_BLOCK
}

/** What a feed declares of a dataset's blocks, with what its count needs of those of another dataset included; null where it has none. */
export function ruleOf(feed: Feed, dataset: string): Blocks | null {
  const rule = feed.blocks?.[dataset] ?? null
  if (rule?.countedIn === undefined) return rule
  const counted = feed.blocks?.[rule.countedIn] ?? null
  const { expected, never, leastExpected = leastOf(counted) } = counted ?? {}
  return { ...rule, least: leastOf(counted), leastExpected, ...(expected && { expected }), ...(never && { never }) }
}

/** What the log says of an accepted fetch's blocks. */
export function blockFactsOf(accepted: AcceptedFetch, dataset: string): BlockFacts {
  const { blocks, said_missing, expected } = accepted
  return { counts: blocks[dataset] ?? {}, said: said_missing[dataset] ?? [], expected: expected?.[dataset] ?? {} }
}

/** Rows by dataset and block, for datasets with blocks, of what was counted of each; those of the dataset that a rule counts in. */
export function blockCounts(
  feed: Feed,
  counted: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Record<string, Readonly<Record<string, number>>> {
  return Object.fromEntries(Object.entries(feed.blocks ?? {}).map(([id, { countedIn }]) => [id, counted[countedIn ?? id] ?? {}]))
}

/** The blocks that a row is in, by its feed's block column: the elements of a list, once each, else the one value; none where it is null. */
export function blocksOf(row: AnyRow, column: string): string[] {
  const value = row[column]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? [...new Set(value.map(String))] : [String(value)]
}

/**
 * Counts a row, given its blocks, for its block. A row in several counts for none of them: it may be published with any, and would hide
 * that one of them is missing.
 */
export function countRow(counts: Record<string, number>, blocks: readonly string[]): void {
  const [block, ...others] = blocks
  if (block !== undefined && others.length === 0) counts[block] = (counts[block] ?? 0) + 1
}

/** The blocks that what the log says of a fetch's blocks names. */
export function namesIn({ counts, said, expected }: BlockFacts): string[] {
  return [...said, ...Object.keys(counts), ...Object.keys(expected ?? {})]
}

/** Blocks by dataset as one list, such as `traffic_readings/M30`. */
export function blockNames(missing: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(missing).flatMap(([dataset, blocks]) => blocks.map((block) => `${dataset}/${block}`))
}
