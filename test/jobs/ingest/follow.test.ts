import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineFeed, type Feed, type FeedRequest } from '../../../jobs/feeds/define.ts'
import { napArchive } from '../../../jobs/feeds/rail/networks.ts'
import { aemetRequest } from '../../../jobs/feeds/weather/aemet.ts'
import { type Collected, type CollectOptions, collect } from '../../../jobs/ingest/collect.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { zipOf } from '../../helpers/zip.ts'

const SECRET = 'eyJhbGciOiJIUzI1NiJ9.secret.part'
const DATA = 'https://opendata.aemet.es/opendata/sh/1'

let handler: (request: IncomingMessage, response: ServerResponse) => void
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
  close = () => new Promise((resolve) => server.closeAllConnections() ?? server.close(() => resolve()))
})
afterEach(() => close())

function feedOf(more: Partial<FeedRequest> = {}): Feed {
  const requests = [{ ...aemetRequest('records', 'todas', 10_000), ...more }]
  return defineFeed({
    id: 'a_feed',
    source: aemet,
    into: [incidents],
    every_s: 60,
    plans: [{ requests }],
    bands: {},
    rows: () => [],
  })
}

const ask = (feed: Feed, more: Partial<CollectOptions> = {}): Promise<Collected> =>
  collect(feed, {
    origin: (url) => url.replace('https://opendata.aemet.es', base),
    last: null,
    signal: new AbortController().signal,
    userAgent: 'test',
    now: () => 1000,
    patience: 0.001,
    secret: () => SECRET,
    ...more,
  })

/** Answers with a slip, and its address with records. */
const answering =
  (slip: object, records = '[{"a":1}]') =>
  ({ url }: IncomingMessage, response: ServerResponse): void =>
    void response.end(url === '/opendata/sh/1' ? records : JSON.stringify(slip))

test('the document that the slip names is the body; the slip is not kept, the key goes with the first request alone', async () => {
  handler = answering({ estado: 200, datos: DATA })
  const collected = await ask(feedOf(), { last: { bodies: [{ name: 'records', headers: { etag: '"x"' } }] } })
  if (collected.kind !== 'bodies') throw new Error(collected.kind)
  expect(collected.decoded.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([['records', '[{"a":1}]']])
  expect(asked.map(({ url, headers }) => [url, headers['api_key'], headers['if-none-match']])).toEqual([
    ['/opendata/api/todas', SECRET, undefined],
    ['/opendata/sh/1', undefined, undefined],
  ])
  expect(JSON.stringify(collected)).not.toContain(SECRET)
})

test('a stand-in is sent no key', async () => {
  handler = answering({ estado: 200, datos: DATA })
  const { secret: _none, ...more } = { secret: undefined }
  await collect(feedOf(), {
    ...{ origin: (url: string) => url.replace('https://opendata.aemet.es', base), last: null, signal: new AbortController().signal },
    ...{ userAgent: 'test', now: () => 1000, ...more },
  })
  expect(asked.map(({ headers }) => headers['api_key'])).toEqual([undefined, undefined])
})

test('without the key that a publisher asks for nothing is asked, and the variable is named', async () => {
  handler = answering({ estado: 200, datos: DATA })
  await expect(ask(feedOf(), { secret: () => null })).rejects.toThrow('AEMET_API_KEY is not set')
  expect(asked).toHaveLength(0)
})

test('a plan whose key is not set is skipped where another needs none, and used where it is set', async () => {
  handler = ({ url }, response) => void response.end(url === '/opendata/api/todas' ? JSON.stringify({ estado: 200, datos: DATA }) : '[]')
  const { secret: _secret, twoStep: _follow, ...open } = aemetRequest('open', 'open', 10_000)
  const feed: Feed = { ...feedOf(), plans: [...feedOf().plans, { requests: [open] }] }
  expect(await ask(feed, { secret: () => null })).toMatchObject({ kind: 'bodies', received: [{ name: 'open' }] })
  expect(asked.map(({ url }) => url)).toEqual(['/opendata/api/open'])
  expect(await ask(feed)).toMatchObject({ kind: 'bodies', received: [{ name: 'records' }] })
})

test('a refused key is named with its expiry, by a status or in the answer, and never shown', async () => {
  const claims = Buffer.from(JSON.stringify({ exp: Date.UTC(2026, 9, 31) / 1000 })).toString('base64url')
  const key = `e30.${claims}.c2ln`
  for (const refusal of [
    answering({ estado: 401, descripcion: 'API key invalido' }),
    (_: unknown, response: ServerResponse) => void response.writeHead(401).end(),
  ]) {
    handler = refusal as typeof handler
    const refused = ask(feedOf(), { secret: () => key })
    await expect(refused).rejects.toThrow('the key in AEMET_API_KEY is refused; it is valid until 2026-10-31. Request a new one')
    await expect(refused).rejects.not.toThrow(key)
  }
})

test('a refusal with status 200 is a failure that says so; too many requests are asked again', async () => {
  handler = answering({ estado: 401, descripcion: 'API key invalido' })
  const refused = ask(feedOf())
  await expect(refused).rejects.toThrow(
    '/opendata/api/todas answered: estado 401: API key invalido: the key in AEMET_API_KEY is refused. Request a new one',
  )
  await expect(refused).rejects.not.toThrow(SECRET)
  expect(asked).toHaveLength(1)
  handler = answering({ estado: 404, descripcion: 'No hay datos' })
  const absent = ask(feedOf())
  await expect(absent).rejects.toThrow('estado 404: No hay datos')
  // As a publisher of files says it of one that it does not have.
  await expect(absent).rejects.toMatchObject({ status: 404 })
  expect(asked).toHaveLength(2)
  asked = []
  handler = (request, response) =>
    answering(asked.length < 3 ? { estado: 429, descripcion: 'Límite' } : { estado: 200, datos: DATA })(request, response)
  expect((await ask(feedOf())).kind).toBe('bodies')
  expect(asked).toHaveLength(4)
})

test('a slip leads to hosts that the feed declares, by HTTPS, and nowhere else', async () => {
  for (const datos of [
    'https://elsewhere.example/data',
    'http://opendata.aemet.es/opendata/sh/1',
    'https://opendata.aemet.es@elsewhere.example/',
    'https://user:word@opendata.aemet.es/opendata/sh/1',
    'https://opendata.aemet.es:8443/opendata/sh/1',
    'file:///etc/passwd',
    'no address',
  ]) {
    asked = []
    handler = answering({ estado: 200, datos })
    await expect(ask(feedOf()), datos).rejects.toThrow('which is no HTTPS address at opendata.aemet.es')
    expect(asked).toHaveLength(1)
  }
})

test('a redirect to another origin is followed without the key', async () => {
  const { twoStep: _follow, ...single } = aemetRequest('records', 'todas', 10_000)
  const feed = defineFeed({ ...feedOf(), plans: [{ requests: [single] }] })
  const elsewhere = base.replace('127.0.0.1', 'localhost')
  handler = ({ url }, response) =>
    void (url === '/opendata/api/todas'
      ? response.writeHead(302, { location: '/near' }).end()
      : url === '/near'
        ? response.writeHead(302, { location: `${elsewhere}/far` }).end()
        : response.end('[]'))
  await ask(feed)
  expect(asked.map(({ url, headers }) => [url, headers['api_key']])).toEqual([
    ['/opendata/api/todas', SECRET],
    ['/near', SECRET],
    ['/far', undefined],
  ])
})

test('a document that needs the key gets it too, if it is at the host of the first request', async () => {
  const zip = zipOf({ name: 'agency.txt', bytes: Buffer.from('agency_name') })
  handler = ({ url }, response) => void response.end(url === '/api/Fichero/download/7' ? zip : '{"ficheroId":7}')
  const origin = (url: string): string => url.replace('https://nap.transportes.gob.es', base)
  await ask(feedOf(napArchive(1296)), { origin })
  expect(asked.map(({ url, headers }) => [url, headers['apikey']])).toEqual([
    ['/api/Fichero/1296', SECRET],
    ['/api/Fichero/download/7', SECRET],
  ])
})
