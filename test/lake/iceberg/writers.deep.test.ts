import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { openTable, stateAt, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import type { LiveFile } from '../../../lake/iceberg/types.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, samples, tempStore } from './fixtures.ts'

const APPENDS = 60
const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url))

/** Starts a writer and returns the keys of its appended files once it has ended. */
async function writer(root: string, key: string, name: string): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, root, key, name, String(APPENDS)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const keys: string[] = []
  for await (const line of createInterface({ input: child.stdout })) keys.push(line)
  expect((await ended)[0]).toBe(0)
  return keys
}

/** Merges every file of one partition into one. */
async function compact(table: Table, merged: Map<string, readonly LiveFile[]>): Promise<void> {
  const state = (await table.load()) as TableState
  const groups = Object.values(Object.groupBy(await liveFiles(state), (file) => String(file.partition[0])))
  for (const files of groups) {
    if (!files || files.length < 4) continue
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    const one = await fakeDataFile(state, { rows, partition: (files[0] as LiveFile).partition })
    const result = await commit({ table, operation: 'replace', add: [one], remove: files })
    if (result.committed) merged.set(one.key, files)
  }
}

async function everyObject(store: ObjectStore, key: string): Promise<string[]> {
  const keys: string[] = []
  for await (const object of store.list(`${key}/`)) keys.push(object.key)
  return keys
}

test('two processes append while a third compacts, expires and cleans up: every append is there once, and every state reads whole', async () => {
  const { store, root, remove } = await tempStore('writers')
  try {
    const { table } = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
    const writers = Promise.all(['one', 'two'].map((name) => writer(root, table.key, name)))
    let isDone = false
    const merged = new Map<string, readonly LiveFile[]>()
    const done = writers.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await compact(table, merged)
      await expireSnapshots({ table, keep_ms: 300 })
      await removeOrphans({ table, grace_ms: 60_000 })
    }
    const appended = (await done).flat()
    expect(appended).toHaveLength(2 * APPENDS)

    const state = (await openTable({ store, key: table.key }).load()) as TableState
    expect([state.properties['landed.one'], state.properties['landed.two']]).toStrictEqual([String(APPENDS), String(APPENDS)])
    const origins = (key: string): string[] => merged.get(key)?.flatMap((file) => origins(file.key)) ?? [key]
    const live = await liveFiles(state)
    expect(live.flatMap((file) => origins(file.key)).sort()).toStrictEqual(appended.toSorted())
    expect(live.reduce((sum, file) => sum + file.rows, 0)).toBe(2 * APPENDS)
    expect(state.snapshot?.summary['total-records']).toBe(String(2 * APPENDS))
    expect(merged.size).toBeGreaterThan(0)

    for (const snapshot of state.metadata.snapshots)
      for (const file of await liveFiles(stateAt(state, BigInt(snapshot['snapshot-id'])))) expect(await store.head(file.key)).not.toBeNull()
    await expireSnapshots({ table, keep_ms: 0, now: Date.now() + 1000 })
    await removeOrphans({ table, grace_ms: -1000 })
    const left = await everyObject(store, table.key)
    expect(left.filter((key) => key.includes('/data/')).toSorted()).toStrictEqual(live.map((file) => file.key).toSorted())
    expect(left.filter((key) => key.endsWith('.avro')).length).toBe((await table.manifests((await table.load()) as TableState)).length + 1)
  } finally {
    await remove()
  }
})
