import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { required, textParam } from '../../../../api/kernel/params/params.ts'
import { closePeriod, type Interval } from '../../../../api/kernel/params/params-time.ts'
import { bucketStart } from '../../../../api/kernel/reads/buckets.ts'
import {
  count,
  last,
  max,
  mean,
  meanFromSums,
  min,
  onlyWhere,
  parameter,
  same,
  shareOfHours,
  shareOfReadings,
  sum,
  weightedMean,
} from '../../../../api/kernel/reads/figures.ts'
import type { LakeView } from '../../../../api/kernel/reads/lake-view.ts'
import { flatFields } from '../../../../api/kernel/reads/select.ts'
import { series, steps } from '../../../../api/kernel/reads/series.ts'
import { seriesOf } from '../../../../api/kernel/reads/series-of.ts'
import type { Lake } from '../../../../lake/open.ts'
import { type Sql, sql } from '../../../../lake/query/sql.ts'
import { col } from '../../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { everything, landRows, openTestLake, variant } from '../../../lake/query/fixtures.ts'

const HOUR = 3_600_000
/** A leap day, both changes of the clock, and the end of a year: no rows in between. */
const SPANS = [
  ['2028-02-28', '2028-03-02'],
  ['2028-03-25', '2028-03-28'],
  ['2028-10-28', '2028-10-31'],
  ['2028-12-30', '2029-01-03'],
] as const
/** The end of rolled-up days: in the middle of a week, a month and a year. */
const ROLLED = dayBounds('2028-10-30').start
const COVERED = dayBounds('2029-01-03').start
const STEPS = ['1h', '1d', '1w', '1mo', '1y'] as const

const readings = variant({ id: 'readings', time: 'observed_at' }) as typeof everything
const readingDays = Object.freeze({
  ...everything,
  id: 'reading_days',
  columns: {
    name: col.string(1, 'Name.'),
    period_start: col.instant(2, 'Begin of the day.'),
    rows: col.integer(3, 'Rows.', { unit: '1' }),
    priced: col.integer(4, 'Rows with a price.', { unit: '1' }),
    price_sum: col.decimal(5, 'Sum of the prices.', { scale: 3, precision: 15, unit: 'EUR/L' }),
    price_max: col.decimal(6, 'Greatest price.', { scale: 3, unit: 'EUR/L', nullable: true }),
    each_s: col.integer(7, 'Seconds of each row.', { unit: 's' }),
  },
  entity: ['name'],
  time: 'period_start',
  partition: [{ column: 'period_start', transform: 'month' }],
  order: ['name', 'period_start'],
} as const)

/** Rows of two things at random, some without a price, with pauses of hours. */
function generated(): AnyRow[] {
  const next = figures(7)
  const rows: AnyRow[] = []
  for (const [from, to] of SPANS)
    for (const name of ['one', 'two'])
      for (let at = dayBounds(from).start; at < dayBounds(to).start; at += HOUR * (next() < 0.1 ? 9 : 1))
        rows.push({
          ...Object.fromEntries(Object.keys(readings.columns).map((column) => [column, null])),
          ...{
            fetch_id: 'test.1',
            id: rows.length,
            name,
            observed_at: at + Math.floor(HOUR * next()),
            colour: next() < 0.6 ? 'RED' : 'BLUE',
          },
          ...{ price: next() < 0.1 ? null : Math.floor(2000 * next()) / 1000, small: 1 + Math.floor(9 * next()) },
        })
  return rows
}

const price = (about: string) => col.decimal(0, about, { scale: 3, unit: 'EUR/L', nullable: true })
const shape = {
  name: col.string(0, 'Name.'),
  rows: col.integer(0, 'Rows.', { unit: '1' }),
  price_mean: price('Mean.'),
  price_max: price('Greatest.'),
  coverage: col.decimal(0, 'Coverage.', { scale: 6, unit: '1', nullable: true }),
}
const params = {
  id: required(textParam('Name.', { example: 'one' })),
  time: steps({ raw: 31, '1h': 92, '1d': 'all', '1w': 'all', '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}
const example = ['2028-01-01T00:00:00.000Z', '1d'] as const

const plainReturns = series({
  ...{ name: 'Plain', about: 'A step.', example, key: ['name'] as const },
  fields: {
    ...shape,
    price_min: price('Least.'),
    price_sum: col.decimal(0, 'Sum, where every row has a price.', { scale: 3, unit: 'EUR/L', nullable: true }),
    price_last: price('Last.'),
    price_weighted: price('Mean by weight.'),
    price_red: price('Mean of the red.'),
  },
})
/** A series of rows alone. */
const plain = seriesOf({
  ...{ params, returns: plainReturns, of: readings, at: 'observed_at', where: { name: parameter('id') } },
  fields: {
    name: same('name'),
    rows: count(),
    price_mean: mean('price'),
    price_min: min('price'),
    price_max: max('price'),
    price_sum: sum('price', { needsAll: true }),
    price_last: last('price'),
    price_weighted: weightedMean('price', 'small'),
    price_red: onlyWhere('colour', 'RED', mean('price')),
    coverage: shareOfHours(1),
  },
})

const rolledReturns = series({ name: 'Rolled', about: 'A step.', example, fields: shape, key: ['name'] })
/** The same figures by a roll-up of days, and of the rows since. */
const rolled = seriesOf({
  ...{ params, returns: rolledReturns, of: readings, at: 'observed_at', where: { name: parameter('id') } },
  rollup: {
    of: readingDays,
    step: '1d',
    make: (rows, { step }) => sql`
      SELECT name, ${bucketStart(sql`observed_at`, step)} AS period_start, CAST(count(*) AS INTEGER) AS rows, CAST(count(price) AS INTEGER) AS priced,
        coalesce(sum(price), 0) AS price_sum, max(price) AS price_max, 3600 AS each_s
      FROM ${rows}
      GROUP BY ALL`,
  },
  points: { fields: { name: same('name'), rows: count(), price_mean: mean('price'), price_max: max('price'), coverage: shareOfHours() } },
  fields: {
    name: same('name'),
    rows: sum('rows'),
    price_mean: meanFromSums('price_sum', 'priced'),
    price_max: max('price_max'),
    coverage: shareOfReadings({ count: 'rows', each_s: 'each_s' }),
  },
})

let lake: Lake
let made: readonly AnyRow[]
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
  made = generated()
  await landRows(lake, readings, made)
  const days = await golden(
    lake,
    [readings],
    `SELECT name, epoch_ms(timezone('Europe/Madrid', date_trunc('day', timezone('Europe/Madrid', observed_at)))) AS period_start, count(*) AS rows,
      count(price) AS priced, coalesce(sum(price), 0) AS price_sum, max(price) AS price_max, 3600 AS each_s, 'test.1' AS fetch_id
    FROM readings WHERE epoch_ms(observed_at) < ${ROLLED} GROUP BY ALL`,
  )
  // One thing is in the roll-up alone.
  const kept = { name: 'kept', period_start: dayBounds('2028-06-15').start, rows: 12, priced: 6, price_sum: 9, price_max: 2, each_s: 3600 }
  await landRows(lake, readingDays, [...days, { ...kept, fetch_id: 'test.1' }])
})
afterAll(() => lake?.close())

const view: LakeView = {
  where: () => sql`true`,
  covered_from: dayBounds(SPANS[0][0]).start,
  covered_until: COVERED,
  latest_row_at: COVERED,
  period: (period, span_days) => closePeriod(period, { covered_from: dayBounds(SPANS[0][0]).start, covered_until: COVERED, span_days }),
}

/** The records of a series, in order. */
async function answered(
  of: 'plain' | 'rolled',
  id: string,
  time: { readonly from: number | null; readonly to: number | null; readonly interval: Exclude<Interval, '15m'> },
): Promise<AnyRow[]> {
  const [read, returns] = of === 'plain' ? [plain, plainReturns] : [rolled, rolledReturns]
  const values = { id, time }
  const first = read.prequery?.(values, view) ?? null
  const found = first ? await lake.query(first, { columns: {} }) : []
  const query: Sql = read.query(values, view, found)
  return await lake.query(sql`SELECT * FROM (${query}) ORDER BY period_start`, { columns: flatFields(returns.record.fields) })
}

/** The same by plain SQL over the rows of a period. */
async function expected(
  id: string,
  interval: (typeof STEPS)[number],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<GoldenRow[]> {
  const unit = { '1h': 'hour', '1d': 'day', '1w': 'week', '1mo': 'month', '1y': 'year' }[interval]
  const zoned = (at: string): string => `timezone('Europe/Madrid', ${at})`
  const begin = interval === '1h' ? `date_trunc('hour', observed_at)` : zoned(`date_trunc('${unit}', ${zoned('observed_at')})`)
  const end = interval === '1h' ? `begun + INTERVAL 1 HOUR` : zoned(`${zoned('begun')} + INTERVAL 1 ${unit}`)
  const date = { '1h': 'NULL', '1d': '%Y-%m-%d', '1w': '%Y-%m-%d', '1mo': '%Y-%m', '1y': '%Y' }[interval]
  return await golden(
    lake,
    [readings],
    `SELECT epoch_ms(begun) AS period_start, '${interval}' AS interval, nullif(strftime(${zoned('begun')}, '${date}'), 'NULL') AS date, name, count(*) AS rows, CAST(avg(price) AS DECIMAL(9, 3)) AS price_mean,
      max(price) AS price_max, CAST(least(1, 3600 * count(*) / (epoch(${end}) - epoch(begun))) AS DECIMAL(9, 6)) AS coverage, min(price) AS price_min,
      CASE WHEN count(*) = count(price) THEN CAST(sum(price) AS DECIMAL(9, 3)) END AS price_sum,
      list(price ORDER BY observed_at DESC) FILTER (WHERE price IS NOT NULL)[1] AS price_last,
      CAST(sum(price * small) / sum(CASE WHEN price IS NOT NULL THEN small END) AS DECIMAL(9, 3)) AS price_weighted,
      CAST(avg(CASE WHEN colour = 'RED' THEN price END) AS DECIMAL(9, 3)) AS price_red
    FROM (SELECT *, ${begin} AS begun FROM readings WHERE name = '${id}')
    WHERE epoch_ms(${end}) > ${from} AND epoch_ms(begun) < ${to}
    GROUP BY begun, name ORDER BY begun`,
  )
}

const WHOLE = { from: dayBounds('2028-01-01').start, to: COVERED }
const periodFor = (interval: Interval, nth: number): { from: number; to: number } =>
  interval === '1h' ? { from: dayBounds(SPANS[nth % 4]?.[0] as string).start, to: dayBounds(SPANS[nth % 4]?.[1] as string).start } : WHOLE

describe.each(STEPS)('by %s', (interval) => {
  test('a series is that of plain SQL, of rows and of a roll-up with the rows since', async () => {
    for (const [nth, id] of ['one', 'two', 'one', 'two'].entries()) {
      const period = periodFor(interval, nth)
      const right = await expected(id, interval, period)
      expect(right.length).toBeGreaterThan(0)
      expect(await answered('plain', id, { ...period, interval })).toEqual(right)
      const shown = right.map((row) =>
        Object.fromEntries(['period_start', 'interval', 'date', ...Object.keys(shape)].map((name) => [name, row[name]])),
      )
      expect(await answered('rolled', id, { ...period, interval })).toEqual(shown)
      if (interval !== '1h') break
    }
  })

  test('any period gives the whole steps that it cuts', async () => {
    const next = figures(STEPS.indexOf(interval) + 1)
    for (let nth = 0; nth < 6; nth++) {
      const from = Number(made[Math.floor(next() * made.length)]?.['observed_at']) - Math.floor(40 * HOUR * next())
      const period = { from, to: from + 1 + Math.floor(next() ** 2 * 60 * 24 * HOUR) }
      const right = await expected('one', interval, period)
      expect(await answered('plain', 'one', { ...period, interval }), isoInstant(from)).toEqual(right)
      const means = right.map((row) => [row['period_start'], row['rows'], row['price_mean']])
      const found = await answered('rolled', 'one', { ...period, interval })
      expect(
        found.map((row) => [row['period_start'], row['rows'], row['price_mean']]),
        isoInstant(from),
      ).toEqual(means)
    }
  })

  test('a thing without rows has an empty series', async () => {
    for (const of of ['plain', 'rolled'] as const) expect(await answered(of, 'none', { ...periodFor(interval, 0), interval })).toEqual([])
  })
})

test('days that are over are read from the roll-up alone', async () => {
  const point = { interval: '1d', date: '2028-06-15', name: 'kept', rows: 12, price_mean: 1.5, price_max: 2, coverage: 0.5 }
  expect(await answered('rolled', 'kept', { ...WHOLE, interval: '1d' })).toEqual([
    { period_start: dayBounds('2028-06-15').start, ...point },
  ])
})

test('wrong declarations are refused, by the types or else when they are made', () => {
  const base = { params, returns: rolledReturns, of: readings, at: 'observed_at' } as const
  const fields = {
    name: same('name'),
    rows: count(),
    price_mean: mean('price'),
    price_max: max('price'),
    coverage: shareOfHours(),
  } as const
  const [text, lacking, instant] = [mean('name'), mean('nothing'), mean('observed_at')] as const
  // @ts-expect-error a text has no mean
  expect(() => seriesOf({ ...base, fields: { ...fields, price_mean: text } })).toThrow('name is not a number')
  // @ts-expect-error there is no such column
  expect(() => seriesOf({ ...base, fields: { ...fields, price_mean: lacking } })).toThrow('nothing is not a column')
  // @ts-expect-error a mean is no text
  expect(() => seriesOf({ ...base, fields: { ...fields, name: fields.price_mean } })).toThrow('name of a series is not a number')
  expect(() => seriesOf({ ...base, fields: { ...fields, price_mean: instant } })).toThrow('observed_at is not a number')
  const time = { ...WHOLE, interval: '1d' } as const
  // @ts-expect-error conditions are of columns
  const noColumn = seriesOf({ ...base, fields, where: { nothing: parameter('id') } })
  expect(() => noColumn.query({ id: 'one', time }, view, [])).toThrow('no column nothing')
  // @ts-expect-error and compare them with parameters of their type
  expect(seriesOf({ ...base, fields, where: { name: parameter('time') } }).kind).toBe('lake')
  // @ts-expect-error steps are those of the parameters
  expect(seriesOf({ ...base, fields, points: { step: '15m' } }).kind).toBe('lake')
  const { rows: _rows, ...short } = fields
  // @ts-expect-error every field is made of something
  expect(seriesOf({ ...base, fields: short }).kind).toBe('lake')
})

test('raw records are the rows, without coverage', async () => {
  const period = periodFor('1h', 2)
  const rows = made.filter(
    (row) => row['name'] === 'two' && Number(row['observed_at']) >= period.from && Number(row['observed_at']) < period.to,
  )
  const right = rows.map((row) => [row['observed_at'], 'raw', row['price'], row['price'], 1, null])
  for (const of of ['plain', 'rolled'] as const) {
    const found = await answered(of, 'two', { ...period, interval: 'raw' })
    expect(
      found.map((row) => [row['period_start'], row['interval'], row['price_mean'], row['price_max'], row['rows'], row['coverage']]),
    ).toEqual(right)
  }
})

test('a period that is left open is as wide as its step says, and too wide a one is refused', async () => {
  expect(params.time.members['from']?.about).toContain('31 days (raw), 92 days (1h) or all (longer) before its end')
  const open = await answered('plain', 'one', { from: null, to: null, interval: 'raw' })
  expect(Number(open[0]?.['period_start'])).toBeGreaterThanOrEqual(COVERED - 31 * 24 * HOUR)
  const all = await answered('plain', 'one', { from: null, to: null, interval: '1y' })
  expect(all.map((row) => row['period_start'])).toEqual([dayBounds('2028-01-01').start, dayBounds('2029-01-01').start])
  await expect(answered('plain', 'one', { ...WHOLE, interval: 'raw' })).rejects.toThrow('at most 31 days wide')
})
