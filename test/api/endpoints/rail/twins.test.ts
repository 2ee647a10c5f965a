import { expect, test } from 'vitest'
import { duplicatesIn, sameCall } from '../../../../api/endpoints/rail/duplicates.ts'
import { DayStops } from '../../../../api/endpoints/transit/service-day.ts'
import { serviceStart } from '../../../../lake/schema/time.ts'

const START = serviceStart('2026-08-25')
const HOUR_S = 3600

/** Two trips of number 17001, each with its stops: station, and seconds of the service day. */
function day(...trips: (readonly (readonly [string, number])[])[]): {
  readonly runs: readonly { network: string; train_number: string; first: number; end: number }[]
  readonly stops: DayStops
} {
  const stops = new DayStops(START, new Map())
  const runs = trips.map((calls, trip) => {
    const first = stops.length
    for (const [n, [stop_id, at_s]] of calls.entries())
      stops.add(trip, { stop_id, stop_sequence: n, arrival: at_s, departure: at_s, pickup_type: null, drop_off_type: null })
    return { network: trip === 0 ? 'CERCANIAS' : 'AVLDMD', train_number: '17001', first, end: stops.length }
  })
  stops.close()
  return { runs, stops }
}

test.each([
  [0, true],
  [5 * 60, true],
  [-5 * 60, true],
  [5 * 60 + 1, false],
  [-5 * 60 - 1, false],
])('trips of one number that are %i s apart at two stations are one train: %s', (apart_s, isOne) => {
  const own = [
    ['10000', 10 * HOUR_S],
    ['10001', 11 * HOUR_S],
    ['10002', 12 * HOUR_S],
  ] as const
  const other = [
    ['10001', 11 * HOUR_S + apart_s],
    ['10002', 12 * HOUR_S + apart_s],
    ['10003', 13 * HOUR_S],
  ] as const
  const { runs, stops } = day(own, other)
  expect(duplicatesIn(runs, stops).size).toBe(isOne ? 2 : 0)
})

test('one station in common makes no one train', () => {
  const { runs, stops } = day(
    [
      ['10000', 10 * HOUR_S],
      ['10001', 11 * HOUR_S],
    ],
    [
      ['10001', 11 * HOUR_S],
      ['10002', 12 * HOUR_S],
    ],
  )
  expect(duplicatesIn(runs, stops).size).toBe(0)
})

test.each([
  [30 * 60, 0],
  [30 * 60 + 1, -1],
])('the stop of the other trip %i s away is found at %i', (away_s, row) => {
  const { runs, stops } = day([['10000', 10 * HOUR_S]])
  const at = START + (10 * HOUR_S + away_s) * 1000
  expect(sameCall(stops, runs[0] as (typeof runs)[number], { stop_id: '10000', at, by: 'departure' })).toBe(row)
})
