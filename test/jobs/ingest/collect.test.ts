import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineFeed, type FeedBody, type FeedRequest, FormatError, type RequestPlan } from '../../../jobs/feeds/define.ts'
import { xmlFiles } from '../../../jobs/formats/controlled-zones.ts'
import { type CollectOptions, collect } from '../../../jobs/ingest/collect.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { madrid } from '../../../lake/datasets/road/sources.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let handler: Handler
let asked: IncomingMessage[]
let base: string
let close: () => Promise<void>

beforeEach(async () => {
  asked = []
  const server = createServer((request, response) => {
    asked.push(request)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
})
afterEach(() => close())

const request = (name: string, more: Partial<FeedRequest> = {}): FeedRequest => ({
  name,
  url: `https://publisher.example/${name}`,
  accept: 'application/xml',
  maxBytes: 10_000,
  maxDecodedBytes: 100_000,
  timeout_ms: 2000,
  expects: 'xml',
  ...more,
})

function feedOf(...plans: RequestPlan[]) {
  return defineFeed({ id: 'a_feed', source: madrid, into: [incidents], every_s: 60, plans, bands: {}, rows: () => [] })
}

const options = (more: Partial<CollectOptions> = {}): CollectOptions => ({
  origin: (url) => url.replace('https://publisher.example', base),
  last: null,
  signal: new AbortController().signal,
  userAgent: 'test',
  now: () => 1000,
  patience: 0.01,
  ...more,
})

const bytesOf = async (feed: ReturnType<typeof feedOf>, more: Partial<CollectOptions> = {}): Promise<string[]> => {
  const collected = await collect(feed, options(more))
  if (collected.kind !== 'bodies') throw new Error(collected.kind)
  return collected.decoded.map(({ name, bytes }) => `${name}: ${bytes.toString()}`)
}

describe('collecting a feed', () => {
  test('undoes every content-encoding and keeps the bytes as received', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      handler = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(pack(Buffer.from('<a/>')))
      const collected = await collect(feedOf({ requests: [request('x')] }), options())
      if (collected.kind !== 'bodies') throw new Error('no bodies')
      expect(collected.decoded[0]?.bytes.toString()).toBe('<a/>')
      expect(collected.received[0]?.received).toEqual(pack(Buffer.from('<a/>')))
    }
  })

  test('tries again after 5xx and cut connections, with a bound', async () => {
    handler = (_, response) => {
      if (asked.length === 1) response.writeHead(503).end()
      else if (asked.length === 2) response.writeHead(200, { 'content-length': 100 }).write('<a', () => response.destroy())
      else response.end('<a/>')
    }
    expect(await bytesOf(feedOf({ requests: [request('x')] }))).toEqual(['x: <a/>'])
    handler = (_, response) => response.writeHead(500).end()
    asked = []
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('/x answered 500')
    expect(asked).toHaveLength(3)
  })

  test('does not try a refusal again', async () => {
    handler = (_, response) => response.writeHead(404).end()
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('/x answered 404')
    expect(asked).toHaveLength(1)
  })

  test('takes an HTML page, an empty reply or another format for an error', async () => {
    for (const [body, words] of [
      ['<!DOCTYPE html><html><body>Mantenimiento</body></html>', 'an HTML page'],
      ['\ufeff  <html>', 'an HTML page'],
      ['', 'nothing'],
      ['{"a":1}', 'something that begins with "{'],
    ] as const) {
      handler = (_, response) => response.end(body)
      await expect(bytesOf(feedOf({ requests: [request('x')] })), body).rejects.toThrow(words)
    }
  })

  test('bounds bytes, unpacked bytes and time', async () => {
    handler = (_, response) => response.end(Buffer.alloc(20_000, '<'))
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('more than 10000 bytes')
    handler = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000, '<')))
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('unpacks to more than 100000 bytes')
    handler = () => undefined
    await expect(bytesOf(feedOf({ requests: [request('x', { timeout_ms: 50 })] }))).rejects.toThrow('out of time')
  })

  test('names damaged compression', async () => {
    handler = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.from('<a/>')).subarray(0, 15))
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('damaged gzip data')
    handler = (_, response) => response.writeHead(200, { 'content-encoding': 'compress' }).end('<a/>')
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('content-encoding compress')
  })

  test('follows redirects, but not for ever', async () => {
    handler = ({ url }, response) => (url === '/old' ? response.writeHead(301, { location: '/new' }).end() : response.end('<a/>'))
    expect(await bytesOf(feedOf({ requests: [request('old')] }))).toEqual(['old: <a/>'])
    handler = (_, response) => response.writeHead(302, { location: '/again' }).end()
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('redirects more than 5 times')
    handler = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    await expect(bytesOf(feedOf({ requests: [request('x')] }))).rejects.toThrow('no address to follow')
  })

  test('asks conditionally with the validators of the last accepted fetch, and only of the same request', async () => {
    handler = ({ headers }, response) => (headers['if-none-match'] === '"v1"' ? response.writeHead(304).end() : response.end('<a/>'))
    const last = { bodies: [{ name: 'x', headers: { etag: '"v1"' } }] } as unknown as AcceptedFetch
    expect(await collect(feedOf({ requests: [request('x')] }), options({ last }))).toEqual({ kind: 'unchanged', fetched_at: 1000 })
    expect(await bytesOf(feedOf({ requests: [request('y')] }), { last })).toEqual(['y: <a/>'])
  })

  test('falls back to the next plan, and takes a plan with enough answers', async () => {
    handler = ({ url }, response) => (url === '/all' || url === '/p2' ? response.writeHead(404).end() : response.end(`<a n="${url}"/>`))
    const provinces = { requests: [request('p1'), request('p2'), request('p3')], enough: 2 }
    expect(await bytesOf(feedOf({ requests: [request('all')] }, provinces))).toEqual(['p1: <a n="/p1"/>', 'p3: <a n="/p3"/>'])
    await expect(bytesOf(feedOf({ requests: [request('all')] }, { ...provinces, enough: 3 }))).rejects.toThrow(
      /\/all answered 404; then .*\/p2 answered 404 \(.*3 needed\)/,
    )
  })

  test('fetches the pages of an answer in order; a page that is missing or unreadable fails the whole answer', async () => {
    handler = ({ url }, response) => (url === '/gone' ? response.writeHead(404).end() : response.end(`<a n="${url}"/>`))
    const after =
      (...names: string[]) =>
      ({ name }: FeedBody, url: string) => {
        expect(name).toBe(url.endsWith('/x') ? 'x' : `x.${names.indexOf(url.split('/').at(-1) as string) + 2}`)
        const next = names[names.findIndex((one) => url.endsWith(`/${one}`)) + 1]
        if (next === 'broken') throw new FormatError('no page')
        return next === undefined ? null : { url: `https://publisher.example/${next}` }
      }
    const paged = (...names: string[]) => feedOf({ requests: [request('x')], next: after(...names) })
    const last = { bodies: [{ name: 'x', headers: { etag: '"v1"' } }] } as unknown as AcceptedFetch
    expect(await bytesOf(paged('b', 'c'), { last })).toEqual(['x: <a n="/x"/>', 'x.2: <a n="/b"/>', 'x.3: <a n="/c"/>'])
    // An unchanged first page would not mean that the others are unchanged.
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined])
    await expect(bytesOf(paged('b', 'gone'))).rejects.toThrow('/gone answered 404')
    await expect(bytesOf(paged('b', 'broken'))).rejects.toThrow('/b: no page')
    await expect(bytesOf(feedOf({ requests: [request('x')], next: (_, url) => ({ url }) }))).rejects.toThrow('more than 200 pages')
  })

  test('fetches the files of a directory; too many missing ones, or a page without any, fail the whole', async () => {
    const page = (...names: string[]): string => `<html>${names.map((name) => `<a href="${name}">x</a>`).join('')}</html>`
    const directory = { index: request('index', { expects: 'html' }), files: xmlFiles, leastShare: 0.5 }
    let listed = page('a.xml', 'b.xml')
    handler = ({ url }, response) =>
      url === '/index' ? response.end(listed) : url === '/b.xml' ? response.writeHead(404).end() : response.end(`<a n="${url}"/>`)
    const feed = feedOf({ requests: [request('any')], directory })
    expect(await bytesOf(feed)).toEqual(['a.xml: <a n="/a.xml"/>'])
    listed = page('b.xml')
    await expect(bytesOf(feed)).rejects.toThrow('/b.xml answered 404')
    listed = page()
    await expect(bytesOf(feed)).rejects.toThrow('/index: a directory without XML files')
  })

  test('takes the capture time of a replay for the fetch time', async () => {
    handler = (_, response) => response.writeHead(200, { 'x-captured-at': '2026-01-02T12:23:28.000Z' }).end('<a/>')
    expect(await collect(feedOf({ requests: [request('x')] }), options({ replays: true }))).toMatchObject({
      fetched_at: Date.UTC(2026, 0, 2, 12, 23, 28),
    })
    expect(await collect(feedOf({ requests: [request('x')] }), options())).toMatchObject({ fetched_at: 1000 })
  })

  test('stops on a signal', async () => {
    handler = () => undefined
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('shutting down')), 20)
    await expect(bytesOf(feedOf({ requests: [request('x')] }), { signal: stop.signal })).rejects.toThrow('shutting down')
    expect(asked).toHaveLength(1)
  })
})
