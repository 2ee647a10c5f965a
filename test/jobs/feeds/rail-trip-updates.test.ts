import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cancelledDate, serviceDate } from '../../../jobs/feeds/rail/ids.ts'
import { renfeTripUpdates, renfeTripUpdatesLd } from '../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { advance, emptyState } from '../../../jobs/ingest/fold.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { asProtobuf, capture, NOON, parseBytes, realtimeJson, rowsOf, tallyOf, tripUpdate } from './rail-messages.ts'

const shared = sharedFolder()
const fixture = (feed: string): Buffer => readFileSync(new URL(`../../fixtures/${feed}/trip-updates.json`, import.meta.url))

test('reads delay, next stop, skipped stops and cancellation', async () => {
  const publication = await parseBytes(renfeTripUpdates, fixture('renfe_trip_updates'))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const [onTime, late, cancelled, added] = rowsOf(publication, 'rail_trip_updates')
  expect(late).toEqual({
    source: 'renfe',
    network: 'CERCANIAS',
    trip_id: '5141M90002R4',
    train_number: '90002',
    line: 'R4',
    nucleo_code: '51',
    service_date: '2026-11-17',
    schedule_relationship: 'SCHEDULED',
    delay_s: 540,
    delay_quality: 'OK',
    next_stop_id: '99011',
    expected_arrival_at: 1_794_909_630_000,
    skipped_stop_ids: ['99011', '99012', '99014'],
    wheelchair_access: null,
  })
  expect(onTime).toMatchObject({ delay_s: 0, wheelchair_access: 'WHEELCHAIR_ACCESSIBLE', skipped_stop_ids: [] })
  expect(cancelled).toMatchObject({ schedule_relationship: 'CANCELED', delay_s: null, delay_quality: null, next_stop_id: null })
  expect(added).toMatchObject({ train_number: '90004', line: 'C4A', nucleo_code: '10', delay_s: -60 })
})

test('trains cancelled and trains more than 5 minutes late are alerts too, derived', async () => {
  const alerts = rowsOf(await parseBytes(renfeTripUpdates, fixture('renfe_trip_updates')), 'rail_alerts')
  expect(alerts).toHaveLength(2)
  expect(alerts[0]).toMatchObject({
    source_id: 'TRIP_5141M90002R4_2026-11-17',
    kind: 'DELAY',
    derived: true,
    network: 'CERCANIAS',
    nucleo_codes: ['51'],
    lines: ['R4'],
    trip_ids: ['5141M90002R4'],
    train_number: '90002',
    service_date: '2026-11-17',
    delay_s: 540,
    text_es: 'Tren 90002 de la línea R4: 9 min de retraso.',
    translations: [{ language: 'en', text: 'Train 90002 of line R4: 9 min late.' }, { language: 'es' }],
    effect: null,
    cause: null,
  })
  expect(alerts[1]).toMatchObject({
    kind: 'CANCELLED',
    delay_s: null,
    nucleo_codes: ['20'],
    text_es: 'Tren 90003 de la línea C1: suprimido.',
  })
  const delays = [300, 301, 360, 21_600, 21_660].map((delay, at) => tripUpdate(`1041M9000${at}C1`, delay))
  const late = rowsOf(await parseBytes(renfeTripUpdates, realtimeJson(delays)), 'rail_alerts')
  expect(late.map((row) => row['delay_s'])).toEqual([301, 360, 21_600])
})

test('a deleted trip is cancelled for its passengers', async () => {
  const deleted = { id: 'TUUPDATE_1', tripUpdate: { trip: { tripId: '1041M90001C3', scheduleRelationship: 'DELETED' }, delay: 600 } }
  const publication = await parseBytes(renfeTripUpdates, realtimeJson([deleted]))
  expect(rowsOf(publication, 'rail_trip_updates')).toMatchObject([{ schedule_relationship: 'DELETED' }])
  expect(rowsOf(publication, 'rail_alerts')).toMatchObject([
    { kind: 'CANCELLED', delay_s: null, text_es: 'Tren 90001 de la línea C3: suprimido.' },
  ])
})

test('a long-distance train is one alert whatever its variants, and cancelled only where all are', async () => {
  const publication = await parseBytes(renfeTripUpdatesLd, fixture('renfe_trip_updates_ld'))
  expect(rowsOf(publication, 'rail_trip_updates')).toHaveLength(8)
  expect(rowsOf(publication, 'rail_alerts')).toMatchObject([
    {
      source_id: 'TRAIN_09001_2026-11-17',
      kind: 'DELAY',
      network: 'AVLDMD',
      trip_ids: ['0900112026-11-17', '0900122026-11-17'],
      text_es: 'Tren 09001: 11 min de retraso.',
    },
    { source_id: 'TRAIN_09003_2026-11-17', kind: 'CANCELLED', trip_ids: ['0900312026-11-17', '0900322026-11-17'] },
  ])
})

test('among variants of a train the latest running one gives its delay, and the running ones are listed', async () => {
  const variants = [tripUpdate('0900112026-11-17', 420), tripUpdate('0900122026-11-17', 900), tripUpdate('0900132026-11-17', null)]
  const alerts = rowsOf(await parseBytes(renfeTripUpdatesLd, realtimeJson(variants)), 'rail_alerts')
  expect(alerts).toMatchObject([{ kind: 'DELAY', delay_s: 900, trip_ids: ['0900112026-11-17', '0900122026-11-17'] }])
})

test('a delay is that of the trip, else of its next stop; where they differ that is counted; minutes are whole ones', async () => {
  const arriving = { stopTimeUpdate: [{ arrival: { delay: 359, time: String(NOON / 1000 + 90) }, stopId: '99001' }] }
  const trip = (tripId: string) => ({ trip: { tripId, scheduleRelationship: 'SCHEDULED' } })
  const publication = await parseBytes(
    renfeTripUpdates,
    realtimeJson([
      { id: 'TUUPDATE_1', tripUpdate: { ...trip('1041M90001C1'), ...arriving } },
      { id: 'TUUPDATE_2', tripUpdate: { ...trip('1041M90002C1'), ...arriving, delay: 301 } },
    ]),
  )
  expect(rowsOf(publication, 'rail_trip_updates').map((row) => row['delay_s'])).toEqual([359, 301])
  expect(publication.report.warnings.get("a trip's delay is not that of its next stop")).toBe(1)
  expect(rowsOf(publication, 'rail_alerts').map((row) => row['text_es'])).toEqual([
    'Tren 90001 de la línea C1: 5 min de retraso.',
    'Tren 90002 de la línea C1: 5 min de retraso.',
  ])
})

test('an implausible delay is kept as published, flagged and counted, and is no alert', async () => {
  const delays = [-36_300, -1801, -1800, 21_600, 21_601, 39_060]
  const trips = delays.map((delay, at) => tripUpdate(`0900${at}12026-11-17`, delay))
  const publication = await parseBytes(renfeTripUpdatesLd, realtimeJson(trips))
  const rows = rowsOf(publication, 'rail_trip_updates')
  expect(rows.map((row) => [row['delay_s'], row['delay_quality']])).toEqual([
    [-36_300, 'DOUBTFUL'],
    [-1801, 'DOUBTFUL'],
    [-1800, 'OK'],
    [21_600, 'OK'],
    [21_601, 'DOUBTFUL'],
    [39_060, 'DOUBTFUL'],
  ])
  expect(publication.report.warnings.get('an implausible delay')).toBe(4)
  expect(rowsOf(publication, 'rail_alerts').map((row) => row['delay_s'])).toEqual([21_600])
})

test('of a trip that is stated twice, the running one counts, and the later of two that run', async () => {
  const [a, b, c] = ['0900112026-11-17', '0900212026-11-17', '0900312026-11-17'] as const
  const stated = [tripUpdate(a, null), tripUpdate(a, 900), tripUpdate(b, 180), tripUpdate(b, -60), tripUpdate(c, null), tripUpdate(c, null)]
  for (const order of [stated, stated.toReversed()]) {
    const publication = await parseBytes(renfeTripUpdatesLd, realtimeJson(order))
    const delays = rowsOf(publication, 'rail_trip_updates').map((row) => [row['trip_id'], row['delay_s']])
    expect(new Map(delays as [string, number | null][])).toEqual(
      new Map<string, number | null>([
        [a, 900],
        [b, 180],
        [c, null],
      ]),
    )
    expect([publication.report.quarantined, publication.report.warnings.get('a trip is stated twice')]).toEqual([{}, 3])
  }
})

test('an invalid trip update, or one without a trip, is a bad row; an unknown relationship is counted', async () => {
  const publication = await parseBytes(
    renfeTripUpdates,
    realtimeJson([
      { id: 'A', vehicle: {} },
      { id: 'B', tripUpdate: { delay: 0 } },
      { id: 'C', tripUpdate: { trip: { tripId: 'X' }, delay: 60 } },
      { id: 'D', tripUpdate: { trip: { tripId: '1041M90001C3', scheduleRelationship: 'BEAMED' } } },
    ]),
  )
  expect(publication.report.quarantined).toEqual({ rail_trip_updates: { 'an entity that is no trip update': 1, 'no trip id': 1 } })
  expect(publication.report.unknownCodes).toEqual({ gtfs_trip_relationship: { BEAMED: 1 } })
  expect(rowsOf(publication, 'rail_trip_updates')).toMatchObject([
    { trip_id: 'X', train_number: null, schedule_relationship: 'SCHEDULED', delay_s: 60 },
    { delay_s: null, delay_quality: null },
  ])
})

test('the service day is that of the letter in the id, past midnight and before it too', () => {
  const at = (text: string): number => Date.parse(text)
  const tuesday = 2
  expect(serviceDate(tuesday, at('2026-11-17T12:00:00Z'))).toBe('2026-11-17')
  // Half past midnight of Wednesday in Madrid, and the eve.
  expect(serviceDate(tuesday, at('2026-11-17T23:30:00Z'))).toBe('2026-11-17')
  expect(serviceDate(tuesday, at('2026-11-16T21:00:00Z'))).toBe('2026-11-17')
  // A letter of neither of the three days, and no letter: the evening's trains run past midnight.
  expect(serviceDate(5, at('2026-11-17T12:00:00Z'))).toBe('2026-11-17')
  expect(serviceDate(null, at('2026-11-18T01:30:00Z'))).toBe('2026-11-17')
  expect(serviceDate(null, at('2026-11-18T02:30:00Z'))).toBe('2026-11-18')
})

test('a train that is still on its way in the morning is of the day on which it was due', async () => {
  // 05:00 in Madrid.
  const publishedAt = Date.parse('2026-11-18T04:00:00Z')
  const said: [train: string, delay: number | null][] = [
    ['09001', 16_200],
    ['09002', 120],
    ['09003', -600],
    // Beyond belief: it does not show the day.
    ['09004', 39_060],
    ['09005', null],
  ]
  const trips = said.map(([train, delay]) => tripUpdate(`${train}12026-11-16`, delay))
  const publication = await parseBytes(renfeTripUpdatesLd, realtimeJson(trips, publishedAt), publishedAt)
  expect(rowsOf(publication, 'rail_trip_updates').map(({ train_number, service_date }) => [train_number, service_date])).toEqual([
    ['09001', '2026-11-17'],
    ['09002', '2026-11-18'],
    ['09003', '2026-11-18'],
    ['09004', '2026-11-18'],
    ['09005', '2026-11-17'],
  ])
})

test('a cancellation of yesterday belongs to yesterday until ten past five in Madrid', () => {
  const at = (text: string): number => Date.parse(text)
  expect(cancelledDate(at('2026-03-28T01:30:00Z'))).toBe('2026-03-27')
  expect(cancelledDate(at('2026-03-28T04:05:14Z'))).toBe('2026-03-27')
  expect(cancelledDate(at('2026-03-28T04:10:16Z'))).toBe('2026-03-28')
  // In summer time.
  expect(cancelledDate(at('2026-03-29T03:00:30Z'))).toBe('2026-03-28')
  expect(cancelledDate(at('2026-03-29T03:10:16Z'))).toBe('2026-03-29')
})

test.skipIf(!shared)('the captured 18 commuter trips and their alerts, the same as JSON and as protobuf', async () => {
  const bytes = capture('renfe-gtfsrt/trip_updates_20260825T132534Z.trimmed.json')
  const publication = await parseBytes(renfeTripUpdates, bytes)
  const rows = rowsOf(publication, 'rail_trip_updates')
  expect([rows.length, publication.report.quarantined, publication.report.warnings.size]).toEqual([18, {}, 0])
  expect(tallyOf(rows, 'wheelchair_access')['null']).toBe(3)
  expect(new Set(rows.map((row) => row['service_date']))).toEqual(new Set(['2026-08-25']))
  expect(rows.find((row) => row['trip_id'] === '2035M70916C8')).toMatchObject({ next_stop_id: '05381', delay_s: 660 })
  // The next stop of these two is among the skipped ones.
  const skipsNext = rows.filter((row) => (row['skipped_stop_ids'] as string[]).includes(row['next_stop_id'] as string))
  expect(skipsNext.map((row) => row['trip_id']).sort()).toEqual(['2035M70517C7', '2035M70916C8'])
  const late = rows.filter((row) => (row['delay_s'] as number) > 300)
  expect(rowsOf(publication, 'rail_alerts')).toHaveLength(late.length)
  const again = await parseBytes(renfeTripUpdates, asProtobuf(bytes))
  expect([rowsOf(again, 'rail_trip_updates'), rowsOf(again, 'rail_alerts')]).toEqual([rows, rowsOf(publication, 'rail_alerts')])
})

/** The lines of a captured day of long distance, by publication. */
function longDistanceDay(path: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const [, ...lines] = capture(path).toString('utf8').trim().split('\n')
  return Map.groupBy(
    lines.map((line) => line.split(',')),
    ([at]) => at as string,
  )
}

/** Lines of a capture as a message. */
function asMessage(lines: readonly (readonly string[])[], at: number): Buffer {
  const trips = lines.map(([, tripId, , , , delay]) => tripUpdate(tripId as string, delay === '' ? null : Number(delay)))
  return realtimeJson(trips, at)
}

test.skipIf(!shared)(
  'of the captured days of long distance the guard takes every publication, and none that lacks half the trains',
  async () => {
    const verdicts = { whole: {} as Record<string, number>, half: {} as Record<string, number> }
    const count = (of: keyof typeof verdicts, kind: string): void => void (verdicts[of][kind] = (verdicts[of][kind] ?? 0) + 1)
    for (const day of ['2026-03-28.derived.csv.gz', '2026-03-29.derived.csv']) {
      let last: AcceptedFetch | null = null
      for (const [time, lines] of longDistanceDay(`renfe-gtfsrt/trip_updates_LD_${day}`)) {
        const at = Date.parse(time)
        const judged = async (of: readonly (readonly string[])[]) => {
          const publication = await parseBytes(renfeTripUpdatesLd, asMessage(of, at), at)
          return { publication, kind: judge(renfeTripUpdatesLd, publication, last && { last, missing: {} }).kind }
        }
        const { publication, kind } = await judged(lines)
        count('whole', kind)
        const running = lines.filter(([, , , , state]) => state !== 'CANCELED')
        const half = running.filter((_, nth) => nth % 2 === 0)
        // By day, and on into the night while many run.
        if ((last?.blocks['rail_trip_updates']?.['SCHEDULED'] ?? 0) >= 20)
          count('half', (await judged(lines.filter((line) => !half.includes(line)))).kind)
        const rows = Object.fromEntries(publication.counts)
        last = { data_time: new Date(at).toISOString(), rows, blocks: publication.blocks } as unknown as AcceptedFetch
      }
    }
    // The four are of early mornings, where half of the trains are 60 % of those of the capture before, some 5 minutes older.
    expect(verdicts).toEqual({ whole: { accept: 427 }, half: { accept: 4, reject: 280 } })
  },
)

test.skipIf(!shared)('a captured day of long distance, made into messages: every row read, and how many rows land of it', async () => {
  const captures = longDistanceDay('renfe-gtfsrt/trip_updates_LD_2026-03-28.derived.csv.gz')
  const updates = emptyState()
  const alerts = emptyState()
  /** Trains reported cancelled for that day before the new ids were in use. */
  const early = new Set<unknown>()
  const counts = { read: 0, twice: 0, doubtful: 0, cancelled: 0, updates: 0, alerts: 0 }
  for (const [at, lines] of captures) {
    const data_time = Date.parse(at)
    const publication = await parseBytes(renfeTripUpdatesLd, asMessage(lines, data_time), data_time)
    const rows = rowsOf(publication, 'rail_trip_updates')
    counts.read += rows.length
    counts.twice += publication.report.warnings.get('a trip is stated twice') ?? 0
    expect(publication.report.quarantined).toEqual({})
    counts.doubtful += tallyOf(rows, 'delay_quality')['DOUBTFUL'] ?? 0
    counts.cancelled += tallyOf(rows, 'schedule_relationship')['CANCELED'] ?? 0
    for (const row of rowsOf(publication, 'rail_alerts'))
      if (row['kind'] === 'CANCELLED' && row['service_date'] === '2026-03-28' && data_time < Date.parse('2026-03-28T05:00:00Z'))
        early.add(row['train_number'])
    const facts = { fetch_id: at, data_time, blocks: { counts: {}, said: [] }, rule: null }
    const key = Buffer.alloc(32, 7)
    counts.updates += advance(railTripUpdates, updates, { rows, facts, key }).rows.length
    counts.alerts += advance(railAlerts, alerts, { rows: rowsOf(publication, 'rail_alerts'), facts, key }).rows.length
  }
  // Of the 16 trains reported cancelled since the evening, 15918, 15812 and others ran that day. These five did not.
  expect([...early].sort()).toEqual(['13086', '13087', '13089', '18037', '71831'])
  expect([captures.size, counts]).toEqual([
    321,
    { read: 39_823 - 277, twice: 277, doubtful: 41, cancelled: 2534 - 73, updates: 16_757, alerts: 5383 },
  ])
})
