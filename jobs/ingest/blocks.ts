import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { Blocks, Feed } from '../feeds/define.ts'

/** A block has to have had this many rows for its absence to mean that it is missing, unless its feed tells another number. */
const LEAST_BLOCK = 20

/** What one publication says of the blocks of a dataset. */
export interface BlockFacts {
  /** Rows by block. */
  readonly counts: Readonly<Record<string, number>>
  /** Blocks that the parser said it lacks. */
  readonly said: readonly string[]
}

/** What is known of a dataset's blocks after a publication: its rows by block, and the blocks that are missing. */
export interface BlockState {
  readonly counts: Readonly<Record<string, number>>
  readonly missing: readonly string[]
}

/**
 * The blocks that are missing from a publication, told from what the one before it in order of data time left: those that the parser said,
 * those that had enough rows before, and those that were missing before and are not back.
 */
export function missingAfter(rule: Blocks | null, before: BlockState, now: BlockFacts): string[] {
  const isGone = (block: string): boolean => rule !== null && !now.counts[block]
  const gone = Object.keys(before.counts).filter((block) => (before.counts[block] as number) >= leastOf(rule) && isGone(block))
  return [...new Set([...now.said, ...before.missing.filter(isGone), ...gone])].sort()
}

/** Rows that a block must have had for its absence to mean that it is missing. */
export function leastOf(rule: Blocks | null): number {
  return rule?.least ?? LEAST_BLOCK
}

/** What a feed declares of a dataset's blocks, as many rows as its count needs included; null where it has none. */
export function ruleOf(feed: Feed, dataset: string): Blocks | null {
  const rule = feed.blocks?.[dataset] ?? null
  return rule?.countedIn === undefined ? rule : { ...rule, least: leastOf(feed.blocks?.[rule.countedIn] ?? null) }
}

/** What the log says of an accepted fetch's blocks. */
export function blockFactsOf(accepted: AcceptedFetch, dataset: string): BlockFacts {
  return { counts: accepted.blocks[dataset] ?? {}, said: accepted.said_missing[dataset] ?? [] }
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

/** Blocks by dataset as one list, such as `traffic_readings/M30`. */
export function blockNames(missing: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(missing).flatMap(([dataset, blocks]) => blocks.map((block) => `${dataset}/${block}`))
}
