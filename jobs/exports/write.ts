import { rm, stat, writeFile } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { type ExportAttempt, type ExportedFile, type ExportFormat, type ExportRequest, exportedFileKey } from '../../lake/exports/jobs.ts'
import { sha256OfFile } from '../../lake/iceberg/checksums.ts'
import { TableRefused } from '../../lake/iceberg/errors.ts'
import { refusalOf } from '../../lake/iceberg/refusal.ts'
import type { Filter } from '../../lake/iceberg/types.ts'
import type { Lake } from '../../lake/open.ts'
import { geoMetadata, pointWkb } from '../../lake/query/geoparquet.ts'
import { quoteText } from '../../lake/query/literal.ts'
import { scan } from '../../lake/query/scan.ts'
import type { Session } from '../../lake/query/session.ts'
import { column, join, outputName, type Sql, sql } from '../../lake/query/sql.ts'
import { csvCell, jsonCell } from '../../lake/query/text-cells.ts'
import { attributionText } from '../../lake/schema/attribution.ts'
import { type Column, GEOMETRY_TYPES, isGeometry } from '../../lake/schema/columns.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { jsonProperties } from '../../lake/schema/json.ts'
import { chosenColumns, tableSchema } from '../../lake/schema/table-schema.ts'

/** Most files of one job. */
const MAX_FILES = 1000
const DAY_MS = 86_400_000

/** A job that can never succeed, with the reason for its owner. */
export class ExportRejected extends Error {}

/** The result of an export. */
export interface WrittenExport {
  readonly snapshot: string | null
  readonly rows: number
  readonly files: readonly ExportedFile[]
}

interface WriteExportOptions {
  readonly dataset: Dataset
  /** Names the folder of the files, which no other attempt at the job uses. */
  readonly attempt: string
  readonly signal: AbortSignal
  /** Called before each file with a function that returns the progress, 0 to 1. */
  readonly onFile?: (share: () => number) => void
}

/**
 * Writes an export job's files to the store: one snapshot of the dataset, one DuckDB COPY per file, within its memory limit. A
 * file is hashed on local disk and then uploaded, so it appears complete or not at all.
 */
export async function writeExport(lake: Lake, request: ExportRequest, options: WriteExportOptions): Promise<WrittenExport> {
  const { dataset, attempt, signal, onFile = () => {} } = options
  const { id, split, columns } = request
  const folder = { id, attempt }
  const state = (await lake.snapshot(dataset))?.state ?? null
  const refused = state && (await refusalOf(state, dataset))
  if (refused) throw new TableRefused(dataset.id, refused)
  return lake.use({ signal, pins: new Map([[dataset.id, state]]) }, async (session) => {
    await session.trackProgress()
    const parts = split === 'none' ? [{ name: dataset.id, filter: filterOf(dataset, request) }] : await partsOf(session, dataset, request)
    const files: ExportedFile[] = []
    for (const [at, part] of parts.entries()) {
      onFile(() => (at + session.progress) / parts.length)
      files.push(await writeRows(lake, session, { dataset, request, folder, part }))
      signal.throwIfAborted()
    }
    const described = await describe(lake, { folder, dataset, files, columns, format: request.format })
    const rows = files.reduce((sum, file) => sum + (file.rows ?? 0), 0)
    return { snapshot: state?.snapshotId === null || !state ? null : String(state.snapshotId), rows, files: [...files, ...described] }
  })
}

interface Part {
  readonly name: string
  readonly filter: Filter
}

function filterOf({ time }: Dataset, { from, to, province }: Pick<ExportRequest, 'from' | 'to' | 'province'>): Filter {
  const period = { ...(from === null ? {} : { gte: from }), ...(to === null ? {} : { lt: to }) }
  return {
    ...(from === null && to === null ? {} : { [time]: period }),
    ...(province === null ? {} : { province_code: { in: province.split(',') } }),
  }
}

/** The months or days (UTC) that have rows, in order. */
async function partsOf(session: Session, dataset: Dataset, request: ExportRequest): Promise<Part[]> {
  const { split } = request
  const days = sql`epoch_us(${column(dataset, dataset.time)}) // 86400000000`
  const found = await session.values(
    sql`SELECT DISTINCT CAST(${days} AS INTEGER) AS day FROM ${scan(dataset, filterOf(dataset, request))} ORDER BY day`,
  )
  const labels = found.map(([day]) => new Date(Number(day) * DAY_MS).toISOString().slice(0, split === 'day' ? 10 : 7))
  const parts = [...new Set(labels)]
  if (parts.length > MAX_FILES)
    throw new ExportRejected(`the rows are in ${parts.length} ${split}s, and a job has ${MAX_FILES} files at most`)
  return parts.map((label) => {
    const [year = 0, month = 1, day = 1] = label.split('-').map(Number)
    const begin = Date.UTC(year, month - 1, day)
    const end = split === 'day' ? begin + DAY_MS : Date.UTC(year, month)
    const period = { from: Math.max(begin, request.from ?? begin), to: Math.min(end, request.to ?? end) }
    return { name: `${dataset.id}-${label}`, filter: filterOf(dataset, { ...request, ...period }) }
  })
}

async function writeRows(
  lake: Lake,
  session: Session,
  options: { readonly dataset: Dataset; readonly request: ExportRequest; readonly folder: ExportAttempt; readonly part: Part },
): Promise<ExportedFile> {
  const { dataset, request, folder, part } = options
  const { format } = request
  const name = `${part.name}.${format === 'geoparquet' ? 'parquet' : format}`
  const path = joinPath(lake.engine.folder, `${request.id}-${name}`)
  const columns = chosenColumns(dataset, request.columns)
  try {
    const cells = sql`SELECT ${join(cellsOf(dataset, request, columns))} FROM ${scan(dataset, part.filter)}`
    const rows = await session.copy(cells, { path, options: copyOptions(dataset, format, columns) })
    return await store(lake, folder, { name, path, rows })
  } finally {
    await rm(path, { force: true })
  }
}

async function store(
  lake: Lake,
  folder: ExportAttempt,
  { name, path, rows }: { readonly name: string; readonly path: string; readonly rows: number | null },
): Promise<ExportedFile> {
  const { size } = await stat(path)
  const sha256 = await sha256OfFile(path)
  await lake.store.putFile(exportedFileKey(folder, name), path)
  return { name, bytes: size, sha256, rows }
}

type Chosen = readonly (readonly [string, Column])[]

/** The selected columns: Parquet has the table's columns, text formats those of JSON rows. */
function cellsOf(dataset: Dataset, { format, decimals }: Pick<ExportRequest, 'format' | 'decimals'>, columns: Chosen): Sql[] {
  if (format === 'csv.gz' || format === 'ndjson.gz') {
    const cell = format === 'csv.gz' ? csvCell : jsonCell
    return columns.flatMap(([name, one]) =>
      jsonProperties(name, one).map((member, at) => {
        const value = column(dataset, one.kind === 'point' ? `${name}_${at === 0 ? 'lat' : 'lon'}` : name)
        return sql`${cell(one, value)} AS ${outputName(member.name)}`
      }),
    )
  }
  const plain = columns.flatMap(([name, one]) => {
    if (one.kind === 'point') return [`${name}_lat`, `${name}_lon`].map((half) => column(dataset, half))
    return [decimals === 'double' ? sql`${asDoubles(one, column(dataset, name))} AS ${outputName(name)}` : column(dataset, name)]
  })
  const point = format === 'geoparquet' ? columns.find(([, { kind }]) => kind === 'point') : undefined
  if (!point) return plain
  return [...plain, sql`${pointWkb(column(dataset, `${point[0]}_lat`), column(dataset, `${point[0]}_lon`))} AS geometry`]
}

/** A value with its decimals as 64-bit floating-point numbers. */
function asDoubles({ kind, of }: Column, value: Sql): Sql {
  if (kind === 'decimal') return sql`CAST(${value} AS DOUBLE)`
  return of?.kind === 'decimal' ? sql`CAST(${value} AS DOUBLE[])` : value
}

function copyOptions(dataset: Dataset, format: ExportFormat, columns: Chosen): string {
  if (format === 'csv.gz') return "FORMAT csv, HEADER, NEW_LINE '\r\n', COMPRESSION gzip, USE_TMP_FILE false"
  if (format === 'ndjson.gz') return 'FORMAT json, COMPRESSION gzip, USE_TMP_FILE false'
  const types = new Map<string, readonly string[]>()
  if (columns.some(([, { kind }]) => kind === 'point')) types.set('geometry', ['Point'])
  for (const [name, { kind }] of columns) if (isGeometry(kind)) types.set(name, [GEOMETRY_TYPES[kind]])
  const geo = format === 'geoparquet' ? geoMetadata(types) : null
  const texts = [`attribution: ${quoteText(attributionOf(dataset))}`, ...(geo === null ? [] : [`geo: ${quoteText(geo)}`])]
  return `FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, WRITE_BLOOM_FILTER false, KV_METADATA {${texts.join(', ')}}`
}

function attributionOf({ id, sources }: Dataset): string {
  return attributionText(
    id,
    sources.map(({ publisher, ...source }) => ({ ...source, name: publisher })),
  )
}

/** Writes the accompanying files: licences with attribution texts, and a Data Package that describes the files. */
async function describe(
  lake: Lake,
  options: {
    readonly folder: ExportAttempt
    readonly dataset: Dataset
    readonly files: readonly ExportedFile[]
    readonly columns: readonly string[] | null
    readonly format: ExportFormat
  },
): Promise<ExportedFile[]> {
  const { folder, dataset, files, columns, format } = options
  const isCsv = format === 'csv.gz'
  const about = {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: dataset.id,
    title: dataset.title,
    description: dataset.about,
    licenses: dataset.sources.map(({ licence, licence_url }) => ({ title: licence, path: licence_url })),
    sources: dataset.sources.map(({ publisher, url }) => ({ title: publisher, path: url })),
    resources: files.map(({ name, bytes, sha256 }) => ({
      name: name.toLowerCase().split('.')[0],
      path: name,
      bytes,
      hash: `sha256:${sha256}`,
      ...(isCsv
        ? { format: 'csv', mediatype: 'text/csv', encoding: 'utf-8', compression: 'gz', schema: tableSchema(dataset, columns) }
        : {}),
    })),
  }
  const texts = { 'ATTRIBUTION.md': attributionOf(dataset), 'datapackage.json': `${JSON.stringify(about, null, 2)}\n` }
  const written: ExportedFile[] = []
  for (const [name, text] of Object.entries(texts)) {
    const path = joinPath(lake.engine.folder, `${folder.id}-${name}`)
    await writeFile(path, text)
    written.push(await store(lake, folder, { name, path, rows: null }))
  }
  return written
}
