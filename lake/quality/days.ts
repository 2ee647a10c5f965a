import type { ObjectStore } from '../store/store.ts'

const ROOT = 'quality/days/'
const NAME = /^quality\/days\/(\d{4}-\d\d-\d\d)\.json$/
/** Days of feed quality that are kept, and that are backfilled from existing data. */
export const QUALITY_DAYS = 92

/** Quality of a feed on a day in Madrid, by the data times of its publications. */
export interface QualityFeed {
  /** Publications accepted and not withdrawn, without repetitions. */
  readonly publications: number
  /** Number expected from the feed's cadence. */
  readonly expected: number
  /** Times longer than three cadences without a publication, also at both ends of the day, and the longest such time, s. */
  readonly gaps: number
  readonly longest_gap_s: number
  /** From data time to fetch: median and maximum, s; null without publications. */
  readonly lateness_median_s: number | null
  readonly lateness_max_s: number | null
  /** Rows that failed a check and unknown codes, over all its datasets. */
  readonly quarantined: number
  readonly unknown_codes: number
  /** Fetches rejected by the guard, by fetch time. */
  readonly rejected: number
}

/** Quality of the feeds on a day in Madrid. Written once, after the day: no publication older than the last is accepted. */
export interface QualityDay {
  readonly date: string
  /** When the logs were read, ms since the epoch. */
  readonly as_of: number
  /** By feed. */
  readonly feeds: Readonly<Record<string, QualityFeed>>
}

/** The dates (YYYY-MM-DD) with feed quality, in order, starting at one. */
export async function qualityDates(store: ObjectStore, from = ''): Promise<string[]> {
  const dates: string[] = []
  for await (const { key } of store.list(ROOT, { startAfter: `${ROOT}${from}` })) {
    const date = NAME.exec(key)?.[1]
    if (date !== undefined) dates.push(date)
  }
  return dates
}

/** Writes the quality of a day; returns false if it exists. */
export function writeQualityDay(store: ObjectStore, day: QualityDay): Promise<boolean> {
  return store.putIfAbsent(`${ROOT}${day.date}.json`, Buffer.from(JSON.stringify(day)))
}

/** The quality of a day; null if there is none. */
export async function readQualityDay(store: ObjectStore, date: string): Promise<QualityDay | null> {
  const bytes = await store.get(`${ROOT}${date}.json`)
  return bytes && (JSON.parse(bytes.toString()) as QualityDay)
}

/** Deletes the quality of a day. */
export async function dropQualityDay(store: ObjectStore, date: string): Promise<void> {
  await store.delete(`${ROOT}${date}.json`)
}
