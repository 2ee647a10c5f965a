import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMemory, syncMemory } from '../../../jobs/ingest/memory.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { littleFeed } from '../../helpers/pipeline.ts'
import { never, openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('a worker drops the rows that another landed, and goes on from what the table holds', async () => {
  const { context, publish } = stage
  const feed = littleFeed()
  let memory = await openMemory(context, feed)
  const pending = (): number[] => [...memory.parts.values()].map((part) => part.pending.length)
  for (let count = 0; count < 3; count++) {
    await publish(feed, count, { beacons: { a: count + 1 }, readings: { s: count } })
    memory = await syncMemory(context, memory)
    expect(pending()).toEqual([1, 1])
    await stage.runner.land(feed, never)
    memory = await syncMemory(context, memory)
    expect(pending()).toEqual([0, 0])
  }
  // The other worker lands the next fetches, on the same memory.
  const other = makeRunner(context)
  await other.land(feed, never)
  await publish(feed, 3, { beacons: { a: 4 }, readings: { s: 3 } })
  memory = await syncMemory(context, memory)
  await other.land(feed, never)
  await publish(feed, 4, { beacons: {}, readings: { s: 4 } })
  await other.land(feed, never)
  const rows = await context.lake.query(sql`SELECT intensity_veh_h FROM ${scan(trafficReadings)} ORDER BY 1`)
  expect(rows.map((row) => row['intensity_veh_h'])).toEqual([0, 1, 2, 3, 4])
  const changes = await context.lake.query(sql`SELECT km FROM ${scan(v16Beacons, { is_baseline: { eq: false } })} ORDER BY observed_at`)
  expect(changes.map((row) => Number(row['km']))).toEqual([1, 2, 3, 4])
})
