import { afterEach, beforeEach, expect, test } from 'vitest'
import { airportObservedDaysDerived } from '../../../jobs/derive/aviation/airport-days.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { deleteOldRows } from '../../../jobs/upkeep/delete-rows.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { aircraftPositions, POSITION_DAYS } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import { airportObservedDays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airports } from '../../../lake/datasets/aviation/airports.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const DAY_MS = 86_400_000
const at = (text: string): number => Date.parse(`2026-${text}:00Z`)
const END = at('10-23T12:00')
const MAD = { lat: 40.4719, lon: -3.5626 }
const LPA = { lat: 27.9319, lon: -15.3866 }

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [aircraftPositions, airports, airportObservedDays])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const land = (dataset: Dataset, rows: readonly AnyRow[], feed: string): Promise<unknown> =>
  landRows(context.lake, dataset, rows, { properties: { [`landed-until.${feed}`]: isoInstant(END) } })

const airport = (iata: string, position: object, time_zone: string): AnyRow =>
  exampleTableRow(airports, { iata, position, time_zone, observed_at: at('10-20T00:00'), updated_at: at('10-20T00:00') })

/** A position of an aircraft; `north` is its distance north of the airport, in thousandths of a degree (111 m). */
const seen = (icao24: string, time: string, is_on_ground: boolean | null, place = MAD, north = 0): AnyRow =>
  exampleTableRow(aircraftPositions, {
    ...{ icao24, observed_at: at(time), is_on_ground, is_icao_address: !icao24.startsWith('~') },
    position: { lat: place.lat + north / 1000, lon: place.lon },
  })

const POSITIONS = [
  // Leaves, and comes back an hour later.
  ...[seen('340001', '10-20T10:00', true), seen('340001', '10-20T10:02', false, MAD, 40), seen('340001', '10-20T11:00', false, MAD, 60)],
  ...[seen('340001', '10-20T11:05', true, MAD, 20), seen('340001', '10-20T11:06', true)],
  // Not seen for too long before it was on the ground; on the ground too far from the airport; no ICAO address; unknown state.
  ...[seen('340002', '10-20T12:00', false), seen('340002', '10-20T12:11', true)],
  ...[seen('340003', '10-20T12:00', true, MAD, 56), seen('340003', '10-20T12:01', false, MAD, 60)],
  ...[seen('~40004', '10-20T12:00', true), seen('~40004', '10-20T12:01', false)],
  ...[seen('340005', '10-20T12:00', null), seen('340005', '10-20T12:01', false)],
  // Before midnight in the Canaries, after it in Madrid.
  ...[seen('340006', '10-20T22:30', true, LPA), seen('340006', '10-20T22:31', false, LPA)],
  // A day that has not been over for long enough.
  ...[seen('340007', '10-22T22:30', true), seen('340007', '10-22T22:31', false)],
]

const run = () => derive(context, airportObservedDaysDerived, { feeds, signal: AbortSignal.timeout(60_000) })
const shown = async (): Promise<AnyRow[]> => tableRows(context, airportObservedDays)

test('movements are counted at the airport and on its date; without reception on the ground they are not known', async () => {
  await land(airports, [airport('MAD', MAD, 'Europe/Madrid'), airport('LPA', LPA, 'Atlantic/Canary')], 'airports')
  await land(aircraftPositions, POSITIONS, 'adsb_lol')
  expect((await run()).made).toEqual(['2026-10'])
  const rows = await shown()
  const of = (iata: string, local_date: string): AnyRow | undefined =>
    rows.find((row) => row['iata'] === iata && row['local_date'] === local_date)
  expect(of('MAD', '2026-10-20')).toMatchObject({
    ...{ observed_departures: 1, observed_arrivals: 1, ground_positions: 4, period_start: Date.parse('2026-10-19T22:00:00Z') },
    coverage: expect.closeTo(8 / 1440, 6),
  })
  expect(of('LPA', '2026-10-20')).toMatchObject({ observed_departures: 1, observed_arrivals: 0, ground_positions: 1 })
  expect(of('MAD', '2026-10-21')).toMatchObject({ observed_departures: null, observed_arrivals: null, ground_positions: 0 })
  expect(rows.filter(({ local_date }) => String(local_date) > '2026-10-21')).toEqual([])
})

test('a month stays as it is once its first positions are deleted', async () => {
  await land(airports, [airport('MAD', MAD, 'Europe/Madrid')], 'airports')
  await land(aircraftPositions, POSITIONS, 'adsb_lol')
  await run()
  const before = await shown()
  expect(await deleteOldRows(context, aircraftPositions, at('10-21T01:00') + (POSITION_DAYS - 1) * DAY_MS)).toBe(0)
  expect(await deleteOldRows(context, aircraftPositions, at('10-21T01:00') + POSITION_DAYS * DAY_MS)).toBe(POSITIONS.length - 2)
  expect((await tableRows(context, aircraftPositions)).map(({ icao24 }) => icao24)).toEqual(['340007', '340007'])
  expect(await run()).toMatchObject({ made: [], removed: [] })
  expect(await shown()).toEqual(before)
  // With all positions of the month gone the counts stay, too.
  await deleteOldRows(context, aircraftPositions, END + (POSITION_DAYS + 2) * DAY_MS)
  expect(await tableRows(context, aircraftPositions)).toEqual([])
  expect(await run()).toMatchObject({ made: [], removed: [] })
  expect(await shown()).toEqual(before)
})
