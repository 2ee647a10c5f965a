import { QUALITY_DAYS } from '../../../lake/quality/days.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, keyedList, type QualityView } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { group } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { datasetId, datasetOf, nearDataset } from './dataset.ts'

const count = (about: string, example: number) => col.integer(0, about, { unit: '1', long: true, example })
const seconds = (about: string, example: number) => maybe.integer(about, 's', example)

const day = record('DatasetQuality', "Completeness and timeliness of a dataset's data on a day.", {
  date: field.date('Day in Madrid.', '2026-01-02'),
  rows: count('Rows of the table with a time in the day.', 48_211),
  as_of: field.instant('When the rows of the day were counted; later rows are not included.', '2026-01-03T05:00:12.000Z'),
  nulls: nested.objects('Nullable columns with their number of null rows; empty without rows.', {
    column: field.text('Name of the column.', 'km'),
    share: field.decimal('Share of the rows without a value, 0 to 1.', '1', 6, 0.027119),
  }),
  feeds: nested.objects(
    'Figures of each feed that fills it, by the data times of its publications; empty for derived datasets and for days more than 92 days ago.',
    {
      id: field.text('Id of the feed.', 'dgt_incidents'),
      publications: count('Accepted publications; one that repeats the last does not count.', 1438),
      expected: count(
        'Publications that the cadence of the feed allows; a publisher that repeats itself has fewer, without any gap.',
        1440,
      ),
      gaps: count('Gaps of more than three cadences between publications, including those at either end of the day.', 0),
      longest_gap_s: seconds('Longest time without one.', 124),
      lateness_median_s: seconds('Median time from the data time of a publication to its fetch; null without publications.', 31),
      lateness_max_s: seconds('Maximum of the same time.', 95),
      quarantined: count('Rows that failed a check, in all datasets that the feed fills.', 0),
      unknown_codes: count('Codes outside every list, in all datasets that the feed fills.', 0),
      rejected: count('Fetches rejected as a whole: truncated, older, or with too few rows.', 0),
    },
  ),
})

type Day = ValueOf<typeof day.fields>

/** Days of a dataset with quality figures of its feeds or table, in order. */
function daysOf({ days, tables }: QualityView, id: string): Day[] {
  const table = tables.get(id)
  if (!table) return []
  const byDate = new Map(days.map((one) => [one.date, one]))
  const ofFeeds = table.feeds.length > 0 ? byDate.keys() : []
  return [...new Set([...Object.keys(table.days), ...ofFeeds])].sort().map((date) => {
    const [counted, came] = [table.days[date], byDate.get(date)]
    return {
      date,
      rows: counted?.rows ?? 0,
      as_of: (counted?.as_of ?? came?.as_of) as number,
      nulls: Object.entries(counted?.nulls ?? {}).map(([column, share]) => ({ column, share })),
      feeds: table.feeds.flatMap((feed) => {
        const figures = came?.feeds[feed]
        return figures ? [{ id: feed, ...figures }] : []
      }),
    }
  })
}

/** The quality of a dataset, day by day. */
export const datasetQuality = defineEndpoint({
  path: '/api/datasets/{id}/quality',
  plan: 'FREE',
  summary: 'Daily quality of a dataset: rows, gaps, lateness, null shares, rejected rows',
  summary_es: 'La calidad de un conjunto de datos día a día: filas, huecos y retrasos',
  about:
    'Days in Madrid that ended at least six hours ago: every day with rows in the table and, if feeds fill it, days without rows among the ' +
    `last ${QUALITY_DAYS}. Rows and null shares of a day are counted again if its part of the table changes: after an hour without changes, or at the end of the day. ` +
    `Archives arrive months after their days. Figures of feeds cover the last ${QUALITY_DAYS} days.`,
  params: {
    id: datasetId,
    period: group(
      {
        from: dateParam('First day; by default the first available.', '2026-01-01'),
        to: dateParam('The day after the last; by default all days.', '2026-01-08'),
      },
      ({ from, to }) => {
        if (from !== null && to !== null && from >= to) throw new InvalidParam('expected a day before `to`', { parameter: 'from' })
        return { from, to }
      },
    ),
  },
  returns: keyedList('days', day, ['date'], { sorts: ['date', 'rows'], order: '-date', limit: { default: 31, max: 20_000 } }),
  read: {
    kind: 'system',
    quality: true,
    records: (system, { id, period: { from, to } }) =>
      datasetOf(system, id).length === 0
        ? null
        : daysOf(system.quality, id).filter(({ date }) => (from === null || date >= from) && (to === null || date < to)),
    suggestion: nearDataset,
  },
  example: { id: 'incidents' },
})
