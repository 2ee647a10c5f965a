import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../lake/config.ts'
import { openLake } from '../../lake/open.ts'
import { readLog } from '../../lake/requests/log.ts'
import { fileStore } from '../../lake/store/file.ts'
import { claimLake, writeFeedListings } from '../../lake/system.ts'
import { monthAt, monthlyUsage } from '../../scripts/commands/usage.ts'
import { openServiceAccess } from '../../scripts/service/access.ts'
import { type Child, startChild } from '../../scripts/service/child.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { tempFolder } from '../helpers/temp.ts'

const RUN_API = new URL('../../scripts/service/run-api.ts', import.meta.url).pathname
const REQUESTS = 60

test('two processes that share a port count one limit, and their usage adds up', { timeout: 240_000 }, async () => {
  const folder = tempFolder()
  const redis = await startTestRedis()
  const store = await fileStore(join(folder, 'store'))
  await claimLake(store, 'simulated', Date.now())
  await writeFeedListings(store, [])
  const config = readConfig({ DATA_DIR: folder })
  const opened = await openServiceAccess(config, { store, redisUrl: redis.url, log: pino({ level: 'silent' }) })
  const children: Child[] = []
  onTestFinished(async () => {
    for (const child of children) await child.stop()
    await opened.close()
    await redis.stop()
  })
  const start = async (port: string): Promise<string> => {
    const env = { ...process.env, DATA_DIR: folder, LAKE_URL: '', KEY_PEPPER: '', REDIS_URL: redis.url, API_WORKERS: '2', PORT: port }
    const { ready } = await startChild<{ url: string }>({
      ...{ name: 'api', script: RUN_API, env },
      onLine: () => undefined,
      onSpawn: (child) => children.push(child),
    })
    return ready.url
  }
  const url = await start('0')
  expect(await start(new URL(url).port)).toBe(url)
  const { key, id } = await opened.access.accounts.create({ email: 'ana@example.org', label: null, language: 'es', plan: 'ENTERPRISE' })
  // A new connection for each request, so that the system distributes them to both.
  const headers = { 'X-API-Key': key, Connection: 'close' }
  const answers = await Promise.all(Array.from({ length: REQUESTS }, () => fetch(`${url}/api/codes?limit=1`, { headers })))
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(REQUESTS).fill(200))
  const left = answers.map((answer) => Number(/"minute";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]))
  expect(left.toSorted((one, other) => one - other)[0]).toBe(300 - REQUESTS)
  for (const child of children) {
    await child.stop()
    expect(await child.ended).toBe(0)
  }
  const marks = await readLog(store, { from: 0, to: Number.POSITIVE_INFINITY, take: ({ mark }) => mark })
  expect(new Set(marks.values()).size).toBe(2)
  const lake = await openLake({ store, spool: join(folder, 'spool'), memory: 256 * 1024 ** 2, spill: 0, threads: 1, slots: 1 })
  onTestFinished(() => lake.close())
  const csv = await monthlyUsage(lake, { key: id, month: monthAt(Date.now()), isCsv: true, now: Date.now() })
  expect(csv.split('\n')[1]).toContain(`,ENTERPRISE,${REQUESTS},${REQUESTS},0,0,0,0,${REQUESTS},`)
})
