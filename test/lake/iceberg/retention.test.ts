import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { expireSnapshots, removeOldVersions, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { metadataBytes, type SnapshotRef, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { nearestSnapshot } from '../../../lake/iceberg/retention.ts'
import { openTable, stateAt, type Table, type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, sampleTable } from './fixtures.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const START = Date.parse('2026-03-01T00:00:00Z')

let store: ObjectStore
let root: string
let remove: () => Promise<void>
let now: number
let table: Table

beforeEach(async () => {
  now = START
  ;({ store, root, remove, table } = await sampleTable(() => now))
})
afterEach(() => remove())

const fresh = async (): Promise<TableState> => (await openTable({ store, key: table.key, clock: () => now }).load()) as TableState
const keysOf = async (of: TableState): Promise<string[]> => (await liveFiles(of)).map((one) => one.key).sort()
const ids = ({ metadata }: TableState): number[] => metadata.snapshots.map((snapshot) => Number(snapshot['snapshot-id']))
const change = (edit: (metadata: TableMetadata) => TableMetadata) =>
  updateTable({ table, attempt: async (base) => ({ kind: 'change', metadata: edit(base.metadata) }) })

/** Commits at these minutes: each adds a file and removes the one of two commits before. */
async function commits(...minutes: readonly number[]): Promise<string[]> {
  const keys: string[] = []
  for (const [n, minute] of minutes.entries()) {
    now = START + minute * MINUTE_MS
    const one = await fakeDataFile((await table.load()) as TableState)
    const old = keys[n - 2]
    await commit({ table, operation: old ? 'overwrite' : 'append', add: [one], remove: old ? [old] : [] })
    keys.push(one.key)
  }
  return keys
}

describe('thinning', () => {
  test('keeps every state of 24 hours, then the last of each hour, each with all of its files and nothing else', async () => {
    await commits(0, 30, 60, 90, 120, 150, 26 * 60 + 30)
    const before = await fresh()
    const { snapshots } = await expireSnapshots({ table, now })
    const after = await fresh()
    const times = after.metadata.snapshots.map((snapshot) => (snapshot['timestamp-ms'] - START) / MINUTE_MS)
    // Snapshots replaced at 2:30 or later were current in the last 24 hours.
    expect(times).toStrictEqual([30, 90, 120, 150, 26 * 60 + 30])
    expect(snapshots).toBe(2)
    const files = new Set<string>()
    for (const snapshot of after.metadata.snapshots) {
      const keys = await keysOf(stateAt(after, BigInt(snapshot['snapshot-id'])))
      expect(keys).toStrictEqual(await keysOf(stateAt(before, BigInt(snapshot['snapshot-id']))))
      for (const key of keys) files.add(key)
    }
    const data: string[] = []
    for await (const object of store.list(`${table.key}/data/`)) data.push(object.key)
    expect(data.sort()).toStrictEqual([...files].sort())
    expect(await expireSnapshots({ table, now })).toStrictEqual({ snapshots: 0, objects: 0 })
    expect((await removeOrphans({ table, grace_ms: -1000 })).filter((key) => !key.endsWith('.metadata.json'))).toStrictEqual([])
    // The nearest to one that is gone is the last of its hour.
    expect(ids(after)).toStrictEqual([2, 4, 5, 6, 7])
    expect(nearestSnapshot(after.metadata, 3n)?.['snapshot-id']).toBe(4)
    expect(nearestSnapshot(after.metadata, 999n)?.['snapshot-id']).toBe(7)
    // Ids of other writers are random; their place is before their child.
    const LARGE = 6_631_317_463_498_318_432n
    const theirs = after.metadata.snapshots.map((one) =>
      one['snapshot-id'] === 4 ? { ...one, 'snapshot-id': LARGE, 'parent-snapshot-id': 77n } : one,
    )
    const foreign = { ...after.metadata, snapshots: theirs }
    expect(nearestSnapshot(foreign, 3n)?.['snapshot-id']).toBe(LARGE)
    expect(nearestSnapshot(foreign, 77n)?.['snapshot-id']).toBe(LARGE)
  })
})

describe('branches and tags', () => {
  const withRefs = (refs: Record<string, SnapshotRef>) => change((metadata) => ({ ...metadata, refs: { ...metadata.refs, ...refs } }))

  test('keep their snapshots, until their own limit is over', async () => {
    const files = await commits(0, 1, 2, 3)
    await withRefs({
      audit: { 'snapshot-id': 2, type: 'tag', 'max-ref-age-ms': 30 * 24 * HOUR_MS },
      trial: { 'snapshot-id': 3, type: 'branch', 'min-snapshots-to-keep': 1 },
    })
    now += 10 * 24 * HOUR_MS
    await expireSnapshots({ table, now })
    expect(ids(await fresh())).toStrictEqual([2, 3, 4])
    expect(await keysOf(stateAt(await fresh(), 2n))).toStrictEqual(files.slice(0, 2).sort())
    for (const key of files) expect(await store.head(key)).not.toBeNull()
    now += 30 * 24 * HOUR_MS
    await expireSnapshots({ table, now })
    expect(Object.keys((await fresh()).metadata.refs ?? {}).sort()).toStrictEqual(['main', 'trial'])
    expect(ids(await fresh())).toStrictEqual([3, 4])
    expect(await store.head(files[0] as string)).toBeNull()
  })

  test('limits of the main branch survive a commit and are honoured', async () => {
    await commits(0, 1)
    await withRefs({ main: { 'snapshot-id': 2, type: 'branch', 'min-snapshots-to-keep': 3, 'max-snapshot-age-ms': HOUR_MS } })
    for (let n = 0; n < 3; n++) {
      now += 10 * MINUTE_MS
      await commit({ table, operation: 'append', add: [await fakeDataFile((await table.load()) as TableState)] })
    }
    expect((await fresh()).metadata.refs?.['main']).toStrictEqual({
      'snapshot-id': 5,
      type: 'branch',
      'min-snapshots-to-keep': 3,
      'max-snapshot-age-ms': HOUR_MS,
    })
    await expireSnapshots({ table, now: now + 2 * HOUR_MS })
    expect(ids(await fresh())).toStrictEqual([3, 4, 5])
  })
})

describe('a rollback by another tool', () => {
  /** Sets the main branch back to a snapshot, as `rollback_to_snapshot` does. */
  const rollBack = (id: number) =>
    change((metadata) => ({ ...metadata, 'current-snapshot-id': id, refs: { main: { 'snapshot-id': id, type: 'branch' } } }))

  /** Everything that the kept snapshots list is in the store. */
  async function isWhole(): Promise<void> {
    const state = await fresh()
    for (const snapshot of state.metadata.snapshots)
      for (const key of await keysOf(stateAt(state, BigInt(snapshot['snapshot-id'])))) expect(await store.head(key)).not.toBeNull()
  }

  test('brings back a file, and no later expiry takes it', async () => {
    const [a, b] = [await fakeDataFile((await table.load()) as TableState), await fakeDataFile((await table.load()) as TableState)]
    now = START + 5 * MINUTE_MS
    await commit({ table, operation: 'append', add: [a] })
    now = START + 20 * MINUTE_MS
    await commit({ table, operation: 'delete', remove: [a] })
    await rollBack(1)
    now = START + 100 * MINUTE_MS
    await commit({ table, operation: 'append', add: [b] })
    now += 24 * HOUR_MS
    expect((await expireSnapshots({ table, now })).snapshots).toBe(1)
    expect(await keysOf(await fresh())).toStrictEqual([a.key, b.key].sort())
    await isWhole()
  })

  test('is remembered after its own snapshots have expired', async () => {
    const [a] = await commits(0, 50)
    now = START + 70 * MINUTE_MS
    await commit({ table, operation: 'delete', remove: [a as string] })
    now = START + 180 * MINUTE_MS
    await commit({ table, operation: 'append', add: [await fakeDataFile((await table.load()) as TableState)] })
    await rollBack(2)
    // The first snapshot after the rollback is replaced in its own hour, so it goes before the ones before the rollback.
    for (const minute of [190, 200, 300]) {
      now = START + minute * MINUTE_MS
      await commit({ table, operation: 'append', add: [await fakeDataFile((await table.load()) as TableState)] })
    }
    const expire = async (...at: number[]): Promise<void> => {
      for (const hours of at) {
        await expireSnapshots({ table, now: START + hours * HOUR_MS })
        await isWhole()
      }
    }
    await expire(27, 28, 29, 30, 168, 170, 172, 240)
    expect(await store.head(a as string)).not.toBeNull()
    // The current one, and the one at which rows were compared last: without it nobody could compare them again.
    const { snapshots, properties } = (await fresh()).metadata
    expect(snapshots.map(({ 'snapshot-id': id }) => String(id))).toContain(properties['rows-at'])
    expect(snapshots).toHaveLength(2)
    await change((metadata) => ({
      ...metadata,
      properties: { ...metadata.properties, 'rows-at': String(metadata['current-snapshot-id']) },
    }))
    await expire(480)
    expect((await fresh()).metadata.snapshots).toHaveLength(1)
    expect((await fresh()).properties).not.toHaveProperty('line-break')
  })
})

describe('statistics of other writers', () => {
  const LARGE = 6_631_317_463_498_318_432n
  async function withStatistics(ids: readonly (number | bigint)[]): Promise<void> {
    await change((metadata) => {
      const named = (kind: string) =>
        ids.map((id) => ({ 'snapshot-id': id, 'statistics-path': `${metadata.location}/metadata/${id}-${kind}.stats` }))
      return { ...metadata, statistics: named('table'), 'partition-statistics': named('part') }
    })
    for (const id of ids)
      for (const kind of ['table', 'part']) await store.put(`${table.key}/metadata/${id}-${kind}.stats`, Buffer.from('x'))
  }

  test('stay as long as their snapshot, and no orphan clean-up takes them', async () => {
    await commits(0, 30, 60)
    await withStatistics([1, 3])
    const isStored = async (id: number) =>
      Promise.all(['table', 'part'].map((kind) => store.head(`${table.key}/metadata/${id}-${kind}.stats`)))
    expect((await removeOrphans({ table, grace_ms: -1000 })).filter((key) => key.endsWith('.stats'))).toStrictEqual([])
    await expireSnapshots({ table, now: now + 30 * 24 * HOUR_MS })
    const { metadata } = await fresh()
    for (const held of [metadata.statistics, metadata['partition-statistics']])
      expect(held?.map((one) => one['snapshot-id'])).toStrictEqual([3])
    expect((await removeOrphans({ table, grace_ms: -1000 })).filter((key) => key.endsWith('.stats'))).toHaveLength(2)
    expect(await isStored(3)).not.toContain(null)
  })

  test('of a snapshot that is gone stop no commit, and keep their 63-bit ids', async () => {
    await commits(0)
    await withStatistics([LARGE])
    const opened = openTable({ store, key: table.key, clock: () => now })
    await commit({ table: opened, operation: 'append', add: [await fakeDataFile(await fresh())] })
    expect((await fresh()).metadata['partition-statistics']?.[0]?.['snapshot-id']).toBe(LARGE)
    expect((await fresh()).metadata.snapshots).toHaveLength(2)
  })
})

describe('snapshots of other writers', () => {
  const LARGE = 9_223_372_036_854_775_807n

  test('keep their 63-bit ids through reading, commits and expiry, and their totals are counted', async () => {
    await commits(0, 1, 2)
    const { metadata, version } = await fresh()
    const last = metadata.snapshots.at(-1)
    const { summary: _, ...bare } = { ...last, 'snapshot-id': LARGE, 'parent-snapshot-id': 3 }
    const foreign = {
      ...metadata,
      snapshots: [...metadata.snapshots.slice(0, -1), bare],
      'snapshot-log': [...metadata['snapshot-log'].slice(0, -1), { 'timestamp-ms': now, 'snapshot-id': LARGE }],
      'current-snapshot-id': LARGE,
      refs: { main: { 'snapshot-id': LARGE, type: 'branch' } },
    } as unknown as TableMetadata
    const bytes = metadataBytes(foreign)
    expect(bytes.toString()).toContain('"current-snapshot-id":9223372036854775807')
    await store.put(versionKey(table.key, version + 1), bytes)
    const read = await fresh()
    expect(read.snapshotId).toBe(LARGE)
    now += MINUTE_MS
    const added = await fakeDataFile(read, { rows: 7 })
    await commit({ table, operation: 'append', add: [added] })
    const after = await fresh()
    expect(after.metadata.snapshots.at(-1)?.['parent-snapshot-id']).toBe(LARGE)
    expect(after.snapshot?.summary).toMatchObject({ 'total-data-files': '3', 'total-records': '9' })
    expect(await liveFiles(stateAt(after, LARGE))).toHaveLength(2)
    await expireSnapshots({ table, now: now + 30 * 24 * HOUR_MS })
    expect((await fresh()).metadata.snapshots).toHaveLength(1)
  })
})

describe('old versions', () => {
  const versions = async (): Promise<number[]> => {
    const found: number[] = []
    for await (const { key } of store.list(`${table.key}/metadata/v`)) {
      const [, version] = /v(\d+)\.metadata\.json$/.exec(key) ?? []
      if (version) found.push(Number(version))
    }
    return found.sort((a, b) => a - b)
  }
  const age = async (version: number, ms: number): Promise<void> => {
    const at = new Date(Date.now() - ms)
    await utimes(join(root, versionKey(table.key, version)), at, at)
  }

  test('beyond the ten that the log names go after an hour, and not before', async () => {
    for (let n = 0; n < 19; n++) await commit({ table, operation: 'append', properties: () => ({ n: String(n) }) })
    for (let version = 1; version <= 15; version++) await age(version, version <= 6 ? 61 * MINUTE_MS : 59 * MINUTE_MS)
    await removeOldVersions({ table })
    expect(await versions()).toStrictEqual(Array.from({ length: 14 }, (_, at) => at + 7))
    for (let version = 7; version <= 15; version++) await age(version, 61 * MINUTE_MS)
    await removeOldVersions({ table })
    expect(await versions()).toStrictEqual(Array.from({ length: 11 }, (_, at) => at + 10))
    expect((await fresh()).version).toBe(20)
  })
})
