import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import type { WrittenFile } from '../../lake/query/parquet.ts'
import type { StagedRows } from '../../lake/query/rows.ts'
import type { Session } from '../../lake/query/session.ts'
import { column, instant, join, sql } from '../../lake/query/sql.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { partitionValue } from '../../lake/schema/partitions.ts'
import { type Bulk, type Feed, type FeedBody, type FeedRequest, FormatError } from '../feeds/define.ts'
import { asFormatError, countUnknownColumns, firstLines, unpackInto } from '../feeds/kit/bulk-feed.ts'
import type { IngestContext } from './context.ts'
import { collectDiagnostics } from './diagnostics.ts'
import type { Publication } from './parse.ts'
import { PATIENCE_MS, writeApart } from './tables.ts'

/** The input of a bulk query. */
export interface BulkOf {
  readonly bodies: readonly FeedBody[]
  readonly fetch_id: string
  readonly fetchedAt: number
  readonly signal: AbortSignal
}

/** A publication made by DuckDB, with its rows in table files. */
export interface BulkMade {
  readonly publication: Publication
  readonly staged: StagedRows
}

/** True for a fetch whose rows DuckDB makes: its feed declares a query. */
export function isBulk(feed: Feed): feed is Feed & { readonly bulk: Bulk } {
  return feed.bulk !== undefined
}

/**
 * Makes the rows of a file with DuckDB: streams it into a scratch file, then one query writes sorted table files. Throws
 * `FormatError` for a malformed line, bad compression, or a file above the size limit.
 */
export async function makeBulk(context: IngestContext, feed: Feed & { readonly bulk: Bulk }, of: BulkOf): Promise<BulkMade> {
  const { bodies, fetch_id, fetchedAt, signal } = of
  const [dataset] = feed.into as [Dataset]
  const [body] = bodies as [FeedBody]
  const request = feed.plans[0]?.requests[0] as FeedRequest
  const path = joinPath(context.lake.engine.folder, `bulk-${randomUUID()}.csv`)
  try {
    await unpackInto(path, body.bytes, { bulk: feed.bulk, most: request.maxDecodedBytes, signal })
    const [header = ''] = await firstLines(path)
    const file = { path, header, period: body.name }
    const query = feed.bulk.query(file)
    const derived = { ...feed.bulk.derivedColumns?.(file), fetch_id: sql`${fetch_id}` }
    // Partitioning by version uses the period of the file.
    const partition = dataset.partition.map((field) =>
      field.transform === 'identity' ? body.name : partitionValue(field, Date.parse(body.name)),
    )
    return await context.lake.use({ timeout_ms: PATIENCE_MS, signal }, async (session) => {
      const files = await writeApart(context, session, { dataset, from: sql`(${query})`, derivedColumns: derived, partition })
      const staged = stagedFiles(files)
      try {
        return { publication: await publicationOf(session, { feed, dataset, staged, header, fetchedAt }), staged }
      } catch (error) {
        await staged.drop()
        throw error
      }
    })
  } catch (error) {
    throw asFormatError(error)
  } finally {
    await rm(path, { force: true })
  }
}

/** The rows of an accepted fetch, made from its bytes. */
export async function bulkOf(
  context: IngestContext,
  feed: Feed & { readonly bulk: Bulk },
  given: { readonly accepted: AcceptedFetch; readonly bodies: readonly FeedBody[] },
): Promise<StagedRows> {
  const { accepted, bodies } = given
  const { fetch_id, fetched_at } = accepted
  const { staged } = await makeBulk(context, feed, {
    bodies,
    fetch_id,
    fetchedAt: Date.parse(fetched_at),
    signal: new AbortController().signal,
  })
  return staged
}

/** The publication of an accepted fetch as recorded in the log; enough for rows that DuckDB makes. */
export function recordedPublication(accepted: AcceptedFetch): Publication {
  const { report } = collectDiagnostics()
  return {
    rows: new Map(),
    counts: new Map(Object.entries(accepted.rows)),
    blocks: {},
    report,
    data_time: Date.parse(accepted.data_time),
    fetched_at: Date.parse(accepted.fetched_at),
  }
}

function stagedFiles(files: readonly WrittenFile[]): StagedRows {
  return {
    table: sql`read_parquet([${join(files.map(({ path }) => path))}])`,
    rows: files.reduce((sum, { file }) => sum + file.rows, 0),
    files,
    drop: async () => {
      for (const { path } of files) await rm(path, { force: true })
    },
  }
}

/** Counts rows and unknown codes, and checks numbers against their columns' limits. */
async function publicationOf(
  session: Session,
  made: {
    readonly feed: Feed & { readonly bulk: Bulk }
    readonly dataset: Dataset
    readonly staged: StagedRows
    readonly header: string
    readonly fetchedAt: number
  },
): Promise<Publication> {
  const { feed, dataset, staged, header, fetchedAt } = made
  if (staged.rows === 0) throw new FormatError('the file has no row')
  const { diagnostics, report } = collectDiagnostics()
  countUnknownColumns(feed.bulk, header, diagnostics)
  for (const [name, { codes, min, max, nullable }] of Object.entries(dataset.columns)) {
    const value = column(dataset, name)
    if (!nullable && (await session.values(sql`SELECT 1 FROM ${staged.table} WHERE ${value} IS NULL LIMIT 1`)).length > 0)
      throw new FormatError(`${name} is missing`)
    for (const [limit, isBeyond] of [
      [min, sql`<`],
      [max, sql`>`],
    ] as const)
      if (
        limit !== undefined &&
        (await session.values(sql`SELECT 1 FROM ${staged.table} WHERE ${value} ${isBeyond} ${limit} LIMIT 1`)).length > 0
      )
        throw new FormatError(`${name} is beyond ${limit}`)
    if (codes)
      for (const [code, count] of await session.values(sql`SELECT ${value}, count(*) FROM ${staged.table} GROUP BY ALL`))
        if (!Object.hasOwn(codes.codes, String(code)))
          for (let at = 0; at < Number(count); at++) diagnostics.unknownCode(codes, String(code))
  }
  if (dataset.isObservation && (await hasLater(session, { dataset, staged, than: fetchedAt + CLOCK_TOLERANCE_MS })))
    throw new FormatError(`${dataset.time} is later than the fetch`)
  return {
    rows: new Map(),
    counts: new Map([[feed.into[0]?.id as string, staged.rows]]),
    blocks: {},
    report,
    data_time: fetchedAt,
    fetched_at: fetchedAt,
  }
}

async function hasLater(
  session: Session,
  { dataset, staged, than }: { readonly dataset: Dataset; readonly staged: StagedRows; readonly than: number },
): Promise<boolean> {
  const time = column(dataset, dataset.time)
  return (await session.values(sql`SELECT 1 FROM ${staged.table} WHERE ${time} > ${instant(than)} LIMIT 1`)).length > 0
}
