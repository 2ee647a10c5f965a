import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openStore, selfTest } from '../../../lake/store/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { keysOf } from './contract.ts'

test('opens a folder by its url, also with blanks and letters beyond ASCII', async () => {
  const folder = join(tempFolder(), 'año 1', 'store')
  const store = await openStore({ url: `${pathToFileURL(folder).href}/` })
  expect(store.url).toBe(pathToFileURL(folder).href)
  expect(store.location('lake/a')).toBe(join(folder, 'lake', 'a'))
  await store.put('lake/a', Buffer.from('x'))
  expect(await keysOf(await openStore({ url: store.url }), '')).toEqual(['lake/a'])
})

test('opens a bucket or a prefix of one, without asking it anything', async () => {
  for (const url of ['s3://bucket', 's3://bucket/', 's3://bucket/some/prefix', 's3://bucket/some/prefix/']) {
    const store = await openStore({ url, region: 'eu-south-2' })
    expect(store.url).toBe(url.replace(/\/$/, ''))
    expect(store.location('lake/a')).toBe(`${store.url}/lake/a`)
    await store.close()
  }
})

test.each([
  '',
  '/var/lake',
  'lake',
  'http://host/lake',
  's3://',
  's3:///x',
  's3://bucket/a/../b',
  's3://bucket//x',
  'file://host/lake',
  'file:///',
  'gs://bucket',
])('refuses %j', async (url) => {
  await expect(openStore({ url })).rejects.toMatchObject({ name: 'StoreError', code: expect.stringMatching(/invalid-(url|key)/) })
})

test.each<readonly [string, (good: ObjectStore) => Partial<ObjectStore>, RegExp]>([
  ['overwrites', (good) => ({ putIfAbsent: (key, body) => good.put(key, body).then(() => true) }), /accepted a second conditional put/],
  [
    'looks before it writes',
    (good) => ({ putIfAbsent: async (key, body) => !(await good.head(key)) && good.put(key, body).then(() => true) }),
    /of 8 conditional puts .* accepted \d/,
  ],
  [
    'writes though it refuses',
    (good) => ({
      putIfAbsent: async (key, body) => ((await good.head(key)) ? good.put(key, body).then(() => false) : good.putIfAbsent(key, body)),
    }),
    /other bytes/,
  ],
  ['never writes', () => ({ putIfAbsent: async () => false }), /rejected the first/],
])('the self-test refuses a store that %s, names it and leaves nothing', async (_, deviate, reason) => {
  const good = await openStore({ url: pathToFileURL(tempFolder()).href })
  const bad = { ...good, ...deviate(good) }
  await expect(selfTest(bad)).rejects.toThrow(reason)
  await expect(selfTest(bad)).rejects.toThrow(good.url)
  expect(await keysOf(good, '')).toEqual([])
})
