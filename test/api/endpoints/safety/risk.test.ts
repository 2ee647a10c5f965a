import { afterAll, beforeAll, expect, test } from 'vitest'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import { riskEstimates, riskProfiles } from '../../../../lake/datasets/safety/risk.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { writeFeedListings } from '../../../../lake/system.ts'
import { deepTest } from '../../../helpers/tier.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const UNTIL = Date.UTC(2026, 0, 10)
const VERSION = 'r1-20241231-4be1c0d2'
const WEEKS = 53
const BINS = 96

const RISK_FEED = { ...(FEEDS[0] as (typeof FEEDS)[number]), every_s: 604_800 }

let service: TestService
beforeAll(async () => {
  service = await startService()
  const kinds = { expected: 0.5, interval_low: 0.25, interval_high: 0.75, expected_by_kind: [0.3, 0.2], baseline: 0.168 }
  const none = { expected: null, interval_low: null, interval_high: null, expected_by_kind: [], rank: null, risk_class: null }
  const section = (province_code: string, road: string, km: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(riskEstimates, {
      ...{ section: `${province_code}/${road}/${km}`, province_code, road, km, km_to: km + 5, model_version: VERSION, ...kinds, ...values },
    })
  await service.land(
    riskEstimates,
    [
      section('09', 'N623', 10, { rank: 2 }),
      section('09', 'N623', 15, { rank: 1, expected: 1, interval_low: 0.5, interval_high: 1.5, expected_by_kind: [0.6, 0.4] }),
      section('09', 'BU1', 0, { ...none, reason: 'not enough data: 1 accidents on the road in the province, 3 are needed' }),
      section('35', 'GC1', 20, { rank: 3 }),
    ],
    UNTIL,
    ['dgt_animal_accidents'],
  )
  // The first kind is equally likely in each quarter of an hour. The second happens between 20 and 21 o'clock local time alone.
  const flat = new Array<number>(WEEKS * BINS).fill(1 / (7 * 96))
  const profile = (kind: number, byHour: number[]): AnyRow =>
    exampleTableRow(riskProfiles, {
      ...{
        kind,
        model_version: VERSION,
        by_sun: flat,
        by_hour: byHour,
        season: { '09': new Array<number>(WEEKS).fill(kind === 1 ? 2 : 1) },
      },
    })
  const evening = Array.from({ length: 24 }, (_, hour) => (hour === 20 ? 24 : 0))
  await service.land(riskProfiles, [profile(1, new Array<number>(24).fill(1)), profile(2, evening)], UNTIL, ['dgt_animal_accidents'])
  const post = (km: number, lon: number): AnyRow =>
    exampleTableRow(roadPoints, { road: 'N-623', province_code: '09', km, position: { lat: 42.5, lon }, error_m: 100 })
  await service.land(
    roadPoints,
    [10, 12, 14, 15, 17].map((km) => post(km, -3.7 + km / 90)),
    UNTIL,
  )
})
afterAll(() => service?.close())

const ask = async (query: string): Promise<Reply[]> => {
  const reply = await service.json(`/api/prediccion/riesgo?${query}`)
  expect(reply.sections, JSON.stringify(reply).slice(0, 300)).toBeInstanceOf(Array)
  return reply.sections
}
const HOUR = 1 / (7 * 24)

test('an hour has the expected number of a week times the share of the hour, by kind, clock and season of the province', async () => {
  // 20:00 in Madrid, 19:00 in the Canary Islands.
  const served = await ask('at=2026-01-08T19:25:00Z&sort=rank')
  expect(served.map(({ section, starts_at }) => [section, starts_at])).toEqual(
    ['09/N623/15', '09/N623/10', '35/GC1/20', '09/BU1/0'].map((id) => [id, '2026-01-08T19:00:00.000Z']),
  )
  const [first, , canary, none] = served as [Reply, Reply, Reply, Reply]
  expect(first.expected).toBeCloseTo((0.6 * 2 + 0.4 * 24) * HOUR, 6)
  expect(first.interval).toMatchObject({ level: 0.8 })
  expect([first.interval.low / first.expected, first.interval.high / first.expected]).toEqual([
    expect.closeTo(0.5, 4),
    expect.closeTo(1.5, 4),
  ])
  expect(canary.expected).toBeCloseTo(0.3 * HOUR, 7)
  expect(first).toMatchObject({
    expected_week: 1,
    horizon: 'PT1H',
    baseline: 0.001,
    model: 'risk',
    model_version: VERSION,
    risk_basis: 'ANIMALS',
  })
  expect(none).toMatchObject({
    expected: null,
    interval: null,
    expected_week: null,
    rank: null,
    reason: expect.stringContaining('not enough'),
  })
})

test('sections are found by road, kilometres, province and box, and hours follow each other', async () => {
  const of = async (query: string): Promise<string[]> => (await ask(`at=2026-01-08T19:00:00Z&${query}`)).map(({ section }) => section)
  expect(await of('road=n-623')).toEqual(['09/N623/10', '09/N623/15'])
  expect((await ask('at=2026-01-08T18:00:00Z&road=n623')).map(({ road }: Reply) => road)).toEqual(['N-623', 'N-623'])
  expect(await of('road=N623&km_from=16')).toEqual(['09/N623/15'])
  // A kilometre is of one section: the one that begins with it, not the one before, which ends there.
  expect(await of('road=N623&km_from=15&km_to=15')).toEqual(['09/N623/15'])
  expect(await of('road=N623&km_from=12&km_to=15')).toEqual(['09/N623/10', '09/N623/15'])
  expect(await of('road=N623&km_from=12&km_to=14.9')).toEqual(['09/N623/10'])
  expect(await of('road=N623&km_from=20')).toEqual([])
  expect(await of('province=Las Palmas')).toEqual(['35/GC1/20'])
  expect(await of('bbox=-3.57,42.4,-3.55,42.6')).toEqual(['09/N623/10'])
  const hours = await ask('at=2026-01-08T18:00:00Z&hours=3&road=N-623&km_from=16&sort=starts_at')
  expect(hours.map(({ starts_at }) => starts_at.slice(11, 13))).toEqual(['18', '19', '20'])
  expect(hours[1]?.expected).toBeGreaterThan(5 * hours[0]?.expected)
  const [drawn] = await ask('at=2026-01-08T18:00:00Z&road=N-623&km_to=12')
  expect(drawn?.geometry).toMatchObject({ type: 'LineString' })
  expect((await ask('road=GC-1'))[0]).toMatchObject({ geometry: null, geometry_absent: 'NO_POINTS' })
})

test('sections that cannot be located are counted, whether they are listed or left out by a box', async () => {
  const unlocated = async (query: string): Promise<number> => (await service.json(`/api/prediccion/riesgo${query}`)).meta.unlocated
  expect(await unlocated('')).toBe(3)
  expect(await unlocated('?bbox=-3.57,42.4,-3.55,42.6')).toBe(3)
  expect(await unlocated('?road=N-623')).toBe(1)
  expect(await unlocated('?province=Las Palmas&bbox=-18,27,-13,29')).toBe(1)
  expect(await unlocated('/GC-1?format=json')).toBe(1)
})

test('several hours of the whole country, and a plan below, are refused', async () => {
  const refused = await service.get('/api/prediccion/riesgo?hours=2')
  expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'hours'])
  expect((await service.get('/api/prediccion/riesgo?hours=25&road=N-623')).status).toBe(400)
  expect((await service.open('/api/prediccion/riesgo')).status).toBe(401)
  const turned = await service.get('/api/prediccion/riesgo/N-623?km_from=20&km_to=10')
  expect([turned.status, ((await turned.json()) as Reply).errors[0].parameter]).toEqual([400, 'km_from'])
})

test('an instant that nothing is to be expected of is refused, with those that are', async () => {
  for (const [path, at] of [
    ['/api/prediccion/riesgo?road=N-623', '1990-01-01T00:00:00Z'],
    ['/api/prediccion/riesgo/N-623?format=json', isoInstant(Date.now() + 367 * 86_400_000)],
  ] as const) {
    const refused = await service.get(`${path}&at=${at}`)
    const { errors } = (await refused.json()) as Reply
    expect([at, refused.status, errors[0].parameter]).toEqual([at, 400, 'at'])
    expect(errors[0].detail).toMatch(/from 2024-01-01T23:00:00.000Z to before \d{4}-/)
  }
  expect(await ask(`road=N-623&at=${isoInstant(Date.now() + 364 * 86_400_000)}`)).toHaveLength(2)
})

test('a road is a strip of its sections with 24 hours each, as GeoJSON, over a change of the clock too', async () => {
  const reply = await service.get('/api/prediccion/riesgo/N-623?at=2026-03-29T00:00:00Z')
  expect(reply.headers.get('content-type')).toContain('application/geo+json')
  const { features } = (await reply.json()) as Reply
  expect(features.map(({ properties }: Reply) => properties.km_from)).toEqual([10, 15])
  const { hours } = features[0].properties
  expect(hours).toHaveLength(24)
  // At 20 o'clock in summer time it is 18 in UTC.
  const most = hours.toSorted((one: Reply, other: Reply) => other.expected - one.expected)[0]
  expect(most.starts_at).toBe('2026-03-29T18:00:00.000Z')
  const plain = await service.json('/api/prediccion/riesgo/N-623?at=2026-03-29T00:00:00Z&format=json')
  const [listed] = await ask('at=2026-03-29T18:00:00Z&road=N-623')
  expect(plain.sections[0].hours[18]).toMatchObject({ expected: listed?.expected, interval: listed?.interval })
  const strip = await service.json('/api/prediccion/riesgo/N-623?km_from=15&km_to=15&format=json')
  expect(strip.sections.map(({ section }: Reply) => section)).toEqual(['09/N623/15'])
  expect((await service.get('/api/prediccion/riesgo/A-99')).status).toBe(404)
  const malformed = await service.get('/api/prediccion/riesgo/N-62%2F3')
  expect([malformed.status, ((await malformed.json()) as Reply).errors]).toMatchObject([400, [{ parameter: 'road', value: 'N-62/3' }]])
  expect((await service.json('/api/prediccion/riesgo/N-623?km_from=500&format=json')).sections).toEqual([])
})

deepTest('risks say that they are stale once accidents no longer come', async () => {
  const feed = { ...RISK_FEED, id: 'dgt_animal_accidents', source: 'dgt_accidents', datasets: ['animal_accidents'] }
  await writeFeedListings(service.lake.store, [...FEEDS, feed])
  for (const [days, isStale] of [
    [90, true],
    [0, false],
  ] as const) {
    const at = Date.now() - days * 86_400_000
    await service.tell({ feed: feed.id, last_attempt_at: at, last_success_at: at, fresh_at: at, data_time: at })
    for (const path of ['/api/prediccion/riesgo', '/api/prediccion/riesgo/N-623?format=json'])
      await expect.poll(async () => (await service.json(path)).meta.stale, { timeout: 20_000 }).toBe(isStale)
  }
})

test('by default, it is of accidents with casualties once these have landed; each record names its basis', {
  timeout: 30_000,
}, async () => {
  const both = await startService()
  try {
    const values = { province_code: '09', road: 'N623', km: 10, km_to: 15, section: '09/N623/10', model_version: VERSION, rank: 1 }
    const animals = exampleTableRow(riskEstimates, values)
    const land = (rows: AnyRow[]): Promise<unknown> => both.land(riskEstimates, rows, UNTIL, ['dgt_animal_accidents', 'dgt_accidents'])
    const bases = async (query: string): Promise<string[]> =>
      (await both.json(`/api/prediccion/riesgo?${query}`)).sections.map((one: Reply) => `${one.model} ${one.risk_basis}`)
    await land([animals])
    await both.land(riskProfiles, [exampleTableRow(riskProfiles, { model_version: VERSION })], UNTIL, ['dgt_animal_accidents'])
    expect(await bases('road=N-623')).toEqual(['risk ANIMALS'])
    const refused = await both.get('/api/prediccion/riesgo?basis=CASUALTY')
    expect([refused.status, ((await refused.json()) as Reply).errors[0]]).toMatchObject([
      400,
      { parameter: 'basis', detail: expect.stringContaining('ANIMALS') },
    ])
    await land([{ ...animals, model: 'risk_casualties', risk_basis: 'CASUALTY' }])
    await expect.poll(() => bases('road=N-623'), { timeout: 15_000 }).toEqual(['risk_casualties CASUALTY'])
    expect(await bases('road=N-623&basis=ANIMALS')).toEqual(['risk ANIMALS'])
    const strip = await both.json('/api/prediccion/riesgo/N-623?basis=ANIMALS&format=json')
    expect(strip.sections.map((one: Reply) => one.risk_basis)).toEqual(['ANIMALS'])
    expect((await both.get('/api/prediccion/riesgo?basis=BICYCLES')).status).toBe(400)
  } finally {
    await both.close()
  }
})

deepTest(
  'estimates are as stale as the accidents of their basis: with casualties the national table, and no city',
  {
    timeout: 60_000,
  },
  async () => {
    const both = await startService()
    try {
      const feed = (id: string, source: string, dataset: string) => ({ ...RISK_FEED, id, source, datasets: [dataset] })
      const feeds = [
        feed('dgt_animal_accidents', 'dgt_accidents', 'animal_accidents'),
        feed('dgt_accidents', 'dgt_accidents', 'road_accidents'),
        feed('madrid_accidents', 'madrid', 'road_accidents'),
      ]
      await writeFeedListings(both.lake.store, [...FEEDS, ...feeds])
      const values = { province_code: '09', road: 'N623', km: 10, km_to: 15, section: '09/N623/10', model_version: VERSION, rank: 1 }
      const animals = exampleTableRow(riskEstimates, values)
      const rows = [animals, { ...animals, model: 'risk_casualties', risk_basis: 'CASUALTY' }]
      await both.land(riskEstimates, rows, UNTIL, ['dgt_animal_accidents', 'dgt_accidents'])
      await both.land(riskProfiles, [exampleTableRow(riskProfiles, { model_version: VERSION })], UNTIL, ['dgt_animal_accidents'])
      const paths = ['/api/prediccion/riesgo?road=N-623', '/api/prediccion/riesgo/N-623?format=json']
      const stale = async (): Promise<boolean[]> =>
        (await Promise.all(paths.flatMap((path) => ['', '&basis=ANIMALS'].map((basis) => both.json(path + basis))))).map(
          ({ meta }) => meta.stale,
        )
      const tags = async (): Promise<(string | null)[]> =>
        Promise.all(paths.map(async (path) => (await both.get(path)).headers.get('etag')))
      const seenTags: (string | null)[][] = []
      for (const [late, [casualty, animal]] of [
        ['madrid_accidents dgt_accidents dgt_animal_accidents', [true, true]],
        ['madrid_accidents dgt_accidents', [true, false]],
        ['madrid_accidents', [false, false]],
      ] as const) {
        for (const { id } of feeds) {
          const at = Date.now() - (late.split(' ').includes(id) ? 90 : 0) * 86_400_000
          await both.tell({ feed: id, last_attempt_at: at, last_success_at: at, fresh_at: at, data_time: at })
        }
        const lateNow = async (): Promise<string[]> =>
          (await both.json('/api/freshness')).feeds.flatMap(({ id, health }: Reply) => (health === 'STALE' ? [id] : []))
        await expect.poll(lateNow, { timeout: 15_000 }).toEqual(late.split(' ').sort())
        await expect.poll(stale, { timeout: 15_000 }).toEqual([casualty, animal, casualty, animal])
        seenTags.push(await tags())
      }
      // That the national table comes again is another answer, though some accidents are late as before.
      expect(seenTags[1]?.filter((tag) => seenTags[2]?.includes(tag))).toEqual([])
    } finally {
      await both.close()
    }
  },
)
