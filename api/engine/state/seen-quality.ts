import { QUALITY_DAYS, type QualityDay, qualityDates, readQualityDay } from '../../../lake/quality/days.ts'
import { readTableQuality, type TableQuality, tableQualitySeqs } from '../../../lake/quality/tables.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { QualityView } from '../../kernel/endpoint.ts'

/** The data-quality statistics of days and tables, and their age. */
export interface SeenQuality extends QualityView {
  /** The sequence number of each table's statistics, by dataset id. */
  readonly seqs: ReadonlyMap<string, number>
  /** When the newest of them was made, ms since the epoch; 0 if there are none. */
  readonly gathered_at: number
}

/** Nothing is known yet. */
export const UNSEEN: SeenQuality = { days: [], tables: new Map(), seqs: new Map(), gathered_at: 0 }

/** Returns a text that changes with the statistics. */
export function qualityVersion({ days, seqs }: SeenQuality): string {
  return `${days.at(-1)?.date ?? ''}+${[...seqs.values()].reduce((sum, seq) => sum + seq, 0)}`
}

/** Reads the statistics added since the last poll; returns the same object if nothing is new. */
export async function seeQuality(store: ObjectStore, seen: SeenQuality | null): Promise<SeenQuality> {
  const before = seen ?? UNSEEN
  const [days, { tables, seqs }] = await Promise.all([seeDays(store, before.days), seeTables(store, before)])
  if (seen && days === before.days && tables === before.tables) return seen
  const gathered_at = [...days, ...tables.values()].reduce((newest, { as_of }) => Math.max(newest, as_of), 0)
  return { days, tables, seqs, gathered_at }
}

/** Returns the feeds' statistics of the available days. Those of a day never change. */
async function seeDays(store: ObjectStore, before: readonly QualityDay[]): Promise<readonly QualityDay[]> {
  const dates = (await qualityDates(store)).slice(-QUALITY_DAYS)
  if (dates.length === before.length && before.every(({ date }, at) => date === dates[at])) return before
  const known = new Map(before.map((day) => [day.date, day]))
  const read = await Promise.all(dates.map((date) => known.get(date) ?? readQualityDay(store, date)))
  return read.flatMap((day) => day ?? [])
}

async function seeTables(store: ObjectStore, before: SeenQuality): Promise<Pick<SeenQuality, 'tables' | 'seqs'>> {
  const newer = [...(await tableQualitySeqs(store))].filter(([dataset, seq]) => seq !== before.seqs.get(dataset))
  if (newer.length === 0) return before
  const [tables, seqs] = [new Map(before.tables), new Map(before.seqs)]
  for (const [dataset, seq] of newer) {
    const quality: TableQuality | null = await readTableQuality(store, dataset, seq)
    // Newer statistics have replaced them meanwhile: the next poll finds those.
    if (!quality) continue
    const { files: _, ...rest } = quality
    tables.set(dataset, rest)
    seqs.set(dataset, seq)
  }
  return { tables, seqs }
}
