import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NewKey } from '../../../api/auth/accounts.ts'
import { makeKey } from '../../../api/auth/keys/key-format.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { deepTest } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { type Stage, type StageOptions, stage, textOf } from './stage.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis?.stop())
beforeEach(async () => {
  const client = openRedis(redis.url)
  await client.flushall()
  client.disconnect()
})

const ANA = { email: 'ana@example.org', label: null, language: 'es' } as const
const statusOf = async ({ index }: Stage, { key }: { readonly key: string }): Promise<string> => {
  const found = await index.lookUp(key)
  return found.refusal ?? found.key.status
}

/** A store that counts the reads of keys. */
function counting(store: ObjectStore): ObjectStore & { readonly reads: string[] } {
  const reads: string[] = []
  return {
    ...store,
    reads,
    get: async (key) => {
      if (key.startsWith('keys/')) reads.push(key)
      return store.get(key)
    },
  }
}

/** Some processes over one store and one Redis. */
async function processes(count: number, options: StageOptions = {}): Promise<(Stage & { readonly store: ReturnType<typeof counting> })[]> {
  const peppers = parsePeppers(newPepperText())
  const { store } = await stage()
  const all = await Promise.all(
    Array.from({ length: count }, async () => {
      const own = counting(store)
      return { ...(await stage({ redisUrl: redis.url, ...options, store: own, peppers })), store: own }
    }),
  )
  if (options.redisUrl === undefined) await until('connected', () => all.every(({ index }) => index.connected))
  return all
}

const two = async (options: StageOptions = {}) => {
  const [one, other] = await processes(2, options)
  if (!one || !other) throw new Error('no processes')
  return { one, other }
}

describe('a key that is looked up', () => {
  test('is read from the store once, and then known in every process', async () => {
    const { one, other } = await two()
    const made = await one.accounts.create(ANA)
    for (const each of [one, other]) for (let count = 0; count < 5; count++) expect(await statusOf(each, made)).toBe('ACTIVE')
    // Redis learned of it when it was created.
    expect([...one.store.reads, ...other.store.reads]).toEqual([])
    // Known in this process, it is answered in the same turn.
    expect(one.index.lookUp(made.key)).not.toBeInstanceOf(Promise)
  })

  test('works the same with Redis emptied', async () => {
    const { one, other } = await two()
    const made = await one.accounts.create(ANA)
    const client = openRedis(redis.url)
    await client.flushall()
    client.disconnect()
    const found = await Promise.all([one, other].map(({ index }) => index.lookUp(made.key)))
    expect(found[0]).toEqual(found[1])
    expect(found[0]?.key).toMatchObject({ id: made.id, plan: 'FREE', account: made.account, slot: `${made.account}.1` })
    expect([...one.store.reads, ...other.store.reads].length).toBeGreaterThan(0)
  })

  test('by many at once is read once', async () => {
    const [one] = await processes(1, { redisUrl: '/nowhere/redis.sock' })
    if (!one) throw new Error('no process')
    const made = await one.accounts.create(ANA)
    const found = await Promise.all(Array.from({ length: 50 }, () => one.index.lookUp(made.key)))
    expect(new Set(found.map(({ key }) => key?.id))).toEqual(new Set([made.id]))
    expect(one.store.reads).toHaveLength(1)
  })

  test('and is malformed costs nothing, and is unknown one read a minute', async () => {
    const [one] = await processes(1, { unknown_ms: 300 })
    if (!one) throw new Error('no process')
    const key = makeKey()
    for (const wrong of [`${key}x`, key.slice(1), '', 'x'.repeat(30_000)]) {
      const found = one.index.lookUp(wrong)
      expect(found).toEqual({ key: null, refusal: 'malformed' })
    }
    expect(one.store.reads).toEqual([])
    for (let count = 0; count < 20; count++) expect(await statusOf(one, { key })).toBe('unknown')
    expect(one.store.reads).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(await statusOf(one, { key })).toBe('unknown')
    expect(one.store.reads).toHaveLength(2)
  })

  test('with a record in the place of another is not accepted', async () => {
    const [one] = await processes(1, { redisUrl: '/nowhere/redis.sock' })
    if (!one) throw new Error('no process')
    const made = await one.accounts.create(ANA)
    const forged = makeKey()
    const [current] = [one.peppers.current]
    const record = await one.store.get(`keys/${current.hash(made.key)}`)
    await one.store.put(`keys/${current.hash(forged)}`, record as Buffer)
    expect(await statusOf(one, { key: forged })).toBe('unknown')
  })
})

describe('a revocation', () => {
  test('counts in every process within 5 s, by a message', async () => {
    const { one, other } = await two()
    for (let count = 0; count < 10; count++) {
      const made = await one.accounts.create(ANA)
      expect(await statusOf(other, made)).toBe('ACTIVE')
      const began = performance.now()
      await one.accounts.revoke(made)
      expect(await statusOf(one, made)).toBe('revoked')
      await until('revoked there', async () => (await statusOf(other, made)) === 'revoked')
      expect(performance.now() - began).toBeLessThan(5000)
    }
  })

  deepTest('counts while Redis is away, after its timeout, and still when Redis comes back with its old data', async () => {
    const lasting = await startTestRedis({ appendOnly: true })
    try {
      const { one, other } = await two({ redisUrl: lasting.url, confirm_ms: 20_000, away_ms: 500 })
      await until('connected', () => one.index.connected && other.index.connected)
      const [made, kept] = [await one.accounts.create(ANA), await one.accounts.create(ANA)]
      expect(await statusOf(other, made)).toBe('ACTIVE')
      // Redis must have written its contents to disk.
      await new Promise((resolve) => setTimeout(resolve, 1200))
      await lasting.kill()
      await until('away', () => !one.index.connected && !other.index.connected)
      const alone = await stage({ store: one.store, peppers: one.peppers })
      const began = performance.now()
      await alone.accounts.revoke(made)
      for (const each of [one, other]) await until('revoked there', async () => (await statusOf(each, made)) === 'revoked')
      expect(performance.now() - began).toBeLessThan(1000)
      expect([await statusOf(one, kept), await statusOf(other, kept)]).toEqual(['ACTIVE', 'ACTIVE'])
      await lasting.restart()
      const client = openRedis(lasting.url)
      expect(await client.keys('access:key:*')).toHaveLength(2)
      client.disconnect()
      await until('back', () => [one, other].every(({ index }) => index.connected))
      for (let look = 0; look < 50; look++) {
        for (const each of [one, other]) expect([await statusOf(each, made), await statusOf(each, kept)]).toEqual(['revoked', 'ACTIVE'])
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    } finally {
      await lasting.stop()
    }
  })

  test('by a process that reaches no Redis counts within the time for that', async () => {
    const peppers = parsePeppers(newPepperText())
    const [there] = await processes(1, { confirm_ms: 800, peppers })
    if (!there) throw new Error('no process')
    const alone = await stage({ store: there.store, peppers: there.peppers })
    const made = await alone.accounts.create(ANA)
    expect(await statusOf(there, made)).toBe('ACTIVE')
    await alone.accounts.revoke(made)
    const waited = await until('revoked there', async () => (await statusOf(there, made)) === 'revoked')
    expect(waited).toBeLessThan(1200)
  })

  test('while the key is being looked up counts at the next look', async () => {
    const { one, other } = await two()
    for (let count = 0; count < 20; count++) {
      const made = await one.accounts.create(ANA)
      const looks = Array.from({ length: 10 }, (_, at) =>
        new Promise((resolve) => setTimeout(resolve, at)).then(() => other.index.lookUp(made.key)),
      )
      await Promise.all([one.accounts.revoke(made), ...looks])
      await until('revoked there', async () => (await statusOf(other, made)) === 'revoked', 500)
    }
  })
})

test('a plan that was granted counts in every process', async () => {
  const { one, other } = await two()
  const made = await one.accounts.create(ANA)
  expect((await other.index.lookUp(made.key)).key?.plan).toBe('FREE')
  await one.accounts.grant({ ...made, plan: 'PRO' })
  await until('PRO there', async () => (await other.index.lookUp(made.key)).key?.plan === 'PRO')
})

test('an emptied Redis is filled again when the service starts, and records that were wrong are put right', async () => {
  const { one, other } = await two()
  const [first, second] = [await one.accounts.create(ANA), await one.accounts.create({ ...ANA, email: 'bea@example.org' })]
  const wrong = `keys/${one.peppers.current.hash(second.key)}`
  await one.store.put(wrong, Buffer.from(((await one.store.get(wrong)) as Buffer).toString().replace('FREE', 'PRO')))
  const client = openRedis(redis.url)
  await client.flushall()
  await one.accounts.tidy()
  expect(await client.keys('access:key:*')).toHaveLength(2)
  client.disconnect()
  for (const made of [first, second]) expect((await other.index.lookUp(made.key)).key).toMatchObject({ id: made.id, plan: 'FREE' })
  expect(other.store.reads).toEqual([])
})

test('a store that cannot be read is an error, and no key is called unknown for it', async () => {
  const { store, peppers } = await stage()
  let isBroken = false
  const broken: ObjectStore = { ...store, get: async (key) => (isBroken ? Promise.reject(new Error('the disk is gone')) : store.get(key)) }
  const one = await stage({ store: broken, peppers, away_ms: 100 })
  const made: NewKey = await one.accounts.create(ANA)
  isBroken = true
  await expect(one.index.lookUp(made.key)).rejects.toThrow('the disk is gone')
  isBroken = false
  expect(await statusOf(one, made)).toBe('ACTIVE')
})

test('Redis has neither key nor address, and forgets within an hour', async () => {
  const [one] = await processes(1)
  if (!one) throw new Error('no process')
  const made = await one.accounts.create(ANA)
  expect(await textOf(one.store)).not.toContain(made.key.slice(4))
  const client = openRedis(redis.url)
  const names = await client.keys('access:*')
  expect(names).toHaveLength(1)
  for (const name of names) {
    const text = `${name} ${await client.get(name)}`
    expect(text).not.toContain(made.key.slice(4, 20))
    expect(text).not.toContain('ana')
    expect(await client.pttl(name)).toBeGreaterThan(0)
    expect(await client.pttl(name)).toBeLessThanOrEqual(3_600_000)
  }
  client.disconnect()
})

describe('while the store', () => {
  /** A store whose keys cannot be read. */
  function breaking(store: ObjectStore): ObjectStore & { way: 'well' | 'fails' | 'silent' } {
    const broken = {
      ...store,
      way: 'well' as 'well' | 'fails' | 'silent',
      get: async (key: string): Promise<Buffer | null> => {
        if (broken.way === 'fails') throw new StoreError('away', { code: 'ECONNREFUSED' })
        if (broken.way === 'silent') await new Promise(() => undefined)
        return store.get(key)
      },
    }
    return broken
  }

  test.each(['fails', 'silent'] as const)(
    '%s, a key counts as it was last found for an hour, in every process',
    async (way) => {
      const peppers = parsePeppers(newPepperText())
      const store = breaking((await stage()).store)
      const times = { confirm_ms: 50, patience_ms: 100, longest_ms: 200, stale_ms: 60_000 }
      const open = () => stage({ redisUrl: redis.url, store, peppers, ...times })
      const one = await open()
      const made = await one.accounts.create(ANA)
      expect(await statusOf(one, made)).toBe('ACTIVE')
      store.way = way
      await sleep(60)
      const began = performance.now()
      for (let count = 0; count < 20; count++) expect(await statusOf(one, made)).toBe('ACTIVE')
      // The store is not waited for at every request.
      expect(performance.now() - began).toBeLessThan(1000)
      const later = await open()
      await until('connected', () => later.index.connected)
      expect(await statusOf(later, made)).toBe('ACTIVE')
      await expect(Promise.resolve(one.index.lookUp(makeKey()))).rejects.toBeInstanceOf(StoreError)
    },
    10_000,
  )

  test('is away, a key counts no longer than an hour, and again as soon as it is back', async () => {
    const peppers = parsePeppers(newPepperText())
    const store = breaking((await stage()).store)
    const one = await stage({ redisUrl: redis.url, store, peppers, confirm_ms: 50, stale_ms: 300 })
    const made = await one.accounts.create(ANA)
    expect(await statusOf(one, made)).toBe('ACTIVE')
    store.way = 'fails'
    await sleep(350)
    await expect(statusOf(one, made)).rejects.toBeInstanceOf(StoreError)
    store.way = 'well'
    expect(await statusOf(one, made)).toBe('ACTIVE')
  })

  test('was away, a revocation counts at once, and for good', async () => {
    const peppers = parsePeppers(newPepperText())
    const store = breaking((await stage()).store)
    const one = await stage({ redisUrl: redis.url, store, peppers, confirm_ms: 50, patience_ms: 100, stale_ms: 60_000 })
    const made = await one.accounts.create(ANA)
    await one.accounts.revoke({ account: made.account, id: made.id })
    store.way = 'fails'
    await sleep(60)
    expect(await statusOf(one, made)).toBe('revoked')
  })
})
