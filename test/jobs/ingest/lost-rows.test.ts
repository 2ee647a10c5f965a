import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusedAmong } from '../../../jobs/ingest/usable.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { Snapshot, SnapshotId, TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { planRollback } from '../../../lake/iceberg/repair.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { landedOf } from '../../../lake/landed.ts'
import { readTableNotices } from '../../../lake/live/table-notices.ts'
import { dropAccepted } from '../../../lake/raw/archive.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { deepTest } from '../../helpers/tier.ts'
import { never, openStage, type Stage } from './stage.ts'

const tables: readonly Dataset[] = [v16Beacons, trafficReadings]
const feed = littleFeed()
/** The last minute of May, so that the second landing opens a partition. */
const MONTH_END = -15 * 1440 + 1438

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  await prepareTables(stage.context, tables)
})
afterEach(() => stage.close())

/** What minute `count` publishes: a thing that moves, one that stays, and one that is there for a while. */
const document = (count: number) => ({
  beacons: { moves: count, stays: 1, ...(count < 4 ? { goes: 2 } : {}) },
  readings: { one: count, two: 2 * count },
})
const land = async (...counts: number[]): Promise<void> => {
  for (const count of counts) await stage.publish(feed, MONTH_END + count, document(count))
  await stage.runner.land(feed, never)
}
const state = async (dataset: Dataset) => (await stage.context.lake.table(dataset).load({ isFresh: true })) as TableState
const rows = async () => ({
  beacons: await tableRows(stage.context, v16Beacons),
  readings: await tableRows(stage.context, trafficReadings),
})

const change = async (dataset: Dataset, to: (metadata: TableMetadata) => TableMetadata): Promise<void> =>
  void (await updateTable({
    table: stage.context.lake.table(dataset),
    attempt: async ({ metadata }) => ({ kind: 'change', metadata: to(metadata) }),
  }))

/** Sets a table's main branch to one of its snapshots, as Spark's `rollback_to_snapshot` does. */
const rollBack = (dataset: Dataset, to: SnapshotId): Promise<void> =>
  change(dataset, (metadata) => ({
    ...metadata,
    'current-snapshot-id': to,
    refs: { ...metadata.refs, main: { 'snapshot-id': to, type: 'branch' } },
    'snapshot-log': [...metadata['snapshot-log'], { 'timestamp-ms': Date.now(), 'snapshot-id': to }],
  }))

/** Gives the newest snapshot the random id and summary of another engine. */
const asForeign = (dataset: Dataset, rowsAt: string | undefined): Promise<void> =>
  change(dataset, (metadata) => {
    const id = 4_611_686_018_427_387_911n
    const theirs = (one: Snapshot): Snapshot => ({ ...one, 'snapshot-id': id, summary: { ...one.summary, 'engine-name': 'spark' } })
    return {
      ...metadata,
      snapshots: [...metadata.snapshots.slice(0, -1), ...metadata.snapshots.slice(-1).map(theirs)],
      'current-snapshot-id': id,
      refs: { main: { 'snapshot-id': id, type: 'branch' } },
      properties: { ...metadata.properties, ...(rowsAt && { 'rows-at': rowsAt }) },
    } as TableMetadata
  })

/** Commits a snapshot with the rows of the newest one, as another engine that adds none. */
const appendNothing = (dataset: Dataset, id: SnapshotId): Promise<void> =>
  change(dataset, (metadata) => {
    const newest = metadata.snapshots.at(-1) as Snapshot
    const summary = { ...newest.summary, operation: 'append' as const }
    return {
      ...metadata,
      snapshots: [...metadata.snapshots, { ...newest, 'snapshot-id': id, 'parent-snapshot-id': newest['snapshot-id'], summary }],
      'current-snapshot-id': id,
      refs: { ...metadata.refs, main: { 'snapshot-id': id, type: 'branch' } },
    }
  })

/** Deletes files of a table as another engine does: a snapshot of its own, and the properties as they were. */
async function deleteFiles(dataset: Dataset, isChosen: (at: number) => boolean): Promise<void> {
  const { table, properties } = await state(dataset)
  const remove = (await liveFiles(await state(dataset))).filter((_, at) => isChosen(at))
  await commit({ table, operation: 'delete', remove })
  await asForeign(dataset, properties['rows-at'])
}

/** The rows of a lake that nobody else touched, which landed the same. */
async function twin(...landings: readonly (readonly number[])[]) {
  const damaged = stage
  stage = await openStage()
  try {
    await prepareTables(stage.context, tables)
    for (const counts of landings) await land(...counts)
    return await rows()
  } finally {
    await stage.close()
    stage = damaged
  }
}

test('after a rollback by another tool the rows are those of a lake that nobody touched', async () => {
  await land(0, 1)
  const first = await Promise.all(tables.map(async (one) => (await state(one)).snapshot?.['snapshot-id'] as SnapshotId))
  await land(2, 3)
  await land(4, 5)
  const whole = await rows()
  for (const [at, dataset] of tables.entries()) await rollBack(dataset, first[at] as SnapshotId)
  expect(await rows()).not.toEqual(whole)
  // Without a new fetch.
  await stage.runner.land(feed, never)
  expect(await rows()).toEqual(whole)
  expect((await readTableNotices(stage.context.redis)).size).toBe(0)
  await refusedAmong(stage.context, tables)
  expect((await readTableNotices(stage.context.redis)).get('v16_beacons')?.writer).toMatch(
    /^landed again from the raw log: little from 2026-06-01T00:00:00.000Z$/,
  )
  // Nothing is rebuilt once it is repaired.
  const { version } = await state(v16Beacons)
  await stage.runner.land(feed, never)
  expect((await state(v16Beacons)).version).toBe(version)
})

deepTest('a rollback between the check and the commit of a landing is found by the next landing', async () => {
  await land(0, 1)
  const first = (await state(v16Beacons)).snapshot?.['snapshot-id'] as SnapshotId
  await land(2, 3)
  let isDue = true
  const onStep = async (step: string): Promise<void> => {
    if (step !== 'parquet-written' || !isDue) return
    isDue = false
    await rollBack(v16Beacons, first)
  }
  Object.assign(stage.context, { onStep })
  await land(4, 5)
  expect(isDue).toBe(false)
  await land(6)
  expect(await rows()).toEqual(await twin([0, 1], [2, 3], [4, 5], [6]))
})

test('rows that another tool deleted, keyframes among them, are landed again once', async () => {
  await land(0, 1)
  await land(2, 3)
  await land(4, 5)
  const whole = await rows()
  // Of each table the file of the second landing, which opens June.
  for (const dataset of tables) {
    const before = (await state(dataset)).snapshotId
    await deleteFiles(dataset, (at) => at === 1)
    expect((await state(dataset)).snapshotId).not.toBe(before)
  }
  expect(await rows()).not.toEqual(whole)
  await stage.runner.land(feed, never)
  expect(await rows()).toEqual(whole)
  await land(6)
  expect(await rows()).toEqual(await twin([0, 1], [2, 3], [4, 5], [6]))
})

test('a comparison of rows that another commit overtakes is made again in the same landing, five times at most', async () => {
  await land(0, 1)
  await land(2, 3)
  await land(4, 5)
  const whole = await rows()
  await deleteFiles(trafficReadings, (at) => at === 1)
  const { lake } = stage.context
  let overtaking = 4
  const compare = lake.use.bind(lake)
  const use: typeof lake.use = async (options, work) => {
    const done = await compare(options, work)
    if (overtaking-- > 0) await appendNothing(trafficReadings, BigInt(10 ** 15 + overtaking))
    return done
  }
  Object.assign(lake, { use })
  await stage.runner.land(feed, never)
  expect(overtaking).toBeLessThan(0)
  expect(await rows()).toEqual(whole)
  await deleteFiles(trafficReadings, (at) => at === 1)
  overtaking = 1000
  await expect(stage.runner.land(feed, never)).rejects.toThrow('5 times; each time another commit came first')
  overtaking = 0
  await stage.runner.land(feed, never)
  expect(await rows()).toEqual(whole)
})

deepTest('rows that another tool added repair nothing', async () => {
  await land(0, 1)
  const { properties } = await state(trafficReadings)
  await land(2)
  await asForeign(trafficReadings, properties['rows-at'])
  const { version } = await state(trafficReadings)
  const before = await rows()
  for (let times = 0; times < 2; times++) await stage.runner.land(feed, never)
  expect(await rows()).toEqual(before)
  const after = await state(trafficReadings)
  // One commit that records the comparison.
  expect(after.version).toBe(version + 1)
  expect(landedOf(after.properties, feed.id)).toEqual(landedOf((await state(v16Beacons)).properties, feed.id))
})

test('what the raw log no longer has is named, with the command that brings it back', async () => {
  await land(0, 1)
  await land(2, 3)
  const { version } = await state(trafficReadings)
  for (let seq = 1; seq <= 2; seq++) await dropAccepted(stage.context.store, feed.id, seq)
  const whole = await rows()
  await deleteFiles(trafficReadings, () => true)
  await stage.runner.land(feed, never)
  await refusedAmong(stage.context, tables)
  const { writer } = (await readTableNotices(stage.context.redis)).get('traffic_readings') ?? {}
  expect(writer).toMatch(/^spark at .*; landed again from the raw log: little from 2026-06-01T00:00:00.000Z; rows of 2 fetches from little/)
  expect(writer).toContain(`are gone and no longer in the raw log; \`scripts/lake rollback traffic_readings ${version}\` brings them back`)
  expect(stage.lines.some(({ level, msg }) => level === 50 && msg.startsWith('rows changed by another writer: landed again'))).toBe(true)
  await (await planRollback(stage.context.lake.table(trafficReadings), version)).apply()
  await land(4)
  expect((await rows()).readings).toEqual(expect.arrayContaining(whole.readings))
  await refusedAmong(stage.context, tables)
  expect((await readTableNotices(stage.context.redis)).get('traffic_readings')).toBeUndefined()
})

deepTest('after a rollback by the operator a running worker lands again what the version lacked', async () => {
  await land(0, 1)
  const { version } = await state(v16Beacons)
  await land(2, 3)
  const whole = await rows()
  await (await planRollback(stage.context.lake.table(v16Beacons), version)).apply()
  expect((await rows()).beacons).not.toEqual(whole.beacons)
  await stage.runner.land(feed, never)
  expect(await rows()).toEqual(whole)
  await land(4)
  expect(await rows()).toEqual(await twin([0, 1], [2, 3], [4]))
})
