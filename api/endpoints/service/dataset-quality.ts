import type { QualityDay } from '../../../lake/quality/days.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
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
  as_of: col.instant(0, 'When the day was looked at, some hours after its end; what came later is not in it.', {
    example: '2026-01-03T05:00:12.000Z',
  }),
  nulls: nested.objects('Columns that may have no value, with how many rows have none; empty without rows.', {
    column: col.string(0, 'Name of the column.', { example: 'km' }),
    share: col.decimal(0, 'Share of the rows without a value, 0 to 1.', { scale: 6, unit: '1', example: 0.027119 }),
  }),
  feeds: nested.objects('What came of each feed that fills it, by the data times of its publications; of a derived dataset none.', {
    id: col.string(0, 'Id of the feed.', { example: 'dgt_incidents' }),
    publications: count('Publications that were accepted; one that repeats the last is none.', 1438),
    expected: count('As many as the cadence of the feed allows for; a publisher that repeats itself has fewer without lacking any.', 1440),
    gaps: count('Times without a publication of more than three cadences, those at either end of the day included.', 0),
    longest_gap_s: seconds('Longest time without one.', 124),
    lateness_median_s: seconds('From the data time of a publication to its fetch: half of them were no later. Null without any.', 31),
    lateness_max_s: seconds('The same of the latest.', 95),
    quarantined: count('Rows that failed a check, in all that the feed fills.', 0),
    unknown_codes: count('Codes that no list has, in all that the feed fills.', 0),
    rejected: count('Fetches that were refused as a whole: truncated, older, or with too few rows.', 0),
  }),
})

function dayOf({ date, as_of, tables, feeds }: QualityDay, id: string): ValueOf<typeof day.fields>[] {
  const table = tables[id]
  if (!table) return []
  return [
    {
      date,
      rows: table.rows,
      as_of,
      nulls: Object.entries(table.nulls).map(([column, share]) => ({ column, share })),
      feeds: table.feeds.flatMap((feed) => {
        const told = feeds[feed]
        return told ? [{ id: feed, ...told }] : []
      }),
    },
  ]
}

/** The quality of a dataset, day by day. */
export const datasetQuality = defineEndpoint({
  path: '/api/datasets/{id}/quality',
  domain: 'service',
  plan: 'FREE',
  summary: 'The quality of a dataset day by day: rows, gaps, lateness, null shares, rejected rows',
  about:
    'Of days in Madrid that are over, for the last 92 of them. Each is looked at once, some hours after its end; days of before the service looked are not there.',
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
        : system.quality.flatMap((one) => ((from === null || one.date >= from) && (to === null || one.date < to) ? dayOf(one, id) : [])),
    near: nearDataset,
  },
  example: { id: 'incidents' },
})
