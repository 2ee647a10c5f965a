import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { blocksOf } from './blocks.ts'
import { tally } from './notes.ts'
import type { Publication } from './parse.ts'

/** A block has to have had this many rows for its absence to mean that it is missing, unless its feed tells another number. */
const LEAST_BLOCK = 20
/** A publication may be this far ahead of our clock, in ms. */
const CLOCK_TOLERANCE = 10 * 60_000
/** More than this share of quarantined rows is a changed format, not bad rows. */
const MOST_QUARANTINED = 0.2
/** More than this share of blocks missing is half a publication, not a gap in it, unless its feed tells another share. */
const MOST_MISSING = 0.5

/** Rows by block value, for each dataset of a feed that has blocks. */
export type BlockCounts = Record<string, Record<string, number>>

/** What the guard says of a publication. `unchanged` is a success that adds nothing. */
export type Verdict =
  | { readonly kind: 'accept'; readonly missing: Record<string, string[]>; readonly blocks: BlockCounts }
  | { readonly kind: 'unchanged'; readonly reason: string }
  | { readonly kind: 'reject'; readonly reason: string; readonly missing: Record<string, string[]>; readonly blocks: BlockCounts }

/** Judges a parsed publication against the last accepted fetch (null: no earlier state) by times and counts. */
export function judge(feed: Feed, publication: Publication, last: AcceptedFetch | null): Verdict {
  const blocks = countBlocks(feed, publication)
  const missing = missingBlocks(feed, publication, blocks, last)
  const reject = (reason: string): Verdict => ({ kind: 'reject', reason, missing, blocks })
  const stated = publication.report.publishedAt
  if (stated !== null && stated > publication.fetched_at + CLOCK_TOLERANCE)
    return reject(`publication time ${iso(stated)} lies ahead of the fetch at ${iso(publication.fetched_at)}`)
  if (last && publication.data_time === Date.parse(last.data_time))
    return { kind: 'unchanged', reason: `publication of ${last.data_time} repeated` }
  if (last && publication.data_time < Date.parse(last.data_time))
    return reject(`publication time ${iso(publication.data_time)} is older than the last accepted ${last.data_time}`)
  for (const dataset of feed.into) {
    const reason = countReason(feed, dataset, publication, { missing: missing[dataset.id] ?? [], blocks: blocks[dataset.id], last })
    if (reason) return reject(reason)
  }
  return { kind: 'accept', missing, blocks }
}

function countReason(
  feed: Feed,
  dataset: Dataset,
  publication: Publication,
  context: { missing: readonly string[]; blocks: Record<string, number> | undefined; last: AcceptedFetch | null },
): string | null {
  const rows = publication.rows.get(dataset.id)?.length ?? 0
  const bad = tally({ [dataset.id]: publication.report.quarantined[dataset.id] ?? {} })
  if (bad > MOST_QUARANTINED * (rows + bad))
    return `${dataset.id}: ${bad} of ${rows + bad} rows quarantined, at most ${MOST_QUARANTINED * 100} % may be`
  const band = feed.bands[dataset.id]
  if (!band) return null
  if (rows < band.atLeast) return `${dataset.id}: ${rows} rows, at least ${band.atLeast} expected`
  const { last, missing } = context
  if (!last) return null
  const lastBlocks = last.blocks[dataset.id] ?? {}
  const known = Object.keys(lastBlocks).length
  const mostMissing = feed.blocks?.[dataset.id]?.mostMissing ?? MOST_MISSING
  if (known > 1 && missing.length > mostMissing * known) return `${dataset.id}: ${missing.length} of ${known} blocks missing`
  const [now, before] =
    missing.length === 0 ? [rows, last.rows[dataset.id] ?? 0] : [outside(missing, context.blocks ?? {}), outside(missing, lastBlocks)]
  if (before <= 0) return null
  const ratio = now / before
  if (ratio < band.minRatio)
    return `${dataset.id}: ${now} rows after ${before}, ${percent(ratio)} of them where at least ${percent(band.minRatio)} is usual`
  if (ratio > band.maxRatio)
    return `${dataset.id}: ${now} rows after ${before}, ${percent(ratio)} of them where at most ${percent(band.maxRatio)} is usual`
  return null
}

/** Rows in the blocks that are not missing. */
function outside(missing: readonly string[], counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce((sum, [block, count]) => (missing.includes(block) ? sum : sum + count), 0)
}

function countBlocks(feed: Feed, publication: Publication): BlockCounts {
  const counts: BlockCounts = {}
  for (const [id, { column }] of Object.entries(feed.blocks ?? {})) {
    const byBlock: Record<string, number> = {}
    for (const row of publication.rows.get(id) as AnyRow[])
      for (const block of blocksOf(row, column)) byBlock[block] = (byBlock[block] ?? 0) + 1
    counts[id] = byBlock
  }
  return counts
}

function missingBlocks(feed: Feed, publication: Publication, blocks: BlockCounts, last: AcceptedFetch | null): Record<string, string[]> {
  const missing: Record<string, string[]> = {}
  for (const { id } of feed.into) {
    const said = publication.report.missingBlocks[id] ?? []
    const before = last?.blocks[id] ?? {}
    const least = feed.blocks?.[id]?.least ?? LEAST_BLOCK
    // A block that was missing before has no count in the last fetch: it stays missing until it comes back.
    const still = (last?.missing_blocks[id] ?? []).filter((block) => !blocks[id]?.[block])
    const gone = Object.keys(before).filter((block) => (before[block] as number) >= least && !blocks[id]?.[block])
    const all = [...new Set([...said, ...still, ...gone])].sort()
    if (all.length > 0) missing[id] = all
  }
  return missing
}

const iso = (instant: number): string => new Date(instant).toISOString()
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`
