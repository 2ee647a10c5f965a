import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { currentAlerts } from '../../../../api/endpoints/rail/alert-trains.ts'
import { matchDaysAt, matchTrain } from '../../../../api/endpoints/rail/train-match.ts'
import { openCachedViews } from '../../../../api/engine/state/cached-views.ts'
import type { Feed } from '../../../../jobs/feeds/define.ts'
import { renfeGtfsAvldmd, renfeGtfsCercanias } from '../../../../jobs/feeds/rail/renfe-gtfs.ts'
import { renfePositions } from '../../../../jobs/feeds/rail/renfe-positions.ts'
import { checkedRows } from '../../../../jobs/ingest/parse.ts'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railStopTimes } from '../../../../lake/datasets/rail/timetable.ts'
import { railPositions } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../../helpers/shared.ts'
import { until } from '../../../helpers/until.ts'
import { membersOf, zipOf, zipOfFolder } from '../../../helpers/zip.ts'
import { capture, parseBytes, rowsOf, tallyOf } from '../../../jobs/feeds/rail-messages.ts'
import { exampleRow, exampleTableRow, startService, type TestService } from '../../service.ts'

const shared = sharedFolder()
const folderOf = (version: string): string => join(shared as string, 'feeds/renfe-gtfs', version)

async function serve(): Promise<TestService> {
  const service = await startService()
  onTestFinished(() => service.close())
  return service
}

/** Lands the timetable of an archive; the given rows replace stop times missing in a capture. */
async function land(
  service: TestService,
  archive: { feed: Feed; bytes: Buffer; at: number },
  stopTimes: readonly AnyRow[] = [],
): Promise<void> {
  const { feed, bytes, at } = archive
  for (const dataset of feed.into) {
    const rows: AnyRow[] = dataset === railStopTimes ? [...stopTimes] : []
    for await (const some of checkedRows(feed, dataset, [{ name: 'timetable', bytes }], { fetched_at: at }))
      for (const row of some) rows.push({ ...row, fetch_id: `${feed.id}.1` })
    if (rows.length > 0) await service.land(dataset, rows, at)
  }
}

test.skipIf(!shared)('all 211 trains of 2026-06-13 are found by their trip, on that day', { timeout: 120_000 }, async () => {
  const service = await serve()
  const stopTimes = { name: 'stop_times.txt', bytes: Buffer.from('trip_id,arrival_time,departure_time,stop_id,stop_sequence\n') }
  const bytes = zipOf(...membersOf(folderOf('cercanias-2026-06-13')), stopTimes)
  const version = { timetable_version: 'cercanias-2026-06-13', valid_from: Date.parse('2026-06-12T22:00:00Z') }
  await land(service, { feed: renfeGtfsCercanias, bytes, at: Date.parse('2026-06-13T00:00:00Z') }, [
    exampleTableRow(railStopTimes, version),
  ])
  const publication = await parseBytes(renfePositions, capture('renfe-gtfsrt/vehicle_positions_20260613T080842Z.json'))
  const state = { status: 'ACTIVE', is_stale: false }
  const rows = rowsOf(publication, 'rail_positions').map((row) => ({ ...row, ...state, updated_at: row['observed_at'] }))
  await service.publish(railPositions, rows, { at: publication.data_time })
  await until('landed', async () => (await service.get('/api/trenes/posiciones')).status === 200)
  const { trains, left_out } = await service.json('/api/trenes/posiciones')
  expect([trains.length, left_out]).toEqual([211, 0])
  expect(tallyOf(trains, 'match')).toEqual({ BY_TRIP: 211 })
  expect(tallyOf(trains, 'service_date')).toEqual({ '2026-06-13': 211 })
  expect(new Set(trains.map(({ id }: AnyRow) => id)).size).toBe(211)
})

test.skipIf(!shared)('the 1,038 long-distance trips of 2026-03-28 are found by id or by train number', { timeout: 120_000 }, async () => {
  const service = await serve()
  const bytes = zipOfFolder(folderOf('avldmd-2026-03-28'))
  await land(service, { feed: renfeGtfsAvldmd, bytes, at: Date.parse('2026-03-28T00:00:00Z') })
  const kept = openCachedViews({
    lake: service.lake,
    poll_ms: 60_000,
    clock: Date.now,
    onError: (error) => expect.unreachable(error.message),
  })
  onTestFinished(() => kept.close())
  const firstSeen = new Map<string, number>()
  const bad = new Map<string, Set<string>>()
  for (const line of capture('renfe-gtfsrt/trip_updates_LD_2026-03-28.derived.csv.gz').toString('utf8').trim().split('\n').slice(1)) {
    const [at = '', id = '', , , state = '', delay = ''] = line.split(',')
    if (!firstSeen.has(id)) firstSeen.set(id, Date.parse(at))
    const isBad = state === 'CANCELED' || (Number(delay) > 300 && Number(delay) <= 21_600)
    // By then the feed has taken over the ids of the night.
    if (isBad && at.slice(11) > '05:30') bad.set(id.slice(0, 5), (bad.get(id.slice(0, 5)) ?? new Set()).add(id))
  }
  const found = []
  for (const [trip_id, observed_at] of firstSeen) {
    const days = await matchDaysAt(observed_at, kept.get.bind(kept))
    const match = matchTrain({ network: 'AVLDMD', trip_id, train_number: trip_id.slice(0, 5), stop_id: null, due_at: observed_at }, days)
    const isKnown = days.some(({ day, idle }) => day.tripOf('AVLDMD', trip_id) !== null || idle.tripOf('AVLDMD', trip_id) !== null)
    found.push({
      trip_id,
      isKnown,
      by: match?.by,
      isSame: match?.trip.trip_id === trip_id,
      date: match?.day.date,
      isPlanned: match?.isPlanned,
    })
  }
  expect(tallyOf(found, 'isKnown')).toEqual({ true: 1004, false: 34 })
  expect(tallyOf(found, 'by')).toEqual({ BY_TRIP: 1003, BY_TRAIN_NUMBER: 35 })
  expect(found.filter(({ by, isSame }) => isSame !== (by === 'BY_TRIP'))).toEqual([])
  // A part of a train that begins at 19:26, spoken of at 13:24 while the train itself runs: that is where it is.
  expect(found.filter(({ by, isKnown }) => isKnown && by !== 'BY_TRIP').map(({ trip_id }) => trip_id)).toEqual(['0063132026-03-28'])
  // Trains run by the live feed that the calendar does not let run that day.
  expect(tallyOf(found, 'isPlanned')).toEqual({ true: 909, false: 129 })
  expect(tallyOf(found, 'date')).toEqual({ '2026-03-28': 1009, '2026-03-27': 29 })
  // The alerts of that day's trains: of those that are in its timetable each has its product and stations.
  const alerts = [...bad].map(([train_number, ids]) => {
    const train = { network: 'AVLDMD', train_number, trip_ids: [...ids], service_date: '2026-03-28' }
    return exampleRow(railAlerts, { ...train, derived: true, route_ids: [], stop_ids: [] })
  })
  const states = [
    { rows: alerts as never, parts: [] },
    { rows: [], parts: [] },
  ] as const
  const { all: derivedAlerts } = await currentAlerts(states, kept.get.bind(kept))
  const named = derivedAlerts.filter(({ shown }) => shown.stop_ids.length > 1 && shown.products.length === 1)
  expect([named.length, derivedAlerts.length]).toEqual([491, 496])
})
