import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withoutDuplicates } from '../../../../api/endpoints/road/same-incident.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import type { GoldenRow } from '../../../helpers/golden.ts'
import { type GoldenList, testGoldenList } from '../../main/golden-list.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const DAY = 24 * HOUR
/** The end of the data. */
const END = Date.UTC(2026, 2, 11, 12, 20)
const FEBRUARY = Date.UTC(2026, 1, 25, 8)
const MARCH = Date.UTC(2026, 2, 1)

/** One state of an incident. */
interface State {
  readonly at: number
  readonly status?: 'ENDED'
  readonly baseline?: boolean
  readonly seen?: number
  readonly values?: AnyRow
}

/** An incident with its fields, and the states that it went through. */
interface LifeStory {
  readonly id: string
  readonly since: number
  readonly values: AnyRow
  readonly states: readonly State[]
}

function rowsOf({ id, since, values, states }: LifeStory): AnyRow[] {
  return states.map(({ at, status = 'ACTIVE', baseline = false, seen = null, values: changed }) =>
    exampleTableRow(incidents, {
      ...{ incident_id: id, source_id: id, first_seen_at: since, starts_at: null, km_to: null, ...values, ...changed },
      ...{ observed_at: at, updated_at: at, status, is_baseline: baseline, last_seen_at: seen },
    }),
  )
}

const [madrid, girona] = [{ province_code: '28' }, { province_code: '17', municipality_code: '17079' }]
const lives: readonly LifeStory[] = [
  // Works since February: the March baseline shows that they go on.
  {
    id: 'inc_old',
    since: FEBRUARY,
    values: { ...madrid, type: 'ROADWORKS', severity: 'LOW', road: 'M-40', km: 5 },
    states: [{ at: FEBRUARY }, { at: MARCH, baseline: true }],
  },
  // An accident with three states and an end, last seen two minutes before it.
  {
    id: 'inc_accident',
    since: END - 5 * HOUR,
    values: { ...madrid, type: 'ACCIDENT', road: 'A-6', km: 20.4, position: { lat: 40.5, lon: -3.8 } },
    states: [
      { at: END - 5 * HOUR, values: { severity: 'LOW' } },
      { at: END - 4 * HOUR, values: { severity: 'HIGH' } },
      { at: END - 3 * HOUR, status: 'ENDED', seen: END - 3 * HOUR - 2 * MINUTE, values: { severity: 'HIGH' } },
    ],
  },
  // Ended, came back and ended again: one incident, by its last end.
  {
    id: 'inc_twice',
    since: END - 8 * HOUR,
    values: { ...madrid, type: 'CONGESTION', severity: 'MEDIUM', road: 'A-6', km: 12, starts_at: END - 9 * HOUR },
    states: [
      { at: END - 8 * HOUR },
      { at: END - 7 * HOUR, status: 'ENDED', seen: END - 7 * HOUR - 2 * MINUTE },
      { at: END - 7 * HOUR + 10 * MINUTE },
      { at: END - 6 * HOUR, status: 'ENDED', seen: END - 6 * HOUR - 2 * MINUTE },
    ],
  },
  // Ended, and back: not over.
  {
    id: 'inc_back',
    since: END - 2 * HOUR,
    values: { ...madrid, type: 'CONGESTION', severity: 'MEDIUM', road: 'M-30', km: 3 },
    states: [{ at: END - 2 * HOUR }, { at: END - HOUR, status: 'ENDED', seen: END - HOUR - 2 * MINUTE }, { at: END - 50 * MINUTE }],
  },
  // Over before the last day.
  {
    id: 'inc_before',
    since: END - 3 * DAY,
    values: { ...madrid, type: 'WEATHER', severity: 'CRITICAL', road: 'N-I', km: 90, starts_at: END - 4 * DAY },
    states: [{ at: END - 3 * DAY }, { at: END - 2 * DAY, status: 'ENDED', seen: END - 2 * DAY - 2 * MINUTE }],
  },
  // Catalonia: SCT's works, DGT's report of the same, and an accident of DGT's within them.
  {
    id: 'inc_sct',
    since: END - 6 * HOUR,
    values: { ...girona, source: 'sct', type: 'ROADWORKS', severity: 'LOW', road: 'AP-7', km: 60, km_to: 53, direction: 'NEGATIVE' },
    states: [{ at: END - 6 * HOUR }],
  },
  {
    id: 'inc_double',
    since: END - 4 * HOUR,
    values: { ...girona, type: 'ROADWORKS', severity: 'LOW', road: 'AP7', km: 52.5, km_to: 50, direction: 'BOTH' },
    states: [{ at: END - 4 * HOUR }, { at: END - HOUR, status: 'ENDED', seen: END - HOUR - 2 * MINUTE }],
  },
  {
    id: 'inc_within',
    since: END - 4 * HOUR,
    values: { ...girona, type: 'ACCIDENT', severity: 'HIGH', road: 'AP-7', km: 57, direction: 'NEGATIVE' },
    states: [{ at: END - 4 * HOUR }, { at: END - 2 * HOUR, status: 'ENDED', seen: END - 2 * HOUR - 2 * MINUTE }],
  },
]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => END })
  await service.publish(incidents, [], { at: END })
  await service.land(incidents, lives.flatMap(rowsOf), END)
})
afterAll(() => service?.close())

const dated = (at: number): string => new Date(at).toISOString()

const period = (from: number, to: number): string => `from=${dated(from)}&to=${dated(to)}`
const within = (from: number, to: number) => (one: GoldenRow) => Number(one['ended_at']) >= from && Number(one['ended_at']) < to
const month = period(END - 31 * DAY, END)

describe('/api/incidents/history', () => {
  const list: GoldenList = {
    path: '/api/incidents/history',
    datasets: [incidents],
    // The double that SCT reports, too, is left out by its id.
    sql: `
      SELECT incident_id AS id, type, severity, road, CAST(km AS DOUBLE) AS km, province_code, status, epoch_ms(observed_at) AS ended_at,
        epoch_ms(last_seen_at) AS last_seen_at, epoch_ms(coalesce(starts_at, first_seen_at)) AS began_at, versions,
        date_diff('minute', coalesce(starts_at, first_seen_at), last_seen_at) AS duration_minutes
      FROM (
        SELECT *, row_number() OVER (PARTITION BY incident_id ORDER BY observed_at DESC) AS nth,
          count(*) FILTER (WHERE NOT is_baseline) OVER (PARTITION BY incident_id) AS versions
        FROM incidents
      )
      WHERE nth = 1 AND status = 'ENDED' AND incident_id <> 'inc_double'
      ORDER BY observed_at DESC`,
    requests: [
      ['', within(END - DAY, END)],
      [month, true],
      [period(END - 3 * HOUR, END - 2 * HOUR), within(END - 3 * HOUR, END - 2 * HOUR)],
      [period(END - 3 * HOUR + 1, END - 2 * HOUR + 1), within(END - 3 * HOUR + 1, END - 2 * HOUR + 1)],
      // The returning one's first end does not count, also where the period ends before it does.
      [period(END - 7 * HOUR, END - 7 * HOUR + MINUTE), false],
      [`${month}&province=Madrid`, (one) => one['province_code'] === '28'],
      [`${month}&municipality=Girona`, (one) => one['province_code'] === '17'],
      [`${month}&type=CONGESTION,ACCIDENT&severity=MEDIUM`, (one) => one['type'] === 'CONGESTION'],
      [`${month}&severity_min=HIGH`, (one) => ['HIGH', 'CRITICAL'].includes(String(one['severity']))],
      [`${month}&road=a6&km_from=15`, (one) => one['road'] === 'A-6' && Number(one['km']) >= 15],
      [`${month}&road=A6&km_to=15`, (one) => one['road'] === 'A-6' && Number(one['km']) <= 15],
      [`${month}&bbox=-4,40,-3,41`, (one) => one['id'] === 'inc_accident'],
      [`${month}&lat=40.5&lon=-3.8&radius=1000`, (one) => one['id'] === 'inc_accident'],
      [`${month}&ids=inc_twice,inc_sct`, (one) => one['id'] === 'inc_twice'],
      ['updated_since=2026-03-11T09:00:00Z', (one) => Number(one['ended_at']) >= Date.UTC(2026, 2, 11, 9)],
    ],
  }
  testGoldenList(list, () => service)

  test('a period of more than 31 days is refused, pages have every one once, and omitted ones stay under their id', async () => {
    const wide = await service.get(`/api/incidents/history?${period(END - 31 * DAY - 1, END)}`)
    expect(await wide.json()).toMatchObject({ code: 'range-too-large', errors: [{ parameter: 'from' }] })
    const { next_cursor } = await service.json('/api/incidents/history?limit=2&sort=duration_minutes')
    const last = await service.json(`/api/incidents/history?limit=2&sort=duration_minutes&cursor=${encodeURIComponent(next_cursor)}`)
    expect(last).toMatchObject({ incidents: [{ id: 'inc_twice', end_reason: 'DISAPPEARED' }], meta: { covered_until: dated(END) } })
    expect(last.next_cursor).toBeUndefined()
    expect(await service.json('/api/incidents/inc_double')).toMatchObject({ status: 'ENDED', source: 'dgt' })
  })
})

describe('/api/incidents/stats', () => {
  const stats = async (query = ''): Promise<Reply[]> => (await service.json(`/api/incidents/stats?${query}`)).stats
  const shown = (one: Reply): unknown[] => [one.active, one.active_in_period, one.began, one.ended]

  /** The beacons of a period, counted in JavaScript from the landed rows. */
  function counted(from: number, to: number): { key: (by: string) => unknown; open: boolean; began: boolean }[] {
    const last = lives.flatMap((life) => {
      const state = life.states.filter(({ at }) => at < to).at(-1)
      if (!state || (state.status === 'ENDED' && state.at < from)) return []
      return [{ life, state, row: { km_to: null, source: 'dgt', direction: 'BOTH', ...life.values, ...state.values } as AnyRow }]
    })
    const kept = new Set(withoutDuplicates(last.map(({ row }) => row as never)))
    return last
      .filter(({ row }) => kept.has(row as never))
      .map(({ life, state, row }) => ({ key: (by) => row[by], open: state.status !== 'ENDED', began: life.since >= from }))
  }

  test.each([
    ['type', 'type'],
    ['severity', 'severity'],
    ['province', 'province_code'],
    ['road', 'road'],
  ])('by %s, as counted otherwise', async (group, field) => {
    for (const [from, to] of [
      [END - DAY, END + 1],
      [END - 4 * DAY, END - DAY],
      [END - 5 * HOUR, END - 2 * HOUR],
    ] as const) {
      const found = await stats(`group_by=${group}&from=${dated(from)}&to=${dated(to)}`)
      const byKey = Map.groupBy(counted(from, to), ({ key }) => key(field))
      const expected = [...byKey].map(([key, all]) => [
        key,
        [
          all.filter(({ open }) => open).length,
          all.length,
          all.filter(({ began }) => began).length,
          all.filter(({ open }) => !open).length,
        ],
      ])
      const sorted = (list: unknown[]): unknown[] => list.map((one) => JSON.stringify(one)).sort()
      expect(sorted(found.map((one) => [one[field], shown(one)]))).toEqual(sorted(expected))
      expect(found.length).toBeGreaterThan(0)
    }
  })

  test('by default: by type, the last 24 hours; columns outside the grouping are null', async () => {
    const found = await stats()
    expect(found.map((one) => [one.type, ...shown(one)])).toEqual([
      ['ROADWORKS', 2, 2, 1, 0],
      ['CONGESTION', 1, 2, 2, 1],
      ['ACCIDENT', 0, 2, 2, 2],
    ])
    expect(found[0]).toMatchObject({ severity: null, province: null, province_code: null, road: null })
  })

  test('several groups, filters and pages', async () => {
    const both = await stats('group_by=type,province&sort=-active_in_period')
    expect(both.map((one) => [one.type, one.province, one.active_in_period])).toEqual([
      ['CONGESTION', 'Madrid', 2],
      ['ROADWORKS', 'Madrid', 1],
      ['ROADWORKS', 'Girona', 1],
      ['ACCIDENT', 'Madrid', 1],
      ['ACCIDENT', 'Girona', 1],
    ])
    expect((await stats('province=Girona')).map((one) => [one.type, one.active_in_period])).toEqual([
      ['ROADWORKS', 1],
      ['ACCIDENT', 1],
    ])
    expect((await stats('road=A-6')).map((one) => one.type).sort()).toEqual(['ACCIDENT', 'CONGESTION'])
    const first = await service.json('/api/incidents/stats?group_by=type,province&limit=3')
    const rest = await service.json(`/api/incidents/stats?group_by=type,province&cursor=${encodeURIComponent(first.next_cursor)}`)
    const keys = [...first.stats, ...rest.stats].map((one: Reply) => `${one.type} ${one.province_code}`)
    expect([keys.length, new Set(keys).size]).toEqual([5, 5])
  })

  test('the description says which plan may ask for more', async () => {
    const { paths } = await service.json('/openapi.json')
    for (const path of ['/api/incidents/stats', '/api/v16/stats'])
      expect(paths[path].get).toMatchObject({ 'x-plan': 'FREE', 'x-plan-wider': { beyond_hours: 24, plan: 'PRO' } })
    expect(paths['/api/incidents/history'].get['x-plan-wider']).toBeUndefined()
  })
})

describe('/api/v16/stats', () => {
  /** Beacons by province, with their activation and end, in minutes before the end of the data. */
  const beacons = [
    ['28', 5, null],
    ['28', 30, 10],
    ['28', 26 * 60, null],
    ['08', 5 * 60, 4 * 60],
    ['08', 23 * 60 + 5, 22 * 60],
    ['08', 25 * 60, 24 * 60 + 5],
    [null, 65, null],
  ] as const
  const before = (minutes: number): number => END - minutes * MINUTE

  beforeAll(() =>
    service.land(
      v16Beacons,
      beacons.flatMap(([province_code, activated, ended], n) => {
        const [at, end] = [before(activated), ended === null ? null : before(ended)]
        const values = { beacon_id: `v16_${n}`, source_id: `b${n}`, province_code, activated_at: at, first_seen_at: at }
        const row = exampleTableRow(v16Beacons, { ...values, observed_at: at, updated_at: at })
        const over = { ...values, observed_at: end, updated_at: end, status: 'ENDED', last_seen_at: end }
        return end === null ? [row] : [row, exampleTableRow(v16Beacons, over)]
      }),
      END,
    ),
  )

  test('all Spain: active now and activations in each of 24 hours', async () => {
    const { stats, total } = await service.json('/api/v16/stats?total=exact')
    expect([total, stats.length]).toEqual([1, 1])
    expect(stats[0]).toMatchObject({ province: null, province_code: null, active: 3, activations: 5 })
    expect(stats[0].hours).toHaveLength(24)
    const expected = Array.from({ length: 24 }, (_, nth) => {
      const start = Date.UTC(2026, 2, 10, 13 + nth)
      const inHour = beacons.filter(([, activated]) => before(activated) >= start && before(activated) < start + HOUR)
      return { period_start: dated(start), activations: inHour.length }
    })
    expect(stats[0].hours).toEqual(expected)
  })

  test('by province, and of one', async () => {
    const { stats } = await service.json('/api/v16/stats?group_by=province&sort=-activations')
    expect(stats.map((one: Reply) => [one.province_code, one.province, one.active, one.activations])).toEqual([
      ['28', 'Madrid', 2, 2],
      ['08', 'Barcelona', 0, 2],
      [null, null, 1, 1],
    ])
    for (const one of stats) expect(one.hours.reduce((sum: number, hour: Reply) => sum + hour.activations, 0)).toBe(one.activations)
    const [barcelona] = (await service.json('/api/v16/stats?province=Barcelona')).stats
    expect(barcelona).toMatchObject({ province_code: null, active: 0, activations: 2 })
    expect((await service.json('/api/v16/stats?province=Lugo')).stats[0]).toMatchObject({ active: 0, activations: 0 })
  })

  test('hours that were over before the lake began to follow the beacons are not known', async () => {
    const young = await startService({ clock: () => END })
    try {
      expect(await young.json('/api/v16/stats')).toMatchObject({ status: 404, code: 'no-data-yet' })
      const seen = (n: number, activated: number, observed: number): AnyRow => {
        const [activated_at, at] = [before(activated), before(observed)]
        const values = { beacon_id: `v16_${n}`, source_id: `b${n}`, province_code: '28', activated_at, first_seen_at: at }
        return exampleTableRow(v16Beacons, { ...values, observed_at: at, updated_at: at })
      }
      // Followed for 70 minutes, since when two were active that had been activated before.
      await young.land(v16Beacons, [seen(1, 75, 70), seen(2, 5 * 60, 70), seen(3, 20, 20)], END)
      for (const query of ['', '?group_by=province']) {
        const [one] = (await young.json(`/api/v16/stats${query}`)).stats
        const hours: Reply[] = one.hours
        const known = hours.filter(({ period_start }) => Date.parse(period_start) + HOUR > before(70))
        expect([hours.length, one.active]).toEqual([24, 3])
        expect(hours.map(({ activations }) => activations === null)).toEqual(hours.map((hour) => !known.includes(hour)))
        expect(known.reduce((sum, { activations }) => sum + activations, 0)).toBe(one.activations)
        expect(one.activations).toBe(2)
      }
      const [lugo] = (await young.json('/api/v16/stats?province=Lugo')).stats
      expect(lugo).toMatchObject({ active: 0, activations: 0 })
      expect(lugo.hours.map((hour: Reply) => hour.activations)).toEqual([...Array(22).fill(null), 0, 0])
    } finally {
      await young.close()
    }
  })

  test('no figure is of one beacon’s place', async () => {
    const { stats } = await service.json('/api/v16/stats?group_by=province')
    expect(JSON.stringify(stats)).not.toMatch(/v16_\d|"(lat|lon|km|road|id|municipality)"/)
    expect((await service.get('/api/v16/stats?group_by=road')).status).toBe(400)
  })
})
