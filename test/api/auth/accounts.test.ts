import { utimesSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { NewKey } from '../../../api/auth/accounts.ts'
import type { KeyLookup } from '../../../api/auth/keys/key-index.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { Problem } from '../../../api/kernel/problems.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { DAY_MS, type Stage, type StageOptions, stage, textOf } from './stage.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

const EMAIL = 'ana.garcia@example.org'
const ANA = { email: EMAIL, label: 'Mi coche', language: 'es' } as const

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : String(error))
const refusalOf = async ({ index }: Stage, key: string): Promise<KeyLookup['refusal']> => (await index.lookUp(key)).refusal

describe.each([
  ['file', async () => stage()],
  ['s3', async () => stage(s3 ? { store: s3Store(s3.fresh()) } : {})],
] as const)('over the %s store', (name, open) => {
  const isMissing = name === 's3' && !s3

  test.skipIf(isMissing)('of 100 requests at once three get a key, and the others learn that three exist', async () => {
    const { accounts, index } = await open()
    const asked = await Promise.allSettled(Array.from({ length: 100 }, () => accounts.create(ANA)))
    const made = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(made).toHaveLength(3)
    for (const one of asked) if (one.status === 'rejected') expect(codeOf(one.reason)).toBe('key-limit-reached')
    const found = await Promise.all(made.map(({ key }) => index.lookUp(key)))
    const account = made[0]?.account
    expect(found.map(({ key }) => key?.slot).sort()).toEqual([1, 2, 3].map((slot) => `${account}.${slot}`))
    expect(await accounts.list(account as string)).toHaveLength(3)
  })

  test.skipIf(isMissing)('keys of paid plans use up none of the three free ones, and are counted apart', async () => {
    const { accounts } = await open()
    const paid = await accounts.create({ ...ANA, plan: 'PRO' })
    const granted = await accounts.create(ANA)
    await accounts.grant({ ...granted, plan: 'ENTERPRISE' })
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => accounts.create(ANA)))
    const made = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(new Set([paid, granted, ...made].map(({ slot }) => slot)).size).toBe(5)
    expect(made).toHaveLength(3)
    // A grant makes room for a free key; its withdrawal makes none.
    await accounts.grant({ ...(made[0] as NewKey), plan: 'PRO' })
    await accounts.create(ANA)
    await accounts.grant({ ...granted, plan: 'FREE' })
    await expect(accounts.create(ANA)).rejects.toMatchObject({ code: 'key-limit-reached' })
    await accounts.create({ ...ANA, plan: 'PRO' })
  })

  test.skipIf(isMissing)('of 40 requests at once for the place of a revoked key one gets it, and it is the same slot', async () => {
    const { accounts, index } = await open()
    const [first] = [await accounts.create(ANA), await accounts.create(ANA), await accounts.create(ANA)]
    const { slot } = (await index.lookUp(first.key)).key ?? {}
    await accounts.revoke(first)
    const asked = await Promise.allSettled(Array.from({ length: 40 }, () => accounts.create(ANA)))
    const made = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(made).toHaveLength(1)
    expect((await index.lookUp(made[0]?.key as string)).key?.slot).toBe(slot)
  })

  test.skipIf(isMissing)(
    'a key that is revoked while others rotate it and set its plan stays revoked, and so do those made from it',
    async () => {
      const one = await open()
      const { accounts } = one
      for (let round = 0; round < 10; round++) {
        const made = await accounts.create(ANA)
        const changes = [
          accounts.rotate({ ...made, overlap_ms: DAY_MS }),
          accounts.grant({ ...made, plan: 'PRO' }),
          accounts.confirm(made.account),
          accounts.grant({ ...made, plan: 'ENTERPRISE' }),
        ]
        await Promise.allSettled([...changes, accounts.revoke(made)])
        const next = (await Promise.allSettled([changes[0]])).flatMap((done) => (done.status === 'fulfilled' ? [done.value] : []))
        expect(await refusalOf(one, made.key)).toBe('revoked')
        await accounts.revokeAll(made.account)
        for (const rotated of next) expect(await refusalOf(one, (rotated as { made: { key: string } }).made.key)).toBe('revoked')
      }
    },
  )
})

test('nothing in the store reveals a key or an address', async () => {
  const one = await stage()
  const { accounts, store } = one
  const made = await accounts.create({ ...ANA, label: 'call ana.garcia@example.org' })
  const { made: rotated } = await accounts.rotate({ ...made, overlap_ms: DAY_MS })
  await accounts.confirm(made.account)
  const text = (await textOf(store)).toLowerCase()
  expect(text).toContain('keys/')
  expect(text).toContain(`accounts/${made.account}/slot-1/00000002`)
  for (const { key } of [made, rotated]) {
    expect(text).not.toContain(key.slice(0, 12).toLowerCase())
    expect(text).not.toContain(key.slice(8, 36).toLowerCase())
  }
  for (const part of ['ana', 'garcia', 'example.org', Buffer.from(EMAIL).toString('base64url'), Buffer.from(EMAIL).toString('hex')])
    expect(text).not.toContain(part.toLowerCase())
  expect(await accounts.contact(made.account)).toEqual({ email: EMAIL, language: 'es', isConfirmed: true })
  expect((await accounts.list(made.account))[0]).toMatchObject({ label: 'call ana.garcia@example.org' })
})

describe('rotation', () => {
  test('keeps slot, plan and label; the former key works until the overlap is over', async () => {
    let now = Date.UTC(2026, 0, 2)
    const one = await stage({ clock: () => now })
    const { accounts, index } = one
    const first = await accounts.create(ANA)
    await accounts.grant({ ...first, plan: 'PRO' })
    const { made, former } = await accounts.rotate({ ...first, overlap_ms: DAY_MS })
    expect(former).toMatchObject({ id: first.id, status: 'ROTATING', ends_at: now + DAY_MS })
    const [before, after] = [await index.lookUp(first.key), await index.lookUp(made.key)]
    expect(before.key).toMatchObject({ status: 'ROTATING', plan: 'PRO', slot: after.key?.slot })
    expect(after.key).toMatchObject({ status: 'ACTIVE', plan: 'PRO', id: made.id })
    expect(made).toMatchObject({ label: 'Mi coche', ends_at: null })
    await expect(accounts.rotate({ ...first, overlap_ms: 0 })).rejects.toMatchObject({ code: 'conflict' })
    await expect(accounts.rotate({ ...made, overlap_ms: 0 })).rejects.toMatchObject({ code: 'conflict' })
    now += DAY_MS - 1
    expect(await refusalOf(one, first.key)).toBeNull()
    now += 1
    expect(await refusalOf(one, first.key)).toBe('expired')
    expect(await refusalOf(one, made.key)).toBeNull()
    const { made: third } = await accounts.rotate({ ...made, overlap_ms: 0 })
    expect(await refusalOf(one, made.key)).toBe('revoked')
    expect((await accounts.list(first.account)).map(({ id, status }) => [id, status])).toEqual([
      [first.id, 'EXPIRED'],
      [made.id, 'REVOKED'],
      [third.id, 'ACTIVE'],
    ])
  })

  test('does not give a place to a fourth key', async () => {
    const { accounts } = await stage()
    for (let count = 0; count < 3; count++) await accounts.rotate({ ...(await accounts.create(ANA)), overlap_ms: DAY_MS })
    const all = await accounts.list(await accounts.nameOf(EMAIL))
    expect(all.map(({ status }) => status)).toEqual(['ROTATING', 'ACTIVE', 'ROTATING', 'ACTIVE', 'ROTATING', 'ACTIVE'])
    await expect(accounts.create(ANA)).rejects.toMatchObject({ code: 'key-limit-reached' })
    const account = await accounts.nameOf(EMAIL)
    // Its successor works on: its place is not free.
    await accounts.revoke({ account, id: all[0]?.id as string })
    await expect(accounts.create(ANA)).rejects.toMatchObject({ code: 'key-limit-reached' })
    await accounts.revoke({ account, id: all[1]?.id as string })
    await accounts.create(ANA)
  })

  test('revoking a key ends the key that it replaced, and not the other way round', async () => {
    const one = await stage()
    const { accounts } = one
    const [first, second] = [await accounts.create(ANA), await accounts.create(ANA)]
    const [next, other] = [
      await accounts.rotate({ ...first, overlap_ms: DAY_MS }),
      await accounts.rotate({ ...second, overlap_ms: DAY_MS }),
    ]
    await accounts.revoke(next.made)
    expect([await refusalOf(one, next.made.key), await refusalOf(one, first.key)]).toEqual(['revoked', 'revoked'])
    expect([await refusalOf(one, second.key), await refusalOf(one, other.made.key)]).toEqual([null, null])
    await accounts.revoke(second)
    expect([await refusalOf(one, second.key), await refusalOf(one, other.made.key)]).toEqual(['revoked', null])
  })

  test('again and again leaves the objects of an hour in the slot, and every former key ended', async () => {
    const one = await stage()
    const keys = [await one.accounts.create(ANA)]
    for (let count = 0; count < 30; count++) keys.push((await one.accounts.rotate({ ...(keys.at(-1) as NewKey), overlap_ms: 0 })).made)
    const past = Date.now() / 1000 - 7200
    for await (const { key } of one.store.list('accounts/')) utimesSync(one.store.location(key), past, past)
    for (let count = 0; count < 8; count++) keys.push((await one.accounts.rotate({ ...(keys.at(-1) as NewKey), overlap_ms: 0 })).made)
    let objects = 0
    for await (const _ of one.store.list('accounts/')) objects++
    expect(objects).toBeLessThan(12)
    expect(await Promise.all(keys.map(({ key }) => refusalOf(one, key)))).toEqual([...Array(38).fill('revoked'), null])
    expect(await one.accounts.list(keys[0]?.account as string)).toHaveLength(6)
  })
})

describe('an address that is not confirmed', () => {
  const WEEK_MS = 7 * DAY_MS
  async function unconfirmed(): Promise<Stage & { pass(ms: number): void }> {
    let now = Date.UTC(2026, 0, 2)
    return {
      ...(await stage({ clock: () => now, unconfirmed_ms: WEEK_MS })),
      pass: (ms) => {
        now += ms
      },
    }
  }

  test('loses its keys after a week, used or not, and has their places again', async () => {
    const one = await unconfirmed()
    const keys = [await one.accounts.create(ANA), await one.accounts.create(ANA), await one.accounts.create(ANA)]
    one.pass(WEEK_MS - 1)
    for (const { key } of keys) expect(await refusalOf(one, key)).toBeNull()
    await expect(one.accounts.create(ANA)).rejects.toMatchObject({ code: 'key-limit-reached' })
    one.pass(1)
    for (const { key } of keys) expect(await refusalOf(one, key)).toBe('expired')
    await one.accounts.create(ANA)
    // A rotation does not lengthen it.
    const made = await one.accounts.create(ANA)
    one.pass(WEEK_MS - DAY_MS)
    const { made: rotated } = await one.accounts.rotate({ ...made, overlap_ms: 3 * DAY_MS })
    one.pass(DAY_MS)
    expect(await refusalOf(one, rotated.key)).toBe('expired')
  })

  test('keeps them once it is confirmed, and new ones too', async () => {
    const one = await unconfirmed()
    const first = await one.accounts.create(ANA)
    one.pass(DAY_MS)
    await one.accounts.confirm(first.account)
    const second = await one.accounts.create(ANA)
    expect(second.ends_at).toBeNull()
    one.pass(10 * WEEK_MS)
    expect([await refusalOf(one, first.key), await refusalOf(one, second.key)]).toEqual([null, null])
  })

  test('keeps a key that was made while it was being confirmed', async () => {
    const one = await unconfirmed()
    const made = await one.accounts.create(ANA)
    await one.store.put(`accounts/${made.account}/confirmed`, Buffer.from('1'))
    await one.accounts.tidy()
    one.pass(2 * WEEK_MS)
    expect(await refusalOf(one, made.key)).toBeNull()
  })

  test('has records that say so once they were brought in line', async () => {
    const one = await unconfirmed()
    const { account } = await one.accounts.create(ANA)
    one.pass(WEEK_MS)
    await one.accounts.tidy()
    const records = (await textOf(one.store)).split('\n').filter((line) => line.startsWith('{"hash"'))
    expect(records).toHaveLength(1)
    expect(records[0]).toContain('"status":"EXPIRED"')
    expect(records[0]).not.toContain(account)
  })
})

describe('removing an account', () => {
  test('ends its keys and leaves neither address nor account, but that they were revoked', async () => {
    const one = await stage()
    const keys = [await one.accounts.create(ANA), await one.accounts.create(ANA)]
    const { account } = keys[0] as { account: string }
    const { made } = await one.accounts.rotate({ ...(keys[0] as NewKey), overlap_ms: DAY_MS })
    await one.accounts.confirm(account)
    await one.accounts.remove(account)
    for (const { key } of [...keys, made]) expect(await refusalOf(one, key)).toBe('revoked')
    expect(await one.accounts.contact(account)).toBeNull()
    expect(await one.accounts.list(account)).toEqual([])
    const bodies: string[] = []
    for await (const { key } of one.store.list('accounts/')) bodies.push((await one.store.get(key))?.toString() ?? '')
    expect(bodies).toHaveLength(2)
    for (const body of bodies) expect(JSON.parse(body)).toMatchObject({ keys: [] })
    expect(await one.accounts.ownerOf(made.id)).toBeNull()
  })

  test('while one of its keys is being rotated in a loop ends every key of the loop', async () => {
    for (let round = 0; round < 10; round++) {
      const one = await stage()
      const made = [await one.accounts.create(ANA)]
      const loop = (async () => {
        for (;;) made.push((await one.accounts.rotate({ ...(made.at(-1) as NewKey), overlap_ms: 0 })).made)
      })().catch(codeOf)
      await new Promise((resolve) => setTimeout(resolve, round * 3))
      await one.accounts.remove(made[0]?.account as string)
      expect(['not-found', 'conflict']).toContain(await loop)
      for (const { key } of made) expect(await refusalOf(one, key)).toBe('revoked')
    }
  })

  test('leaves numbers of slots for a day, and then nothing', async () => {
    const one = await stage()
    const { account } = await one.accounts.create(ANA)
    await one.accounts.remove(account)
    const names = async (): Promise<string[]> => {
      const found: string[] = []
      for await (const { key } of one.store.list('accounts/')) found.push(key)
      return found
    }
    await one.accounts.tidy()
    expect(await names()).toEqual([`accounts/${account}/slot-1/00000002`])
    const yesterday = (Date.now() - DAY_MS) / 1000 - 60
    utimesSync(one.store.location(`accounts/${account}/slot-1/00000002`), yesterday, yesterday)
    await one.accounts.tidy()
    expect(await names()).toEqual([])
  })

  test('frees the address to start again', async () => {
    const one = await stage()
    const first = await one.accounts.create(ANA)
    await one.accounts.remove(first.account)
    const again = await one.accounts.create(ANA)
    expect(again.account).toBe(first.account)
    expect(await one.accounts.contact(first.account)).toMatchObject({ email: EMAIL, isConfirmed: false })
    expect([await refusalOf(one, first.key), await refusalOf(one, again.key)]).toEqual(['revoked', null])
    expect((await one.index.lookUp(again.key)).key?.slot).toBe(`${first.account}.1`)
  })
})

describe('a process that ended between a change and its records', () => {
  /** A store whose writes of key records fail while a switch is on. */
  function failing(store: ObjectStore, isBroken: () => boolean): ObjectStore {
    return {
      ...store,
      put: async (key, body) => {
        if (key.startsWith('keys/') && isBroken()) throw new Error('the process ended')
        await store.put(key, body)
      },
    }
  }

  test('leaves a revocation that counts at the next try, or when the service starts again', async () => {
    let isBroken = false
    const real = (await stage()).store
    const options: StageOptions = { store: failing(real, () => isBroken), peppers: parsePeppers(newPepperText()) }
    const one = await stage(options)
    const [first, second] = [await one.accounts.create(ANA), await one.accounts.create(ANA)]
    isBroken = true
    for (const made of [first, second]) await expect(one.accounts.revoke(made)).rejects.toThrow('ended')
    isBroken = false
    await one.accounts.revoke(first)
    expect(await refusalOf(await stage(options), first.key)).toBe('revoked')
    expect(await refusalOf(await stage(options), second.key)).toBeNull()
    await one.accounts.tidy()
    expect(await refusalOf(await stage(options), second.key)).toBe('revoked')
  })

  test('leaves no key that works where it was never shown', async () => {
    let isBroken = true
    const one = await stage({ store: failing((await stage()).store, () => isBroken) })
    await expect(one.accounts.create(ANA)).rejects.toThrow('ended')
    isBroken = false
    // It keeps its place, under an id that the owner can revoke.
    const [lost] = await one.accounts.list(await one.accounts.nameOf(EMAIL))
    await one.accounts.revoke({ account: await one.accounts.nameOf(EMAIL), id: lost?.id as string })
    for (let count = 0; count < 3; count++) await one.accounts.create(ANA)
  })
})

test('plans are granted to one key, which stays the same', async () => {
  const one = await stage()
  const [first, second] = [await one.accounts.create(ANA), await one.accounts.create(ANA)]
  expect(await one.accounts.ownerOf(first.id)).toBe(first.account)
  expect(await one.accounts.grant({ ...first, plan: 'ENTERPRISE' })).toMatchObject({ id: first.id, plan: 'ENTERPRISE' })
  expect((await one.index.lookUp(first.key)).key?.plan).toBe('ENTERPRISE')
  expect((await one.index.lookUp(second.key)).key?.plan).toBe('FREE')
  await one.accounts.revoke(first)
  await expect(one.accounts.grant({ ...first, plan: 'PRO' })).rejects.toMatchObject({ code: 'conflict' })
  await expect(one.accounts.revoke({ account: first.account, id: 'key_00000000000000000000' })).rejects.toMatchObject({ code: 'not-found' })
})

test('a new secret makes new keys, and those of the former one work on, in the same account', async () => {
  const [former, current] = [newPepperText(), newPepperText().replace('1:', '2:')]
  const before = await stage({ peppers: parsePeppers(former) })
  const old = await before.accounts.create(ANA)
  const after = await stage({ store: before.store, peppers: parsePeppers(`${current},${former}`) })
  const made = await after.accounts.create(ANA)
  expect(made.account).toBe(old.account)
  expect((await after.index.lookUp(old.key)).key?.id).toBe(old.id)
  expect((await after.index.lookUp(made.key)).key?.slot).toBe(`${old.account}.2`)
  expect((await after.accounts.list(old.account)).map(({ label }) => label)).toEqual(['Mi coche', 'Mi coche'])
  const alone = await stage({ store: before.store, peppers: parsePeppers(current) })
  expect(await refusalOf(alone, old.key)).toBe('unknown')
})
