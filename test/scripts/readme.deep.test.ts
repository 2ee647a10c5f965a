import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExposition } from '../helpers/exposition.ts'
import { codeBlocks, section } from '../helpers/markdown.ts'
import { type SimulatedService, startSimulatedService } from '../helpers/simulated-service.ts'
import { until } from '../helpers/until.ts'
import { PROJECT } from '../laws/sources.ts'

const read = (page: string): string => readFileSync(join(PROJECT, page), 'utf8')
const blocks = [
  ...codeBlocks(section(read('README.md'), '## Five requests')),
  ...codeBlocks(section(read('api/README.md'), '## More requests')),
]
/** The commands on the pages. */
const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.split('\n'))

/** A request on a page, and its shortened reply. */
interface Example {
  readonly address: string
  readonly isKeyed: boolean
  readonly body: string | null
  readonly reply: unknown
}

/** The requests in order; a block of JSON is the reply to the previous one. */
const examples: readonly Example[] = blocks.flatMap(({ language, code }, at) => {
  if (language !== 'sh') return []
  const next = blocks[at + 1]
  const asked = code.split('\n').flatMap((line) => {
    const [, body, header, quoted, bare] =
      /^curl (?:-d '([^']+)' -H 'Content-Type: application\/json' )?(-H "X-API-Key: \$KEY" )?(?:'(http[^']+)'|(http\S+))/.exec(line) ?? []
    const address = quoted ?? bare
    return address === undefined ? [] : [{ address, isKeyed: header !== undefined, body: body ?? null, reply: null as unknown }]
  })
  const last = asked.at(-1)
  if (last && next?.language === 'json') last.reply = JSON.parse(next.code)
  return asked
})

/** Feeds arrive in turn. The last is the commuter timetable, which takes minutes on a busy machine. */
const FIRST_DATA_MS = 300_000

/** Requests of what only some hours have, or of whole days: a service that has just started may have none. */
const MAY_BE_EMPTY = ['flight=IB438', 'level=VERY_DENSE,CONGESTED', 'min_index=3', 'source=DETECTORS']

let service: SimulatedService
let url: string
let key: string
/** The addresses of the API processes' metrics. */
let metrics: readonly string[] = []

beforeAll(async () => {
  service = await startSimulatedService({ API_WORKERS: '2', METRICS_PORT: '0', TRUSTED_PROXIES: '127.0.0.1' })
  url = service.url
  // The README's own command, with the data folder of this test.
  key = await service.key('PRO')
})
afterAll(() => service?.stop())

let callers = 0
/** Sends a request; without a key from an address of its own, so that the limit of one address does not slow the test down. */
const ask = ({ address, isKeyed, body }: Example): Promise<Response> =>
  fetch(address.replace('http://127.0.0.1:8080', url), {
    headers: {
      ...(isKeyed ? { 'X-API-Key': key } : { 'X-Forwarded-For': `192.0.2.${++callers % 250}` }),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === null ? {} : { method: 'POST', body }),
  })
/** Waits for as long as a key of the PRO plan must wait between two requests. */
const askLater = async (example: Example): Promise<Response> => {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return await ask(example)
}

test('there are five requests with replies, all to the default address, and commands that exist', () => {
  expect(examples.filter(({ reply }) => reply !== null)).toHaveLength(5)
  expect(examples.length).toBeGreaterThan(10)
  for (const { address } of examples) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:8080\//)
  expect(lines.filter((line) => line.startsWith('curl '))).toHaveLength(examples.length)
  for (const line of lines.filter((one) => !one.startsWith('curl '))) {
    const command = line.replace(/^KEY=\$\(/, '').split(' ')[0] as string
    expect(existsSync(join(PROJECT, command)), line).toBe(true)
  }
})

test('ready means that the first of them works', async () => {
  expect((await ask(examples[0] as Example)).status).toBe(200)
})

test('each process has its metrics at the stated address', async () => {
  const addresses = service.printed.flatMap((line) => /^ {2}(?:metrics| {7}) {2}(http:\S+) (\w+(?: \d)?)$/.exec(line)?.slice(1, 3) ?? [])
  expect(addresses.filter((_, at) => at % 2 === 1)).toEqual(['worker', 'api', 'api 2'])
  const [worker = '', , api = '', , second = ''] = addresses
  const ports = [url, worker, api, second].map((address) => new URL(address).port)
  expect(new Set(ports).size).toBe(4)
  const readMetrics = async (address: string) => parseExposition(await (await fetch(address)).text())
  for (const address of [api, second]) expect((await readMetrics(address)).value('traffic_redis_connected')).toBe(1)
  // A fetch is counted at its end, which is after its incidents are served.
  const counts = async (): Promise<boolean> =>
    Number((await readMetrics(worker)).value('traffic_worker_fetches_total', { feed: 'dgt_incidents', outcome: 'accepted' })) > 0
  await until('the first fetch is counted', counts, FIRST_DATA_MS)
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  // The kernel distributes the requests: the counts of both processes together have all of them.
  const counted = await Promise.all(
    [api, second].map(async (address) => (await readMetrics(address)).families.get('traffic_api_requests_total')),
  )
  expect(counted.flatMap((family) => family?.samples ?? []).some(({ labels }) => labels['route'] === '/ready')).toBe(true)
  metrics = [api, second]
})

test('several processes of the API share its port, and one that dies is restarted', async () => {
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

const [making] = examples.filter(({ body }) => body !== null)

test('the request for a key gives a free key that works', async () => {
  const made = await ask(making as Example)
  expect(made.status).toBe(201)
  const reply = (await made.json()) as { readonly key: string }
  expect(missingFrom(reply, making?.reply)).toEqual([])
  const limits = await fetch(`${url}/api/incidents`, { headers: { 'X-API-Key': reply.key } })
  expect(limits.headers.get('x-ratelimit-remaining')).toBe('9')
})

test.each(examples.filter(({ body }) => body === null))('$address answers with data', { timeout: 2 * FIRST_DATA_MS }, async (example) => {
  const mayBeEmpty = MAY_BE_EMPTY.some((filter) => example.address.includes(filter))
  if (mayBeEmpty && !(await isFull(await askLater(example)))) return
  await until(`${example.address} has data`, async () => isFull(await askLater(example)), FIRST_DATA_MS)
  if (example.reply === null) return
  const response = await askLater(example)
  expect(missingFrom(await response.json(), example.reply)).toEqual([])
})

/** Members of a shown reply that the real one lacks, or has with a different type; null in either matches everything. */
function missingFrom(real: unknown, shown: unknown, path = ''): string[] {
  if (shown === null || real === null) return []
  if (Array.isArray(shown)) return Array.isArray(real) && real.length > 0 ? missingFrom(real[0], shown[0], `${path}[0]`) : [path]
  if (typeof shown !== 'object') return typeof real === typeof shown ? [] : [path]
  const fields = real as Readonly<Record<string, unknown>>
  return Object.entries(shown as object).flatMap(([name, value]) =>
    name in fields ? missingFrom(fields[name], value, `${path}.${name}`) : [`${path}.${name}`],
  )
}

/** True for a reply with a non-empty list, or with paths. */
async function isFull(response: Response): Promise<boolean> {
  if (response.headers.get('content-type') === 'application/vnd.apache.parquet')
    return Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4) === 'PAR1'
  expect([200, 404]).toContain(response.status)
  const body = (await response.json()) as Record<string, unknown>
  // Data that has not arrived yet is requested again.
  if (response.status !== 200) {
    expect(body).toMatchObject({ code: 'no-data-yet' })
    return false
  }
  const { paths } = body
  return paths ? Object.keys(paths).length > 0 : Object.values(body).some((value) => Array.isArray(value) && value.length > 0)
}
