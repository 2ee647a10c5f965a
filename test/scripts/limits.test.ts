import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { perMinute } from '../../api/auth/limits/policy.ts'
import { DEFAULT_PLANS } from '../../api/auth/plans.ts'
import { readConfig } from '../../lake/config.ts'
import { openServiceLimiter } from '../../scripts/service/access.ts'
import { readPlanSettings } from '../../scripts/service/caller-settings.ts'
import { serviceLog } from '../../scripts/service/store.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

const MAIN = new URL('../../scripts/service/start.ts', import.meta.url).pathname
const PROXY = ipaddr.parse('10.1.2.3')

describe('readPlanSettings', () => {
  test('takes the plans of the specification and trusts no proxy by default', () => {
    const { plans, upgradeUrl, trusted } = readPlanSettings(readConfig({}))
    expect([plans, upgradeUrl, trusted.has(PROXY)]).toEqual([DEFAULT_PLANS, null, false])
  })

  test('changes what the settings change', () => {
    const env = { PLANS: '{"PRO": {"minute": 90}}', UPGRADE_URL: 'https://example.org/plans', TRUSTED_PROXIES: '192.0.2.1,10.0.0.0/8' }
    const { plans, upgradeUrl, trusted } = readPlanSettings(readConfig(env))
    expect([plans.PRO.minute, plans.FREE, upgradeUrl, trusted.has(PROXY)]).toEqual([90, DEFAULT_PLANS.FREE, env.UPGRADE_URL, true])
  })

  test('reports all errors at once, each with its variable; for plans with tier, term and value', () => {
    const env = { PLANS: '{"FREE": {"minute": 0}, "PRO": {"price_eur_month": "dear"}}', TRUSTED_PROXIES: '10.0.0.0/33' }
    const read = (): unknown => readPlanSettings(readConfig(env))
    expect(read).toThrow(/\n {2}PLANS: FREE\.requests_per_minute=0: expected a whole number.*\n {2}PLANS: PRO\.price_eur_month="dear": /)
    expect(read).toThrow(/TRUSTED_PROXIES: 10\.0\.0\.0\/33 is neither an address nor a CIDR range/)
    expect(() => readPlanSettings(readConfig({ PLANS: '{"PRO": }' }))).toThrow('PLANS: the plans are not JSON')
  })
})

test('the service does not start with invalid plans, and names them', async () => {
  const folder = join(tempFolder(), 'data')
  const started = promisify(execFile)(process.execPath, [MAIN, '--port', '0', '--data', folder], {
    env: { ...process.env, PLANS: '{"PRO": {"minute": 5}}' },
    timeout: 60_000,
  })
  await expect(started).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('PRO.requests_per_minute: less than FREE has') })
  expect(existsSync(folder)).toBe(false)
})

test('the log states when Redis stops counting requests, and when it counts again', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const lines: string[] = []
  const log = serviceLog({ logLevel: 'info' }, 'test', { write: (line) => void lines.push(line) })
  const limiter = openServiceLimiter({ processes: 1, redisUrl: redis.url, log })
  onTestFinished(() => limiter.close())
  await until('connected', () => limiter.connected)
  lines.length = 0
  await redis.kill()
  await until('alone', () => !limiter.connected)
  expect((await limiter.charge('a', [perMinute(10)], { minute: 1 })).by).toBe('process')
  await redis.restart()
  await until('back', () => limiter.connected)
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'Redis counts no requests: this process limits alone',
    'Redis counts requests again',
  ])
})
