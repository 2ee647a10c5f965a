import type { Lake } from '../../../lake/open.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { RecordShape } from '../../kernel/fields.ts'
import type { TableFormat } from '../../kernel/formats.ts'
import type { PageValues } from '../../kernel/params/params-page.ts'
import { memo } from '../../kernel/reads/memo.ts'
import type { JsonObject } from '../../kernel/reads/shape.ts'
import { type TableColumn, tableColumns, withDoubles } from '../../kernel/reads/table.ts'
import type { ListPage, Meta } from '../answers/compose.ts'
import { copyParquet, type FileAbout, readStaged, STAGED_GROUP_ROWS, stagedJson } from './parquet.ts'
import { type Draft, Parts, type Spool, type Spooled } from './spool.ts'
import { csvWriter, ndjsonWriter, stagedWriter, type TableWriter } from './text.ts'

/** Timeout of the engine for a table of records, including the wait for a slot. */
const WRITE_TIMEOUT_MS = 30_000

/** The table that a request wants. */
export interface TableAsk {
  readonly record: RecordShape
  readonly page: PageValues
  readonly format: TableFormat
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal
}

/** Facts about a table besides its rows: those of a list, or only the origin for a single thing. */
export type TableAbout = { readonly meta: Meta } & Partial<ListPage>

type Batches = Iterable<readonly AnyRow[]> | AsyncIterable<readonly AnyRow[]>

/** Makes files of records, in every tabular representation. */
export class Tables {
  readonly lake: Lake
  readonly spool: Spool

  constructor(parts: { readonly lake: Lake; readonly spool: Spool }) {
    this.lake = parts.lake
    this.spool = parts.spool
  }

  /** Writes records that come in batches. `meta` is used before the batches, `about` after them. */
  async write(
    ask: TableAsk,
    batches: Batches,
    { meta, about }: { readonly meta: Meta; readonly about: () => TableAbout },
  ): Promise<Spooled> {
    const { format } = ask
    if (format === 'parquet') return await this.#parquet(ask, batches, about)
    return await this.drafted(async (draft) => {
      await fill(await writerOf(draft, { ...ask, format }, meta), ask, batches)
      return await draft.finish()
    })
  }

  /** Runs work that fills a draft, and drops the draft if the work fails. */
  async drafted<T>(work: (draft: Draft) => Promise<T>): Promise<T> {
    const draft = await this.spool.begin()
    try {
      return await work(draft)
    } catch (error) {
      await draft.drop()
      throw error
    }
  }

  /** Stages records and lets the engine make Parquet of them. */
  async #parquet(ask: TableAsk, batches: Batches, about: () => TableAbout): Promise<Spooled> {
    const columns = columnsFor(ask)
    const codec = ask.page.codec ?? 'zstd'
    const staged = new Parts(this.spool)
    try {
      await fill(stagedWriter(staged, columns, stagedJson), ask, batches)
      const rows = readStaged(await staged.paths(), columns)
      const file = fileAbout(about())
      return await this.drafted(async (draft) => {
        const target = { path: draft.path, columns, codec, about: file, groupRows: STAGED_GROUP_ROWS }
        await draft.filled(ask.signal, (signal) =>
          this.lake.use({ signal, timeout_ms: WRITE_TIMEOUT_MS }, (session) => copyParquet(session, rows, target)),
        )
        return await draft.finish()
      })
    } finally {
      await staged.drop()
    }
  }
}

async function fill(writer: TableWriter, ask: TableAsk, batches: Batches): Promise<void> {
  const localise = localiser(ask)
  for await (const batch of batches) {
    ask.signal.throwIfAborted()
    await writer.write(localise ? batch.map(localise) : batch)
  }
  await writer.end()
}

/** Returns the columns of the requested table. */
export function columnsFor({ record, page }: Pick<TableAsk, 'record' | 'page'>): readonly TableColumn[] {
  // Readers without zstd do not know decimals either.
  const isDouble = page.decimals === 'double' || page.codec === 'snappy'
  const all = isDouble ? doublesOfRecord(record) : columnsOfRecord(record)
  const { fields } = page
  return fields ? all.filter(({ member }) => fields.includes(member)) : all
}

const columnsOfRecord = memo(({ fields }: RecordShape) => tableColumns(fields))
const doublesOfRecord = memo((record: RecordShape) => columnsOfRecord(record).map(withDoubles))

/** Returns the facts about a table as the key-values of a file. */
export function fileAbout({ meta, total, updated_at, extra }: TableAbout): FileAbout {
  const page: JsonObject = {
    ...(total === undefined ? {} : { total }),
    ...(updated_at === undefined ? {} : { updated_at: updated_at === null ? null : isoInstant(updated_at) }),
    ...extra,
  }
  return { texts: textsOf(meta), page }
}

function textsOf(meta: Meta): ReadonlyMap<string, string> {
  return new Map([
    ['licence', JSON.stringify(meta.sources)],
    ['meta', JSON.stringify(meta)],
  ])
}

function localiser({ record, page }: TableAsk): ((row: AnyRow) => AnyRow) | null {
  const { localise } = record
  return page.lang === 'es' || !localise ? null : (row) => localise.call(record, row as never, page.lang) as AnyRow
}

async function writerOf(
  draft: Draft,
  ask: TableAsk & { readonly format: Exclude<TableFormat, 'parquet'> },
  meta: Meta,
): Promise<TableWriter> {
  const { format, page, record } = ask
  switch (format) {
    case 'csv':
      return csvWriter(draft, columnsFor(ask), page.dialect ?? 'exact')
    case 'ndjson':
      return ndjsonWriter(draft, record, page.fields)
    case 'arrow':
      // Its library has hundreds of modules.
      return (await import('./arrow.ts')).arrowWriter(draft, columnsFor(ask), textsOf(meta))
  }
}
