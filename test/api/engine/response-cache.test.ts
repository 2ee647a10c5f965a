import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ResponseCache } from '../../../api/engine/replies/response-cache.ts'
import { bodyIn, type MadeResponse, madeResponse, type ResponseHead } from '../../../api/engine/replies/responses.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { openMetrics } from '../../../lake/metrics/metrics.ts'
import { deepTest } from '../../helpers/tier.ts'
import { exampleRow, startService } from '../service.ts'

const MB = 1024 ** 2

/** A reply of the given number of characters. */
async function reply(etag: string, length = 100): Promise<MadeResponse> {
  const head: ResponseHead = {
    ...{ etag, content_type: 'application/json', format: 'json', isText: true, language: null, links: [], data_time: null },
    ...{ modified_at: null, refreshAt: () => 0, cadence_s: 60, clockGranularity_s: 0, step: 0 },
  }
  return await madeResponse(head, [randomBytes(length / 2).toString('hex')])
}

test('replies are kept within the available bytes, and the least recently used go first', async () => {
  const cache = new ResponseCache({ bytes: 100_000 })
  const urls = cache.urlIndex()
  const asked = await reply('asked', 10_000)
  cache.put(asked)
  for (let n = 0; n < 50; n++) {
    const one = await reply(`${n}`, 10_000)
    cache.put(one)
    urls.put(`/${n}`, one)
    expect(cache.get('asked')).toBe(asked)
    expect(cache.bytes).toBeLessThanOrEqual(100_000)
  }
  expect(cache.entries).toBeGreaterThan(5)
  // No URL leads to a dropped reply any more.
  expect([urls.get('/0'), urls.get('/49')?.reply.head.etag]).toEqual([undefined, '49'])
  cache.put(await reply('too large', 100_000))
  expect(cache.get('too large')).toBeUndefined()
})

test('a hit by URL renews a reply, and a new URL takes the place of the least recently used one', async () => {
  const cache = new ResponseCache({ bytes: 100_000 })
  const urls = cache.urlIndex()
  const popular = await reply('popular', 10_000)
  cache.put(popular)
  urls.put('/popular', popular)
  for (let n = 0; n < 50; n++) {
    cache.put(await reply(`${n}`, 10_000))
    expect(urls.get('/popular')?.reply).toBe(popular)
  }
  const roomy = new ResponseCache({ bytes: MB })
  const many = roomy.urlIndex()
  roomy.put(popular)
  many.put('/popular', popular)
  for (let n = 0; n < 2500; n++) {
    many.put(`/${n}`, popular)
    expect(many.get('/popular')?.reply).toBe(popular)
  }
  expect(['/0', '/500', '/501', '/2499'].map((url) => many.get(url)?.reply === popular)).toEqual([false, false, true, true])
})

test('the forms that a kept reply is compressed into count', async () => {
  const cache = new ResponseCache({ bytes: 100_000 })
  const [old, one] = [await reply('old', 20_000), await reply('one', 20_000)]
  for (const each of [old, one]) cache.put(each)
  const before = cache.bytes
  const forms = await Promise.all((['br', 'gzip', 'zstd'] as const).map((encoding) => bodyIn(one, encoding)))
  const more = forms.reduce((sum, { length }) => sum + length, 0)
  expect(more).toBeGreaterThan(20_000)
  expect(cache.bytes - before).toBe(more)
  for (let n = 0; n < 4; n++) {
    const next = await reply(`next ${n}`, 20_000)
    cache.put(next)
    await bodyIn(next, 'gzip')
    expect(cache.bytes).toBeLessThanOrEqual(100_000)
  }
  // A dropped reply counts for nothing, whatever becomes of it.
  expect([cache.get('old'), cache.get('one')]).toEqual([undefined, undefined])
  const after = cache.bytes
  await bodyIn(old, 'gzip')
  expect(cache.bytes).toBe(after)
})

test('a route knows 2,000 URLs at most, however many there are of one reply', async () => {
  const cache = new ResponseCache({ bytes: 100 * MB })
  const [urls, other] = [cache.urlIndex(), cache.urlIndex()]
  const one = await reply('one')
  cache.put(one)
  other.put('/other', one)
  const bare = cache.bytes
  const isKnown = (n: number): boolean => urls.get(`/${n}`)?.reply === one
  for (let n = 0; n < 2000; n++) urls.put(`/${n}`, one)
  const full = cache.bytes
  expect(full - bare).toBeGreaterThan(2000 * 200)
  expect([isKnown(0), isKnown(1999)]).toEqual([true, true])
  for (let n = 2000; n < 10_000; n++) {
    urls.put(`/${n}`, one)
    if (!isKnown(n) || cache.bytes > full + 2000) expect.fail(`URL ${n}: ${cache.bytes} bytes`)
  }
  expect(Array.from({ length: 10_000 }, (_, n) => n).filter(isKnown).length).toBeLessThanOrEqual(2000)
  expect(other.get('/other')?.reply).toBe(one)
  // Nothing is left of URLs that were forgotten: each is given back once.
  urls.clear()
  expect([cache.bytes, cache.entries, isKnown(9999), other.get('/other')]).toEqual([0, 0, false, undefined])
})

deepTest('memory does not grow with the requested URLs', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const cache = new ResponseCache({ bytes: 100 * MB })
  const urls = cache.urlIndex()
  const one = await reply('one')
  cache.put(one)
  const ask = (from: number, to: number): number => {
    for (let n = from; n < to; n++) urls.put(`/api/incidents?limit=${n}`, one)
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = ask(0, 10_000)
  expect(ask(10_000, 400_000) - before).toBeLessThan(5 * MB)
})

test('URLs count by their length, and one that is put again counts once', async () => {
  const cache = new ResponseCache({ bytes: MB })
  const urls = cache.urlIndex()
  const [one, two] = [await reply('one'), await reply('two')]
  for (const each of [one, two]) cache.put(each)
  const bare = cache.bytes
  for (const each of [one, one, two, one, two]) urls.put('/a', each)
  expect(urls.get('/a')?.reply).toBe(two)
  expect(cache.bytes - bare).toBeLessThan(300)
  for (let n = 0; n < 1000; n++) {
    cache.put(one)
    const before = cache.bytes
    urls.put(`/${n}?${'%61'.repeat(5000)}`, one)
    if (n === 0) expect(cache.bytes - before).toBeGreaterThan(15_000)
    expect(cache.bytes).toBeLessThanOrEqual(MB)
  }
  urls.clear()
  cache.urlIndex().clear()
  expect(cache.bytes).toBeLessThanOrEqual(bare)
  // A reply that is not kept is known by no URL.
  urls.put('/b', await reply('three'))
  expect(urls.get('/b')).toBeUndefined()
})

test('the API keeps no more than its limit, however many URLs are requested, and answers as ever', { timeout: 60_000 }, async () => {
  const [cacheBytes, metrics] = [60_000, openMetrics({ isServed: false })]
  const service = await startService({ cacheBytes, metrics })
  try {
    await service.publish(incidents, [exampleRow(incidents)])
    const cached = async (): Promise<number> => Number(/^traffic_api_reply_cache_bytes (\d+)$/m.exec(await metrics.registry.metrics())?.[1])
    // Each letter as it is or by its number: one answer has a URL for each of them.
    const spelled = (n: number): string =>
      [...'inc_7Q2M9KX4B1TZ'].map((letter, at) => ((n >> at) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter)).join('')
    const sizes: number[] = []
    for (let n = 0; n < 256; n++) {
      const { incidents: found } = await service.json(`/api/incidents?limit=${1 + (n % 5)}&ids=${spelled(n)}`)
      expect(found).toHaveLength(1)
      sizes.push(await cached())
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(cacheBytes)
    expect(Math.max(...sizes)).toBeGreaterThan(cacheBytes / 2)
  } finally {
    await service.close()
  }
})
