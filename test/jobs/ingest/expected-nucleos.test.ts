import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CompletenessGroups, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { expectedNucleos } from '../../../jobs/feeds/rail/expected-nucleos.ts'
import { renfeFlota } from '../../../jobs/feeds/rail/renfe-flota.ts'
import { renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs.ts'
import { renfePositions } from '../../../jobs/feeds/rail/renfe-positions.ts'
import { renfeTripUpdates } from '../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'

const never = new AbortController().signal
const MINUTE = 60_000
/** A Wednesday morning in March, 08:30 in Madrid. */
const MORNING = Date.parse('2026-03-11T07:30:00Z')
/** Asturias still has trains; two hours later it has none till the morning. */
const EVENING = Date.parse('2026-03-11T22:40:00Z')

let redis: TestRedis
let context: TestContext
let runner: Runner
let publishers: Publishers

beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())
afterEach(async () => {
  await publishers.close()
  await context.close()
})

/** A small Spain at an instant, and a lake that has its timetable by default. */
async function begin(at: number, { hasTimetable = true } = {}): Promise<void> {
  publishers = await startPublishers({ source: { kind: 'simulated', speed: 0, start: at, seed: 1, scale: 'small' } })
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => publishers.now() })
  await opened.redis.flushall()
  context = { ...opened, origin: originOf(publishers.url) }
  runner = makeRunner(context)
  if (!hasTimetable) return
  expect(await runner.fetch(renfeGtfsCercanias, never)).toMatchObject({ outcome: 'accepted' })
  await runner.land(renfeGtfsCercanias, never)
}

/** The missing blocks of a feed's present publication. */
async function missing(feed: Feed): Promise<readonly string[]> {
  const outcome = await runner.fetch(feed, never)
  expect([outcome.outcome, outcome.reason]).toEqual(['accepted', null])
  return outcome.missing_blocks
}

async function ofAsturias(dataset: string, feed: Feed): Promise<AnyRow[]> {
  const { bytes } = await readPart(context.redis, dataset, feed.id)
  const rows = bytes ? [...(await decodeSnapshot(bytes)).rows] : []
  return rows.filter((row) => row['nucleo_code'] === '20')
}

deepTest('a núcleo that is away from the first publication on is missing, by the timetable of the hour', async () => {
  await begin(MORNING)
  for (const feed of [renfePositions, renfeTripUpdates, renfeFlota]) publishers.setFault({ feed: feed.id, fault: 'block_missing' })
  expect(await missing(renfePositions)).toEqual(['rail_positions/20'])
  expect(await missing(renfeTripUpdates)).toEqual(['rail_trip_updates/20', 'rail_alerts/20'])
  expect(await missing(renfeFlota)).toEqual(['rail_fleet/20'])
  const [accepted] = await acceptedAfter(context.store, renfeTripUpdates.id, 0)
  expect(Object.keys(accepted?.expected?.['rail_trip_updates'] ?? {})).toEqual(['10', '20', '40', '51', '60'])
  // A new process that finds an empty Redis expects the same.
  for (const feed of [renfePositions, renfeTripUpdates]) await runner.land(feed, never)
  await context.redis.flushall()
  runner = makeRunner(context)
  await runner.heal([renfePositions, renfeTripUpdates])
  const states = await readFeedStates(context.redis)
  expect(states.get(renfePositions.id)?.missing_blocks).toEqual(['rail_positions/20'])
  expect(states.get(renfeTripUpdates.id)?.missing_blocks).toEqual(['rail_trip_updates/20', 'rail_alerts/20'])
  publishers.clearFaults()
  publishers.advance(MINUTE)
  expect(await missing(renfePositions)).toEqual([])
})

deepTest('a lake without a timetable, or with one of another time, knows nothing: the previous publication decides', async () => {
  await begin(MORNING, { hasTimetable: false })
  publishers.setFault({ feed: renfePositions.id, fault: 'block_missing' })
  expect(await missing(renfePositions)).toEqual([])
  publishers.clearFaults()
  publishers.advance(MINUTE)
  expect(await missing(renfePositions)).toEqual([])
  publishers.setFault({ feed: renfePositions.id, fault: 'block_missing' })
  publishers.advance(MINUTE)
  expect(await missing(renfePositions)).toEqual(['rail_positions/20'])
  for (const { expected } of await acceptedAfter(context.store, renfePositions.id, 0)) expect(expected).toBeUndefined()

  await publishers.close()
  await context.close()
  await begin(MORNING)
  publishers.advance(40 * 24 * 60 * MINUTE)
  publishers.setFault({ feed: renfePositions.id, fault: 'block_missing' })
  expect(await missing(renfePositions)).toEqual([])
  const [accepted] = await acceptedAfter(context.store, renfePositions.id, 0)
  expect([accepted?.seq, accepted?.expected]).toEqual([1, undefined])
})

deepTest('trains of a núcleo that drops out stay as they were seen, marked stale, for as long as it is away', async () => {
  await begin(MORNING)
  expect(await missing(renfeTripUpdates)).toEqual([])
  const before = (await ofAsturias('rail_trip_updates', renfeTripUpdates)).map((row) => row['trip_id']).sort()
  expect(before.length).toBeGreaterThanOrEqual(2)
  publishers.setFault({ feed: renfeTripUpdates.id, fault: 'block_missing' })
  for (let nth = 0; nth < 5; nth++) {
    publishers.advance(MINUTE)
    expect(await missing(renfeTripUpdates)).toEqual(['rail_trip_updates/20', 'rail_alerts/20'])
  }
  const rows = await ofAsturias('rail_trip_updates', renfeTripUpdates)
  expect(rows.map((row) => row['trip_id']).sort()).toEqual(before)
  expect(rows.every((row) => row['status'] === 'ACTIVE' && row['is_stale'] === true)).toBe(true)
})

deepTest('a núcleo whose service ended for the night is not missing, and its trains end', async () => {
  await begin(EVENING)
  expect(await missing(renfeTripUpdates)).toEqual([])
  expect((await ofAsturias('rail_trip_updates', renfeTripUpdates)).length).toBeGreaterThanOrEqual(2)
  publishers.advance(150 * MINUTE)
  for (let nth = 0; nth < 3; nth++) {
    publishers.advance(MINUTE)
    expect(await missing(renfeTripUpdates)).toEqual([])
  }
  expect(await ofAsturias('rail_trip_updates', renfeTripUpdates)).toEqual([])
})

test("rows are derived from the lake's answer when a fetch was judged, whatever the lake would answer later", async () => {
  await begin(EVENING)
  for (let nth = 0; nth < 2; nth++, publishers.advance(MINUTE)) await missing(renfeTripUpdates)
  publishers.advance(150 * MINUTE)
  for (let nth = 0; nth < 4; nth++, publishers.advance(MINUTE)) await missing(renfeTripUpdates)
  await runner.land(renfeTripUpdates, never)
  const landed = await tableRows(context, railTripUpdates)
  // By the publication before alone they would be held as missing.
  expect(landed.filter((row) => row['nucleo_code'] === '20' && row['status'] === 'ENDED').length).toBeGreaterThanOrEqual(2)

  const asking = (): never => {
    throw new Error('the lake is asked again')
  }
  const expected = { ...expectedNucleos, query: asking }
  const rule = { ...(renfeTripUpdates.groups?.['rail_trip_updates'] as CompletenessGroups), expected }
  const later = defineFeed({ ...renfeTripUpdates, groups: { ...renfeTripUpdates.groups, rail_trip_updates: rule } })
  await context.redis.flushall()
  runner = makeRunner(context)
  await runner.heal([later])
  expect(await ofAsturias('rail_trip_updates', later)).toEqual([])
  for (const dataset of later.into)
    expect(await rebuild(context, { feed: later, dataset, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  expect(await tableRows(context, railTripUpdates)).toEqual(landed)
  // Where it cannot be asked, a new publication is judged by the one before.
  expect(await missing(later)).toEqual([])
})
