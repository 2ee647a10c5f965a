import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { selfTest } from '../../../lake/store/open.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { deepTest } from '../../helpers/tier.ts'
import { keysOf } from './contract.ts'

/** The server's differences from S3. */
interface Oddness {
  /** The effect of `If-None-Match: *`: as in S3, nothing, or an error; `conflicts` times it answers 409 first. */
  readonly conditional?: 'honoured' | 'ignored' | 'unsupported'
  readonly conflicts?: number
  /** The number of puts that succeed and are then answered 500. */
  readonly forgotten?: number
  readonly metadata?: boolean
  readonly ranges?: boolean
  readonly date?: boolean
  readonly startAfter?: boolean
  readonly order?: 'bytes' | 'reverse'
  /** An object that DeleteObjects may not delete; without it the server has no such request. */
  readonly keeps?: string
}

interface Kept {
  readonly body: Buffer
  readonly putId: string | undefined
}

test('a server that ignores If-None-Match is refused by name', async () => {
  const store = await oddStore({ conditional: 'ignored' })
  const refused = expect.objectContaining({
    name: 'StoreError',
    code: 'no-conditional-put',
    message: expect.stringMatching(/s3:\/\/bucket\/p .*If-None-Match/),
  })
  await expect(selfTest(store)).rejects.toEqual(refused)
  expect(await keysOf(store, '')).toEqual([])
})

test('a server without conditional puts is refused by name', async () => {
  const store = await oddStore({ conditional: 'unsupported' })
  const refused = expect.objectContaining({
    name: 'StoreError',
    code: 'no-conditional-put',
    message: expect.stringContaining('s3://bucket/p'),
  })
  await expect(selfTest(store)).rejects.toEqual(refused)
  await expect(store.putIfAbsent('x', Buffer.from('x'))).rejects.toEqual(refused)
})

test('a server without a clock is refused', async () => {
  await expect(selfTest(await oddStore({ date: false }))).rejects.toMatchObject({ code: 'no-clock' })
})

deepTest('a conflict of conditional puts is tried again, and never called false', async () => {
  const store = await oddStore({ conflicts: 3 })
  expect(await store.putIfAbsent('v1', Buffer.from('mine'))).toBe(true)
  expect(await store.putIfAbsent('v1', Buffer.from('other'))).toBe(false)
  const stuck = await oddStore({ conflicts: 1000 })
  await expect(stuck.putIfAbsent('v1', Buffer.from('mine'))).rejects.toMatchObject({ code: 'unknown-outcome' })
})

test('without metadata a put knows its own object by its bytes', async () => {
  const store = await oddStore({ metadata: false, forgotten: 1 })
  expect(await store.putIfAbsent('v1', Buffer.from('mine 6f1c'))).toBe(true)
  expect(await store.putIfAbsent('v1', Buffer.from('other 9a0'))).toBe(false)
  expect((await store.get('v1'))?.toString()).toBe('mine 6f1c')
  await selfTest(store)
})

test('a server that ignores ranges gives their beginning, or an error', async () => {
  const store = await oddStore({ ranges: false })
  await store.put('digits', Buffer.from('0123456789'))
  expect((await store.get('digits', { start: 0, end: 4 }))?.toString()).toBe('0123')
  await expect(store.get('digits', { start: 2, end: 4 })).rejects.toThrow(/"digits".*ignores byte ranges/)
})

test('a server that ignores StartAfter still lists from there', async () => {
  const store = await oddStore({ startAfter: false })
  for (const key of ['a', 'b', 'c']) await store.put(key, Buffer.from(key))
  expect(await keysOf(store, '', 'a')).toEqual(['b', 'c'])
})

test('listings out of order are an error', async () => {
  const store = await oddStore({ order: 'reverse' })
  for (const key of ['a', 'b']) await store.put(key, Buffer.from(key))
  await expect(keysOf(store, '')).rejects.toThrow(/"a" came after "b": listings in byte order are needed/)
})

test('a server without DeleteObjects deletes one after the other', async () => {
  const store = await oddStore({})
  for (const key of ['a', 'b', 'c']) await store.put(key, Buffer.from(key))
  await store.deleteMany(['a', 'c'])
  expect(await keysOf(store, '')).toEqual(['b'])
})

test('an object that DeleteObjects leaves is an error that names it', async () => {
  const store = await oddStore({ keeps: 'p/held' })
  const refused = expect.objectContaining({ name: 'StoreError', message: expect.stringMatching(/delete "held".*AccessDenied/) })
  await expect(store.deleteMany(['a', 'held'])).rejects.toEqual(refused)
})

/** A store on a server in this process that keeps objects in memory. */
async function oddStore(odd: Oddness): Promise<ObjectStore> {
  const kept = new Map<string, Kept>()
  const left = { conflicts: odd.conflicts ?? 0, forgotten: odd.forgotten ?? 0 }
  const server = createServer((request, reply) => {
    reply.sendDate = odd.date ?? true
    const url = new URL(request.url ?? '', 'http://localhost')
    const key = decodeURIComponent(url.pathname.slice('/bucket/'.length))
    if (request.method === 'PUT') return void put({ request, reply, key, kept, odd, left })
    if (request.method === 'POST') return reply.writeHead(odd.keeps === undefined ? 501 : 200).end(leaving(odd.keeps ?? ''))
    if (request.method === 'DELETE') return reply.writeHead(kept.delete(key) ? 204 : 404).end()
    if (url.searchParams.has('list-type'))
      return reply.writeHead(200, { 'content-type': 'application/xml' }).end(listing(url.searchParams, kept, odd))
    return read({ request, reply, found: kept.get(key), odd })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const store = s3Store({
    url: 's3://bucket/p',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'nowhere',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  })
  onTestFinished(async () => {
    await store.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return store
}

function leaving(key: string): string {
  return `<DeleteResult><Error><Key>${key}</Key><Code>AccessDenied</Code><Message>It is held.</Message></Error></DeleteResult>`
}

interface PutCall {
  readonly request: IncomingMessage
  readonly reply: ServerResponse
  readonly key: string
  readonly kept: Map<string, Kept>
  readonly odd: Oddness
  readonly left: { conflicts: number; forgotten: number }
}

async function put({ request, reply, key, kept, odd, left }: PutCall): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.headers['if-none-match'] && odd.conditional !== 'ignored') {
    if (odd.conditional === 'unsupported') return fail(reply, 501, 'NotImplemented')
    if (left.conflicts-- > 0) return fail(reply, 409, 'ConditionalRequestConflict')
    if (kept.has(key)) return fail(reply, 412, 'PreconditionFailed')
  }
  kept.set(key, { body: Buffer.concat(chunks), putId: request.headers['x-amz-meta-put-id'] as string | undefined })
  if (left.forgotten-- > 0) return fail(reply, 500, 'InternalError')
  reply.writeHead(200, { etag: '"x"' }).end()
}

function read({
  request,
  reply,
  found,
  odd,
}: {
  request: IncomingMessage
  reply: ServerResponse
  found: Kept | undefined
  odd: Oddness
}): void {
  if (!found) return fail(reply, 404, 'NoSuchKey')
  const { body, putId } = found
  const headers = {
    etag: `"${createHash('md5').update(body).digest('hex')}"`,
    'last-modified': new Date().toUTCString(),
    ...(putId !== undefined && odd.metadata !== false ? { 'x-amz-meta-put-id': putId } : {}),
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  if (from === undefined || odd.ranges === false)
    return void reply.writeHead(200, { ...headers, 'content-length': body.length }).end(request.method === 'HEAD' ? '' : body)
  const part = body.subarray(Number(from), Number(to) + 1)
  reply.writeHead(206, { ...headers, 'content-length': part.length, 'content-range': `bytes ${from}-${to}/${body.length}` }).end(part)
}

function listing(query: URLSearchParams, kept: Map<string, Kept>, odd: Oddness): string {
  const startAfter = odd.startAfter === false ? '' : (query.get('start-after') ?? '')
  const keys = [...kept.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > startAfter).sort()
  if (odd.order === 'reverse') keys.reverse()
  const contents = keys.map(
    (key) => `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  )
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`
}

function fail(reply: ServerResponse, status: number, code: string): void {
  reply
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}
