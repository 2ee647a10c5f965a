import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railCalendar, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import { railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { instantOf } from '../../../../lake/schema/time.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { type State, type Trip, timetable, told, trip } from './punctuality-rows.ts'

const PATH = '/api/trenes/puntualidad'
const DAY = 86_400_000
/** The end of the data: the evening of a Sunday. */
const END = instantOf('2026-11-15', '22:00')

const CANCELED = { schedule_relationship: 'CANCELED' }
const SATURDAY = '2026-10-24'
/** The clock is put back at 3:00 of this Sunday. */
const SUNDAY = '2026-10-25'

const updates: readonly AnyRow[] = [
  // On time enough; the month's first row repeats its last state.
  ...told('1002S10001C1', SATURDAY, [
    { at: '2026-10-24 08:00', stop: '18000', delay: 0 },
    { at: '2026-10-24 08:10', stop: '18001', delay: 240 },
    { at: '2026-10-24 08:12', stop: '18001', delay: 60 },
    { at: '2026-10-24 08:20', stop: '18002', delay: 120 },
  ]),
  // Cancelled on its way.
  ...told('1002S10002C1', SATURDAY, [
    { at: '2026-10-24 09:00', stop: '18000', delay: 60 },
    { at: '2026-10-24 09:05', more: CANCELED },
  ]),
  // Begins after midnight; is on its way while the clock is put back.
  ...told('1002S23001C1', SATURDAY, [
    { at: '2026-10-25 00:10', stop: '18000', delay: 240 },
    { at: '2026-10-25 03:30', stop: '18002', delay: 600 },
  ]),
  ...told('1002S10004C3', SATURDAY, [{ at: '2026-10-24 10:00', stop: '18001', delay: 25_000 }]),
  ...told('SPECIAL_10_90001C1', SATURDAY, [{ at: '2026-10-24 11:00', stop: '18001', delay: 300 }]),
  ...told('2002S50001C1', SATURDAY, [{ at: '2026-10-24 12:00', stop: '15000', delay: 360 }]),
  // Its second stop is skipped.
  ...told('1003D10001C1', SUNDAY, [
    { at: '2026-10-25 08:00', stop: '18000', delay: 60 },
    { at: '2026-10-25 08:05', stop: '18001', delay: 120, more: { skipped_stop_ids: ['18001'] } },
    { at: '2026-10-25 08:20', stop: '18002', delay: 180, more: { skipped_stop_ids: ['18001'] } },
  ]),
  ...told('1004L10001C1', '2026-10-26', [{ at: '2026-10-26 08:00', stop: '18002', delay: -60 }]),
  // On a day outside every timetable.
  ...told('1000J10001C1', '2026-10-22', [{ at: '2026-10-22 08:00', stop: '18000', delay: 0 }]),
  // One variant runs, so the train does; all of the other's are cancelled; the third's only one is, under the id of that night.
  ...told('0900112026-10-24', SATURDAY, [{ at: '2026-10-24 08:00', more: CANCELED }]),
  ...told('0900122026-10-24', SATURDAY, [
    { at: '2026-10-24 08:00', delay: 300 },
    { at: '2026-10-24 09:00', delay: 660 },
  ]),
  ...told('0900212026-10-24', SATURDAY, [{ at: '2026-10-24 08:00', more: CANCELED }]),
  ...told('0900222026-10-24', SATURDAY, [{ at: '2026-10-24 08:00', more: CANCELED }]),
  ...told('0900312026-10-23', SATURDAY, [{ at: '2026-10-24 04:30', delay: 0 }]),
  ...told('0900312026-10-24', SATURDAY, [{ at: '2026-10-24 05:00', more: CANCELED }]),
]

const H = 3600

const timetables = [
  timetable('2026-10-23', { '1002S': [SATURDAY], '1003D': [SUNDAY], '2002S': [SATURDAY] }, [
    ...[trip('1002S10001C1', 8 * H), trip('1002S10002C1', 9 * H), trip('1002S23001C1', 24 * H + 600), trip('1002S10004C3', 10 * H)],
    ...[trip('1002S10005C3', 10 * H), trip('2002S50001C1', 12 * H, ['15000'])],
    // On a day of a newer timetable, which no longer has it.
    trip('1003D10002C1', 9 * H),
  ]),
  timetable(SUNDAY, { '1003D': [SUNDAY], '1004L': ['2026-10-26'] }, [trip('1003D10001C1', 8 * H), trip('1004L10001C1', 8 * H)]),
  timetable(
    SATURDAY,
    Object.fromEntries(
      ['0900112026-10-24', '0900122026-10-24', '0900212026-10-24', '0900312026-10-24', '0900412026-10-24'].map((id) => [id, [SATURDAY]]),
    ),
    ['0900112026-10-24', '0900122026-10-24', '0900212026-10-24', '0900312026-10-24', '0900412026-10-24'].map((id, n) =>
      trip(id, (7 + n) * H),
    ),
  ),
]

/** A week of many trips, some of them outside the timetable, for figures that plain SQL checks. */
const busy = ((): { updates: AnyRow[]; timetable: Map<Dataset, AnyRow[]> } => {
  const dates = Array.from({ length: 7 }, (_, n) => new Date(Date.UTC(2026, 10, 9 + n)).toISOString().slice(0, 10))
  const trips: Trip[] = []
  const days: Record<string, string[]> = {}
  const states: AnyRow[] = []
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  for (const [n, date] of dates.entries()) {
    const service = `301${n}${'LMXJVSD'[n]}`
    days[service] = [date]
    for (let k = 0; k < 40; k++) {
      const one = trip(`${service}${30_000 + k}C${k % 3}`, (5 + random(20)) * H, ['51000', '51001', `5110${k % 3}`])
      if (random(10) > 0) trips.push(one)
      if (random(10) === 0) continue
      const at = (minutes: number): string => `${date} 1${random(5)}:${String(minutes).padStart(2, '0')}`
      const called = one.stops.slice(0, 1 + random(3)).flatMap(([stop], nth): State[] => [
        { at: at(10 + nth * 4), stop, delay: 60 * (random(14) - 2) },
        { at: at(12 + nth * 4), stop, delay: random(30) === 0 ? 40_000 : 60 * (random(14) - 2) },
      ])
      const sorted = called.sort((a, b) => (a.at < b.at ? -1 : 1))
      states.push(...told(one.id, date, random(12) === 0 ? [...sorted, { at: `${date} 16:00`, more: CANCELED }] : sorted))
    }
  }
  return { updates: states, timetable: timetable('2026-11-08', days, trips) }
})()

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => END })
  await service.land(railTripUpdates, [...updates, ...busy.updates], END)
  for (const one of [...timetables, busy.timetable]) for (const [dataset, rows] of one) await service.land(dataset, rows, END)
})
afterAll(() => service?.close())

const figures = async (query: string): Promise<Reply[]> => {
  const reply = await service.json(`${PATH}?${query}`)
  expect(reply.punctuality, JSON.stringify(reply)).toBeDefined()
  return reply.punctuality
}
const WEEKEND = 'from=2026-10-24&to=2026-10-26'
const ON_SATURDAY = 'from=2026-10-24&to=2026-10-25'
/** Observed, cancelled, measured and doubtful trips; scheduled and matched ones. */
const counts = (one: Reply): unknown[] => [
  ...[one.observed_trips, one.cancelled_trips, one.measured_trips, one.doubtful_trips],
  ...[one.scheduled_trips, one.matched_trips],
]

describe('known answers', () => {
  test('a day by network', async () => {
    const [commuter, long] = await figures(ON_SATURDAY)
    expect(commuter).toEqual({
      ...{ network: 'CERCANIAS', nucleo_code: null, line: null, stop_id: null, hour: null, day_type: null },
      ...{ observed_trips: 6, cancelled_trips: 1, measured_trips: 4, doubtful_trips: 1 },
      // 120, 300, 360 and 600 s.
      ...{ within_3_min_share: 0.25, within_5_min_share: 0.5, cancelled_share: 0.166667, delay_median_s: 300, delay_p90_s: 600 },
      ...{ scheduled_trips: 6, matched_trips: 5, coverage: 0.833333, days: 1, days_with_timetable: 1 },
    })
    expect(long).toMatchObject({ network: 'AVLDMD', delay_median_s: 660, within_5_min_share: 0, coverage: 0.75 })
    expect(counts(long)).toEqual([3, 2, 1, 0, 4, 3])
  })

  test('a trip after midnight is of the day before; a newer timetable takes the place of the older', async () => {
    const [sunday] = await figures('from=2026-10-25&to=2026-10-26&network=CERCANIAS')
    expect(counts(sunday)).toEqual([1, 0, 1, 0, 1, 1])
    const [late] = await figures(`${WEEKEND}&network=CERCANIAS&group_by=hour&sort=hour`)
    expect(late).toMatchObject({ hour: 0, observed_trips: 1, delay_median_s: 600 })
    // A service day counts where it begins in the period.
    expect((await service.get(`${PATH}?from=2026-10-24T22:00:00.001Z&to=2026-10-25T23:00:00Z`)).status).toBe(400)
    expect(counts((await figures('from=2026-10-23T22:00:00Z&to=2026-10-24T22:00:00.001Z&network=CERCANIAS'))[0])).toEqual([
      7, 1, 5, 1, 7, 6,
    ])
  })

  test('by line, a line with its núcleo; long distance by its product, as the timetable in force has it', async () => {
    const found = await figures(`${ON_SATURDAY}&group_by=line&network=CERCANIAS&sort=-scheduled_trips`)
    expect(found.map((one) => [one.network, one.nucleo_code, one.line, ...counts(one)])).toEqual([
      ['CERCANIAS', '10', 'C1', 4, 1, 3, 0, 3, 3],
      ['CERCANIAS', '10', 'C3', 1, 0, 0, 1, 2, 1],
      ['CERCANIAS', '20', 'C1', 1, 0, 1, 0, 1, 1],
    ])
    expect((await figures(`${ON_SATURDAY}&nucleo=10&line=C3`)).map(counts)).toEqual([[1, 0, 0, 1, 2, 1]])
    const all = await figures(`${ON_SATURDAY}&network=AVLDMD&group_by=line&sort=-scheduled_trips`)
    expect(all.map((one) => [one.line, ...counts(one)].join(' '))).toEqual(['AVE 2 1 1 0 3 2', 'ALVIA 1 1 0 0 1 1'])
    const some = await figures(`${ON_SATURDAY}&line=ALVIA,C3&sort=-cancelled_trips`)
    expect(some.map((one) => [one.network, ...counts(one)].join(' '))).toEqual(['AVLDMD 1 1 0 0 1 1', 'CERCANIAS 1 0 0 1 2 1'])
  })

  test('by station: the last state that names it; skipped stops and cancelled trips', async () => {
    const found = await figures(`${WEEKEND}&group_by=station&sort=-delay_median_s`)
    expect(found.map((one) => [one.stop_id, one.delay_median_s, ...counts(one)])).toEqual([
      ['15000', 360, 1, 0, 1, 0, 1, 1],
      // 120, 600 and 180 s; the cancelled trip has none.
      ['18002', 180, 4, 1, 3, 0, 6, 4],
      // 60 s of the train that was 240 late before, 300 of the added one; the skipped call has none.
      ['18001', 60, 4, 1, 2, 1, 6, 3],
      // 0, 240 and 60 s.
      ['18000', 60, 4, 1, 3, 0, 6, 4],
    ])
    const [one] = await figures(`${WEEKEND}&station=18000`)
    expect([one.network, one.stop_id, ...counts(one)]).toEqual(['CERCANIAS', null, 4, 1, 3, 0, 6, 4])
    expect(await figures(`${WEEKEND}&group_by=station&network=AVLDMD,CERCANIAS`)).toEqual(await figures(`${WEEKEND}&group_by=station`))
    const hours = await figures(`${WEEKEND}&station=18002&group_by=hour&sort=hour`)
    expect(hours.map(({ hour, observed_trips }) => [hour, observed_trips])).toEqual([
      [0, 1],
      [8, 2],
      [9, 1],
      [10, 0],
    ])
  })

  test('by kind of day and hour', async () => {
    const found = await figures('from=2026-10-22&to=2026-10-27&network=CERCANIAS&group_by=day_type')
    expect(Object.fromEntries(found.map((one) => [one.day_type, [one.observed_trips, one.days, one.days_with_timetable]]))).toEqual({
      SATURDAY: [6, 1, 1],
      SUNDAY: [1, 1, 1],
      WORKDAY: [2, 2, 1],
    })
    const hours = await figures(`${ON_SATURDAY}&network=AVLDMD&group_by=hour&sort=hour`)
    expect(hours.map((one) => [one.hour, ...counts(one)])).toEqual([
      [7, 1, 0, 1, 0, 1, 1],
      [9, 1, 1, 0, 0, 1, 1],
      [10, 1, 1, 0, 0, 1, 1],
      [11, 0, 0, 0, 0, 1, 0],
    ])
  })

  test('null where no timetable covers the day', async () => {
    const [thursday] = await figures('from=2026-10-22&to=2026-10-23')
    expect(thursday).toMatchObject({
      observed_trips: 1,
      within_3_min_share: 1,
      scheduled_trips: null,
      coverage: null,
      days_with_timetable: 0,
    })
    expect(await figures('from=2026-09-01&to=2026-09-08&group_by=hour')).toEqual([])
  })

  test('pages, the state that it names again, and the last seven days by default', async () => {
    const all = await service.json(`${PATH}?${WEEKEND}&group_by=line,hour&limit=1000&total=exact`)
    const seen: Reply[] = []
    let cursor = ''
    do {
      const reply = await service.json(`${PATH}?${WEEKEND}&group_by=line,hour&limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      seen.push(...reply.punctuality)
      cursor = reply.next_cursor ?? ''
    } while (cursor)
    expect(seen).toEqual(all.punctuality)
    expect(seen).toHaveLength(all.total)
    const again = await service.get(`${PATH}?${WEEKEND}&snapshot=${encodeURIComponent(all.meta.snapshot)}`)
    expect(again.status).toBe(200)
    const [week] = await figures('')
    expect(week).toMatchObject({ days: 7, network: 'CERCANIAS' })
  })
})

/** The figures of the busy week by a plain query over the Parquet files, in another way. */
async function plain(by: 'line' | 'station'): Promise<Map<string, unknown[]>> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files = (dataset: Dataset): string =>
    `read_parquet('${service.lake.store.location(`lake/rail/${dataset.id}`)}/data/**/*.parquet') AS ${dataset.id}`
  const name = by === 'line' ? 'line' : 'stop_id'
  const perTrip = by === 'line' ? 'trip_id' : 'trip_id, next_stop_id'
  const reader = await connection.runAndReadAll(`
    WITH updates AS (
      SELECT * FROM ${files(railTripUpdates)} WHERE service_date BETWEEN '2026-11-09' AND '2026-11-15' AND status = 'ACTIVE'
    ),
    gone AS (SELECT trip_id FROM updates one WHERE schedule_relationship = 'CANCELED'
      AND NOT EXISTS (FROM updates later WHERE later.trip_id = one.trip_id AND later.observed_at > one.observed_at)),
    due AS (
      SELECT DISTINCT trip_id, substr(trip_id, 11) AS line${by === 'line' ? '' : ', stop_id'}
      FROM ${files(railTrips)} JOIN ${files(railCalendar)} USING (timetable_version, service_id) JOIN ${files(railStopTimes)} USING (timetable_version, trip_id)
      WHERE timetable_version = 'cercanias-2026-11-08'
    ),
    seen AS (
      SELECT trip_id, line, next_stop_id AS stop_id, delay_s, delay_quality, false AS is_gone
      FROM (SELECT *, row_number() OVER (PARTITION BY ${perTrip} ORDER BY observed_at DESC) AS nth FROM updates WHERE next_stop_id IS NOT NULL)
      WHERE nth = 1 AND trip_id NOT IN (FROM gone)
      UNION ALL BY NAME
      ${by === 'line' ? 'SELECT DISTINCT trip_id, line, true AS is_gone FROM updates' : 'SELECT trip_id, stop_id, true AS is_gone FROM due'}
      WHERE trip_id IN (FROM gone)
    ),
    met AS (SELECT * FROM due SEMI JOIN seen USING (trip_id${by === 'line' ? '' : ', stop_id'})),
    believed AS (SELECT ${name} AS name, delay_s FROM seen WHERE NOT is_gone AND delay_quality = 'OK' ORDER BY ALL),
    lists AS (SELECT name, list(delay_s ORDER BY delay_s) AS delays, len(delays) AS n FROM believed GROUP BY name)
    SELECT names.name,
      (SELECT count(*) FROM seen WHERE ${name} = names.name)::INT,
      (SELECT count(*) FROM seen WHERE ${name} = names.name AND is_gone)::INT,
      n::INT,
      (SELECT count(*) FROM seen WHERE ${name} = names.name AND NOT is_gone AND delay_quality = 'DOUBTFUL')::INT,
      (SELECT count(*) FROM due WHERE ${name} = names.name)::INT,
      (SELECT count(*) FROM met WHERE ${name} = names.name)::INT,
      delays[ceil(n * 0.5)::INT],
      delays[ceil(n * 0.9)::INT],
      round(len(list_filter(delays, lambda d: d <= 180)) / n, 6)::DOUBLE,
      round(len(list_filter(delays, lambda d: d <= 300)) / n, 6)::DOUBLE
    FROM (SELECT DISTINCT ${name} AS name FROM seen) names LEFT JOIN lists USING (name)`)
  connection.closeSync()
  instance.closeSync()
  return new Map(reader.getRows().map(([key, ...rest]) => [key as string, rest]))
}

describe('as a plain query counts it', () => {
  test.each(['line', 'station'] as const)('by %s', async (by) => {
    const expected = await plain(by)
    expect(expected.size).toBeGreaterThan(2)
    const found = await figures(`from=2026-11-09&to=2026-11-16&group_by=${by}`)
    const shown = (one: Reply): unknown[] => [
      ...counts(one),
      ...[one.delay_median_s, one.delay_p90_s, one.within_3_min_share, one.within_5_min_share],
    ]
    expect(new Map(found.map((one) => [one.line ?? one.stop_id, shown(one)]))).toEqual(expected)
    const sum = found.reduce((all, one) => all + one.observed_trips, 0)
    expect(sum).toBeGreaterThan(200)
  })
})

test.each([
  ['group_by=lines', 'group_by', 'did you mean line?'],
  ['nucleo=99', 'nucleo', '10, 20'],
  ['from=2026-01-01&to=2026-03-01', 'from', '31 days wide'],
  ['from=2026-01-02&to=2026-01-01', 'from', 'before `to`'],
  ['sort=network', 'sort', 'observed_trips'],
])('%s is refused', async (query, parameter, detail) => {
  const response = await service.get(`${PATH}?${query}`)
  const problem = (await response.json()) as Reply
  expect(response.status).toBe(400)
  expect(problem.errors[0].parameter).toBe(parameter)
  expect(problem.errors[0].detail).toContain(detail)
})

test('a period in which no service day begins is refused, and one in which one does is answered', async () => {
  const status = async (query: string): Promise<unknown[]> => {
    const response = await service.get(`${PATH}?${query}`)
    const { errors = [] } = (await response.json()) as Reply
    return [response.status, ...errors.map(({ parameter, value }: Reply) => [parameter, value])]
  }
  // Madrid is an hour ahead of UTC: its day of the 25th of October begins at 22:00, being two hours ahead still.
  expect(await status('from=2026-10-24T22:00:01Z&to=2026-10-25T20:00:00Z')).toEqual([400, ['to', '2026-10-25T20:00:00.000Z']])
  expect(await status('from=2026-11-15T20:00:00Z')).toEqual([400, ['from', '2026-11-15T20:00:00.000Z']])
  expect(await status('from=2026-10-24T22:00:00Z&to=2026-10-24T22:00:01Z')).toEqual([200])
  expect(await status('from=2026-10-24T20:00:00Z&to=2026-10-24T22:00:01Z')).toEqual([200])
  const mistake = ((await (await service.get(`${PATH}?from=2026-10-25T01:00:00Z&to=2026-10-25T20:00:00Z`)).json()) as Reply).errors[0]
  expect(mistake.detail).toContain('a service day begins, at 00:00 in Madrid, such as from=2026-10-25 and to=2026-10-26')
})

test('a period with its begin alone is at most 31 days wide, too', async () => {
  const response = await service.get(`${PATH}?from=${new Date(END - 40 * DAY).toISOString()}`)
  expect(await response.json()).toMatchObject({ code: 'range-too-large' })
})
