import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { landedIn, replaceRows, writeRows } from '../../../jobs/ingest/tables.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { expireSnapshots } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { Snapshot } from '../../../lake/iceberg/metadata.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  await prepareTables(stage.context, feed.into)
})
afterEach(() => stage.close())

const land = async (count: number): Promise<void> => {
  await stage.publish(feed, count, { readings: { one: count, two: 2 * count } })
  await stage.runner.land(feed, never)
}
const readings = async (isOurs: boolean): Promise<AnyRow[]> =>
  (await tableRows(stage.context, trafficReadings))
    .filter(({ fetch_id }) => String(fetch_id).startsWith('little.') === isOurs)
    .sort((a, b) => Number(a.observed_at) - Number(b.observed_at))

/** Adds rows to the table, as the catalogue does for another writer. */
async function append(rows: readonly AnyRow[]): Promise<void> {
  const { context } = stage
  const state = (await context.lake.table(trafficReadings).load({ isFresh: true })) as TableState
  const add = await context.lake.use({}, async (session) => {
    const staged = await stageRows(session, tableColumns(trafficReadings), [rows])
    const from = sql`(SELECT * REPLACE (nullif(fetch_id, 'none') AS fetch_id) FROM ${staged.table})`
    const written = await writeRows(context, session, { dataset: trafficReadings, state, from })
    await staged.drop()
    return written
  })
  await commit({ table: state.table, operation: 'append', add })
}

test('a row of another writer and one of ours with the same key stand beside each other, whichever was first', async () => {
  await land(1)
  const [one] = await readings(true)
  const given = [1, 2].map((count): AnyRow => ({ ...one, observed_at: minute(count), intensity_veh_h: 7, fetch_id: 'mine' }))
  await append([...given, { ...given[1], intensity_veh_h: 8, fetch_id: 'none' }])
  const theirs = [...given, { ...given[1], intensity_veh_h: 8, fetch_id: null }]
  await land(2)
  expect(await readings(false)).toEqual(theirs)
  const ours = await readings(true)
  expect(ours.map(({ observed_at, intensity_veh_h }) => [observed_at, intensity_veh_h])).toEqual(
    [1, 2].flatMap((count) => [1, 2].map((times) => [minute(count), times * count])),
  )
  // A replay replaces rows of ours, not theirs.
  const landed = await landedIn(stage.context, trafficReadings, feed.id)
  const rows = [{ ...ours[0], intensity_veh_h: 99 }, ours[1] as AnyRow]
  const fetchIds = [String(ours[0]?.fetch_id)]
  const done = await replaceRows(stage.context, trafficReadings, { feed: feed.id, base: landed, next: landed, rows, fetchIds })
  expect(done).toMatchObject({ removed: 1, added: 1 })
  expect(await readings(false)).toEqual(theirs)
  expect(await readings(true)).toEqual([...rows, ...ours.slice(2)])
})

describe('commits of another writer', () => {
  const state = async () => (await stage.context.lake.table(trafficReadings).load({ isFresh: true })) as TableState
  /** Gives the newest snapshot a random id, as one that came through the catalogue, and the record of comparisons of before. */
  const asTheirs = async (before: TableState): Promise<void> => {
    const id = BigInt(`0x4${randomBytes(7).toString('hex')}`)
    await updateTable({
      table: before.table,
      attempt: async ({ metadata }) => {
        const snapshots = metadata.snapshots.with(-1, { ...(metadata.snapshots.at(-1) as Snapshot), 'snapshot-id': id })
        const refs = { main: { 'snapshot-id': id, type: 'branch' } } as const
        const properties = { ...metadata.properties, 'rows-at': before.properties['rows-at'] as string }
        return { kind: 'change', metadata: { ...metadata, snapshots, 'current-snapshot-id': id, refs, properties } }
      },
    })
  }
  const theirs = async (rows: readonly AnyRow[]): Promise<void> => {
    const before = await state()
    await append(rows)
    await asTheirs(before)
  }

  test('that delete rows of their own change none of ours, and are not reported', async () => {
    await land(1)
    const ours = await readings(true)
    const known = new Set((await liveFiles(await state())).map(({ key }) => key))
    await theirs([{ ...ours[0], fetch_id: 'mine' }])
    await stage.runner.land(feed, never)
    const before = await state()
    await commit({ table: before.table, operation: 'delete', remove: (await liveFiles(before)).filter(({ key }) => !known.has(key)) })
    await asTheirs(before)
    await stage.runner.land(feed, never)
    expect([await readings(true), await readings(false)]).toEqual([ours, []])
    expect((await state()).properties).not.toHaveProperty('changed-rows')
    expect(stage.lines.filter(({ msg }) => msg.startsWith('rows changed'))).toEqual([])
  })

  test('that only add rows cause no rebuild, though no landing ran for more than a day', async () => {
    for (const count of [1, 2, 3]) await land(count)
    const ours = await readings(true)
    for (const at of [1, 2, 3]) await theirs([{ ...ours[0], observed_at: minute(at), fetch_id: `mine${at}` }])
    const { table, snapshot } = await state()
    await expireSnapshots({ table, now: (snapshot as Snapshot)['timestamp-ms'] + 26 * 3_600_000 })
    await land(4)
    expect((await state()).properties).not.toHaveProperty('changed-rows')
  })

  test('of rows of the future do not make each landing write the open month again', async () => {
    await land(1)
    await theirs([{ ...(await readings(true))[0], observed_at: minute(60 * 1440), fetch_id: 'forecast' }])
    for (const count of [2, 3, 4]) await land(count)
    expect((await state()).metadata.snapshots.filter(({ summary }) => summary.operation === 'replace')).toEqual([])
  })
})
