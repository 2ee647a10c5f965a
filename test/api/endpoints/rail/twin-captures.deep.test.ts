import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { boardEntry, boardOf } from '../../../../api/endpoints/rail/board.ts'
import { liveTrips } from '../../../../api/endpoints/rail/live-trips.ts'
import { timetableDay } from '../../../../api/endpoints/rail/timetable-day.ts'
import { openCachedViews } from '../../../../api/engine/state/cached-views.ts'
import { renfeGtfsAvldmd, renfeGtfsCercanias } from '../../../../jobs/feeds/rail/renfe-gtfs.ts'
import { checkedRows } from '../../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../../helpers/shared.ts'
import { type Member, membersOf, zipOf } from '../../../helpers/zip.ts'
import { startService } from '../../service.ts'

const shared = sharedFolder()
const DATE = '2026-08-25'
/** The part after the núcleo in ids of commuter trips of that day, and in those of the day before and after. */
const OF_DAY = /^\d\d35M/

/** The members of an archive. Commuter rail has only the trips of the day: stop times of all days are two million. */
function ofDay({ name, bytes }: Member): Member {
  if (name !== 'stop_times.txt') return { name, bytes }
  const [head, ...lines] = bytes.toString('latin1').split('\n')
  return { name, bytes: Buffer.from([head, ...lines.filter((line) => OF_DAY.test(line))].join('\n'), 'latin1') }
}

test.skipIf(!shared)(
  'of the trains of 2026-08-25 that both timetables have each is once on every board',
  { timeout: 300_000 },
  async () => {
    const service = await startService()
    onTestFinished(() => service.close())
    for (const [feed, version, change] of [
      [renfeGtfsCercanias, 'cercanias-2026-08-22', ofDay],
      [renfeGtfsAvldmd, 'avldmd-2026-08-21', (member: Member) => member],
    ] as const) {
      const bytes = zipOf(...membersOf(join(shared as string, 'feeds/renfe-gtfs', version)).map(change))
      const at = Date.parse(`${version.slice(-10)}T00:00:00Z`)
      for (const dataset of feed.into) {
        const rows: AnyRow[] = []
        for await (const some of checkedRows(feed, dataset, [{ name: 'timetable', bytes }], { fetched_at: at }))
          for (const row of some) rows.push({ ...row, fetch_id: `${feed.id}.1` })
        if (rows.length > 0) await service.land(dataset, rows, at)
      }
    }
    const kept = openCachedViews({
      lake: service.lake,
      poll_ms: 60_000,
      clock: Date.now,
      onError: (error) => expect.unreachable(error.message),
    })
    onTestFinished(() => kept.close())
    const day = await kept.get(timetableDay, DATE)
    const commuters = day.trips.filter(({ network }) => network === 'CERCANIAS')
    expect(commuters.length).toBeGreaterThan(4000)
    expect(commuters.reduce((pairs, trip) => pairs + day.duplicatesOf(trip).length, 0)).toBe(204)
    const none = { rows: [], parts: [] }
    const ask = { at: day.start, now: day.start, days: [day], live: liveTrips([none, none], day.start) }
    const stations = new Set(Array.from({ length: day.stops.length }, (_, row) => day.stops.stopId(row)))
    /** Trains that a board has twice, once of each network, under one number and within half an hour. */
    const twice = new Map<string, number>()
    let merged = 0
    for (const stop_id of stations)
      for (const side of ['DEPARTURES', 'ARRIVALS'] as const) {
        const entries = boardOf({ ...ask, side, stop_id }).map(boardEntry)
        merged += entries.filter(({ line, product }) => line !== null && product !== null).length
        for (const [number, same] of Map.groupBy(entries, ({ train_number }) => train_number))
          for (const [at, one] of same.entries())
            for (const other of same.slice(at + 1))
              if (one.network !== other.network && Math.abs(one.scheduled_at - other.scheduled_at) <= 1_800_000)
                twice.set(number ?? '', (twice.get(number ?? '') ?? 0) + 1)
      }
    // One that the timetables have half an hour apart, at each of its ten stations but the one where it ends, or begins.
    expect([merged, Object.fromEntries(twice)]).toEqual([4289, { '17050': 18 }])
  },
)
