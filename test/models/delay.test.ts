import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sctIncidentsFeed } from '../../jobs/feeds/road/sct-incidents.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { type CongestionRecord, estimatedDelay } from '../../models/delay/estimate.ts'
import { figures } from '../helpers/figures.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { captureOfJanuary, readDgt } from '../jobs/feeds/dgt-documents.ts'

const RISING = ['HEAVY_TRAFFIC', 'SLOW_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'] as const

const record = (values: Partial<CongestionRecord> = {}): CongestionRecord => ({
  ...{ kind: 'SLOW_TRAFFIC', road: 'A-7', from_km: 571.5, to_km: 567.5, from: null, to: null },
  ...values,
})

test.each([
  // 6 km at 120 km/h are 3 minutes; at 50 % of that 6, at 17.5 % 17.1, at 10 % 30, at 82.5 % 3.6.
  ['SLOW_TRAFFIC', 'A-4', 3],
  ['QUEUING_TRAFFIC', 'AP-7', 14],
  ['STATIONARY_TRAFFIC', 'R-5', 27],
  ['HEAVY_TRAFFIC', 'A-66', 1],
  // At 90 km/h they are 4.
  ['SLOW_TRAFFIC', 'A-395', 4],
  ['QUEUING_TRAFFIC', 'N-II', 19],
  ['STATIONARY_TRAFFIC', null, 36],
] as const)('%s on 6 km of %s: %i minutes', (kind, road, minutes) => {
  expect(estimatedDelay([record({ kind, road, from_km: 24, to_km: 18 })])).toBe(minutes)
  expect(estimatedDelay([record({ kind, road, from_km: 18, to_km: 24 })])).toBe(minutes)
})

test('without a level, a length, or with ends that contradict it there is no estimate', () => {
  for (const kind of ['INCIDENT', 'LANES_CLOSED', 'CARRIAGEWAY_CLOSED', 'ABNORMAL_TRAFFIC', 'trafficProblem', 'toString'])
    expect(estimatedDelay([record({ kind })]), kind).toBeNull()
  expect(estimatedDelay([])).toBeNull()
  expect(estimatedDelay([record({ to_km: null })])).toBeNull()
  expect(estimatedDelay([record({ from_km: null })])).toBeNull()
  expect(estimatedDelay([record({ to_km: 571.5 })])).toBeNull()
  const at = { lat: 37.4, lon: -5.9 }
  expect(estimatedDelay([record({ from: at, to: at })])).toBeNull()
  // Forty metres apart are one place, a hundred are not: kilometres by a road that turns.
  expect(estimatedDelay([record({ from: at, to: { ...at, lat: 37.40036 } })])).toBeNull()
  expect(estimatedDelay([record({ from: at, to: { ...at, lat: 37.4009 } })])).toBe(2)
  expect(estimatedDelay([record({ from: at, to: { ...at, lat: 37.46 } })])).toBeNull()
  expect(estimatedDelay([record({ from: at, to: { ...at, lat: 37.43 } })])).toBe(2)
})

test('of several records the one with the largest estimate counts, never their sum', () => {
  const [slow, queue] = [record(), record({ kind: 'QUEUING_TRAFFIC' })]
  expect(estimatedDelay([record({ kind: 'LANES_CLOSED' }), slow, queue, slow])).toBe(estimatedDelay([queue]))
})

test('a longer or slower queue never costs less, and no estimate is below zero', () => {
  const next = figures(17)
  for (let n = 0; n < 500; n++) {
    const [from_km, length] = [400 * next(), 0.1 + 20 * next()]
    const of = (kind: string, km: number): number =>
      estimatedDelay([record({ kind, road: n % 2 ? 'A-1' : 'C-58', from_km, to_km: from_km + km })]) as number
    const delays = RISING.map((kind) => of(kind, length))
    expect(delays).toEqual(delays.toSorted((one, other) => one - other))
    for (const kind of RISING) expect(of(kind, length * (1 + next()))).toBeGreaterThanOrEqual(of(kind, length))
    expect(delays[0]).toBeGreaterThanOrEqual(0)
  }
})

const capture = captureOfJanuary()

test.skipIf(!capture)(
  'of the recorded publication of January 2026 every slow stretch but one has an estimate, and nothing else',
  async () => {
    const { incidents } = await readDgt(capture as Buffer)
    const isCongested = ({ measures }: (typeof incidents)[number]): boolean =>
      measures.some(({ kind }) => (RISING as readonly string[]).includes(kind))
    const delayed = incidents.filter(({ delay_minutes }) => delay_minutes !== null)
    expect(delayed.every((one) => isCongested(one) && one.delay_source === 'estimated')).toBe(true)
    // Both ends of the SE-30's eight kilometres are stated to be at one place.
    expect(incidents.filter((one) => isCongested(one) && one.delay_minutes === null).map(({ road }) => road)).toEqual(['SE-30'])
    const delays = delayed.map(({ delay_minutes }) => delay_minutes as number)
    expect([delays.length, Math.min(...delays), Math.max(...delays)]).toEqual([28, 0, 5])
  },
)

const shared = sharedFolder()

test.skipIf(!shared)('of the recorded incidents of Catalonia queues have an estimate, closed carriageways none', async () => {
  const bytes = readFileSync(`${shared}/feeds/sct-incidencies/incidenciesGML_20260203T19GMT.xml`)
  const { rows } = await parsePublication(sctIncidentsFeed, [{ name: 'incidents', bytes }], Date.UTC(2026, 1, 3, 19))
  const delayed = (rows.get('incidents') ?? []).filter((row) => row['delay_minutes'] !== null)
  expect(delayed.map((row) => [row['road'], row['delay_minutes']]).sort()).toEqual([
    ['A-2', 0],
    ['A-2', 7],
    ['AP-7', 0],
    ['AP-7', 5],
    ['B-20', 18],
    ['B-20', 9],
    ['B-23', 12],
    ['B-24', 8],
    ['C-15', 0],
    ['N-II', 60],
  ])
})
