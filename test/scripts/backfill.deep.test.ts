import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { trafficCountsHourly } from '../../lake/datasets/road/traffic-counts.ts'
import { trafficReadings15m } from '../../lake/datasets/road/traffic-readings.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import { fileStore } from '../../lake/store/file.ts'
import { claimLake } from '../../lake/system.ts'
import { openService } from '../../scripts/commands/service.ts'
import { claimFolder, notePublishers } from '../../scripts/service/claim.ts'
import { cliConfig } from '../../scripts/service/store.ts'
import { startPublishers } from '../../scripts/stand-in/server.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { tempFolder } from '../helpers/temp.ts'

const MAIN = new URL('../../scripts/commands/backfill.ts', import.meta.url).pathname

test('a backfill takes the listed files of a range, reports gaps and failures, and does nothing twice', {
  timeout: 90_000,
}, async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'store'))
  const store = await fileStore(join(folder, 'store'))
  await claimLake(store, 'simulated', Date.now())
  await store.close()
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const start = Date.parse('2025-08-20T08:00:00Z')
  const publishers = await startPublishers({ source: { kind: 'simulated', speed: 0, start, scale: 'small' } })
  onTestFinished(() => publishers.close())
  onTestFinished(claimFolder(folder))
  notePublishers(folder, publishers.url)
  const { SOURCE_MODE: _mode, PUBLISHERS_URL: _publishers, ...rest } = process.env
  const env = { ...rest, LAKE_URL: '', REDIS_URL: redis.url }
  const backfill = (...args: string[]): Promise<{ code: number; lines: string[] }> =>
    promisify(execFile)(process.execPath, [MAIN, ...args, '--data', folder], { env, timeout: 60_000 })
      .then(({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }))
      .catch(({ code, stdout, stderr }) => ({ code: Number(code), text: `${stdout}${stderr}` }))
      .then(({ code, text }) => ({
        code,
        lines: text
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith('{')),
      }))

  publishers.setFault({ feed: 'madrid_counts', fault: 'half_empty', share: 0 })
  const failed = await backfill('madrid_counts', '--from', '2025-07-31', '--to', '2025')
  expect([failed.code, failed.lines]).toEqual([
    2,
    [
      '2 files listed: 0 were there, 0 accepted with 0 rows, 0 unchanged, 2 failed',
      expect.stringMatching(/^rejected 2025-07: .* 0 rows/),
      expect.stringMatching(/^rejected 2025-08: .* 0 rows/),
    ],
  ])
  publishers.clearFaults()
  const rows = (31 + 31 + 30) * 24 * 24 * 2
  const first = await backfill('madrid_counts', '--from', '2025-01', '--to', '2025-04', '--jobs', '3')
  const gap = 'the publisher has none of 2025-02; the next run asks again'
  expect(first).toEqual({ code: 0, lines: [`3 files listed: 0 were there, 3 accepted with ${rows} rows, 0 unchanged, 0 failed`, gap] })
  const second = await backfill('madrid_counts', '--from', '2025-01', '--to', '2025-04')
  expect(second.lines).toEqual(['3 files listed: 3 were there, 0 accepted with 0 rows, 0 unchanged, 0 failed', gap])
  const again = await backfill('madrid_counts', '--from', '2025-03', '--to', '2025-03', '--again')
  expect(again.lines).toEqual(['1 files listed: 0 were there, 0 accepted with 0 rows, 1 unchanged, 0 failed'])

  const service = await openService({ ...cliConfig(folder), redisUrl: redis.url })
  onTestFinished(() => service.close())
  const [found] = await service.lake.query(sql`SELECT count(*) AS n, count(DISTINCT month) AS months FROM ${scan(trafficCountsHourly)}`)
  expect([Number(found?.n), Number(found?.months)]).toEqual([rows, 3])

  // A file whose rows the engine creates.
  const month = await backfill('madrid_history', '--from', '2025-03', '--to', '2025-03')
  expect(month.lines).toEqual([expect.stringMatching(/^1 files listed: 0 were there, 1 accepted with \d+ rows, 0 unchanged, 0 failed$/)])
  const [kept] = await service.lake.query(sql`SELECT count(*) AS n, min(month) AS month FROM ${scan(trafficReadings15m)}`)
  expect([String(kept?.n), kept?.month]).toEqual([/(\d+) rows/.exec(month.lines[0] as string)?.[1], '2025-03'])

  for (const [args, reason] of [
    [['dgt_incidents'], 'dgt_incidents is no archive; madrid_sensor_editions, madrid_counts'],
    [['madrid_counts', '--from', 'May'], '--from May: a day such as'],
    [['madrid_counts', '--from', '2025', '--to', '2024-12'], '--to 2024-12 is before --from 2025'],
    [['madrid_counts', '--jobs', '0'], '--jobs 0: a whole number from 1 to 16'],
  ] as const)
    expect(await backfill(...args)).toEqual({ code: 1, lines: [expect.stringContaining(reason)] })
})
