import { dropQualityDay, QUALITY_DAYS, type QualityFeed, qualityDates, writeQualityDay } from '../../lake/quality/days.ts'
import { tableQualitySeqs } from '../../lake/quality/tables.ts'
import { type AcceptedFetch, acceptedAfter, acceptedFrom, rejectedIds } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { dateAfter, datesBetween, dayBounds, madridDate } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { lookAtTable } from './quality-tables.ts'

/** A day is counted this long after its end, ms: most late rows have landed by then. */
const SETTLED_MS = 6 * 3_600_000
/** A feed is stale after this many cadences: a gap is longer. */
const GAP_CADENCES = 3
/** The time in an id of a fetch, `<feed>.20260102T122328413Z`. */
const FETCHED = /\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/

/**
 * Computes quality figures of ended days (Madrid): for each table whatever changed since the last run, even if years old; for
 * feeds each day once, from their logs. Old feed figures are deleted.
 */
export async function gatherQuality(
  context: IngestContext,
  over: { readonly datasets: readonly Dataset[]; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<void> {
  const { store, log } = context
  const { datasets, feeds, signal } = over
  const as_of = Math.floor(await store.now())
  const [last, oldest] = [madridDate(as_of - SETTLED_MS, -1), madridDate(as_of, -QUALITY_DAYS)]
  // Before the feeds: if a day has feed figures but no table figures, the table had no rows that day.
  const seqs = await tableQualitySeqs(store)
  for (const dataset of datasets.filter(({ visibility }) => visibility === 'public')) {
    signal.throwIfAborted()
    const filledBy = feeds.filter(({ into }) => into.includes(dataset)).map(({ id }) => id)
    await lookAtTable(context, dataset, { last, seq: seqs.get(dataset.id) ?? 0, feeds: filledBy, signal })
  }
  const written = await qualityDates(store)
  const newest = written.at(-1)
  const begin = newest === undefined ? await firstDay(context, feeds) : dateAfter(newest)
  const dates = begin === null ? [] : datesBetween(begin > oldest ? begin : oldest, last)
  const byFeed = await feedsByDate(context, { feeds, dates, signal })
  for (const date of dates) {
    const figures = [...byFeed].map(([id, days]) => [id, days.get(date) as QualityFeed])
    if (await writeQualityDay(store, { date, as_of, feeds: Object.fromEntries(figures) })) log.info({ date }, 'quality of a day gathered')
  }
  for (const date of written.filter((one) => one < oldest)) await dropQualityDay(store, date)
}

/** The data day of the first publication in the logs; there are no figures before it. */
async function firstDay({ store }: IngestContext, feeds: readonly Feed[]): Promise<string | null> {
  const first = await Promise.all(feeds.map(({ id }) => acceptedAfter(store, id, 0, 1)))
  return first.flatMap((found) => found.map(({ data_time }) => madridDate(Date.parse(data_time)))).sort()[0] ?? null
}

async function feedsByDate(
  context: IngestContext,
  asked: { readonly feeds: readonly Feed[]; readonly dates: readonly string[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, ReadonlyMap<string, QualityFeed>>> {
  const { feeds, dates, signal } = asked
  const found = new Map<string, ReadonlyMap<string, QualityFeed>>()
  for (const feed of dates.length > 0 ? feeds : []) {
    signal.throwIfAborted()
    found.set(feed.id, await feedDays(context, feed, dates))
  }
  return found
}

/** The figures of a feed by date, from the records of its log. */
async function feedDays({ store }: IngestContext, feed: Feed, dates: readonly string[]): Promise<ReadonlyMap<string, QualityFeed>> {
  const from = dayBounds(dates[0] as string).start
  const accepted = Map.groupBy(await acceptedFrom(store, feed.id, from), ({ data_time }) => madridDate(Date.parse(data_time)))
  const rejected = Map.groupBy(await rejectedIds(store, feed.id), (id) => madridDate(fetchedAt(id)))
  return new Map(
    dates.map((date) => [date, feedDay(feed, date, { accepted: accepted.get(date) ?? [], rejected: rejected.get(date)?.length ?? 0 })]),
  )
}

function feedDay(
  feed: Pick<Feed, 'every_s' | 'stream'>,
  date: string,
  { accepted, rejected }: { readonly accepted: readonly AcceptedFetch[]; readonly rejected: number },
): QualityFeed {
  const every_s = feed.stream?.file_s ?? feed.every_s
  const { start, end } = dayBounds(date)
  const times = [start, ...accepted.map(({ data_time }) => Date.parse(data_time)), end].sort((one, other) => one - other)
  const waits_s = times.slice(1).map((time, at) => (time - (times[at] as number)) / 1000)
  const late_s = accepted
    .map(({ fetched_at, data_time }) => Math.round((Date.parse(fetched_at) - Date.parse(data_time)) / 1000))
    .sort((one, other) => one - other)
  const sum = (of: (fetch: AcceptedFetch) => number): number => accepted.reduce((total, fetch) => total + of(fetch), 0)
  return {
    publications: accepted.length,
    expected: Math.floor((end - start) / 1000 / every_s),
    gaps: waits_s.filter((wait_s) => wait_s > GAP_CADENCES * every_s).length,
    longest_gap_s: Math.round(Math.max(...waits_s)),
    lateness_median_s: late_s[Math.floor((late_s.length - 1) / 2)] ?? null,
    lateness_max_s: late_s.at(-1) ?? null,
    quarantined: sum(({ quarantined }) => quarantined),
    unknown_codes: sum(({ unknown_codes }) => unknown_codes),
    rejected,
  }
}

function fetchedAt(id: string): number {
  const [, year, month, day, hour, minute, second, ms] = FETCHED.exec(id) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
