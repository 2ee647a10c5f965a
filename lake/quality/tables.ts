import type { ObjectStore } from '../store/store.ts'

const ROOT = 'quality/tables/'
const NAME = /^quality\/tables\/([a-z0-9_]+)\/(\d{10})\.json$/
const keyOf = (dataset: string, seq: number): string => `${ROOT}${dataset}/${String(seq).padStart(10, '0')}.json`

/** What a dataset's table has of a day of Madrid, by the time of its rows. */
export interface TableDay {
  /** When these rows were counted, ms since the epoch. */
  readonly as_of: number
  /** At least one. */
  readonly rows: number
  /** Share of rows without a value, 0 to 1, of each column that may have none. */
  readonly nulls: Readonly<Record<string, number>>
}

/** First and last day (YYYY-MM-DD) of a data file's rows. */
export type FileDays = readonly [first: string, last: string]

/** What is known of the days of a table, and what it is known from. */
export interface TableQuality {
  /** When the table was looked at, ms since the epoch. */
  readonly as_of: number
  /** The last day (YYYY-MM-DD) that was over then. */
  readonly last: string
  /** Feeds that fill it. */
  readonly feeds: readonly string[]
  /** By date (YYYY-MM-DD): of every day that has rows. */
  readonly days: Readonly<Record<string, TableDay>>
  /** The table's data files by their names, see `fileName`. */
  readonly files: Readonly<Record<string, FileDays>>
}

/** The number of the newest figures of each table, by dataset id. Each look at a table that tells something new has the next number. */
export async function tableQualitySeqs(store: ObjectStore): Promise<Map<string, number>> {
  const seqs = new Map<string, number>()
  for await (const { key } of store.list(ROOT)) {
    const [, dataset, seq] = NAME.exec(key) ?? []
    if (dataset !== undefined) seqs.set(dataset, Math.max(seqs.get(dataset) ?? 0, Number(seq)))
  }
  return seqs
}

/** Figures of a table by their number; null where they are gone: there are newer ones. */
export async function readTableQuality(store: ObjectStore, dataset: string, seq: number): Promise<TableQuality | null> {
  const bytes = await store.get(keyOf(dataset, seq))
  return bytes && (JSON.parse(bytes.toString()) as TableQuality)
}

/** Writes figures of a table as number `seq` in place of the former; false where somebody else did so meanwhile. */
export async function writeTableQuality(
  store: ObjectStore,
  dataset: string,
  { seq, quality }: { readonly seq: number; readonly quality: TableQuality },
): Promise<boolean> {
  if (!(await store.putIfAbsent(keyOf(dataset, seq), Buffer.from(JSON.stringify(quality))))) return false
  for await (const { key } of store.list(`${ROOT}${dataset}/`)) if (key < keyOf(dataset, seq)) await store.delete(key)
  return true
}
