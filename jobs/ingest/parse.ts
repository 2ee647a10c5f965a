import { rowChecker } from '../../lake/schema/check-rows.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { type Feed, type FeedBody, FormatError } from '../feeds/define.ts'
import { collectNotes, countReason, type Report } from './notes.ts'

/** A publication once parsed and checked. */
export interface Publication {
  /** Good rows by dataset id; every dataset of the feed has an entry. */
  readonly rows: ReadonlyMap<string, AnyRow[]>
  readonly report: Report
  /** The publication's own time, else the fetch time; ms since the epoch. */
  readonly data_time: number
  readonly fetched_at: number
}

/** Parses bodies into checked rows: bad rows are counted with their reason, a key that comes twice keeps its first row. Throws `FormatError`. */
export async function parsePublication(feed: Feed, bodies: readonly FeedBody[], fetchedAt: number): Promise<Publication> {
  const { notes, report } = collectNotes()
  const sinks = new Map(feed.into.map((dataset) => [dataset.id, makeSink(dataset, report, notes.unknownCode)]))
  for await (const { dataset, rows } of feed.rows(bodies, { fetched_at: fetchedAt }, notes)) {
    const sink = sinks.get(dataset.id)
    if (!sink) throw new FormatError(`feed ${feed.id} gave rows of ${dataset.id}, which it does not declare`)
    for (const row of rows) sink.take(row)
  }
  const rows = new Map([...sinks].map(([id, sink]) => [id, sink.rows]))
  return { rows, report, data_time: report.publishedAt ?? fetchedAt, fetched_at: fetchedAt }
}

function makeSink(
  dataset: Dataset,
  report: Report,
  unknown: (list: string, code: string) => void,
): { rows: AnyRow[]; take(row: AnyRow): void } {
  const rows: AnyRow[] = []
  const check = rowChecker(dataset, unknown)
  const seen = new Set<string>()
  const timed = dataset.land === 'append'
  return {
    rows,
    take(row) {
      const reason = check(row)
      if (reason !== null) return countReason(report, dataset, reason)
      const key = timed ? `${entityKey(dataset, row)}\u001f${row[dataset.time]}` : entityKey(dataset, row)
      if (seen.has(key)) return countReason(report, dataset, 'key comes twice in one publication')
      seen.add(key)
      rows.push(row)
    },
  }
}
