import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExposition } from '../helpers/exposition.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'
import { PROJECT } from '../laws/sources.ts'

/** The commands that the README shows under Use. */
const block = /\n## Use\n+```sh\n([\s\S]*?)\n```/.exec(readFileSync(join(PROJECT, 'README.md'), 'utf8'))?.[1] ?? ''
const lines = block.split('\n').filter((line) => line.trim() !== '')
/** What is asked for, and whether with a key. */
const asked = lines.flatMap((line) => {
  const [, header, address] = /^curl (-H "X-API-Key: \$KEY" )?'(http[^']+)'/.exec(line) ?? []
  return address === undefined ? [] : [{ address, isKeyed: header !== undefined }]
})
const addresses = asked.map(({ address }) => address)

/** Feeds come one after the other, and a history is there once its feed has landed, which `LAND_EVERY_S` puts at 10 s. */
const FIRST_DATA_MS = 150_000

let service: ChildProcess
let url: string
let key: string
/** Where the metrics of the API's processes are. */
let metrics: readonly string[] = []
/** What the service has said. */
const said: string[] = []

beforeAll(async () => {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env
  const folder = tempFolder()
  service = spawn(process.execPath, ['scripts/service/start.ts', '--port', '0', '--data', folder], {
    cwd: PROJECT,
    env: { ...env, LAND_EVERY_S: '10', LOG_LEVEL: 'error', API_WORKERS: '2', METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  url = await new Promise<string>((resolve, reject) => {
    for (const stream of [service.stdout, service.stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line)
          if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
        })
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${said.join('\n')}`)))
  })
  // As the README makes it.
  const command = ['scripts/service/keys.ts', 'create', 'me@example.org', '--plan', 'PRO', '--data', folder]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: PROJECT, env })
  key = stdout.split('\n')[0] as string
})

afterAll(async () => {
  if (!service || service.exitCode !== null) return
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
})

const ask = ({ address, isKeyed }: (typeof asked)[number]): Promise<Response> =>
  fetch(address.replace('http://127.0.0.1:8080', url), { headers: isKeyed ? { 'X-API-Key': key } : {} })
/** Rarely enough for what a key of the plan PRO admits, and who has none. */
const askLater = async (one: (typeof asked)[number]): Promise<Response> => {
  await new Promise((resolve) => setTimeout(resolve, one.isKeyed ? 2000 : 15_000))
  return await ask(one)
}

test('there are addresses to try, all of the service as it starts, and commands that exist', () => {
  expect(addresses.length).toBeGreaterThan(2)
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:8080\//)
  for (const line of lines.filter((one) => !one.startsWith('curl '))) {
    const command = line.replace(/^KEY=\$\(/, '').split(' ')[0] as string
    expect(existsSync(join(PROJECT, command)), line).toBe(true)
  }
})

test('ready means that the first of them answers', async () => {
  expect((await ask(asked[0] as (typeof asked)[number])).status).toBe(200)
})

test('each process has its metrics where it is said', async () => {
  const addresses = said.flatMap((line) => /^ {2}(?:metrics| {7}) {2}(http:\S+) (\w+(?: \d)?)$/.exec(line)?.slice(1, 3) ?? [])
  expect(addresses.filter((_, at) => at % 2 === 1)).toEqual(['worker', 'api', 'api 2'])
  const [worker = '', , api = '', , second = ''] = addresses
  const ports = [url, worker, api, second].map((address) => new URL(address).port)
  expect(new Set(ports).size).toBe(4)
  const read = async (address: string) => parseExposition(await (await fetch(address)).text())
  for (const address of [api, second]) expect((await read(address)).value('traffic_redis_connected')).toBe(1)
  // A fetch is counted once it is through, which is after its incidents are served.
  const counts = async (): Promise<boolean> =>
    Number((await read(worker)).value('traffic_worker_fetches_total', { feed: 'dgt_incidents', outcome: 'accepted' })) > 0
  await until('the first fetch is counted', counts, FIRST_DATA_MS)
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  // As the kernel deals callers out, one process or the other has counted what the service was asked until here.
  const counted = await Promise.all([api, second].map(async (address) => (await read(address)).families.get('traffic_api_requests_total')))
  expect(counted.flatMap((family) => family?.samples ?? []).some(({ labels }) => labels['route'] === '/ready')).toBe(true)
  metrics = [api, second]
})

test('several processes of the API share its port, and one that dies is there again', async () => {
  const apis = (): string[] =>
    readdirSync('/proc').filter((pid) => {
      try {
        const isOurs = new RegExp(`^\\d+ \\(.*\\) \\S ${service.pid} `).test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('run-api.ts')
      } catch {
        return false
      }
    })
  const before = apis()
  expect(before).toHaveLength(2)
  for (const pid of before) process.kill(Number(pid), 'SIGKILL')
  await until('both are there again', () => apis().filter((pid) => !before.includes(pid)).length === 2, FIRST_DATA_MS)
  await until('they answer where they did', async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true, FIRST_DATA_MS)
  for (const address of metrics)
    await until(`${address} answers`, async () => (await fetch(address).catch(() => null))?.ok === true, FIRST_DATA_MS)
})

test('a key is made as it says there', async () => {
  const line = lines.find((one) => one.endsWith('/api/keys   # a free key, as anybody gets it')) ?? ''
  const [, body] = /^curl -d '([^']+)' -H 'Content-Type: application\/json' http:/.exec(line) ?? []
  const headers = { 'Content-Type': 'application/json' }
  const made = await fetch(`${url}/api/keys`, { method: 'POST', headers, ...(body ? { body } : {}) })
  expect(made.status).toBe(201)
  const free = ((await made.json()) as { readonly key: string }).key
  expect((await fetch(`${url}/api/incidents`, { headers: { 'X-API-Key': free } })).headers.get('x-ratelimit-remaining')).toBe('9')
})

test.each(asked)('$address answers with data', async (one) => {
  await until(`${one.address} has data`, async () => isFull(await askLater(one)), FIRST_DATA_MS)
})

/** True for a reply that lists something, or describes some paths. */
async function isFull(response: Response): Promise<boolean> {
  if (response.headers.get('content-type') === 'application/vnd.apache.parquet')
    return Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4) === 'PAR1'
  expect([200, 503]).toContain(response.status)
  const body = (await response.json()) as Record<string, unknown>
  if (response.status !== 200) return false
  const { paths } = body
  return paths ? Object.keys(paths).length > 0 : Object.values(body).some((value) => Array.isArray(value) && value.length > 0)
}
