import type { ObjectStore } from '../store/store.ts'

const ROOT = 'quality/tables/'
const NAME = /^quality\/tables\/([a-z0-9_]+)\/(\d{10})\.json$/
const keyOf = (dataset: string, seq: number): string => `${ROOT}${dataset}/${String(seq).padStart(10, '0')}.json`

/** Contents of a dataset's table for a day in Madrid, by the time of its rows. */
export interface TableDay {
  /** When these rows were counted, ms since the epoch. */
  readonly as_of: number
  /** At least one. */
  readonly rows: number
  /** Share of rows without a value, 0 to 1, of each nullable column. */
  readonly nulls: Readonly<Record<string, number>>
}

/** First and last day (YYYY-MM-DD) of a data file's rows. */
export type FileDays = readonly [first: string, last: string]

/** Known quality of a table's days, and the files that it was computed from. */
export interface TableQuality {
  /** When the table was read, ms since the epoch. */
  readonly as_of: number
  /** The last day (YYYY-MM-DD) that was over then. */
  readonly last: string
  /** Feeds that fill it. */
  readonly feeds: readonly string[]
  /** By date (YYYY-MM-DD), for every day with rows. */
  readonly days: Readonly<Record<string, TableDay>>
  /** The table's data files by name, see `fileName`. */
  readonly files: Readonly<Record<string, FileDays>>
}

/** The number of the newest quality record of each table, by dataset id. Each new result has the next number. */
export async function tableQualitySeqs(store: ObjectStore): Promise<Map<string, number>> {
  const seqs = new Map<string, number>()
  for await (const { key } of store.list(ROOT)) {
    const [, dataset, seq] = NAME.exec(key) ?? []
    if (dataset !== undefined) seqs.set(dataset, Math.max(seqs.get(dataset) ?? 0, Number(seq)))
  }
  return seqs
}

/** A table's quality record by number; null if it was replaced by a newer one. */
export async function readTableQuality(store: ObjectStore, dataset: string, seq: number): Promise<TableQuality | null> {
  const bytes = await store.get(keyOf(dataset, seq))
  return bytes && (JSON.parse(bytes.toString()) as TableQuality)
}

/** Writes a table's quality record as number `seq`, replacing the previous one; false if another process did so meanwhile. */
export async function writeTableQuality(
  store: ObjectStore,
  dataset: string,
  { seq, quality }: { readonly seq: number; readonly quality: TableQuality },
): Promise<boolean> {
  if (!(await store.putIfAbsent(keyOf(dataset, seq), Buffer.from(JSON.stringify(quality))))) return false
  for await (const { key } of store.list(`${ROOT}${dataset}/`)) if (key < keyOf(dataset, seq)) await store.delete(key)
  return true
}
