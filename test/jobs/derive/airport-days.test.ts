import { afterEach, beforeEach, expect, test } from 'vitest'
import { airportDaysDerived } from '../../../jobs/derive/aviation/airport-days.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { airportDays, airportTraffic, arrivalAtfmDelays } from '../../../lake/datasets/aviation/airport-days.ts'
import { flights } from '../../../lake/datasets/aviation/flights.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [flights, airportTraffic, arrivalAtfmDelays, airportDays])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const DAY = '2026-10-26'
const at = (time: string): number => Date.parse(`${DAY}T${time}:00Z`)
const END = Date.parse('2026-10-28T12:00:00Z')

async function land(dataset: Dataset, rows: readonly AnyRow[], feed: string): Promise<void> {
  await landRows(context.lake, dataset, rows, { properties: { [`landed-until.${feed}`]: isoInstant(END) } })
}

/** A state of a flight. */
const state = (flight_number: string, observed: string, values: AnyRow): AnyRow =>
  exampleTableRow(flights, { flight_number, flight_date: DAY, observed_at: at(observed), updated_at: at(observed), ...values })
const done = (delay_minutes: number): AnyRow => ({ state: 'DEPARTED', actual_at: at('13:00'), delay_minutes })
const open = { state: 'ON_TIME', actual_at: null, delay_minutes: 0 }
const off = (how: string): AnyRow => ({ state: how, actual_at: null, delay_minutes: null })

const STATES = [
  // Delayed, then punctual after all; the row of its end repeats the last state.
  state('IB1', '10:00', { ...open, delay_minutes: 90 }),
  state('IB1', '13:10', done(15)),
  state('IB1', '20:00', { ...done(15), status: 'ENDED', last_seen_at: at('19:40') }),
  state('IB2', '13:10', done(16)),
  state('IB3', '13:10', done(-10)),
  state('IB3', '13:10', { ...done(40), direction: 'ARRIVAL' }),
  state('IB4', '11:00', off('CANCELLED')),
  state('IB5', '11:00', off('DIVERTED')),
  // Never seen to leave.
  state('IB6', '12:00', open),
  state('IB7', '13:10', { ...done(0), airport: 'BCN' }),
  // Its day is not over for long enough.
  state('IB8', '13:10', { ...done(0), flight_date: '2026-10-28' }),
]
const traffic = (values: AnyRow): AnyRow =>
  exampleTableRow(airportTraffic, { edition: '2026', local_date: DAY, day_starts_at: at('00:00'), movements: 1000, ...values })
const delays = (values: AnyRow): AnyRow =>
  exampleTableRow(arrivalAtfmDelays, { edition: '2026', local_date: DAY, day_starts_at: at('00:00'), ...values })
const NETWORK = [
  [
    airportTraffic,
    'eurocontrol_traffic',
    [traffic({}), traffic({ iata: 'PMI', icao: 'LEPA' }), traffic({ iata: 'PMI', icao: 'LESJ', movements: 3 })],
  ],
  [arrivalAtfmDelays, 'eurocontrol_arrival_delays', [delays({ arrivals: 500, delay_minutes: 120 })]],
] as const

async function days(): Promise<AnyRow[]> {
  await derive(context, airportDaysDerived, { feeds, signal: new AbortController().signal })
  const rows = await tableRows(context, airportDays)
  const shown = rows.map(({ fetch_id: _fetch, month: _month, period_start: _start, ...row }): AnyRow => row)
  return shown.sort((one, other) => (`${one['iata']}` < `${other['iata']}` ? -1 : 1))
}

const NO_FLIGHTS = { flights: null, movements: null, cancelled: null, diverted: null, punctual: null, delay_minutes: null }
const NO_DELAY = { atfm_arrivals: null, atfm_delay_minutes: null, atfm_cause: null }
const MADRID_NETWORK = { nm_movements: 1000, atfm_arrivals: 500, atfm_delay_minutes: 120, atfm_cause: 'WEATHER' }

test('days count the last state of each flight, beside the counts of EUROCONTROL', async () => {
  await land(flights, STATES, 'aena_flights')
  for (const [dataset, feed, rows] of NETWORK) await land(dataset, rows, feed)
  expect(await days()).toEqual([
    {
      ...{ iata: 'BCN', local_date: DAY, flights: 1, movements: 1, cancelled: 0, diverted: 0, punctual: 1, delay_minutes: 0 },
      ...{ nm_movements: null, ...NO_DELAY },
    },
    {
      ...{ iata: 'MAD', local_date: DAY, flights: 7, movements: 4, cancelled: 1, diverted: 1, punctual: 2, delay_minutes: 71 },
      ...MADRID_NETWORK,
    },
    { iata: 'PMI', local_date: DAY, ...NO_FLIGHTS, nm_movements: 1003, ...NO_DELAY },
  ])
})

test('without flights the days of EUROCONTROL are there all the same', async () => {
  for (const [dataset, feed, rows] of NETWORK) await land(dataset, rows, feed)
  expect(await days()).toEqual([
    { iata: 'MAD', local_date: DAY, ...NO_FLIGHTS, ...MADRID_NETWORK },
    { iata: 'PMI', local_date: DAY, ...NO_FLIGHTS, nm_movements: 1003, ...NO_DELAY },
  ])
})
