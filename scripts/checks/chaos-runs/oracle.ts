import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import pLimit from 'p-limit'
import { filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { ruleOf } from '../../../jobs/ingest/completeness-groups.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { liveRows } from '../../../jobs/ingest/fold.ts'
import { land } from '../../../jobs/ingest/land.ts'
import { type FeedMemory, openMemory } from '../../../jobs/ingest/memory.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { removeOrphans } from '../../../lake/iceberg/expire.ts'
import { formatSeqs } from '../../../lake/landed.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { rowsKey } from '../../../lake/live/keys.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { derivedFrom } from './chosen.ts'
import { checkTable } from './whole.ts'

/** The store to judge. */
export interface Case {
  readonly folder: string
  /** The store, if it is not in the folder. */
  readonly s3?: S3Options
  readonly redisUrl: string
  readonly feeds: readonly string[]
  /** Whether the workers derived tables from the feeds' tables. */
  readonly derives?: boolean
}

/** The oracle's result; counts by dataset or feed. */
export interface Verdict {
  readonly problems: readonly string[]
  readonly fetches: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  /** Objects that killed attempts left in the tables' folders and that the clean-up removed. */
  readonly orphans: number
  /** Unfinished files that killed processes left beside the objects; the store removes them when it is opened an hour later. */
  readonly temps: number
}

/**
 * Judges a store whose workers have ended. Tables equal those that the raw archive gives in a fresh store, derived ones included.
 * Each accepted fetch landed once, Redis has the folded state, all tables can be read, and a clean-up removes only unreferenced
 * files.
 */
export async function judge({ folder, redisUrl, s3, feeds: ids, derives = false }: Case): Promise<Verdict> {
  const feeds = ids.map(feedById)
  const derivations = derives ? derivedFrom(feeds) : []
  const datasets = [...new Set([...feeds.flatMap(({ into }) => into), ...derivations.flatMap(filledBy)])]
  const open = (): Promise<ScratchContext> => openContext({ folder, redisUrl, ...(s3 && { s3 }) })
  const problems: string[] = []
  const rows: Record<string, number> = {}
  const fetches: Record<string, number> = {}
  const digests = new Map<string, string>()

  const fresh = join(folder, 'recomputed')
  const found = await open()
  await copyLog(found.store, await fileStore(join(fresh, 'store')))
  const expected = await openContext({ folder: fresh, redisUrl })
  for (const feed of feeds) {
    const memory = await openMemory(expected, feed)
    problems.push(...(await compareLive(found, feed, memory)))
    await land(expected, memory)
    const { count, problems: wrong } = await compareLanded(found, feed)
    fetches[feed.id] = count
    problems.push(...wrong)
  }
  for (const derived of derivations) {
    await prepareTables(expected, filledBy(derived))
    const { made, waits } = await derive(expected, derived, { feeds, signal: new AbortController().signal })
    if (made.length === 0 || waits) problems.push(`${derived.into.id}: ${made.length} partitions could be built from landed data`)
  }
  for (const dataset of datasets) {
    problems.push(...(await checkTable(found, dataset)))
    const { count, digest, difference } = await compareRows(found, expected, dataset)
    rows[dataset.id] = count
    digests.set(dataset.id, digest)
    if (difference) problems.push(`${dataset.id}: ${difference}`)
  }
  await expected.close()
  await found.close()

  const cleaner = await open()
  const { removed, problems: left } = await removeLeftOvers(cleaner, datasets)
  problems.push(...left)
  await cleaner.close()
  const after = await open()
  for (const dataset of datasets) {
    problems.push(...(await checkTable(after, dataset)), ...(await checkSnapshots(after, dataset)))
    const { digest } = await digestOf(after, dataset)
    if (digest !== digests.get(dataset.id)) problems.push(`${dataset.id} has other rows after the clean-up`)
  }
  await after.close()
  const temps = (await readdir(join(folder, 'store', '.tmp')).catch(() => [])).length
  return { problems, fetches, rows, orphans: removed, temps }
}

/** Copies what the tables are derived from. */
async function copyLog(from: ObjectStore, to: ObjectStore): Promise<void> {
  const limit = pLimit(16)
  for (const prefix of ['raw/', 'system/']) {
    const copied: Promise<void>[] = []
    for await (const { key } of from.list(prefix)) copied.push(limit(async () => to.put(key, (await from.get(key)) as Buffer)))
    await Promise.all(copied)
  }
}

/** Checks that every accepted fetch is in every table of its feed. */
async function compareLanded(context: IngestContext, feed: Feed): Promise<{ count: number; problems: string[] }> {
  const accepted = await acceptedAfter(context.store, feed.id, 0)
  const all = accepted.length === 0 ? '' : formatSeqs([[1, accepted.length]])
  const problems: string[] = []
  if (accepted.some(({ seq }, at) => seq !== at + 1)) problems.push(`${feed.id}: the log has gaps`)
  const ids = new Set(accepted.map(({ fetch_id }) => fetch_id))
  if (ids.size !== accepted.length) problems.push(`${feed.id}: ${accepted.length} fetches have ${ids.size} ids`)
  for (const dataset of feed.into) {
    const landed = await landedIn(context, dataset, feed.id)
    if (formatSeqs(landed.seqs) !== all) problems.push(`${dataset.id} records ${formatSeqs(landed.seqs)} of ${all} as landed`)
    if (landed.rebuildFrom !== null) problems.push(`${dataset.id}: a rebuild of ${feed.id} is unfinished`)
  }
  return { count: accepted.length, problems }
}

/** Checks that a feed's data in Redis is the result of its fetches. */
async function compareLive(context: IngestContext, feed: Feed, memory: FeedMemory): Promise<string[]> {
  const problems: string[] = []
  const { redis } = context
  for (const { dataset, state } of memory.parts.values()) {
    if (!dataset.live) continue
    const { part, bytes } = await readPart(redis, dataset.id, feed.id)
    if (!part || !bytes) {
      problems.push(`live ${dataset.id} of ${feed.id}: nothing`)
      continue
    }
    if (part.seq !== memory.seq) problems.push(`live ${dataset.id} of ${feed.id}: fetch ${part.seq}, the newest is ${memory.seq}`)
    const expected = new Map(liveRows(dataset, state, ruleOf(feed, dataset.id)))
    const { byKey } = await decodeSnapshot(bytes)
    const hash = Object.entries(await redis.hgetall(rowsKey(dataset.id, feed.id)))
    for (const [name, held] of [
      ['snapshot', byKey],
      ['hash', new Map(hash.map(([key, text]) => [key, JSON.parse(text) as AnyRow]))],
    ] as const) {
      const wrong = [...expected].find(([key, row]) => !isDeepStrictEqual(plain(held.get(key) ?? {}), plain(row)))
      if (held.size !== expected.size || wrong)
        problems.push(
          `live ${dataset.id} of ${feed.id}: the ${name} has ${held.size} rows, the fold ${expected.size}` +
            (wrong ? `; ${JSON.stringify(held.get(wrong[0]))} for ${JSON.stringify(wrong[1])}` : ''),
        )
    }
  }
  const state = (await readFeedStates(redis)).get(feed.id)
  if (state?.last_fetch_id !== memory.last?.fetch_id)
    problems.push(`freshness of ${feed.id}: last fetch ${state?.last_fetch_id}, accepted is ${memory.last?.fetch_id}`)
  return problems
}

/** A row as JSON without absent values: a table's row has null for them, a feed's row may omit them. */
function plain(row: AnyRow): AnyRow {
  return JSON.parse(JSON.stringify(row, (_, value: unknown) => (value === null ? undefined : value))) as AnyRow
}

async function* linesOf(context: IngestContext, dataset: Dataset, columns = sql`*`): AsyncGenerator<string> {
  for await (const batch of context.lake.stream(sql`SELECT ${columns} FROM ${scan(dataset)} ORDER BY ALL`))
    for (const row of batch) yield JSON.stringify(row)
}

/** The number of a table's rows and a digest of some of its columns, by default of all. */
export async function digestOf(context: IngestContext, dataset: Dataset, columns = sql`*`): Promise<{ count: number; digest: string }> {
  const hash = createHash('sha256')
  let count = 0
  for await (const line of linesOf(context, dataset, columns)) {
    hash.update(line)
    count++
  }
  return { count, digest: hash.digest('hex') }
}

/** Reads a dataset's rows in two lakes side by side. */
async function compareRows(
  found: IngestContext,
  expected: IngestContext,
  dataset: Dataset,
): Promise<{ count: number; digest: string; difference: string | null }> {
  const hash = createHash('sha256')
  const others = linesOf(expected, dataset)
  let count = 0
  let difference: string | null = null
  for await (const line of linesOf(found, dataset)) {
    count++
    hash.update(line)
    const other: IteratorResult<string> | null = difference === null ? await others.next() : null
    if (other && other.value !== line) difference = `row ${count} is ${line}, the archive gives ${other.value}`
  }
  if (difference === null && !(await others.next()).done) difference = `${count} rows, the archive gives more`
  await others.return(undefined)
  return { count, digest: hash.digest('hex'), difference }
}

/** Removes unreferenced files without a grace period, because nothing is running. A second clean-up finds nothing. */
export async function removeLeftOvers(
  context: IngestContext,
  datasets: readonly Dataset[],
): Promise<{ removed: number; problems: string[] }> {
  const problems: string[] = []
  let removed = 0
  for (const dataset of datasets) {
    const table = context.lake.table(dataset)
    removed += (await removeOrphans({ table, grace_ms: 0 })).length
    const again = await removeOrphans({ table, grace_ms: 0 })
    if (again.length > 0) problems.push(`${dataset.id}: a second clean-up removed ${again.slice(0, 3).join(', ')}`)
  }
  return { removed, problems }
}

/** Checks that older snapshots of a table can be read as long as they are kept. */
async function checkSnapshots(context: IngestContext, dataset: Dataset): Promise<string[]> {
  const state = await context.lake.table(dataset).load()
  const kept = state?.metadata.snapshots ?? []
  const problems: string[] = []
  for (const at of [0, 0.25, 0.5, 0.75]) {
    const snapshot = kept[Math.floor(at * kept.length)]
    if (!snapshot) continue
    const pinned = await context.lake.snapshot(dataset, BigInt(snapshot['snapshot-id']))
    const pins = new Map([[dataset.id, pinned?.state ?? null]])
    const rows = await context.lake
      .query(sql`SELECT CAST(count(*) AS DOUBLE) AS rows FROM ${scan(dataset)}`, { pins })
      .then((answer) => String(answer[0]?.rows))
      .catch((error: Error) => error.message)
    if (rows !== (snapshot.summary['total-records'] ?? '0'))
      problems.push(`${dataset.id}: snapshot ${snapshot['snapshot-id']} of ${snapshot.summary['total-records']} rows reads as ${rows}`)
  }
  return problems
}
