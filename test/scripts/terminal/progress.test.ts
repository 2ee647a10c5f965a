import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../scripts/checks/run.ts'
import { progressLine } from '../../../scripts/commands/progress.ts'
import { figuresReader } from '../../../scripts/service/api-figures.ts'
import { runOnPty } from '../../helpers/pty.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { PROJECT } from '../../laws/sources.ts'

const FILE = Buffer.alloc(3 * 1024 ** 2, 'x')
const sha256 = createHash('sha256').update(FILE).digest('hex')
let metrics = ''
const server = createServer(({ url = '' }, response) => {
  if (url === '/metrics') return response.end(metrics)
  if (url.endsWith('.parquet')) return response.end(FILE)
  const files = ['a', 'b'].map((name) => {
    return { file: `${name}.parquet`, bytes: FILE.length, rows: 1, sha256, snapshot: '7', url: `${address}/files/${name}.parquet` }
  })
  response.end(JSON.stringify(url.startsWith('/api/export/') ? { files, meta: { sources: [] } } : {}))
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const env = { TRAFFIC_API_KEY: 'key' }
const sync = (folder: string, ...more: string[]) =>
  [process.execPath, join(PROJECT, 'scripts/commands/mirror/main.ts'), 'incidents', '--to', folder, '--url', address, ...more] as const

test('on a terminal a command draws a bar in one line, and ends with its result and what comes next', async () => {
  const folder = tempFolder()
  const pty = runOnPty(sync(folder), { env })
  expect(await pty.ended).toBe(0)
  const lines = pty
    .written()
    .split('\r\n')
    .map((line) => stripVTControlCharacters(line.slice(line.lastIndexOf('\r') + 1)))
  expect(lines).toEqual([
    expect.stringMatching(/^incidents {2}█{8,} {2}6 of 6 MB · .*$/),
    'incidents: 2 files of snapshot 7: 2 downloaded (6.0 MB), 0 kept, 0 removed',
    '',
    `Next: duckdb -c "SELECT count(*) FROM '${folder}/data/*.parquet'"`,
    '      the same command again fetches only what is new',
    '',
  ])
  expect(pty.written().split('\n')[0]).toContain('0 of 6 MB')
})

test('without a terminal a command prints its result only, and with --json objects', async () => {
  const summary = 'incidents: 2 files of snapshot 7: 2 downloaded (6.0 MB), 0 kept, 0 removed\n'
  expect(await run(PROJECT, sync(tempFolder()), env)).toEqual({ code: 0, output: summary })
  const folder = tempFolder()
  const { output } = await run(PROJECT, sync(folder, '--json'), env)
  const objects = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const progress = objects.filter(({ event }) => event === 'progress')
  expect(progress.at(-1)).toMatchObject({ what: 'incidents', unit: 'MB', done: 6, total: 6, left_s: expect.toBeOneOf([0, null]) })
  expect(objects.filter(({ event }) => event !== 'progress')).toEqual([
    {
      ...{ event: 'summary', command: 'sync', dataset: 'incidents', folder, files: 2, downloaded: 2, downloaded_bytes: 2 * FILE.length },
      ...{ kept: 0, removed: 0, snapshot: '7', next: [expect.stringContaining('duckdb'), expect.any(String)] },
    },
  ])
})

test('a line has count, rate and remaining time, only what is known, and never wraps', () => {
  const at = (done: number, total: number | null, columns = 80, note = ''): string =>
    progressLine('madrid_counts', { unit: 'files', done, total, elapsed_ms: 10_000, note }, columns)
  expect(at(25, 100)).toBe(`madrid_counts  ${'█'.repeat(7)}${'░'.repeat(20)}  25 of 100 files · 2.5/s · 30 s left`)
  expect(at(5, null)).toBe('madrid_counts  5 files · 30/min · 10 s')
  expect(at(0, 1200, 80, 'waiting')).toContain('0 of 1,200 files · 10 s · waiting')
  for (const columns of [20, 40, 60, 100, 140]) expect(at(25, 1_234_567, columns, '9,876,543 rows').length).toBeLessThan(columns)
})

test('the requests of the last minute are counted from the metrics, also over a restart of the API', async () => {
  const count = (route: string, status: string, value: number): string =>
    `traffic_api_requests_total{route="${route}",method="GET",status="${status}",plan="none"} ${value}\n`
  let now = 0
  const read = figuresReader([`${address}/metrics`], () => now)
  metrics = count('/api/incidents', '2xx', 100)
  await read()
  const health = 'traffic_feed_health{feed="a",health="OK"} 0\ntraffic_feed_health{feed="a",health="LATE"} 1\n'
  metrics = count('/api/incidents', '2xx', 130) + count('/api/fuel', '5xx', 2) + count('/x', '4xx', 3) + count('/ready', '2xx', 50) + health
  now = 30_000
  expect(await read()).toEqual({ lastMinute: { requests: 35, failed: 2, refused: 3 }, requests: 35, late: ['a'] })
  metrics = count('/api/incidents', '2xx', 4)
  now = 95_000
  expect(await read()).toEqual({ lastMinute: { requests: 4, failed: 0, refused: 0 }, requests: 39, late: [] })
})
