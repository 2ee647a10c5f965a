import { hash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checksumKey, fillChecksums, putChecksum, readChecksum } from '../../../lake/iceberg/checksums.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { relocate } from '../../../lake/iceberg/relocate.ts'
import { openTable, stateAt, type Table, type TableState, tableUri } from '../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, sampleTable } from './fixtures.ts'

const DAY_MS = 86_400_000
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

const state = async (): Promise<TableState> => (await table.load()) as TableState
const fresh = async (): Promise<TableState> => (await openTable({ store, key: table.key }).load()) as TableState
const file = async (): Promise<DataFile> => fakeDataFile(await state())
const keysOf = async (of: TableState): Promise<string[]> => (await liveFiles(of)).map((one) => one.key).sort()

async function objects(part = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const object of store.list(`${table.key}/${part}`)) keys.push(object.key)
  return keys
}

/** One commit a day, each with one file more and, from the third day on, without that of two days before. */
async function days(count: number): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (let day = 0; day < count; day++) {
    now = START + day * DAY_MS
    const one = await file()
    const old = files[day - 2]
    await commit({ table, operation: old ? 'overwrite' : 'append', add: [one], remove: old ? [old] : [] })
    files.push(one)
  }
  return files
}

describe('expiry', () => {
  test('keeps every state of the last 7 days and the current one, and deletes files that only older ones named', async () => {
    const files = await days(12)
    const before = await fresh()
    const expired = await expireSnapshots({ table, now })
    expect(expired.snapshots).toBe(3)
    const after = await fresh()
    // The third day's state stood until exactly 7 days ago.
    expect(after.metadata.snapshots.map((snapshot) => (snapshot['timestamp-ms'] - START) / DAY_MS)).toStrictEqual([
      3, 4, 5, 6, 7, 8, 9, 10, 11,
    ])
    expect(after.metadata['snapshot-log']).toHaveLength(9)
    expect(after.properties).toStrictEqual({ ...before.properties, 'commit-id': after.properties['commit-id'] })
    for (const snapshot of after.metadata.snapshots) {
      const of = stateAt(after, BigInt(snapshot['snapshot-id']))
      const keys = await keysOf(of)
      expect(keys).toStrictEqual(await keysOf(stateAt(before, BigInt(snapshot['snapshot-id']))))
      for (const key of keys) expect(await store.head(key)).not.toBeNull()
    }
    const data = await objects('data/')
    expect(data).toStrictEqual(
      files
        .slice(2)
        .map((one) => one.key)
        .sort(),
    )
    expect((await objects('metadata/s')).length).toBe(9)
    // Nothing else became an orphan: with no grace at all only old versions go.
    const orphans = await removeOrphans({ table, grace_ms: -1000 })
    expect(orphans.every((key) => key.endsWith('.metadata.json'))).toBe(true)
    expect(await expireSnapshots({ table, now })).toStrictEqual({ snapshots: 0, objects: 0 })
  })

  test('keeps a snapshot of long ago that was replaced only now', async () => {
    const [a, b] = [await file(), await file()]
    await commit({ table, operation: 'append', add: [a] })
    now += 60 * DAY_MS
    expect(await expireSnapshots({ table, now })).toStrictEqual({ snapshots: 0, objects: 0 })
    await commit({ table, operation: 'overwrite', add: [b], remove: [a] })
    expect(await expireSnapshots({ table, now })).toStrictEqual({ snapshots: 0, objects: 0 })
    expect(await store.head(a.key)).not.toBeNull()
    expect((await expireSnapshots({ table, now: now + 8 * DAY_MS })).snapshots).toBe(1)
    expect(await store.head(a.key)).toBeNull()
  })

  test('spares a file in use, which the clean-up of orphans takes later', async () => {
    const files = await days(12)
    const [used] = files as [DataFile]
    await expireSnapshots({ table, now, inUse: (key) => key === used.key })
    expect(await store.head(used.key)).not.toBeNull()
    expect(await removeOrphans({ table, grace_ms: -1000, inUse: (key) => key === used.key })).not.toContain(used.key)
    expect(await removeOrphans({ table, grace_ms: -1000 })).toContain(used.key)
    expect(await store.head(used.key)).toBeNull()
  })

  test('takes the checksum of a file with it, and so does the clean-up of orphans', async () => {
    const files = await days(12)
    for (const { key } of files) await putChecksum(store, key, 'a'.repeat(64))
    const stray = `${table.key}/data/stray.parquet`
    await store.put(stray, Buffer.from('x'))
    await putChecksum(store, stray, 'b'.repeat(64))
    await expireSnapshots({ table, now })
    await removeOrphans({ table, grace_ms: -1000 })
    const data = await objects('data/')
    expect(data.length).toBeLessThan(files.length)
    expect(await objects('checksums/')).toStrictEqual(data.map((key) => checksumKey(key)))
  })

  test('checksums that files lack are computed, and no others', async () => {
    const [one, other] = (await days(2)) as [DataFile, DataFile]
    await putChecksum(store, one.key, 'a'.repeat(64))
    expect(await fillChecksums(await state(), new AbortController().signal)).toBe(1)
    expect(await readChecksum(store, one.key)).toBe('a'.repeat(64))
    const bytes = (await store.get(other.key)) as Buffer
    expect(await readChecksum(store, other.key)).toBe(hash('sha256', bytes))
    expect(await fillChecksums(await state(), new AbortController().signal)).toBe(0)
  })

  test('goes onto a commit that came in between', async () => {
    await days(12)
    const one = await file()
    let isFirst = true
    const between: ObjectStore = {
      ...store,
      putIfAbsent: async (key, body) => {
        if (isFirst) {
          isFirst = false
          await commit({ table, operation: 'append', add: [one] })
        }
        return store.putIfAbsent(key, body)
      },
    }
    const expired = await expireSnapshots({ table: openTable({ store: between, key: table.key, clock: () => now }), now })
    expect(expired.snapshots).toBe(3)
    expect(await keysOf(await fresh())).toContain(one.key)
  })
})

describe('the clean-up of orphans', () => {
  test('removes files that no snapshot names, after the grace, and nothing else', async () => {
    await days(5)
    const named = await objects()
    const strays = ['data/stray.parquet', 'metadata/s9-stray.avro', 'data/deep/er/stray.parquet'].map((name) => `${table.key}/${name}`)
    for (const key of strays) await store.put(key, Buffer.from('x'))
    expect(await removeOrphans({ table })).toStrictEqual([])
    const deleted = await removeOrphans({ table, grace_ms: -1000 })
    expect(deleted.toSorted()).toStrictEqual(strays.toSorted())
    expect(await objects()).toStrictEqual(named)
  })

  test('takes old versions oldest first, keeps those the newest one names, and sets a forgotten hint right', async () => {
    for (let n = 0; n < 30; n++) await commit({ table, operation: 'append', properties: () => ({ n: String(n) }) })
    await store.put(`${table.key}/metadata/version-hint.text`, Buffer.from('3'))
    const deleted = await removeOrphans({ table, grace_ms: -1000 })
    expect(deleted).toStrictEqual(Array.from({ length: 20 }, (_, at) => `${table.key}/metadata/v${at + 1}.metadata.json`))
    expect((await store.get(`${table.key}/metadata/version-hint.text`))?.toString()).toBe('31')
    const after = await fresh()
    expect([after.version, after.metadata['metadata-log'].length]).toStrictEqual([31, 10])
    for (const entry of after.metadata['metadata-log'])
      expect(await store.head(`${table.key}/metadata/${entry['metadata-file'].split('/').at(-1)}`)).not.toBeNull()
  })

  test('leaves a table alone that names files elsewhere', async () => {
    await days(2)
    const { metadata, version } = await state()
    const foreign = metadata.snapshots.map((snapshot) => ({ ...snapshot, 'manifest-list': '/elsewhere/snap.avro' }))
    await store.put(`${table.key}/metadata/v${version + 1}.metadata.json`, Buffer.from(JSON.stringify({ ...metadata, snapshots: foreign })))
    const before = (await objects()).length
    await store.put(`${table.key}/data/stray.parquet`, Buffer.from('x'))
    await expect(removeOrphans({ table: openTable({ store, key: table.key }), grace_ms: -1000 })).rejects.toThrow(
      '/elsewhere/snap.avro is outside',
    )
    expect((await objects()).length).toBe(before + 1)
  })
})

describe('a lake that was moved', () => {
  test('reads and takes commits as it is, and relocation makes its paths right for others, old snapshots included', async () => {
    await days(20)
    const original = await fresh()
    const moved = `${root}-moved`
    await rename(root, moved)
    const there = await fileStore(moved)
    const at = openTable({ store: there, key: table.key, clock: () => now })
    const opened = (await at.load()) as TableState
    expect(opened.metadata.location).toBe(tableUri(table))
    const states = opened.metadata.snapshots.map((snapshot) => BigInt(snapshot['snapshot-id']))
    const filesBy = async (of: TableState): Promise<string[][]> => Promise.all(states.map((id) => keysOf(stateAt(of, id))))
    const expected = await filesBy(opened)
    expect(expected.at(-1)).toHaveLength(2)

    const added = await fakeDataFile(opened)
    await commit({ table: at, operation: 'append', add: [added] })
    const live = [...(expected.at(-1) ?? []), added.key].sort()
    expect(await keysOf((await openTable({ store: there, key: table.key }).load()) as TableState)).toStrictEqual(live)

    expect(await relocate(at)).toBe(true)
    const relocated = (await openTable({ store: there, key: table.key }).load()) as TableState
    expect(relocated.metadata.location).toBe(tableUri(at))
    expect(JSON.stringify(relocated.metadata)).not.toContain(`${store.location('lake')}/`)
    expect(await filesBy(relocated)).toStrictEqual(expected)
    expect(await keysOf(relocated)).toStrictEqual(live)
    for (const entry of relocated.metadata['metadata-log']) expect(entry['metadata-file'].startsWith(tableUri(at))).toBe(true)
    for (const manifest of await relocated.table.manifests(relocated)) {
      const bytes = (await there.get(manifest.key)) as Buffer
      expect(bytes.length).toBe(manifest.bytes)
    }
    expect(await relocate(at)).toBe(false)
    expect(original.metadata['table-uuid']).toBe(relocated.metadata['table-uuid'])

    // A file under the old place is orphaned, and nothing else is.
    const orphans = await removeOrphans({ table: at, grace_ms: -1000 })
    expect(orphans.filter((key) => key.includes('/data/'))).toStrictEqual([])
    expect(await filesBy((await openTable({ store: there, key: table.key }).load()) as TableState)).toStrictEqual(expected)
  })

  test.each(['', 'file:'])('reads and takes commits with %j before its paths, and relocation makes them URIs', async (prefix) => {
    await days(3)
    const { version, metadata } = await fresh()
    const key = `${table.key}/metadata/v${version + 1}.metadata.json`
    await store.put(key, Buffer.from(JSON.stringify(metadata).replaceAll('file://', prefix)))
    const at = openTable({ store, key: table.key, clock: () => now })
    const opened = (await at.load()) as TableState
    expect(opened.metadata.location).toBe(`${prefix}${store.location(table.key)}`)
    const added = await fakeDataFile(opened)
    await commit({ table: at, operation: 'append', add: [added] })
    const live = [...(await keysOf(opened)), added.key].sort()
    expect(await relocate(at)).toBe(true)
    const relocated = (await openTable({ store, key: table.key }).load()) as TableState
    expect(await keysOf(relocated)).toStrictEqual(live)
    expect(relocated.metadata.snapshots.every((one) => one['manifest-list'].startsWith('file:///'))).toBe(true)
    const orphans = await removeOrphans({ table: at, grace_ms: -1000 })
    expect(orphans.filter((one) => one.includes('/data/'))).toStrictEqual([])
  })
})
