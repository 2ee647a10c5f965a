import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Bucket, bucketBounds } from '../../../../api/kernel/reads/buckets.ts'
import { advance, emptyState } from '../../../../jobs/ingest/fold.ts'
import { fuelArchivePrices, fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { byTier } from '../../../helpers/tier.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const INTERVALS = ['1d', '1w', '1mo', '1y'] as const

let service: TestService

async function history(id: string, query: string): Promise<Reply[]> {
  const reply = await service.json(`/api/gas-stations/${id}/history?limit=1000&${query}`)
  expect(reply.history, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply.history
}

/** A half-open time in which one price was known to be valid. */
interface Held {
  readonly since: number
  readonly until: number
  readonly price: number
}

/** Publications of months with gaps of hours to weeks, as the fold lands them: prices that come, change, pass and come back. */
function publish(seed: number): { rows: AnyRow[]; held: Map<string, Held[]>; times: number[] } {
  const next = figures(seed)
  const state = emptyState()
  const rows: AnyRow[] = []
  const held = new Map<string, Held[]>([
    ['s1', []],
    ['s2', []],
  ])
  const price = new Map([...held.keys()].map((id) => [id, 1.4]))
  const times: number[] = []
  for (let at = Date.UTC(2026, 0, 20); at < Date.UTC(2026, 4, 10); ) {
    times.push(at)
    const given = [...price].flatMap(([station_id, before]) => {
      const now = next() < 0.15 ? Math.round(1000 * (1.2 + 0.4 * next())) / 1000 : before
      price.set(station_id, now)
      const isSlip = station_id === 's2' && times.length % 5 === 0
      const stated = isSlip ? { price: 0.166, price_issue: 'TOO_LOW' } : { price: now, price_issue: null }
      return next() < 0.25 ? [] : [{ station_id, product: 'DIESEL_A', ...stated, price_unit: 'EUR/L', province_code: '08' }]
    })
    // Among all the others some price changes in every publication.
    given.push({
      station_id: 'other',
      product: 'DIESEL_A',
      price: 1 + times.length / 1000,
      price_issue: null,
      price_unit: 'EUR/L',
      province_code: '28',
    })
    const facts = { fetch_id: `fuel_stations.${times.length}`, data_time: at, blocks: { counts: {}, said: [] }, rule: null }
    rows.push(...advance(fuelPrices, state, { rows: given, facts, key: Buffer.alloc(32) }).rows)
    const after = next() < 0.1 ? at + DAY + Math.ceil(next() ** 2 * 25 * DAY) : at + HOUR + Math.floor(next() * 20 * HOUR)
    for (const entry of state.entries.values()) {
      if (entry.status !== 'ACTIVE') continue
      const known = entry.row['price_issue'] ? undefined : held.get(entry.row['station_id'] as string)
      known?.push({ since: at, until: after - at <= DAY ? after : at + 1, price: entry.row['price'] as number })
    }
    at = after
  }
  const last = times.at(-1) as number
  for (const known of held.values())
    for (const [at, one] of known.entries()) if (one.since === last) known[at] = { ...one, until: last + 1 }
  return { rows, held, times }
}

/** Days of the archive, most of the days of some months, and the unknown prices before the first publication. */
function archive(seed: number, times: readonly number[]): { rows: AnyRow[]; held: Map<string, Held[]> } {
  const next = figures(seed + 50)
  const ids = ['s1', 's2']
  const held = new Map<string, Held[]>(ids.map((id) => [id, []]))
  const rows: AnyRow[] = []
  const runs = times.map((at, nth) => {
    const after = times[nth + 1] ?? Number.POSITIVE_INFINITY
    return { since: at, until: after - at <= DAY ? after : at + 1 }
  })
  for (let at = Date.UTC(2026, 0, 5, 12); at < Date.UTC(2026, 4, 20); at += DAY) {
    const { start, end } = bucketBounds(at, '1d')
    if (next() < 0.2) continue
    for (const station_id of ids) {
      if (next() < 0.2) continue
      const price = Math.round(1000 * (1.2 + 0.4 * next())) / 1000
      const about = { day: madridDate(start), day_starts_at: start, station_id, product: 'DIESEL_A' }
      const isSlip = station_id === 's1' && start % 3 === 0
      rows.push(exampleTableRow(fuelArchivePrices, { ...about, ...(isSlip ? { price: 18.99, price_issue: 'TOO_HIGH' } : { price }) }))
      if (isSlip) continue
      let since = start
      for (const run of runs.filter((one) => one.since < end && one.until > start)) {
        if (since < run.since) held.get(station_id)?.push({ since, until: run.since, price })
        since = Math.max(since, run.until)
      }
      if (since < end) held.get(station_id)?.push({ since, until: end, price })
    }
  }
  return { rows, held }
}

/** The expected history, from the times in which prices were valid. */
function expected(held: readonly Held[], interval: Bucket): Reply[] {
  const steps = new Map<number, { end: number; parts: Held[] }>()
  for (const { since, until, price } of held) {
    for (let at = since; at < until; ) {
      const { start, end } = bucketBounds(at, interval)
      const step = steps.get(start) ?? { end, parts: [] }
      step.parts.push({ since: at, until: Math.min(until, end), price })
      steps.set(start, step)
      at = end
    }
  }
  return [...steps].map(([start, { end, parts }]) => {
    const known = parts.reduce((sum, one) => sum + one.until - one.since, 0)
    return {
      period_start: new Date(start).toISOString(),
      price: parts.reduce((sum, one) => sum + one.price * (one.until - one.since), 0) / known,
      price_min: Math.min(...parts.map((one) => one.price)),
      price_max: Math.max(...parts.map((one) => one.price)),
      price_last: parts.at(-1)?.price,
      coverage: known / (end - start),
    }
  })
}

const SEEDS = [
  [13, true],
  [11, false],
  [12, false],
] as const

describe.each(SEEDS.slice(0, byTier(1, 3)))('prices of months with gaps (%s, with an archive: %s)', (seed, hasArchive) => {
  const { rows, held, times } = publish(seed)
  const archived = hasArchive ? archive(seed, times) : { rows: [], held: new Map<string, Held[]>() }
  for (const [id, known] of held)
    held.set(
      id,
      [...known, ...(archived.held.get(id) ?? [])].sort((one, other) => one.since - other.since),
    )
  beforeAll(async () => {
    service = await startService()
    const stations = [...held.keys()].map((station_id) => exampleRow(fuelStations, { station_id }))
    await service.publish(fuelStations, stations)
    await service.land(fuelPrices, rows, times.at(-1) as number)
    if (hasArchive) await service.land(fuelArchivePrices, archived.rows, times.at(-1) as number)
  })
  afterAll(() => service.close())

  test.each(INTERVALS)('per %s: the valid prices while publications came, and nothing in between', async (interval) => {
    for (const [id, known] of held) {
      const served = await history(id, `interval=${interval}&from=2026-01-01&to=2026-06-01`)
      const right = expected(known, interval)
      expect(served.map((one) => one.period_start)).toEqual(right.map((one) => one.period_start))
      for (const [at, one] of served.entries()) {
        const { price, coverage, ...exact } = right[at]
        expect(one).toMatchObject(exact)
        expect(Math.abs(one.price - price)).toBeLessThan(0.000501)
        expect(one.coverage).toBeCloseTo(coverage, 5)
      }
    }
  })

  test.each(INTERVALS)('per %s: any period gives the steps that a longer one gives', async (interval) => {
    const next = figures(seed + 100)
    const whole = await history('s1', `interval=${interval}&from=2026-01-01&to=2026-06-01`)
    for (let nth = 0; nth < byTier(4, 25); nth++) {
      const from = Date.UTC(2026, 0, 15) + Math.floor(next() * 110 * DAY)
      const to = from + 1 + Math.floor(next() ** 2 * 60 * DAY)
      const query = `interval=${interval}&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const within = whole.filter(({ period_start }) => {
        const { start, end } = bucketBounds(Date.parse(period_start), interval)
        return end > from && start < to
      })
      expect(await history('s1', query), query).toEqual(within)
    }
  })
})

test('a year without a publication has no price, whatever the period', async () => {
  service = await startService()
  onTestFinished(() => service.close())
  const [before, after] = [Date.parse('2024-08-19T10:00:00Z'), Date.parse('2025-09-27T16:05:47Z')]
  const row = (observed_at: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(fuelPrices, { station_id: '1000', price: 1.547, observed_at, updated_at: before, ...values })
  await service.land(fuelPrices, [row(before), row(after, { is_baseline: true }), row(after, { station_id: '1' })], after)
  const shown = async (query: string): Promise<unknown[]> =>
    (await history('1000', query)).map((one) => [one.period_start, one.price, one.coverage])
  expect(await shown('interval=1mo&from=2024-08-01&to=2025-10-01')).toEqual([
    ['2024-07-31T22:00:00.000Z', 1.547, 0],
    ['2025-08-31T22:00:00.000Z', 1.547, 0],
  ])
  expect(await shown('interval=1y')).toEqual([
    ['2023-12-31T23:00:00.000Z', 1.547, 0],
    ['2024-12-31T23:00:00.000Z', 1.547, 0],
  ])
  expect(await shown('interval=1y&from=2025-01-01')).toEqual([['2024-12-31T23:00:00.000Z', 1.547, 0]])
  await service.publish(fuelStations, [exampleRow(fuelStations, { station_id: '1000' })])
  expect(await shown('interval=1mo&from=2024-12-01&to=2025-02-01')).toEqual([])
})

test('days of the archive give the history before the first publication: the means of days, and the changes between them', async () => {
  service = await startService()
  onTestFinished(() => service.close())
  const day = (date: string, price: number, values: AnyRow = {}): AnyRow => {
    const day_starts_at = dayBounds(date).start
    return exampleTableRow(fuelArchivePrices, { day: date, day_starts_at, station_id: '1000', product: 'DIESEL_A', price, ...values })
  }
  const begin = Date.parse('2026-03-31T10:00:00Z')
  await service.land(
    fuelPrices,
    [exampleTableRow(fuelPrices, { station_id: '1000', price: 1.6, observed_at: begin, updated_at: begin })],
    begin,
  )
  const late = { station_id: '1', product: 'GASOLINE_95_E5' }
  const rows = [
    ...[day('2026-03-26', 1.5), day('2026-03-26', 1.4, { product: 'GASOLINE_95_E5' })],
    ...[day('2026-03-27', 1.5), day('2026-03-27', 1.7, { product: 'LPG' }), day('2026-03-28', 1.52), day('2026-03-29', 1.53)],
    ...[day('2026-03-30', 1.7, late), day('2026-03-31', 1.61)],
  ]
  await service.land(fuelArchivePrices, rows, begin)
  const days = await history('1000', 'fuel=DIESEL_A&from=2026-03-27&to=2026-04-01')
  // On 2026-03-29 the clock changes. The station has no report on the 30th. On the 31st publications begin.
  expect(days.map(({ period_start, price, price_last, coverage }) => [period_start, price, price_last, coverage])).toEqual([
    ['2026-03-26T23:00:00.000Z', 1.5, 1.5, 1],
    ['2026-03-27T23:00:00.000Z', 1.52, 1.52, 1],
    ['2026-03-28T23:00:00.000Z', 1.53, 1.53, 1],
    ['2026-03-30T22:00:00.000Z', 1.61, 1.61, 1],
  ])
  const changes = await history('1000', 'interval=raw&from=2026-03-27&to=2026-04-01')
  expect(changes.map(({ period_start, fuel, price, coverage }) => [period_start, fuel, price, coverage])).toEqual([
    ['2026-03-26T23:00:00.000Z', 'GASOLINE_95_E5', null, null],
    ['2026-03-26T23:00:00.000Z', 'LPG', 1.7, null],
    ['2026-03-27T23:00:00.000Z', 'DIESEL_A', 1.52, null],
    ['2026-03-27T23:00:00.000Z', 'LPG', null, null],
    ['2026-03-28T23:00:00.000Z', 'DIESEL_A', 1.53, null],
    ['2026-03-29T22:00:00.000Z', 'DIESEL_A', null, null],
    ['2026-03-31T10:00:00.000Z', 'DIESEL_A', 1.6, null],
  ])
  const reply = await service.json('/api/gas-stations/1000/history')
  expect([reply.meta.covered_from, reply.meta.covered_until]).toEqual(['2026-03-25T23:00:00.000Z', '2026-03-31T10:00:00.000Z'])
})
