import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { type Describe, describeInThread, descriptionTexts } from '../../../api/main/describe/descriptions.ts'
import { until } from '../../helpers/until.ts'
import { startService, UNLIMITED } from '../service.ts'

const DAY_MS = 86_400_000
const BLOCKED_MS = 50
let now = Date.UTC(2026, 5, 1, 12)

/** A service whose description is built by `describe`. */
async function start(describe: Describe): Promise<{ readonly url: string; get(query: string, tag?: string): Promise<Response> }> {
  const service = await startService({ clock: () => now, describe })
  onTestFinished(() => service.close())
  const get = (query: string, tag?: string): Promise<Response> =>
    fetch(`${service.url}/openapi.json?lang=${query}`, tag === undefined ? {} : { headers: { 'If-None-Match': tag } })
  return { url: service.url, get }
}

test('a thread describes the API as this process would, in both languages, with all media types and with JSON only, with tags', async () => {
  const { url, get } = await start(describeInThread)
  const { texts: expected } = descriptionTexts(endpoints, { baseUrl: url, plans: UNLIMITED, now })
  expect(expected.en.etag).not.toBe(expected.es.etag)
  for (const [variant, query] of [
    ['en', 'en'],
    ['es', 'es'],
    ['en.json', 'en&media=json'],
    ['es.json', 'es&media=json'],
  ] as const) {
    const reply = await get(query)
    expect([reply.status, reply.headers.get('etag')]).toEqual([200, expected[variant].etag])
    expect(Buffer.from(await reply.arrayBuffer()).equals(zstdDecompressSync(expected[variant].packed))).toBe(true)
    expect((await get(query, expected[variant].etag)).status).toBe(304)
  }
})

test('the description of yesterday is sent until that of today is ready; one that cannot be made is tried again', async () => {
  const waiting: (() => void)[] = []
  let count = 0
  let fails = false
  const { get } = await start(async () => {
    if (fails) throw new Error('no memory')
    if (++count > 1) await new Promise<void>((resolve) => waiting.push(resolve))
    const text = { etag: `W/"${count}"`, packed: new Uint8Array(zstdCompressSync('{}')) }
    const texts = { en: text, es: text, 'en.json': text, 'es.json': text }
    return { texts, reference: { version: text.etag, groups: [], packed: {} } }
  })
  const tag = async (): Promise<string | null> => (await get('en')).headers.get('etag')
  expect(await tag()).toBe('W/"1"')
  now += DAY_MS
  fails = true
  expect(await tag()).toBe('W/"1"')
  fails = false
  expect(await tag()).toBe('W/"1"')
  await until('made again', () => waiting.length === 1)
  expect(await tag()).toBe('W/"1"')
  waiting[0]?.()
  await until('new', async () => (await tag()) === 'W/"2"')
  expect(count).toBe(2)
})

/**
 * The longest turn of the event loop while the description is built and sent. In ms of this thread's CPU time, so other processes
 * do not count.
 */
async function longestTurn(describe: Describe): Promise<number> {
  let isMade = false
  const { get } = await start(async (options) => {
    const texts = await describe(options)
    isMade = true
    return texts
  })
  // The first time includes loading.
  await get('en')
  isMade = false
  now += DAY_MS
  let longest = 0
  let last = cpu_ms()
  const probe = setInterval(() => {
    const used = cpu_ms()
    longest = Math.max(longest, used - last)
    last = used
  }, 1)
  await get('en')
  await until('made', () => isMade, 60_000)
  await Promise.all([get('en'), get('es')])
  clearInterval(probe)
  return longest
}

function cpu_ms(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

test('making it does not block the event loop, which it would here', async () => {
  const here = await longestTurn(async (options) => descriptionTexts(endpoints, options))
  const inThread = await longestTurn(describeInThread)
  process.stderr.write(`longest turn of the event loop: ${inThread.toFixed(0)} ms with a thread, ${here.toFixed(0)} ms without\n`)
  expect(inThread).toBeLessThan(BLOCKED_MS)
  expect(here).toBeGreaterThan(BLOCKED_MS)
})
