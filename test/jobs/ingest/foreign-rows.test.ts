import { afterEach, beforeEach, expect, test } from 'vitest'
import { landedIn, replaceRows, writeRows } from '../../../jobs/ingest/tables.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
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
