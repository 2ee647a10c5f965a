import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineDerived } from '../../../jobs/derive/define.ts'
import { makeDeriver } from '../../../jobs/derive/derive.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { refusedTables, waitsForTables } from '../../../jobs/ingest/usable.ts'
import { prepareTables, runUpkeep } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { hintKey, pathsOf, type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { readTableNotices } from '../../../lake/live/table-notices.ts'
import { instant, sql } from '../../../lake/query/sql.ts'
import { logAfter } from '../../../lake/raw/archive.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type Dataset, defineDataset, identity } from '../../../lake/schema/dataset.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
/** A feed of the readings alone, from the same document. */
const readingsFeed: Feed = {
  ...feed,
  id: 'lesser',
  into: [trafficReadings],
  async *rows(...args: Parameters<Feed['rows']>) {
    for await (const one of feed.rows(...args)) if (one.dataset === trafficReadings) yield one
  },
} as Feed

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  await prepareTables(stage.context, [v16Beacons, trafficReadings])
})
afterEach(() => stage.close())

type Edit = (metadata: Record<string, unknown>) => object | string

async function newestOf(dataset: Dataset): Promise<{ readonly key: string; readonly version: number; readonly text: string }> {
  const { store, lake } = stage.context
  const { key } = lake.table(dataset)
  let version = 1
  while (await store.head(versionKey(key, version + 1))) version++
  return { key, version, text: String(await store.get(versionKey(key, version))) }
}

/** Writes the next version of a table as another tool would. */
async function putNext(dataset: Dataset, metadata: object | string): Promise<void> {
  const { store } = stage.context
  const { key, version } = await newestOf(dataset)
  await store.put(versionKey(key, version + 1), Buffer.from(typeof metadata === 'string' ? metadata : JSON.stringify(metadata)))
  await store.put(hintKey(key), Buffer.from(String(version + 1)))
}

/** The same from the newest one's metadata. */
async function writeVersion(dataset: Dataset, edit: Edit): Promise<void> {
  await putNext(dataset, edit(JSON.parse((await newestOf(dataset)).text) as Record<string, unknown>))
}
const logged = (): string[] =>
  stage.lines.filter(({ msg }) => msg.startsWith('table can')).map(({ msg, reason }) => [msg, reason].filter(Boolean).join(': '))
const stateOf = async (id: string) => (await readFeedStates(stage.context.redis)).get(id)

test.each<[string, Edit, string]>([
  ['of format version 3', (m) => ({ ...m, 'format-version': 3 }), 'its format version is 3, only 2 is supported'],
  ['without its schemas', ({ schemas: _, ...m }) => m, 'its metadata lacks schemas'],
  [
    'with a required column of another writer',
    (m) => {
      const [schema] = m['schemas'] as { fields: object[] }[]
      const fields = [...(schema?.fields ?? []), { id: 10_000, name: 'must', required: true, type: 'string' }]
      return { ...m, schemas: [schema, { ...schema, 'schema-id': 1, fields }], 'current-schema-id': 1 }
    },
    'column must (field id 10000) is required and not declared',
  ],
  ['with truncated metadata', (m) => JSON.stringify(m).slice(0, 99), 'its metadata is damaged'],
])('a table %s stops only its own feeds, and they go on once it can be used again', async (_, edit, reason) => {
  const { context, publish } = stage
  await publish(feed, 1, { beacons: { a: 1 }, readings: { s: 1 } })
  await stage.runner.land(feed, never)
  const good = (await newestOf(v16Beacons)).text
  await writeVersion(v16Beacons, edit)

  for (const count of [2, 3]) {
    const outcome = await publish(feed, count, { beacons: { a: 2 }, readings: { s: count } })
    expect(outcome).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(`table v16_beacons cannot be used: ${reason}`) })
  }
  expect(await stage.runner.land(feed, never)).toEqual({})
  expect(await logAfter(context.store, feed.id, 0)).toHaveLength(1)
  expect((await stateOf(feed.id))?.last_error).toContain(reason)
  expect((await stage.live('v16_beacons'))?.map(({ km }) => km)).toEqual([1])
  // Others run, upkeep included.
  expect(await publish(readingsFeed, 4, { readings: { s: 4 } })).toMatchObject({ outcome: 'accepted' })
  expect(await stage.runner.land(readingsFeed, never)).toEqual({ traffic_readings: 1 })
  const both = { datasets: [v16Beacons, trafficReadings], feeds: [feed, readingsFeed], signal: never }
  for (const task of ['expire', 'versions', 'orphans', 'retire-raw']) await runUpkeep(context, task, both)
  // A process that starts now starts, and says the same.
  stage.restart()
  expect([...(await prepareTables(context, [v16Beacons, trafficReadings])).keys()]).toEqual(['v16_beacons'])
  await stage.runner.heal([feed, readingsFeed])
  expect((await readTableNotices(context.redis)).get('v16_beacons')?.refused).toContain(reason)
  expect(logged()).toHaveLength(1)
  expect(logged()[0]).toContain(reason)

  await putNext(v16Beacons, good)
  expect(await publish(feed, 5, { beacons: { a: 5 }, readings: { s: 5 } })).toMatchObject({ outcome: 'accepted' })
  await stage.runner.land(feed, never)
  expect((await tableRows(context, v16Beacons)).map(({ km }) => Number(km)).sort()).toContain(5)
  expect(refusedTables(context).size).toBe(0)
  expect((await readTableNotices(context.redis)).size).toBe(0)
  expect(logged().at(-1)).toBe('table can be used again')
})

/** The objects of the beacons' newest version: its metadata, the list of its manifests, and one of them. */
async function objectsOf(): Promise<{ readonly metadata: string; readonly list: string; readonly manifest: string }> {
  const state = (await stage.context.lake.table(v16Beacons).load({ isFresh: true })) as TableState
  const [manifest] = await state.table.manifests(state)
  const list = pathsOf(state).toKey(state.snapshot?.['manifest-list'] as string)
  return { metadata: versionKey(state.table.key, state.version), list, manifest: manifest?.key as string }
}

test('a process that starts beside damage to a table waits for that table alone until it is repaired', async () => {
  const { context, publish } = stage
  const { store } = context
  await publish(feed, 1, { beacons: { a: 1 }, readings: { s: 1 } })
  await stage.runner.land(feed, never)
  const objects = await objectsOf()
  const all = { datasets: [v16Beacons, trafficReadings], feeds: [feed, readingsFeed], signal: never }
  const damages: [keyof typeof objects, (good: string) => string | null, string][] = [
    ['metadata', (good) => good.slice(0, 99), 'its metadata is damaged'],
    ['metadata', (good) => good.replace('"current-schema-id":0', '"current-schema-id":77'), 'its metadata has no schema 77'],
    ['metadata', (good) => good.replace(/"manifest-list":"[^"]*/, '"manifest-list":"/elsewhere/s1.avro'), 'is outside its location'],
    ['list', () => null, 'is missing'],
    ['list', () => 'no Avro', 'is damaged (not an Avro object container)'],
    ['manifest', () => null, 'is missing'],
    ['manifest', () => 'short', 'has 5 bytes, '],
  ]
  for (const [which, spoil, reason] of damages) {
    const object = objects[which]
    const good = (await store.get(object)) as Buffer
    const bad = spoil(good.toString())
    expect(bad).not.toBe(good.toString())
    // Versions are never changed: both the damage and its repair are new ones.
    const put = async (bytes: Buffer | string | null): Promise<void> => {
      if (bytes === null) await store.delete(object)
      else if (which === 'metadata') await putNext(v16Beacons, bytes.toString())
      else await store.put(object, Buffer.from(bytes))
    }
    await put(bad)
    const started = await stage.process()
    expect([...(await prepareTables(started, all.datasets))]).toEqual([['v16_beacons', expect.stringContaining(reason)]])
    expect((await readTableNotices(context.redis)).get('v16_beacons')?.refused).toContain(reason)
    expect(await makeRunner(started).land(feed, never)).toEqual({})
    await runUpkeep(started, 'expire', all)

    await put(good)
    await runUpkeep(started, 'expire', all)
    expect(refusedTables(started).size).toBe(0)
    expect((await readTableNotices(context.redis)).size).toBe(0)
  }
})

test('a store that does not answer is no reason to refuse a table', async () => {
  const { context } = stage
  const store = { ...context.store, get: () => Promise.reject(new StoreError('store is away', { code: 'ECONNREFUSED' })) }
  const away = { ...context, store } as typeof context
  await expect(prepareTables(away, [v16Beacons])).rejects.toThrow('store is away')
  expect(refusedTables(away).size).toBe(0)
})

test.each(['feeds', 'tables'])('a notice is cleared by a process that starts after the repair and looks at its %s', async (of) => {
  const { context } = stage
  const good = (await newestOf(v16Beacons)).text
  await writeVersion(v16Beacons, (m) => ({ ...m, 'format-version': 3 }))
  await prepareTables(context, [v16Beacons])
  expect((await readTableNotices(context.redis)).size).toBe(1)
  await putNext(v16Beacons, good)
  const next = await stage.process()
  if (of === 'tables') await prepareTables(next, [v16Beacons])
  else expect(await waitsForTables(next, feed)).toBeNull()
  expect((await readTableNotices(context.redis)).size).toBe(0)
})

/** Rows by month of a dataset, derived into one of that name. */
function countsOf(id: string, from: Dataset) {
  const into = defineDataset({
    ...{ id, domain: 'road', title: id, about: 'Rows by month.', sources: from.sources, version: 'month', time: 'period_start' },
    columns: { month: col.string(1, 'Month.'), period_start: col.instant(2, 'Begin.'), rows: col.integer(3, 'Rows.', { unit: '1' }) },
    ...{ entity: ['month'], writeMode: 'replace', partition: [identity('month')], order: ['month'] },
    plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
  })
  return defineDerived({
    ...{ by: 'months', into, from: [from], revision: 1 },
    rows: ({ month, from: begin }, [rows]) =>
      sql`SELECT ${month} AS month, ${instant(begin)} AS period_start, CAST(count(*) AS INTEGER) AS rows FROM ${rows ?? null} HAVING count(*) > 0`,
  })
}

test('derivations that need it wait, and others run', async () => {
  const { context, publish } = stage
  const [beacons, readings] = [countsOf('beacon_counts', v16Beacons), countsOf('reading_counts', trafficReadings)]
  await prepareTables(context, [beacons.into, readings.into])
  await publish(feed, 1, { beacons: { a: 1 }, readings: { s: 1 } })
  await stage.runner.land(feed, never)
  await writeVersion(v16Beacons, (metadata) => ({ ...metadata, 'format-version': 3 }))
  await makeDeriver(context, { derivations: [beacons, readings], feeds: [feed] }).all(never)
  expect(await tableRows(context, beacons.into)).toEqual([])
  expect(await tableRows(context, readings.into)).toMatchObject([{ month: '2026-06', rows: 1 }])
})
