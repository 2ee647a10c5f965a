import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type IdempotentWrite, type RepeatableReply, writeOnce } from '../../../api/engine/request/idempotency.ts'
import { forgetReplies, KEEP_REPLIES_MS } from '../../../lake/idempotency.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

let store: ObjectStore
let seeds: string[]
beforeAll(async () => {
  store = await fileStore(tempFolder())
})
beforeEach(() => {
  seeds = []
})

let number = 0
const NOW = Date.now()
const write = (header: string | undefined, more: Partial<IdempotentWrite> = {}): IdempotentWrite => ({
  ...{ header, scope: 'ana', payload: { a: 1, b: [{ c: 2, d: 3 }] }, now: NOW },
  ...more,
})
const work = async (seed: string): Promise<RepeatableReply> => {
  seeds.push(seed)
  return { status: 201, headers: { Location: '/x' }, body: { number: ++number } }
}
const fail = async (): Promise<never> => {
  throw new Error('broken')
}

/** Sends a request and waits until its work has begun. */
async function begun(header: string, reply: Promise<RepeatableReply>, now = NOW): Promise<{ readonly reply: Promise<RepeatableReply> }> {
  const running = Promise.withResolvers<void>()
  const sent = writeOnce(store, write(header, { now }), () => {
    running.resolve()
    return reply
  })
  await running.promise
  return { reply: sent }
}

test('the same key gets the same reply, quoted or not, whatever the order of members', async () => {
  const first = await writeOnce(store, write('"k-1"'), work)
  const again = await writeOnce(store, write(' k-1 ', { payload: { b: [{ d: 3, c: 2 }], a: 1 } }), work)
  expect(again).toEqual({ ...first, headers: { ...first.headers, 'Idempotent-Replayed': 'true' } })
  expect(seeds.length).toBe(1)
})

test('another payload is refused, another account or operation is another key', async () => {
  await writeOnce(store, write('"k-2"'), work)
  await expect(writeOnce(store, write('"k-2"', { payload: { a: 2 } }), work)).rejects.toMatchObject({ code: 'idempotency-key-reused' })
  await writeOnce(store, write('"k-2"', { scope: 'ben', payload: { a: 2 } }), work)
  expect(seeds.length).toBe(2)
})

test('while the first is in progress the second is refused; many at once do the work once', async () => {
  const replies = await Promise.allSettled(Array.from({ length: 20 }, () => writeOnce(store, write('"k-3"'), work)))
  expect(seeds.length).toBe(1)
  for (const reply of replies) if (reply.status === 'rejected') expect(reply.reason).toMatchObject({ code: 'conflict' })
})

test('a failure is not repeated; an abandoned request is taken over with the same seed', async () => {
  await expect(writeOnce(store, write('"k-4"'), fail)).rejects.toThrow('broken')
  await writeOnce(store, write('"k-4"'), work)
  let seed = ''
  // A process that dies leaves its claim: as does one that never ends.
  void writeOnce(store, write('"k-5"'), (one) => {
    seed = one
    return new Promise(() => undefined)
  })
  while (seed === '') await new Promise((resolve) => setTimeout(resolve, 5))
  await expect(writeOnce(store, write('"k-5"', { now: NOW + 59_000 }), work)).rejects.toMatchObject({ code: 'conflict' })
  await writeOnce(store, write('"k-5"', { now: NOW + 60_000 }), work)
  expect(seeds.at(-1)).toBe(seed)
})

test('of many requests that take over an abandoned one, one does the work', async () => {
  await begun('"k-8"', new Promise(() => undefined))
  const later = write('"k-8"', { now: NOW + 60_000 })
  const slow = async (seed: string): Promise<RepeatableReply> => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return work(seed)
  }
  const retries = await Promise.allSettled(Array.from({ length: 4 }, () => writeOnce(store, later, slow)))
  expect(seeds.length).toBe(1)
  expect(retries.filter(({ status }) => status === 'fulfilled').length).toBe(1)
})

test('a first request that fails late leaves the claim and the reply of the second', async () => {
  const [first, second] = [Promise.withResolvers<RepeatableReply>(), Promise.withResolvers<RepeatableReply>()]
  const late = await begun('"k-9"', first.promise)
  const taken = await begun('"k-9"', second.promise, NOW + 60_000)
  first.reject(new Error('broken'))
  await expect(late.reply).rejects.toThrow('broken')
  await expect(writeOnce(store, write('"k-9"', { now: NOW + 62_000 }), work)).rejects.toMatchObject({ code: 'conflict' })
  second.resolve({ status: 201, headers: {}, body: { number: 7 } })
  await taken.reply
  expect((await writeOnce(store, write('"k-9"', { now: NOW + 63_000 }), work)).body).toEqual({ number: 7 })
  expect(seeds).toEqual([])
})

test('after a day the key is new, makes other ids, and its stored reply is deleted', async () => {
  await writeOnce(store, write('"k-6"'), work)
  await writeOnce(store, write('"k-6"', { now: NOW + KEEP_REPLIES_MS, payload: { a: 9 } }), work)
  expect(new Set(seeds).size).toBe(2)
  const { signal } = new AbortController()
  expect(await forgetReplies(store, Date.now() + KEEP_REPLIES_MS, signal)).toBe(0)
  expect(await forgetReplies(store, Date.now() + KEEP_REPLIES_MS + 3_700_000, signal)).toBeGreaterThan(5)
})

test('without a key nothing is stored, and a malformed key is refused', async () => {
  await writeOnce(store, write(undefined), work)
  await writeOnce(store, write(undefined), work)
  expect(new Set(seeds).size).toBe(2)
  for (const header of ['', '""', `"${'x'.repeat(256)}"`, '"é"', '"a"b"'])
    await expect(writeOnce(store, write(header), work)).rejects.toMatchObject({ code: 'invalid-parameter' })
})

test('a sealed reply cannot be read in the store', async () => {
  const seal = {
    encrypt: (text: string) => Buffer.from(text).toString('hex'),
    decrypt: (text: string) => Buffer.from(text, 'hex').toString(),
  }
  const first = await writeOnce(store, write('"k-7"', { seal }), async () => ({ status: 201, headers: {}, body: { secret: 'whsec_1' } }))
  expect((await writeOnce(store, write('"k-7"', { seal }), work)).body).toEqual(first.body)
  for await (const { key } of store.list('idempotency/')) expect((await store.get(key))?.toString()).not.toContain('whsec_1')
})
