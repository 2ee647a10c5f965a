import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { CommitConflict, CommitOutcomeUnknown } from '../../../lake/iceberg/errors.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { openTable, type TableState } from '../../../lake/iceberg/table.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, samples, tempStore } from './fixtures.ts'

let store: ObjectStore
let remove: () => Promise<void>
let state: TableState
let key: string

beforeEach(async () => {
  ;({ store, remove } = await tempStore())
  state = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
  key = state.table.key
})
afterEach(() => remove())

/** The store with some of its calls changed. */
const faulty = (changes: Partial<ObjectStore>): ObjectStore => ({ ...store, ...changes })
const rowsIn = async (): Promise<number> => {
  const found = (await openTable({ store, key }).load()) as TableState
  return (await liveFiles(found)).reduce((sum, file) => sum + file.rows, 0)
}
const objects = async (): Promise<string[]> => {
  const keys: string[] = []
  for await (const object of store.list(`${key}/metadata/`)) keys.push(object.key)
  return keys
}

describe('when the reply to the deciding write is lost', () => {
  test('and it was written: it counts, once', async () => {
    let lost = 0
    const table = openTable({
      key,
      store: faulty({
        putIfAbsent: async (object, body) => {
          await store.putIfAbsent(object, body)
          lost++
          throw new Error('connection reset')
        },
      }),
    })
    const result = await commit({ table, operation: 'append', add: [await fakeDataFile(state)] })
    expect([result.committed, lost, await rowsIn()]).toStrictEqual([true, 1, 1])
  })

  test('and the client itself tried again and met its own write', async () => {
    const table = openTable({
      key,
      store: faulty({
        putIfAbsent: async (object, body) => {
          await store.putIfAbsent(object, body)
          return false
        },
      }),
    })
    const result = await commit({ table, operation: 'append', add: [await fakeDataFile(state)] })
    expect([result.committed, result.state.version, await rowsIn()]).toStrictEqual([true, 2, 1])
  })

  test('and it was not written: it is written again', async () => {
    let tries = 0
    const table = openTable({
      key,
      store: faulty({
        putIfAbsent: async (object, body) => {
          if (++tries < 3) throw new Error('connection reset')
          return store.putIfAbsent(object, body)
        },
      }),
    })
    const result = await commit({ table, operation: 'append', add: [await fakeDataFile(state)] })
    expect([result.committed, tries, await rowsIn()]).toStrictEqual([true, 3, 1])
  })

  test('and another came first: it goes onto that', async () => {
    let first = true
    const table = openTable({
      key,
      store: faulty({
        putIfAbsent: async (object, body) => {
          if (!first) return store.putIfAbsent(object, body)
          first = false
          await commit({ table: openTable({ store, key }), operation: 'append', add: [await fakeDataFile(state, { rows: 10 })] })
          throw new Error('connection reset')
        },
      }),
    })
    const result = await commit({ table, operation: 'append', add: [await fakeDataFile(state)] })
    expect([result.committed, result.state.version, await rowsIn()]).toStrictEqual([true, 3, 11])
  })

  test('and the store stays silent: the outcome is unknown and nothing is deleted; a late arrival still reads whole', async () => {
    let held: { object: string; body: Parameters<typeof store.putIfAbsent>[1] } | null = null
    const silent = (): Promise<never> => Promise.reject(new Error('timed out'))
    const table = openTable({
      key,
      store: faulty({
        putIfAbsent: (object, body) => {
          held = { object, body }
          return silent()
        },
        get: (object, range) => (object.endsWith('v2.metadata.json') && held ? silent() : store.get(object, range)),
      }),
    })
    const before = (await objects()).length
    const file = await fakeDataFile(state)
    await expect(commit({ table, operation: 'append', add: [file] })).rejects.toThrow(CommitOutcomeUnknown)
    expect((await objects()).length).toBe(before + 2)
    const { object, body } = held as unknown as { object: string; body: Buffer }
    expect(await store.putIfAbsent(object, body)).toBe(true)
    expect(await rowsIn()).toBe(1)
  })
})

describe('failures before the deciding write', () => {
  test('are passed on, and the files written before are deleted', async () => {
    const before = await objects()
    const table = openTable({
      key,
      store: faulty({
        put: (object, body) => (object.includes('/s1-') ? Promise.reject(new Error('no space')) : store.put(object, body)),
      }),
    })
    await expect(commit({ table, operation: 'append', add: [await fakeDataFile(state)] })).rejects.toThrow('no space')
    expect(await objects()).toStrictEqual(before)
    await expect(
      commit({
        table: state.table,
        operation: 'append',
        add: [await fakeDataFile(state)],
        onStep: () => {
          throw new Error('killed')
        },
      }),
    ).rejects.toThrow('killed')
    expect(await objects()).toStrictEqual(before)
  })

  test('the hint is not part of it: a commit is valid without it', async () => {
    const table = openTable({
      key,
      store: faulty({
        put: (object, body) => (object.endsWith('.text') ? Promise.reject(new Error('no space')) : store.put(object, body)),
      }),
    })
    const result = await commit({ table, operation: 'append', add: [await fakeDataFile(state)] })
    expect([result.committed, await rowsIn()]).toStrictEqual([true, 1])
    expect((await store.get(`${key}/metadata/version-hint.text`))?.toString()).toBe('1')
  })
})

test('a writer that always loses gives up and says so', async () => {
  const table = openTable({
    key,
    store: faulty({
      putIfAbsent: async (object, body) => {
        const theirs = JSON.parse(body.toString()) as { properties: Record<string, string> }
        theirs.properties['commit-id'] = 'another'
        await store.putIfAbsent(object, Buffer.from(JSON.stringify(theirs)))
        return false
      },
    }),
  })
  const attempts = commit({ table, operation: 'append', attempts: 5, properties: (current) => ({ n: String(current.version) }) })
  await expect(attempts).rejects.toThrow(CommitConflict)
  expect((await openTable({ store, key }).load())?.version).toBe(6)
})

test('a writer whose base has become old looks for the newest version before it writes', async () => {
  let now = Date.now()
  let puts = 0
  const table = openTable({
    key,
    clock: () => now,
    store: faulty({
      putIfAbsent: (object, body) => {
        puts++
        return store.putIfAbsent(object, body)
      },
    }),
  })
  let isFirst = true
  const result = await commit({
    table,
    operation: 'append',
    add: [await fakeDataFile(state)],
    onStep: async (step) => {
      if (step !== 'manifests-written' || !isFirst) return
      isFirst = false
      // Stopped for two hours, in which another writer commits and cleans versions 2 and 3 away.
      now += 2 * 3_600_000
      for (let n = 0; n < 3; n++)
        await commit({ table: openTable({ store, key }), operation: 'append', properties: () => ({ n: String(n) }) })
      for (const version of [1, 2, 3]) await store.delete(`${key}/metadata/v${version}.metadata.json`)
    },
  })
  expect([result.committed, result.state.version, puts, await rowsIn()]).toStrictEqual([true, 5, 1, 1])
  expect(result.state.properties.n).toBe('2')
})

describe('the newest version', () => {
  const versions = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++)
      await commit({ table: state.table, operation: 'append', properties: (current) => ({ n: String(current.version + 1) }) })
  }
  const hint = `lake/test/samples/metadata/version-hint.text`
  const counting = (): { store: ObjectStore; calls: string[] } => {
    const calls: string[] = []
    const watch = <A extends [string, ...unknown[]], R>(name: string, call: (...args: A) => R): ((...args: A) => R) => {
      return (...args) => {
        calls.push(`${name} ${args[0].split('/').at(-1)}`)
        return call(...args)
      }
    }
    return {
      calls,
      store: faulty({ get: watch('get', store.get), head: watch('head', store.head), list: watch('list', store.list) }),
    }
  }

  test('costs one probe where nothing changed', async () => {
    await versions(3)
    const watched = counting()
    const table = openTable({ store: watched.store, key })
    expect((await table.load())?.version).toBe(4)
    watched.calls.length = 0
    expect((await table.load())?.version).toBe(4)
    expect(watched.calls).toStrictEqual(['get v5.metadata.json'])
  })

  test.each(['1', '17', '40', '99', 'x', '', null])('is found with the hint %s', async (text) => {
    await versions(39)
    if (text === null) await store.delete(hint)
    else await store.put(hint, Buffer.from(text))
    const watched = counting()
    const loaded = await openTable({ store: watched.store, key }).load()
    expect([loaded?.version, loaded?.properties.n]).toStrictEqual([40, '40'])
    expect(watched.calls.length).toBeLessThanOrEqual(16)
  })

  test('is found from every version that was the newest before', async () => {
    const behind = Array.from({ length: 20 }, () => openTable({ store, key }))
    for (const table of behind) {
      await table.load()
      await versions(1)
    }
    for (const table of behind) expect((await table.load())?.version).toBe(21)
  })

  test('is looked for again after an hour, for the next number may have come and gone', async () => {
    let now = Date.now()
    const table = openTable({ store, key, clock: () => now })
    expect((await table.load())?.version).toBe(1)
    await versions(4)
    for (const version of [1, 2, 3]) await store.delete(`${key}/metadata/v${version}.metadata.json`)
    now += 3_600_001
    expect((await table.load())?.version).toBe(5)
  })

  test('of another table under the same key is refused', async () => {
    await state.table.load()
    for (const object of await objects()) await store.delete(object)
    await createTable({ store, dataset: samples, properties: { 'source-mode': 'live' } })
    await commit({ table: openTable({ store, key }), operation: 'append', properties: () => ({ n: '1' }) })
    await expect(state.table.load()).rejects.toThrow('another table took its place')
  })
})
