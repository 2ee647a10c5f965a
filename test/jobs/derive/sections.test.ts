import { afterEach, beforeEach, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { trafficSectionHoursDerived } from '../../../jobs/derive/road/sections.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficSectionHours } from '../../../lake/datasets/road/traffic-section-hours.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSectionStatesArchive } from '../../../lake/datasets/road/traffic-section-states-archive.ts'
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
  await prepareTables(context, [trafficSectionStates, trafficSectionStatesArchive, trafficSectionHours])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/** Lands states of two cities, with the covered period of each feed, and returns the built hours. */
async function hoursAfter(states: readonly (readonly [source: string, at: string])[], until: Readonly<Record<string, string>>) {
  const rows = states.map(([source, at]) => exampleTableRow(trafficSectionStates, { source, observed_at: Date.parse(at) }))
  const properties = Object.fromEntries(Object.entries(until).map(([feed, at]) => [`landed-until.${feed}`, new Date(at).toISOString()]))
  await landRows(context.lake, trafficSectionStates, rows, { properties })
  await derive(context, trafficSectionHoursDerived, { feeds: [], signal: new AbortController().signal })
  const made = await tableRows(context, trafficSectionHours)
  return made.map(({ source, period_start }) => `${source} ${new Date(period_start as number).toISOString().slice(0, 13)}`).sort()
}

test('a city that stops publishing delays the hours of the others by a day, and its own are complete once it goes on', async () => {
  const states = [
    ['bilbao_traffic', '2026-10-01T09:00Z'],
    ...['01', '02', '03', '04', '05'].map((day) => ['barcelona_traffic', `2026-10-${day}T10:00Z`] as const),
  ] as const
  const stopped = { barcelona_traffic: '2026-10-05T12:00Z', bilbao_traffic: '2026-10-01T10:00Z' }
  const early = ['barcelona_traffic 2026-10-01T10', 'barcelona_traffic 2026-10-02T10', 'barcelona_traffic 2026-10-03T10']
  expect(await hoursAfter(states, stopped)).toEqual([...early, 'bilbao_traffic 2026-10-01T09'])
  // Within a day nothing changes: no hour is made before each city had the time to publish it.
  const late = { ...stopped, bilbao_traffic: '2026-10-05T11:00Z' }
  expect(await hoursAfter([['bilbao_traffic', '2026-10-01T20:00Z']], late)).toEqual([
    ...[...early, 'barcelona_traffic 2026-10-04T10'],
    ...['bilbao_traffic 2026-10-01T09', 'bilbao_traffic 2026-10-01T20'],
  ])
})
