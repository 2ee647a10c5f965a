import { commit } from '../../lake/iceberg/commit.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { declaredSpecId } from '../../lake/iceberg/migrate.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import { scanFiles } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import { storedFields } from '../../lake/query/stored-fields.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { partitionValue } from '../../lake/schema/partitions.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import type { IngestContext } from '../ingest/context.ts'
import { dropUnused, PATIENCE_MS, tableOf, writeRows } from '../ingest/tables.ts'

const DAY_MS = 86_400_000
/**
 * Compaction of the open day: above `mostFiles`, merges all from the first file that is at most `mostTimes` the size of those
 * after it. With 5-minute landings a day is written 8 times in 70 merges; merging the whole day each time would write it 30
 * times.
 */
const OPEN_DAY = { mostFiles: 5, mostTimes: 5 }
/** Files of a closed month are this big or bigger, or one. */
const LEAST_BYTES = 64 * 1024 ** 2

/** Files of one partition to merge into one, or a few sorted ones. */
interface CompactionGroup {
  readonly files: readonly LiveFile[]
  readonly reason: 'closed month' | 'open month' | 'closed day' | 'open day' | 'deleted rows'
}

/** A file and the times of its rows, ms since the epoch. */
interface Placed {
  readonly file: LiveFile
  readonly from: number
  readonly to: number
}

/**
 * Which files of a table to merge: those of a closed partition or closed day, and the newest of the open day if it has many;
 * for whole versions, the newest of the open month. The newest row up to now decides what is closed. Bounds of the time
 * column place a file; a file without them is left alone.
 */
export function compactionGroups(
  dataset: Dataset,
  files: readonly LiveFile[],
  at: { readonly timeId: number; readonly now: number },
): CompactionGroup[] {
  // Other engines' deletes are applied at once: exports and row counts state whole files.
  const withDeletes = files.filter(({ deletes }) => deletes).map((file): CompactionGroup => ({ files: [file], reason: 'deleted rows' }))
  const others = files.filter(({ deletes }) => !deletes)
  // Other versions land whole: they have no small files.
  return dataset.writeMode === 'replace' && !isByMonth(dataset) ? withDeletes : [...withDeletes, ...mergeGroups(dataset, others, at)]
}

function mergeGroups(
  dataset: Dataset,
  files: readonly LiveFile[],
  { timeId, now }: Parameters<typeof compactionGroups>[2],
): CompactionGroup[] {
  const placed = files.flatMap((file): Placed[] => {
    const metrics = file.metrics.get(timeId)
    if (typeof metrics?.lower !== 'bigint' || typeof metrics.upper !== 'bigint') return []
    return [{ file, from: Number(metrics.lower / 1000n), to: Number(metrics.upper / 1000n) }]
  })
  if (placed.length === 0) return []
  // Rows of the future, such as another writer's forecasts, close no month that is landed in.
  const newest = Math.min(now, Math.max(...placed.map(({ to }) => to)))
  const openDay = dayOf(newest)
  const groups: CompactionGroup[] = []
  for (const part of Map.groupBy(placed, ({ file }) => `${file.specId}/${file.partition.join('/')}`).values()) {
    const bytes = part.reduce((sum, { file }) => sum + file.bytes, 0)
    if (isClosed(dataset, part, newest)) {
      const tooMany = part.length > Math.max(1, Math.ceil(bytes / LEAST_BYTES))
      if (tooMany || hasDays(part)) groups.push({ files: part.map(({ file }) => file), reason: 'closed month' })
      continue
    }
    if (dataset.writeMode === 'replace') {
      const files = part.toSorted((one, other) => one.from - other.from).map(({ file }) => file)
      if (files.length > OPEN_DAY.mostFiles) groups.push({ files: newestOf(files), reason: 'open month' })
      continue
    }
    for (const day of Map.groupBy(part, ({ from }) => dayOf(from)).values()) {
      const files = day.toSorted((one, other) => one.from - other.from).map(({ file }) => file)
      if (dayOf((day[0] as Placed).from) < openDay) {
        if (files.length > 1) groups.push({ files, reason: 'closed day' })
      } else if (files.length > OPEN_DAY.mostFiles) groups.push({ files: newestOf(files), reason: 'open day' })
    }
  }
  return groups
}

/** The newest files of a day, in time order, from the first that is not far larger than all after it together; at least two. */
function newestOf(files: readonly LiveFile[]): LiveFile[] {
  const first = files.findIndex(
    ({ rows }, at) => rows <= OPEN_DAY.mostTimes * files.slice(at + 1).reduce((sum, file) => sum + file.rows, 0),
  )
  return files.slice(first === -1 ? -2 : Math.min(first, files.length - 2))
}

/** True if files of single days remain: even large ones are merged, because they overlap in place. */
function hasDays(part: readonly Placed[]): boolean {
  const days = part.filter(({ from, to }) => dayOf(from) === dayOf(to)).map(({ from }) => dayOf(from))
  return new Set(days).size > 1
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

const byMonthOf = (dataset: Dataset): Dataset['partition'][number] | undefined =>
  dataset.partition.find(({ transform, column }) => transform === 'month' && column === dataset.time)

/** True for a table partitioned by the month of its time. */
export function isByMonth(dataset: Dataset): boolean {
  return byMonthOf(dataset) !== undefined
}

/** A partition by month is closed once the table has rows of a later month. */
function isClosed(dataset: Dataset, part: readonly Placed[], newest: number): boolean {
  const byMonth = byMonthOf(dataset)
  if (!byMonth) return false
  return Math.max(...part.map(({ to }) => partitionValue(byMonth, to))) < partitionValue(byMonth, newest)
}

/**
 * Merges some files of one partition into one or a few sorted files; rows stay the same, with the columns of other writers.
 * Null if a file is no longer in the table, or a column has a type that cannot be written.
 */
export async function rewriteFiles(
  context: IngestContext,
  dataset: Dataset,
  files: readonly LiveFile[],
): Promise<readonly DataFile[] | null> {
  const state = await tableOf(context, dataset)
  const { fields, lost } = storedFields(dataset, state)
  if (lost.length > 0) return null
  const [{ specId, partition }] = files as [LiveFile]
  // Rows of an earlier spec are in several partitions of the present one, or in one with another value.
  const isDeclared = specId === declaredSpecId(state.metadata, dataset)
  const add = await context.lake.use({ timeout_ms: PATIENCE_MS }, (session) =>
    writeRows(context, session, {
      dataset,
      state,
      from: sql`${scanFiles(dataset, files, fields)}`,
      fields,
      ...(isDeclared ? { partition } : {}),
      // Overlapping versions are sorted together.
      ...(dataset.writeMode === 'replace' ? { mostSorted: Number.POSITIVE_INFINITY } : {}),
      sourceBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    }),
  )
  await context.onStep?.('parquet-written')
  const onStep = context.onStep && { onStep: context.onStep }
  const done = await commit({ table: context.lake.table(dataset), operation: 'replace', add, remove: files, ...onStep })
  return (await dropUnused(context, add, done)) ? add : null
}

/**
 * Merges small files of a dataset's table, as `compactionGroups` plans; files changed by others meanwhile wait for the next
 * run.
 */
export async function compactDataset(context: IngestContext, dataset: Dataset): Promise<void> {
  const state = await context.lake.table(dataset).load()
  if (!state) return
  const timeId = tableColumns(dataset)[dataset.time]?.id as number
  for (const { files, reason } of compactionGroups(dataset, await liveFiles(state), { timeId, now: context.now() })) {
    const began = performance.now()
    const made = await rewriteFiles(context, dataset, files)
    if (!made) return
    context.log.info(
      { dataset: dataset.id, reason, files: files.length, into: made.length, ms: Math.round(performance.now() - began) },
      'compacted',
    )
  }
}
