import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isWellFormed } from '../../api/auth/keys/key-format.ts'
import { openKeyIndex } from '../../api/auth/keys/key-index.ts'
import { parsePeppers } from '../../api/auth/keys/pepper.ts'
import { openRequestLog } from '../../api/auth/usage/request-log.ts'
import { fileStore } from '../../lake/store/file.ts'
import { claimFolder, noteApi } from '../../scripts/service/claim.ts'
import { textOf } from '../api/auth/stage.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { bodyOf } from '../helpers/smtp.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

const MAIN = new URL('../../scripts/commands/keys.ts', import.meta.url).pathname

interface Said {
  readonly code: number
  readonly text: string
}

function command(folder: string, env: Readonly<Record<string, string>> = {}): (...args: string[]) => Promise<Said> {
  return (...args) =>
    promisify(execFile)(process.execPath, [MAIN, ...args, '--data', folder], {
      env: { ...process.env, LAKE_URL: '', REDIS_URL: '', LOG_LEVEL: 'info', ...env },
      timeout: 120_000,
    })
      .then(({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }))
      .catch(({ code, stdout, stderr }) => ({ code: Number(code), text: `${stdout}${stderr}` }))
}

test('an operator creates, lists, grants and revokes keys, and a running service is notified at once', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const keys = command(folder, { REDIS_URL: redis.url, PUBLIC_URL: 'https://api.example.org' })

  const made = await keys('create', 'Ana@Example.org', '--label', 'Contract 7', '--plan', 'PRO', '--lang', 'en')
  expect(made.code).toBe(0)
  const key = /^tia_\w{36}$/m.exec(made.text)?.[0] as string
  const id = /key_[0-9a-f]{20}/.exec(made.text)?.[0] as string
  expect(isWellFormed(key)).toBe(true)
  const [mail = ''] = readdirSync(join(folder, 'outbox'))
  expect(made.text).toContain(join(folder, 'outbox', mail))
  expect(bodyOf(readFileSync(join(folder, 'outbox', mail), 'utf8'))).toContain('https://api.example.org/account?token=tim_')
  expect(statSync(join(folder, 'key-pepper')).mode & 0o777).toBe(0o600)

  const peppers = parsePeppers(readFileSync(join(folder, 'key-pepper'), 'utf8'))
  const store = await fileStore(join(folder, 'store'))
  const index = openKeyIndex({ store, redisUrl: redis.url, peppers, clock: Date.now })
  onTestFinished(() => index.close())
  await until('connected', () => index.connected)
  expect((await index.lookUp(key)).key).toMatchObject({ id, plan: 'PRO' })

  const [mine, all, nobody] = await Promise.all([keys('list', 'ana@example.ORG'), keys('list'), keys('list', 'bea@example.org')])
  expect(mine?.text).toBe(all?.text)
  expect(mine?.text).toMatch(new RegExp(`^${id}  tia_\\w{4}…\\w{4}  PRO   ACTIVE  .*Contract 7$`, 'm'))
  expect(nobody?.text).not.toContain('key_')
  for (const said of [mine, all]) expect(said?.text).not.toMatch(/ana@|tia_\w{5}/i)

  expect((await keys('grant', id, 'ENTERPRISE')).text).toContain('ENTERPRISE')
  await until('granted', async () => (await index.lookUp(key)).key?.plan === 'ENTERPRISE')
  expect((await keys('revoke', id)).text).toContain('REVOKED')
  await until('revoked', async () => (await index.lookUp(key)).refusal === 'revoked')
  expect((await keys('revoke', id)).text).toContain(`${id}: no working key has this id`)
  const writer = /^tia_\w{36}$/m.exec((await keys('create', 'ana@example.org', '--lake-writer')).text)?.[0] as string
  const ofWriter = (await index.lookUp(writer)).key
  expect(ofWriter).toMatchObject({ plan: 'ENTERPRISE', isLakeWriter: true })
  const listed = (await keys('list', 'ana@example.org')).text.split('\n').filter((line) => line.endsWith('  lake'))
  expect(listed).toEqual([expect.stringContaining(ofWriter?.id as string)])
  expect(/ana@|tia_\w{5}/i.test(await textOf(store))).toBe(false)
})

test('a fourth free key of an address is refused with a message that cannot be mistaken for a key', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const keys = command(folder, { REDIS_URL: redis.url })
  for (let made = 0; made < 3; made++) expect((await keys('create', 'me@example.org')).code).toBe(0)
  const fourth = await keys('create', 'me@example.org')
  expect(fourth.code).toBe(1)
  expect(fourth.text).toContain('has 3 free keys already')
  expect(fourth.text).not.toMatch(/^tia_/m)
})

test('a mailed link leads to the running service of the data folder, unless it has a public address', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  /** The target of the link in a key's mail. */
  const linked = async (email: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const said = await command(folder, { REDIS_URL: redis.url, ...env })('create', email)
    expect(said.code, said.text).toBe(0)
    const mail = /\S+\.eml/.exec(said.text)?.[0]?.split('/').at(-1)?.replace(/".*/, '') as string
    return new URL(/http\S+/.exec(bodyOf(readFileSync(join(folder, 'outbox', mail), 'utf8')))?.[0] as string).origin
  }
  noteApi(folder, 'http://127.0.0.1:1')
  expect(await linked('a@example.org', { PORT: '9090' })).toBe('http://127.0.0.1:9090')
  const release = claimFolder(folder)
  try {
    // The files of an earlier run do not matter.
    expect(await linked('b@example.org')).toBe('http://127.0.0.1:8080')
    noteApi(folder, 'http://127.0.0.1:8123')
    expect(await linked('c@example.org')).toBe('http://127.0.0.1:8123')
    expect(await linked('d@example.org', { PUBLIC_URL: 'https://api.example.org' })).toBe('https://api.example.org')
  } finally {
    release()
  }
  expect(await linked('e@example.org')).toBe('http://127.0.0.1:8080')
})

test("keys' usage in a month of Madrid is printed, as a table and as CSV", async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const keys = command(folder)
  const fail = (reason: unknown): never => {
    throw reason
  }
  const store = await fileStore(join(folder, 'store'))
  const slot = `${'a'.repeat(64)}.1`
  const [one, other] = ['key_00000000000000000001', 'key_00000000000000000002']
  // The last hour of March in Madrid, and the first of April there.
  for (const [at, id, plan] of [
    [Date.UTC(2026, 2, 31, 21, 30), one, 'FREE'],
    [Date.UTC(2026, 2, 31, 22, 30), one, 'FREE'],
    [Date.UTC(2026, 3, 2), one, 'PRO'],
    [Date.UTC(2026, 3, 2), other, 'PRO'],
  ] as const) {
    const usage = openRequestLog({ store, clock: () => at, every_ms: null, onError: fail, onLost: fail })
    const key = { id, plan, slot, status: 'ACTIVE', account: slot.slice(0, 64), ends_at: null } as const
    for (const path of ['/api/incidents', '/api/v16']) usage.usageOf(path)(key, 200, 1)
    usage.usageOf('/api/incidents')(key, 304, 0)
    usage.usageOf('/api/incidents')(null, 429, 0)
    await usage.close()
  }
  const [all, mine, csv, now] = await Promise.all([
    keys('usage', '--month', '2026-04'),
    keys('usage', one, '--month', '2026-03'),
    keys('usage', '--month', '2026-04', '--csv'),
    keys('usage'),
  ])
  expect([all?.code, mine?.code, csv?.code, now?.code]).toEqual([0, 0, 0, 0])
  expect(csv?.text).toBe(
    [
      'month,key,account,plan,requests,answered,not_modified,client_error,limited,server_error,day_units,is_final',
      `2026-04,${one},aaaaaaaaaaaa,FREE,3,2,1,0,0,0,2,true`,
      `2026-04,${one},aaaaaaaaaaaa,PRO,3,2,1,0,0,0,2,true`,
      `2026-04,${other},aaaaaaaaaaaa,PRO,3,2,1,0,0,0,2,true`,
      '2026-04,,,,3,0,0,0,3,0,0,true',
      '',
    ].join('\n'),
  )
  expect(all?.text.match(/^2026-04 .* true$/gm)).toHaveLength(4)
  expect(mine?.text.match(/^2026-03 .*$/gm)).toEqual([expect.stringContaining(one)])
  expect(now?.text.match(/^\d{4}-/gm)).toBeNull()
})

test('an invoice has each used key, with its highest plan of the month', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const keys = command(folder)
  await keys('create', 'ana@example.org')
  const [account = ''] = readdirSync(join(folder, 'store', 'accounts'))
  const store = await fileStore(join(folder, 'store'))
  const fail = (reason: unknown): never => {
    throw reason
  }
  for (const [at, id, plan, of] of [
    [Date.UTC(2026, 3, 1), 'key_00000000000000000001', 'FREE', `${account}.1`],
    [Date.UTC(2026, 3, 2), 'key_00000000000000000001', 'PRO', `${account}.1`],
    [Date.UTC(2026, 3, 2), 'key_00000000000000000002', 'FREE', `${account}.2`],
    // The first key was rotated.
    [Date.UTC(2026, 3, 3), 'key_00000000000000000005', 'PRO', `${account}.1`],
    // The last place for keys of an account.
    [Date.UTC(2026, 3, 2), 'key_00000000000000000004', 'ENTERPRISE', `${account}.9`],
    [Date.UTC(2026, 3, 2), 'key_00000000000000000003', 'ENTERPRISE', `${'b'.repeat(64)}.1`],
    [Date.UTC(2026, 4, 2), 'key_00000000000000000002', 'ENTERPRISE', `${account}.2`],
  ] as const) {
    const usage = openRequestLog({ store, clock: () => at, every_ms: null, onError: fail, onLost: fail })
    const key = { id, plan, slot: of, status: 'ACTIVE', account: of.slice(0, 64), ends_at: null } as const
    usage.usageOf('/api/incidents')(key, 200, 1)
    usage.usageOf('/api/incidents')(key, 304, 0)
    await usage.close()
  }
  const { code, text } = await keys('invoice', 'ana@example.org', '--month', '2026-04')
  expect(code).toBe(0)
  expect(text).toContain('ana@example.org')
  expect(text).toContain('2026-04-01 to 2026-04-30')
  const cells = [...text.matchAll(/<tr>(<td.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/>([^<]*)<\/td>/g)].map(([, cell]) => cell),
  )
  expect(cells).toEqual([
    ['key_00000000000000000001, key_00000000000000000005', 'PRO', '3', '6', '3', '49.00'],
    ['key_00000000000000000002', 'FREE', '1', '2', '1', '0.00'],
    ['key_00000000000000000004', 'ENTERPRISE', '1', '2', '1', '149.00'],
    ['/api/incidents', '10', '5'],
  ])
  expect(text).toMatch(/Total without VAT<\/th><td class="num">198\.00/)
  expect((await keys('invoice', account.slice(0, 12), '--month', '2026-04')).text).toBe(text)
  const month = new Date().toISOString().slice(0, 7)
  expect(await keys('invoice', 'ana@example.org', '--month', month)).toMatchObject({
    code: 1,
    text: expect.stringContaining('may still change'),
  })
  expect((await keys('invoice', 'ana@example.org')).text).toContain('which --month')
  expect((await keys('invoice', 'abc', '--month', '2026-04')).text).toContain('0 accounts')
})

test('wrong arguments are reported, and nothing is done', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const keys = command(folder)
  const wrong: readonly (readonly [args: string[], says: string])[] = [
    [['create'], 'no such command'],
    [['create', 'nobody'], 'nobody: no e-mail address'],
    [['create', 'a@example.org', '--plan', 'GOLD'], 'GOLD: no plan; one of FREE, PRO, ENTERPRISE'],
    [['create', 'a@example.org', '--lake-writer', '--plan', 'PRO'], '--lake-writer: needs the plan ENTERPRISE, not PRO'],
    [['create', 'a@example.org', '--lang', 'fr'], '--lang fr: one of es, en'],
    [['create', 'a@example.org', '--label', 'a\nb'], '--label: up to 60 characters on one line'],
    [['grant', 'key_00000000000000000000'], 'no such command'],
    [['grant', 'key_00000000000000000000', 'PRO'], 'no working key has this id'],
    [['revoke', '../x'], 'no working key has this id'],
    [['usage', 'a', 'b'], 'no such command'],
    [['usage', 'ana@example.org'], 'no id of a key'],
    [['usage', '--month', '2026-13'], '--month 2026-13: expected a month such as 2026-11'],
  ]
  for (const [args, says] of wrong) {
    const said = await keys(...args)
    expect([said.code, said.text], args.join(' ')).toEqual([1, expect.stringContaining(says)])
  }
  expect((await keys('list')).text).not.toContain('key_')
  expect((await keys('--help')).text).toContain('scripts/keys <command>')
})
