import { QUALITY_DAYS } from '../../../lake/quality/days.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, type QualityView } from '../../define/endpoint.ts'
import { nested, record, type ValueOf } from '../../define/fields.ts'
import { group } from '../../define/params.ts'
import { dateParam } from '../../define/params-time.ts'
import { Refused } from '../../define/problems.ts'
import { datasetId, datasetOf, nearDataset } from './dataset.ts'

const count = (about: string, example: number) => col.integer(0, about, { unit: '1', long: true, example })
const seconds = (about: string, example: number) => col.integer(0, about, { unit: 's', nullable: true, example })

const day = record('DatasetQuality', 'How whole and how timely the data of a dataset are that a day brought.', {
  date: col.local_date(0, 'Day in Madrid.', { example: '2026-01-02' }),
  rows: count('Rows of the table whose time lies in the day.', 48_211),
  as_of: col.instant(0, 'When the rows of the day were counted; what came later is not in it.', {
    example: '2026-01-03T05:00:12.000Z',
  }),
  nulls: nested.objects('Columns that may have no value, with how many rows have none; empty without rows.', {
    column: col.string(0, 'Name of the column.', { example: 'km' }),
    share: col.decimal(0, 'Share of the rows without a value, 0 to 1.', { scale: 6, unit: '1', example: 0.027119 }),
  }),
  feeds: nested.objects(
    'What came of each feed that fills it, by the data times of its publications; none of a derived dataset, nor of days longer ago than 92.',
    {
      id: col.string(0, 'Id of the feed.', { example: 'dgt_incidents' }),
      publications: count('Publications that were accepted; one that repeats the last is none.', 1438),
      expected: count(
        'As many as the cadence of the feed allows for; a publisher that repeats itself has fewer without lacking any.',
        1440,
      ),
      gaps: count('Times without a publication of more than three cadences, those at either end of the day included.', 0),
      longest_gap_s: seconds('Longest time without one.', 124),
      lateness_median_s: seconds('From the data time of a publication to its fetch: half of them were no later. Null without any.', 31),
      lateness_max_s: seconds('The same of the latest.', 95),
      quarantined: count('Rows that failed a check, in all that the feed fills.', 0),
      unknown_codes: count('Codes that no list has, in all that the feed fills.', 0),
      rejected: count('Fetches that were refused as a whole: truncated, older, or with too few rows.', 0),
    },
  ),
})

type Told = ValueOf<typeof day.fields>

/** The days of a dataset that the figures of feeds or of its table tell of, in order. */
function daysOf({ days, tables }: QualityView, id: string): Told[] {
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
        const told = came?.feeds[feed]
        return told ? [{ id: feed, ...told }] : []
      }),
    }
  })
}

/** The quality of a dataset, day by day. */
export const datasetQuality = defineEndpoint({
  path: '/api/datasets/{id}/quality',
  domain: 'service',
  plan: 'FREE',
  summary: 'The quality of a dataset day by day: rows, gaps, lateness, null shares, rejected rows',
  about:
    'Of days in Madrid that are over by six hours: every day that the table has rows of, and where feeds fill it those without any among the ' +
    `last ${QUALITY_DAYS}. Rows and null shares of days are counted anew once the table has changed in them and was then left alone for an hour, ` +
    `or a day has ended: an archive comes months after its days. What came of feeds is told of the last ${QUALITY_DAYS} days.`,
  params: {
    id: datasetId,
    period: group(
      {
        from: dateParam('First day; the first that there is unless given.', '2026-01-01'),
        to: dateParam('The day after the last; all that there are unless given.', '2026-01-08'),
      },
      ({ from, to }) => {
        if (from !== null && to !== null && from >= to) throw new Refused('expected a day before `to`', { parameter: 'from' })
        return { from, to }
      },
    ),
  },
  returns: {
    kind: 'list',
    name: 'days',
    record: day,
    key: ['date'],
    sorts: ['date', 'rows'],
    order: '-date',
    limit: { default: 31, max: 20_000 },
  },
  read: {
    kind: 'system',
    quality: true,
    records: (system, { id, period: { from, to } }) =>
      datasetOf(system, id).length === 0
        ? null
        : daysOf(system.quality, id).filter(({ date }) => (from === null || date >= from) && (to === null || date < to)),
    near: nearDataset,
  },
  example: { id: 'incidents' },
})
