import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { rowsOf } from '../../../lake/query/answers.ts'
import { openEngine } from '../../../lake/query/engine.ts'
import { isQueryError } from '../../../lake/query/errors.ts'
import { fieldName, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { physicalFields } from '../../../lake/schema/physical.ts'
import { onlyCsv, openZip } from '../../formats/zip.ts'
import {
  type Archive,
  type Batch,
  type Bulk,
  type BulkFile,
  type Diagnostics,
  defineFeed,
  type Feed,
  type FeedBody,
  type FeedSpec,
  FormatError,
} from '../define.ts'

/** Bytes passed to the decompressor at once. */
const STEP = 1 << 20
const LINE_FEED = 10
/** The first line of a file is no longer. */
const MOST_HEADER = 65_536
/** Size limit of files read as row objects: samples, not months of a whole city. */
const TRIED_BYTES = 256_000_000
const TRIED_ENGINE = { memory: 512 * 1024 ** 2, spill: 4 * 1024 ** 3, threads: 2, slots: 1, queue: 0 } as const
const DAY = /(20\d\d)-?(\d\d)-?(\d\d)/

/**
 * DuckDB's error for malformed lines and values, and for header names it does not find because nearby lines have another
 * width. A full disk or too little memory gives other errors.
 */
const BAD_LINE = /^(Conversion|Invalid Input|Binder) Error/

/** An archive whose rows DuckDB makes, all for one dataset. */
type BulkSpec = Omit<FeedSpec, 'into' | 'rows' | 'archive' | 'bulk'> & {
  readonly into: Dataset
  readonly archive: Archive
  readonly bulk: Bulk
}

/** Declares a feed whose files DuckDB reads. Its `rows`, for samples and tests, are those of the same query. */
export function bulkFeed({ into, ...spec }: BulkSpec): Feed {
  return defineFeed({ ...spec, into: [into], rows: (bodies, _clock, diagnostics) => rowsOfFiles({ into, ...spec }, bodies, diagnostics) })
}

async function* rowsOfFiles(
  { into, archive, bulk }: Pick<BulkSpec, 'into' | 'archive' | 'bulk'>,
  bodies: readonly FeedBody[],
  diagnostics: Diagnostics,
): AsyncGenerator<Batch> {
  const folder = await mkdtemp(joinPath(tmpdir(), 'bulk-'))
  const engine = await openEngine({ ...TRIED_ENGINE, folders: [folder], spool: folder })
  try {
    for (const { name, bytes } of bodies) {
      const path = joinPath(engine.folder, 'file.csv')
      await unpackInto(path, bytes, { bulk, most: TRIED_BYTES, signal: new AbortController().signal })
      const [header = '', first = ''] = await firstLines(path)
      countUnknownColumns(bulk, header, diagnostics)
      const file = { path, header, period: /^\d{4}-\d\d/.test(name) ? name : periodOf(first, archive.unit) }
      const lease = await engine.lease({}, null)
      try {
        const answer = await lease.session.select(rowQuery(into, bulk, file))
        for await (const rows of rowsOf(answer, into.columns)) yield { dataset: into, rows }
      } finally {
        await lease.end()
      }
    }
  } catch (error) {
    throw asFormatError(error)
  } finally {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The rows of a file, sorted, with all columns of the dataset. */
function rowQuery(into: Dataset, bulk: Bulk, file: BulkFile): Sql {
  const derived = Object.entries(bulk.derivedColumns?.(file) ?? {}).map(([name, value]) => sql`${value} AS ${fieldName({ name })}`)
  const columns = join([sql`*`, ...derived])
  return sql`SELECT ${join(physicalFields(into.columns).map(fieldName))} FROM (SELECT ${columns} FROM (${bulk.query(file)})) ORDER BY ALL`
}

/** The period of a sample whose name has none: that of its first line. */
function periodOf(line: string, unit: Archive['unit']): string {
  const [, year, month, day] = DAY.exec(line) ?? []
  return unit === 'day' ? `${year}-${month}-${day}` : `${year}-${month}`
}

/** Counts the columns that a query does not read. */
export function countUnknownColumns({ unknownColumns }: Bulk, header: string, diagnostics: Diagnostics): void {
  for (const column of unknownColumns?.of(header) ?? []) diagnostics.unknownCode(unknownColumns?.list as string, column)
}

/** The error of a file with malformed lines or values; any other as it is. */
export function asFormatError(error: unknown): unknown {
  return isQueryError(error, 'failed') && BAD_LINE.test(error.message)
    ? new FormatError(`not as it should be: ${error.message}`, { cause: error })
    : error
}

/** The decompressed bytes of a file, or of the one CSV in a zip; gzip is piped through `inflate`. */
async function unpacking(bytes: Buffer, most: number): Promise<{ readonly source: Readable; readonly inflate: Transform | null }> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const zip = isZip ? await openZip(bytes, { maxBytes: most }) : null
  const source = Readable.from(zip ? zip.read(onlyCsv(zip)) : piecesOf(bytes), { objectMode: false })
  return { source, inflate: isGzip ? createGunzip({ chunkSize: STEP }) : null }
}

/** Writes a file, plain, packed by gzip, or the one CSV of a zip, decompressed. Throws `FormatError` above the limit. */
export async function unpackInto(
  path: string,
  bytes: Buffer,
  of: { readonly bulk: Bulk; readonly most: number; readonly signal: AbortSignal },
): Promise<void> {
  const { bulk, most, signal } = of
  const { source, inflate } = await unpacking(bytes, most)
  let size = 0
  let last: number | undefined
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      last = chunk.at(-1) ?? last
      done(size > most ? new FormatError(`the file unpacks to more than ${most} bytes`) : null, chunk)
    },
  })
  const into = createWriteStream(path, { highWaterMark: STEP })
  try {
    await (inflate ? pipeline(source, inflate, bounded, into, { signal }) : pipeline(source, bounded, into, { signal }))
  } catch (error) {
    signal.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw new FormatError(`no whole gzip file: ${(error as Error).message}`, { cause: error })
    throw error
  }
  if (bulk.endsLines && last !== LINE_FEED) throw new FormatError('cut off: the last line has no end')
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += STEP) yield bytes.subarray(at, at + STEP)
}

/** The first two lines of a file. */
export async function firstLines(path: string): Promise<string[]> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_HEADER), 0, MOST_HEADER, 0)
    return buffer
      .toString('utf8', 0, bytesRead)
      .split('\n', 2)
      .map((line) => line.trimEnd())
  } finally {
    await file.close()
  }
}
