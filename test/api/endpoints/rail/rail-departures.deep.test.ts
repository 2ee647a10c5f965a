import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { type Golden, type GoldenLive, landTimetable, openGolden, TIMETABLE_FEEDS } from './rail-golden.ts'

const HOUR = 3_600_000
const COMMUTER_FEED = 'renfe_trip_updates'
const OTHER_FEED = 'renfe_trip_updates_ld'

/** Trains of Asturias run four hours later than those of the stand-in, well into the night. */
const nightly = (rows: AnyRow[], dataset: string): AnyRow[] => {
  if (dataset === 'rail_stop_times')
    for (const row of rows)
      if (String(row['trip_id']).startsWith('20')) {
        row['arrival'] = (row['arrival'] as number) + 4 * 3600
        row['departure'] = (row['departure'] as number) + 4 * 3600
      }
  return rows
}

let now = Date.parse('2026-03-27T00:00:00Z')
let service: TestService
let golden: Golden
const stations: Record<string, string> = {}
beforeAll(async () => {
  service = await startService({ clock: () => now })
  for (const day of ['2026-03-27', '2026-05-04', '2026-05-06', '2026-10-23'])
    for (const feed of TIMETABLE_FEEDS) await landTimetable(service, { feed, day, change: nightly })
  golden = await openGolden(service)
  const busiest = async (where: string, at = 0): Promise<string> => {
    const rows = await golden.rows(
      `SELECT stop_id FROM rail_stop_times GROUP BY stop_id HAVING ${where} ORDER BY count(*) DESC, stop_id LIMIT 9`,
    )
    return rows[at]?.['stop_id'] as string
  }
  const commuter = (nucleo: string): string => `bool_or(network = 'CERCANIAS' AND trip_id LIKE '${nucleo}%')`
  stations['both'] = await busiest('count(DISTINCT network) = 2')
  stations['other'] = await busiest("max(network) = 'AVLDMD'")
  stations['quiet'] = await busiest("max(network) = 'AVLDMD'", 8)
  stations['barcelona'] = await busiest(commuter('51'), 2)
  stations['regional'] = await busiest(`count(DISTINCT network) = 2 AND ${commuter('40')}`)
  stations['asturias'] = await busiest(commuter('20'))
  stations['valencia'] = await busiest(commuter('40'), 3)
}, 120_000)
afterAll(async () => {
  golden?.close()
  await service?.close()
})

/** Stations and times in order: the clock does not go back. */
const CASES: readonly (readonly [what: string, station: string, at: string])[] = [
  ['the evening before the clock is put forward', 'asturias', '2026-03-28T22:40:00Z'],
  ['the hour that March leaves out', 'asturias', '2026-03-29T00:50:00Z'],
  ['the morning of a day of 23 hours', 'both', '2026-03-29T04:00:00Z'],
  ['rush hour', 'both', '2026-05-04T06:15:00Z'],
  ['the afternoon of a small station', 'quiet', '2026-05-05T14:00:00Z'],
  ['before midnight, with a newer timetable behind it', 'asturias', '2026-05-05T21:50:00Z'],
  ['after midnight, trains of the day before', 'asturias', '2026-05-05T23:20:00Z'],
  ['long distance', 'other', '2026-05-06T09:30:00Z'],
  ['regional trains in both timetables', 'regional', '2026-05-19T09:00:00Z'],
  ['and in the evening', 'regional', '2026-05-19T15:00:00Z'],
  ['a commuter station', 'barcelona', '2026-05-20T16:05:00Z'],
  ['the evening before the clock is put back', 'valencia', '2026-10-24T20:10:00Z'],
  ['the hour that October has twice', 'asturias', '2026-10-25T00:40:00Z'],
  ['that hour again, for the second time', 'asturias', '2026-10-25T01:20:00Z'],
]

const SIDES = [
  ['DEPARTURES', 'salidas', 'departures'],
  ['ARRIVALS', 'llegadas', 'arrivals'],
] as const

/** Everything that was shown, to check that each kind occurred. */
const seen = new Map<string, number>()
const FIELDS = [
  ...['service_date', 'network', 'trip_id', 'stop_sequence', 'is_live', 'status', 'scheduled_at', 'expected_at'],
  ...['delay_s', 'origin_id', 'destination_id', 'line', 'product'],
]

async function shown(path: string): Promise<AnyRow[]> {
  const reply = (await service.json(path)) as Reply
  const [list] = Object.values<Reply>(reply).filter(Array.isArray) as AnyRow[][]
  expect(reply.total, JSON.stringify(reply).slice(0, 300)).toBe(list?.length)
  const instant = (value: unknown): number | null => (value === null ? null : Date.parse(value as string))
  return (list ?? []).map((one) => {
    const instants = { ...one, scheduled_at: instant(one['scheduled_at']), expected_at: instant(one['expected_at']) }
    return Object.fromEntries(FIELDS.map((name) => [name, instants[name as keyof typeof instants]]))
  })
}

describe.each(CASES)('%s', (_what, name, at) => {
  test.each(SIDES)('%s', async (side, path) => {
    now = Date.parse(at)
    const stop_id = stations[name] as string
    const asked = { side, stop_id, at, now: at }
    const url = `/api/trenes/estaciones/${stop_id}/${path}?limit=1000&at=${at}`
    await say([])
    const planned = await golden.board({ ...asked, live: [] })
    expect(await shown(url)).toEqual(planned.map(withoutMates))
    expect(planned.length).toBeGreaterThan(0)

    // The live data of the trains of eleven hours before and five after it.
    const around = await golden.board({ ...asked, at: new Date(now - 11 * HOUR).toISOString(), live: [] })
    const live = around.filter(({ scheduled_at }) => (scheduled_at as number) < now + 5 * HOUR).flatMap((row) => spokenOf(row, stop_id))
    await say(live)
    const expected = await golden.board({ ...asked, live })
    expect(await shown(url)).toEqual(expected.map(withoutMates))
    for (const { status, is_live, delay_s, scheduled_at, network, mate_ids } of expected) {
      if (mate_ids) both += 1
      const kind =
        (delay_s as number) < 0 ? 'early' : (scheduled_at as number) < now ? 'waited for' : delay_s === null ? 'no delay' : 'late'
      const what = `${network} ${is_live ? `${status} ${kind}` : 'planned'}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
  })
})

test('there was a train of every kind among them', () => {
  const kinds = ['planned', 'SCHEDULED late', 'SCHEDULED early', 'SCHEDULED waited for', 'CANCELLED no delay']
  expect([...seen.keys()].sort()).toEqual(
    expect.arrayContaining([
      ...kinds.flatMap((kind) => [`CERCANIAS ${kind}`, `AVLDMD ${kind}`]),
      ...['SKIPPED', 'DEPARTED', 'ARRIVED'].map((status) => `CERCANIAS ${status} no delay`),
    ]),
  )
})

/** The number of shown trains that both networks have here. */
let both = 0

test('there were trains that both networks have', () => expect(both).toBeGreaterThan(50))

function withoutMates({ mate_ids: _mates, ...row }: AnyRow): AnyRow {
  return row
}

/** The live data of both feeds for a train of both timetables: from the one, from the other, and from both. */
function spokenOf(row: AnyRow, stop_id: string): GoldenLive[] {
  const mates = (row['mate_ids'] as readonly string[] | null) ?? []
  const network = row['network'] === 'AVLDMD' ? 'CERCANIAS' : 'AVLDMD'
  return [row, ...mates.map((trip_id) => ({ ...row, network, trip_id }))].flatMap((one) => saidOf(one, stop_id))
}

/** The number of trains of a network with live data. */
const said = { CERCANIAS: 0, AVLDMD: 0 }

/** Publishes an update of each train, each with other values. */
function saidOf(row: AnyRow, stop_id: string): GoldenLive[] {
  const [network, trip_id] = [row['network'] as string, row['trip_id'] as string]
  const common = { network, trip_id, service_date: row['service_date'] as string, doubtful: false, skipped: [], next_stop_id: null }
  const train = { ...common, train_number: trip_id.slice(0, 5), relationship: 'SCHEDULED' }
  if (network === 'AVLDMD') {
    // The live feed has the ids of another night.
    const ld = { ...train, trip_id: `${trip_id.slice(0, 6)}2026-01-01` }
    const all = [
      { ...ld, delay_s: 1500 },
      { ...ld, delay_s: 36_000 },
      { ...ld, delay_s: null, relationship: 'CANCELED' },
      { ...ld, delay_s: -300 },
      { ...ld, delay_s: -36_300, doubtful: true },
    ]
    const next = said.AVLDMD++ % 6
    return all.slice(next, next + 1)
  }
  const commuter = { ...train, train_number: trip_id.slice(5, 10) }
  const all = [
    { ...commuter, delay_s: 600, next_stop_id: stop_id },
    { ...commuter, delay_s: null, relationship: 'CANCELED' },
    { ...commuter, delay_s: 60, skipped: [stop_id, '00001'] },
    { ...commuter, delay_s: 11_400, next_stop_id: row['origin_id'] as string },
    { ...commuter, delay_s: 0, next_stop_id: row['destination_id'] as string },
    { ...commuter, delay_s: 0, next_stop_id: stop_id },
    { ...commuter, delay_s: -120 },
    { ...commuter, delay_s: 30_000, doubtful: true },
  ]
  const next = said.CERCANIAS++ % 9
  return all.slice(next, next + 1)
}

function updateOf(one: GoldenLive): AnyRow {
  return exampleRow(railTripUpdates, {
    network: one.network,
    trip_id: one.trip_id,
    train_number: one.train_number,
    service_date: one.service_date,
    schedule_relationship: one.relationship,
    delay_s: one.delay_s,
    delay_quality: one.delay_s === null ? null : one.doubtful ? 'DOUBTFUL' : 'OK',
    skipped_stop_ids: one.skipped,
    next_stop_id: one.next_stop_id,
    expected_arrival_at: null,
    observed_at: now,
    updated_at: now,
  })
}

async function say(live: readonly GoldenLive[]): Promise<void> {
  await publish(live.map(updateOf))
}

async function publish(rows: readonly AnyRow[], at = now): Promise<void> {
  for (const [feed, network] of [
    [COMMUTER_FEED, 'CERCANIAS'],
    [OTHER_FEED, 'AVLDMD'],
  ] as const)
    await service.publish(
      railTripUpdates,
      rows.filter((row) => row['network'] === network),
      { feed, at },
    )
}

describe('a board', () => {
  const AT = '2026-10-26T07:00:00Z'
  const boardOf = async (more = '', at: string | null = AT): Promise<Reply> =>
    service.json(`/api/trenes/estaciones/${stations['both']}/salidas?limit=1000${at ? `&at=${at}` : ''}${more}`)
  let commuter: Reply
  beforeAll(async () => {
    now = Date.parse(AT)
    await say([])
    commuter = ((await boardOf('&network=CERCANIAS')) as Reply).departures.find((one: Reply) => one.line !== null)
  })
  const live = (values: Partial<GoldenLive> = {}): AnyRow =>
    updateOf({
      network: 'CERCANIAS',
      trip_id: commuter.trip_id,
      train_number: commuter.train_number,
      service_date: commuter.service_date,
      relationship: 'SCHEDULED',
      delay_s: 300,
      doubtful: false,
      skipped: [],
      next_stop_id: null,
      ...values,
    })
  const mine = async (): Promise<Reply> => ((await boardOf()) as Reply).departures.find((one: Reply) => one.trip_id === commuter.trip_id)

  test('is of now by default, and of one line or network on request', async () => {
    const [explicit, implied] = [await boardOf(), await boardOf('', null)]
    expect(implied.departures).toEqual(explicit.departures)
    expect(explicit.meta.timezone).toBe('Europe/Madrid')
    const line = await boardOf(`&line=${commuter.line}`)
    expect(line.departures).toEqual(explicit.departures.filter((one: Reply) => one.line === commuter.line))
    const other = await boardOf('&network=AVLDMD')
    expect(other.departures).toEqual(explicit.departures.filter((one: Reply) => one.network === 'AVLDMD'))
    expect(line.total + other.total).toBeGreaterThan(1)
  })

  test('shows the platform of a train that stands here, and of no other', async () => {
    const at = (status: string, stop_id: string, platform: string | null): AnyRow =>
      exampleRow(railPositions, { trip_id: commuter.trip_id, vehicle_status: status, stop_id, platform, observed_at: now, updated_at: now })
    await publish([live()])
    for (const [row, platform] of [
      [at('STOPPED_AT', stations['both'] as string, '7AM'), '7AM'],
      [at('INCOMING_AT', stations['both'] as string, '3'), '3'],
      [at('IN_TRANSIT_TO', stations['both'] as string, '3'), null],
      [at('STOPPED_AT', '00001', '3'), null],
      [at('STOPPED_AT', stations['both'] as string, null), null],
    ] as const) {
      await service.publish(railPositions, [row])
      expect((await mine()).platform).toBe(platform)
    }
  })

  test('shows a train that no timetable has where it comes next', async () => {
    const expected_arrival_at = now + 10 * 60_000
    const special = {
      ...live({ trip_id: 'SPECIAL_10_91944C4A', delay_s: 120, next_stop_id: stations['both'] as string }),
      expected_arrival_at,
    }
    await publish([special])
    const [added] = (await boardOf()).departures.filter((one: Reply) => one.status === 'ADDED')
    expect(added).toMatchObject({
      trip_id: 'SPECIAL_10_91944C4A',
      train_id: `CERCANIAS-${commuter.train_number}-${live()['line']}`,
      scheduled_at: new Date(now + 8 * 60_000).toISOString(),
      expected_at: new Date(expected_arrival_at).toISOString(),
      destination: null,
      is_live: true,
    })
    expect((await boardOf('', '2026-10-26T07:30:00Z')).departures.filter((one: Reply) => one.status === 'ADDED')).toEqual([])
    await publish([{ ...special, next_stop_id: '00001' }])
    expect((await boardOf()).departures.filter((one: Reply) => one.status === 'ADDED')).toEqual([])
  })

  test('keeps the last word of a network that a publication lacks, and says so, for a quarter of an hour', async () => {
    await publish([{ ...live(), is_stale: true, updated_at: now - 600_000 }])
    expect(await mine()).toMatchObject({ delay_s: 300, delay_source: 'LAST_KNOWN', is_live: true })
    await publish([{ ...live(), is_stale: true, updated_at: now - 1_000_000 }])
    expect(await mine()).toMatchObject({ delay_s: null, delay_source: null, is_live: false, expected_at: null })
  })

  test('is the timetable alone once the live feed is old', async () => {
    await publish([live()])
    expect(await mine()).toMatchObject({ delay_s: 300, delay_source: 'TRIP_UPDATE', is_live: true, occupancy_pct: null })
    await publish([live()], now - 16 * 60_000)
    expect(await mine()).toMatchObject({ delay_s: null, is_live: false, status: 'SCHEDULED' })
    await publish([live()])
  })

  test('is refused for a moment that no timetable is about, and for one that is no moment', async () => {
    for (const at of ['2026-03-20T12:00:00Z', '2027-03-01']) {
      const refused = (await boardOf('', at)) as Reply
      expect(refused).toMatchObject({ status: 400, code: 'invalid-parameter' })
      expect(refused.errors[0]).toMatchObject({ parameter: 'at' })
      expect(refused.detail).toMatch(/2026-03-26T23:00.* until before 2026-11-/)
    }
  })

  test('pages', async () => {
    const path = `/api/trenes/estaciones/${stations['both']}/salidas`
    const first = await service.json(`${path}?at=${AT}&limit=5`)
    const second = await service.json(`${path}?at=${AT}&limit=5&cursor=${encodeURIComponent(first.next_cursor)}`)
    const both = await service.json(`${path}?at=${AT}&limit=10`)
    expect([...first.departures, ...second.departures]).toEqual(both.departures)
  })
})

test('is out of service once the last timetable is over', async () => {
  now = Date.parse('2027-02-01T12:00:00Z')
  const response = await service.get(`/api/trenes/estaciones/${stations['both']}/salidas`)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3600'])
  expect(await response.json()).toMatchObject({ code: 'feed-unavailable', detail: expect.stringContaining('2026-') })
  now = Date.parse('2026-10-26T07:00:00Z')
})

test('without any live data there is a board, and it says that it is stale', async () => {
  const bare = await startService({ clock: () => now })
  try {
    for (const feed of TIMETABLE_FEEDS) await landTimetable(bare, { feed, day: '2026-10-25' })
    const reply = await bare.json(`/api/trenes/estaciones/${stations['both']}/llegadas?at=2026-10-26T07:00:00Z`)
    expect(reply.arrivals.length).toBe(20)
    expect(reply.arrivals.map((one: Reply) => [one.is_live, one.delay_s, one.expected_at])).toEqual(Array(20).fill([false, null, null]))
    expect(reply.meta.stale).toBe(true)
  } finally {
    await bare.close()
  }
}, 60_000)
