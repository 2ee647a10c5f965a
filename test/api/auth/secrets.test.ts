import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAttempts } from '../../../api/auth/attempts.ts'
import { makeKey } from '../../../api/auth/keys/key-format.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { openPeppers } from '../../../api/auth/keys/pepper-file.ts'
import { normalEmail } from '../../../api/auth/mail/email.ts'
import { readEpochs, removeOldEpochs } from '../../../api/auth/sessions/token-epochs.ts'
import { openTokens, type Session } from '../../../api/auth/sessions/tokens.ts'
import { redacted } from '../../../api/kernel/redact.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { DAY_MS, textOf } from './stage.ts'

const HOUR_MS = DAY_MS / 24

test.each([
  ['Ana.Garcia+keys@Example.ORG', 'ana.garcia+keys@example.org'],
  ["o'neil@example.org", "o'neil@example.org"],
  ['ana@ejemplo.españa', 'ana@ejemplo.xn--espaa-rta'],
  ['ana@Xn--Espaa-Rta.es', 'ana@xn--espaa-rta.es'],
])('%s is the address %s', (text, email) => {
  expect(normalEmail(text)).toBe(email)
})

test.each([
  '',
  'ana',
  '@example.org',
  'ana@',
  'ana@localhost',
  'ana@127.0.0.1',
  'ana@example.org\r\nBcc: other@example.org',
  'ana@example.org\n',
  'ana\r@example.org',
  'ana@exam ple.org',
  'ana@example.org, other@example.org',
  'Ana <ana@example.org>',
  'ana@b@example.org',
  '"ana"@example.org',
  'ána@example.org',
  'ana@example.org/x',
  'ana@example.org:25',
  `${'a'.repeat(65)}@example.org`,
  `ana@${'a.'.repeat(130)}org`,
])('%j is no address', (text) => {
  expect(normalEmail(text)).toBeNull()
})

test('keys and tokens are taken out of texts, and nothing else', () => {
  const key = makeKey()
  expect(redacted(`GET /api/incidents?api_key=${key}&x=1`)).toBe('GET /api/incidents?api_key=tia_…&x=1')
  expect(redacted(`{"value":"${key.slice(0, 20)}"}`)).toBe('{"value":"tia_…"}')
  expect(redacted('/account?token=tim_WzEsImEiXQ.abc-DEF_1')).toBe('/account?token=tim_…')
  for (const text of ['', 'stia_abcdefghijkl', 'time_tiam', 'tia_short']) expect(redacted(text)).toBe(text)
})

test('a secret is read, identified by its version, and never repeated', () => {
  const text = newPepperText()
  const { current, all } = parsePeppers(`2:${'a'.repeat(64)},${text}\n`)
  expect([current.version, ...all.map(({ version }) => version)]).toEqual([2, 2, 1])
  const wrong = text.slice(0, -1)
  expect(() => parsePeppers(wrong)).toThrow('<version>:<64 hexadecimal digits>')
  expect(() => parsePeppers(wrong)).not.toThrow(wrong)
  expect(() => parsePeppers(`${text},${text}`)).toThrow('same version')
})

test('a sealed value opens where it belongs, with the same secret, and unchanged', () => {
  const { current } = parsePeppers(newPepperText())
  const sealed = current.seal('ana@example.org', 'account')
  expect(current.unseal(sealed, 'account')).toBe('ana@example.org')
  expect(current.seal('ana@example.org', 'account')).not.toBe(sealed)
  expect(() => current.unseal(sealed, 'other')).toThrow()
  expect(() => parsePeppers(newPepperText()).current.unseal(sealed, 'account')).toThrow()
  const changed = `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`
  expect(() => current.unseal(changed, 'account')).toThrow()
})

test('the file of the secret is made once, for its owner only, by processes that start together', async () => {
  const folder = tempFolder()
  const store = await fileStore(join(folder, 'store'))
  const opened = await Promise.all(Array.from({ length: 8 }, () => openPeppers({ store, configured: null, folder })))
  expect(new Set(opened.map(({ current }) => current.fingerprint)).size).toBe(1)
  const path = join(folder, 'key-pepper')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await openPeppers({ store, configured: null, folder })).current.fingerprint).toBe(opened[0]?.current.fingerprint)
  expect(await textOf(store)).not.toContain(readFileSync(path, 'utf8').slice(2, 20))

  chmodSync(path, 0o640)
  await expect(openPeppers({ store, configured: null, folder })).rejects.toThrow(`chmod 600 ${path}`)
  chmodSync(path, 0o600)
  const text = readFileSync(path, 'utf8').trim()
  await expect(openPeppers({ store, configured: newPepperText(), folder })).rejects.toThrow('another key pepper of version 1')
  await expect(openPeppers({ store, configured: `2:${'a'.repeat(64)}`, folder })).rejects.toThrow('version 1, which is not configured')
  expect((await openPeppers({ store, configured: `2:${'a'.repeat(64)},${text}`, folder })).current.version).toBe(2)
  await expect(openPeppers({ store, configured: text, folder })).rejects.toThrow('version 2, which is not configured')
  // A lost file is not created again: every key would be unknown.
  rmSync(path)
  await expect(openPeppers({ store, configured: null, folder })).rejects.toThrow(`${path} is missing`)
  expect(existsSync(path)).toBe(false)
})

test('the secret is never in the store', async () => {
  const folder = tempFolder()
  const store = await fileStore(folder)
  mkdirSync(join(folder, 'inside'))
  for (const inside of [folder, join(folder, 'inside')])
    await expect(openPeppers({ store, configured: null, folder: inside })).rejects.toThrow('outside')
  const beside = `${folder}-beside`
  mkdirSync(beside)
  await openPeppers({ store, configured: null, folder: beside })
  rmSync(beside, { recursive: true })
})

test('a mailed token is good once, for 30 minutes, and for nothing else', async () => {
  let now = Date.UTC(2026, 0, 2, 12)
  const store = await fileStore(join(tempFolder(), 'store'))
  const peppers = parsePeppers(newPepperText())
  const tokens = openTokens({ store, peppers, clock: () => now })
  const account = 'a'.repeat(64)
  expect(await tokens.link(account)).toBeNull()
  await store.put(`accounts/${account}/account`, Buffer.from('{"nonce":"1"}'))
  const link = async (): Promise<string> => (await tokens.link(account)) as string
  const token = await link()
  expect([await tokens.peek(token), await tokens.peek(token)]).toEqual([account, account])
  const uses = await Promise.all(Array.from({ length: 20 }, () => tokens.open(token)))
  const [opened, ...more] = uses.filter((one) => one !== null)
  expect([opened?.account, more]).toEqual([account, []])

  const other = await link()
  for (const wrong of [
    `${other.slice(0, -1)}${other.endsWith('A') ? 'Q' : 'A'}`,
    other.replace('tim_', 'tis_'),
    other.slice(4),
    '',
    'tim_.',
  ])
    expect([await tokens.peek(wrong), await tokens.session(wrong), await tokens.open(wrong)]).toEqual([null, null, null])
  expect(await tokens.session(other)).toBeNull()
  const session = tokens.textOf(opened as Session)
  expect([(await tokens.session(session))?.account, await tokens.peek(session)]).toEqual([account, null])
  expect(await openTokens({ store, peppers: parsePeppers(newPepperText()), clock: () => now }).peek(other)).toBeNull()
  now += HOUR_MS / 2 - 1
  expect(await tokens.peek(other)).toBe(account)
  now += 1
  expect([await tokens.peek(other), await tokens.open(other), (await tokens.session(session))?.account]).toEqual([null, null, account])
  now += HOUR_MS / 2
  expect(await tokens.session(session)).toBeNull()
  now += HOUR_MS
  await tokens.tidy()
  expect(await textOf(store)).not.toContain('account-links')
})

test('the call that ends links also ends the session that one of them is just opening', async () => {
  const files = await fileStore(join(tempFolder(), 'store'))
  const account = 'a'.repeat(64)
  const record = (nonce: string): Promise<void> => files.put(`accounts/${account}/account`, Buffer.from(JSON.stringify({ nonce })))
  let meanwhile: () => Promise<unknown> = async () => undefined
  const store: ObjectStore = {
    ...files,
    putIfAbsent: async (key, body) => {
      await meanwhile()
      return files.putIfAbsent(key, body)
    },
  }
  const tokens = openTokens({ store, peppers: parsePeppers(newPepperText()), clock: () => 0 })
  const open = async (): Promise<Session> => (await tokens.open((await tokens.link(account)) as string)) as Session
  const isOpen = async (session: Session): Promise<boolean> => (await tokens.session(tokens.textOf(session))) !== null
  await record('1')
  const first = await open()
  expect(await isOpen(first)).toBe(true)
  for (const ends of [() => tokens.endAll(first), () => record('2')]) {
    meanwhile = ends
    const session = await open()
    meanwhile = async () => undefined
    expect(await isOpen(session)).toBe(false)
    expect(await isOpen(await open())).toBe(true)
  }
  // Ending everything of a deleted account ends nothing of the next account, and leaves nothing.
  const next = await open()
  await tokens.endAll(first)
  await tokens.endSessions(first)
  expect(await isOpen(next)).toBe(true)
  expect(await textOf(files)).not.toContain('/tokens/')
})

test('the bindings of tokens go with the account, also where a process ended before it could remove them', async () => {
  const store = await fileStore(join(tempFolder(), 'store'))
  const account = 'a'.repeat(64)
  for (const life of ['gone', 'now']) await store.put(`accounts/${account}/tokens/${life}/links`, Buffer.from('x'))
  await store.put(`accounts/${account}/account`, Buffer.from('{"nonce":"now"}'))
  await removeOldEpochs(store, account)
  expect(await textOf(store)).not.toContain('gone')
  expect(await readEpochs(store, account)).toEqual({ life: 'now', links: 'x', sessions: '' })
  await store.delete(`accounts/${account}/account`)
  await removeOldEpochs(store, account)
  expect(await textOf(store)).toBe('')
})

test('attempts are counted in sliding windows, half of them without Redis, and no address is kept', async () => {
  const redis = await startTestRedis()
  const peppers = parsePeppers(newPepperText())
  const counted = openAttempts({ redisUrl: redis.url, peppers })
  const alone = openAttempts({ redisUrl: '/nowhere/redis.sock', peppers })
  const client = openRedis(redis.url)
  try {
    for (const [attempts, hour, day] of [
      [counted, 5, 3],
      [alone, 2, 1],
    ] as const) {
      const waits: number[] = []
      for (let count = 0; count < 7; count++) waits.push(await attempts.take('create-from-address', '192.0.2.1'))
      expect(waits.filter((wait_s) => wait_s === 0)).toHaveLength(hour)
      for (const wait_s of waits.slice(hour)) {
        expect(wait_s).toBeGreaterThan(3590)
        expect(wait_s).toBeLessThanOrEqual(3660)
      }
      expect(await attempts.take('create-from-address', '192.0.2.2')).toBe(0)
      expect(await attempts.take('create-for-email', '192.0.2.1')).toBe(0)
      const many = await Promise.all(Array.from({ length: 50 }, () => attempts.take('mail-to-email', 'ana@example.org')))
      expect(many.filter((wait_s) => wait_s === 0)).toHaveLength(day)
    }
    const names = await client.keys('access:attempts:*:*-*')
    expect(names).toHaveLength(6)
    expect(names.join()).not.toMatch(/192\.0|ana@|example/)
    for (const name of names) expect(await client.pttl(name)).toBeGreaterThan(0)
  } finally {
    client.disconnect()
    counted.close()
    alone.close()
    await redis.stop()
  }
})
