import type { ObjectStore } from '../store/store.ts'

const ROOT = 'quality/days/'
const NAME = /^quality\/days\/(\d{4}-\d\d-\d\d)\.json$/
/** Days for which the figures of feeds are kept, and for which they are made of what is there. */
export const QUALITY_DAYS = 92

/** What came of a feed on a day of Madrid, by the data times of its publications. */
export interface QualityFeed {
  /** Publications that were accepted and not withdrawn; one that repeats the last is none. */
  readonly publications: number
  /** As many as the feed's cadence allows for. */
  readonly expected: number
  /** Times of more than three cadences without one, between two of them or at either end of the day, and the longest time without, s. */
  readonly gaps: number
  readonly longest_gap_s: number
  /** From data time to fetch: median and most, s; null where there was none. */
  readonly lateness_median_s: number | null
  readonly lateness_max_s: number | null
  /** Rows that failed a check and codes that no list has, in all that it fills. */
  readonly quarantined: number
  readonly unknown_codes: number
  /** Fetches that the guard refused, by the time of the fetch. */
  readonly rejected: number
}

/** What came of the feeds on a day of Madrid. Written once, after the day: no publication is accepted that is older than the last. */
export interface QualityDay {
  readonly date: string
  /** When the logs were looked at, ms since the epoch. */
  readonly as_of: number
  /** By feed. */
  readonly feeds: Readonly<Record<string, QualityFeed>>
}

/** The dates (YYYY-MM-DD) that there are figures of feeds of, in order, from one on. */
export async function qualityDates(store: ObjectStore, from = ''): Promise<string[]> {
  const dates: string[] = []
  for await (const { key } of store.list(ROOT, { startAfter: `${ROOT}${from}` })) {
    const date = NAME.exec(key)?.[1]
    if (date !== undefined) dates.push(date)
  }
  return dates
}

/** Writes the figures of a day, unless there are some already: false then. */
export function writeQualityDay(store: ObjectStore, day: QualityDay): Promise<boolean> {
  return store.putIfAbsent(`${ROOT}${day.date}.json`, Buffer.from(JSON.stringify(day)))
}

/** The figures of a day; null where there are none. */
export async function readQualityDay(store: ObjectStore, date: string): Promise<QualityDay | null> {
  const bytes = await store.get(`${ROOT}${date}.json`)
  return bytes && (JSON.parse(bytes.toString()) as QualityDay)
}

/** Deletes the figures of a day. */
export async function dropQualityDay(store: ObjectStore, date: string): Promise<void> {
  await store.delete(`${ROOT}${date}.json`)
}
