import { beforeAll, expect, test } from 'vitest'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectInfo, ObjectStore } from '../../../lake/store/store.ts'
import { versioned } from '../../../lake/store/versioned.ts'
import { tempFolder } from '../../helpers/temp.ts'

interface Numbers {
  readonly numbers: readonly number[]
}

let store: ObjectStore
beforeAll(async () => {
  store = await fileStore(tempFolder())
})

test('no change of many at once is lost', async () => {
  const chain = versioned<Numbers>(store, 'a/')
  const all = Array.from({ length: 24 }, (_, at) => at)
  await Promise.all(all.map((at) => chain.update((value) => ({ numbers: [...(value?.numbers ?? []), at] }))))
  const { number, value } = await chain.read()
  expect(number).toBe(all.length)
  expect([...(value?.numbers ?? [])].sort((one, other) => one - other)).toEqual(all)
})

test('a writer that was slower than many others finds its version taken', async () => {
  const chain = versioned<Numbers>(store, 'b/')
  await chain.commit(0, { numbers: [0] })
  const before = await chain.read()
  for (let at = 1; at < 40; at++) await chain.update(() => ({ numbers: [at] }))
  expect(await chain.commit(before.number, { numbers: [-1] })).toBe(false)
  expect((await chain.read()).value).toEqual({ numbers: [39] })
})

test('versions older than an hour are deleted, the newest stays', async () => {
  // As a store whose clock has moved on: the objects of the first versions are two hours old.
  const past = (key: string): boolean => Number(key.slice(-8)) <= 10
  const aged: ObjectStore = {
    ...store,
    list: async function* (prefix, options) {
      for await (const one of store.list(prefix, options)) yield past(one.key) ? { ...one, modified_at: one.modified_at - 7_200_000 } : one
    },
  }
  const chain = versioned<Numbers>(aged, 'c/')
  for (let at = 0; at < 17; at++) await chain.update(() => ({ numbers: [at] }))
  const left: string[] = []
  for await (const { key } of store.list('c/')) left.push(key.slice(-2))
  expect(left).toEqual(['11', '12', '13', '14', '15', '16', '17'])
})

test('an unchanged state is not written, and what the decision throws is thrown', async () => {
  const chain = versioned<Numbers>(store, 'd/', { unversioned: async () => ({ numbers: [5] }) })
  expect(await chain.update((value) => value as Numbers)).toEqual({ numbers: [5] })
  expect((await chain.read()).number).toBe(0)
  await expect(
    chain.update(() => {
      throw new Error('refused')
    }),
  ).rejects.toThrow('refused')
})

test('a change that is written is no failure if old versions cannot be removed', async () => {
  let refused = 0
  const refuse = async (): Promise<never> => {
    refused++
    throw new Error('no')
  }
  const aging: ObjectStore['list'] = async function* (prefix, options) {
    const infos: ObjectInfo[] = []
    for await (const info of store.list(prefix, options)) infos.push(info)
    // All but the newest are old.
    for (const [at, info] of infos.entries()) yield at < infos.length - 1 ? { ...info, modified_at: 0 } : info
  }
  const failing = versioned<Numbers>({ ...store, list: aging, delete: refuse, deleteMany: refuse }, 'c/')
  for (let at = 1; at <= 40; at++) expect(await failing.update(() => ({ numbers: [at] }))).toEqual({ numbers: [at] })
  expect(refused).toBeGreaterThan(0)
})
