import { expect, test } from 'vitest'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { expiryWarnings, keyExpiries, statedExpiry } from '../../../jobs/ingest/key-expiry.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { tempFolder } from '../../helpers/temp.ts'

const DAY = 86_400_000
const AT = Date.UTC(2026, 10, 1)
const token = (claims: unknown): string =>
  ['{"alg":"HS256"}', typeof claims === 'string' ? claims : JSON.stringify(claims)]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.') + '.c2ln'

test.each([
  ['its exp', { exp: AT / 1000 + 60, iat: 0 }, AT + 60_000],
  ['three months after its iat', { iat: AT / 1000, sub: 'x' }, AT + 90 * DAY],
  ['unknown without either', { sub: 'x' }, null],
  ['unknown for claims that are no numbers', { exp: '2027', iat: null }, null],
  ['unknown for no JSON', 'x', null],
  ['unknown for null', null, null],
])('the expiry of a key is %s', (_, claims, expected) => {
  expect(statedExpiry(token(claims), 90 * 86_400)).toBe(expected)
})

test('a key that is no token has no stated expiry', () => {
  for (const key of ['', 'abc', 'a.b', '..']) expect(statedExpiry(key, 90 * 86_400)).toBe(null)
})

test('AEMET is the publisher whose keys expire: its feeds are named, and no key is', async () => {
  const store = await fileStore(tempFolder())
  const key = token({ iat: AT / 1000 })
  const of = (secret: string | null, now: number): ReturnType<typeof keyExpiries> =>
    keyExpiries(store, feeds, { secret: () => secret, now })
  const [aemet, ...others] = await of(key, AT)
  expect(others).toEqual([])
  expect(aemet).toMatchObject({ env: 'AEMET_API_KEY', expires_at: AT + 90 * DAY })
  expect(aemet?.feeds).toEqual(expect.arrayContaining(['aemet_observation', 'aemet_daily', 'aemet_forecast_daily']))
  expect(await of(null, AT)).toEqual([])
  expect(expiryWarnings([aemet as never], AT + 68 * DAY)).toEqual([])
  expect(expiryWarnings([aemet as never], AT + 70 * DAY)).toEqual([
    expect.stringMatching(/^the key in AEMET_API_KEY expires on 2027-01-30: aemet_.* will stop/),
  ])
  expect(expiryWarnings([aemet as never], AT + 91 * DAY)).toEqual([expect.stringContaining('expired on 2027-01-30')])
  expect(expiryWarnings([aemet as never], AT + 91 * DAY).join()).not.toContain(key)
})

test('a key that states nothing counts from its first use, also after a restart; a new key counts anew', async () => {
  const store = await fileStore(tempFolder())
  const of = async (key: string, now: number): Promise<number | undefined> =>
    (await keyExpiries(store, feeds, { secret: () => key, now }))[0]?.expires_at
  expect(await of(token({ sub: 'one' }), AT)).toBe(AT + 90 * DAY)
  expect(await of(token({ sub: 'one' }), AT + 50 * DAY)).toBe(AT + 90 * DAY)
  expect(await of(token({ sub: 'two' }), AT + 80 * DAY)).toBe(AT + 170 * DAY)
})
