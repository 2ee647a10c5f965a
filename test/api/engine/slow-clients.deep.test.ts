import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../lake/query/sql.ts'
import { until } from '../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../service.ts'
import { bigEndpoint, landSomething } from './big-endpoint.ts'

/** 8,000 records of 1 kB: more than the buffers of a connection take. */
const ROWS = 8000
const big = bigEndpoint(ROWS, sql`repeat(md5(CAST(range AS VARCHAR)), 32)`)

const CLIENTS = { head_ms: 600, request_ms: 1200, look_ms: 100, idle_ms: 8000, between_ms: 500, connections: 30 }
const LONG_MS = 40_000
/** Room for one of the big replies on disk. */
const SPOOL_BYTES = 12 * 1024 ** 2

let service: TestService
const logged: string[] = []
beforeAll(async () => {
  service = await startService({ clients: CLIENTS, spoolBytes: SPOOL_BYTES, endpoints: [big], log: (line) => logged.push(line) })
  await landSomething(service, Date.now())
})
afterAll(() => service?.close())

/** A connection, its received bytes, and how long it was open. */
interface Line {
  readonly socket: Socket
  text(): string
  /** Returns the time until the server ended it, in ms. */
  ended(): Promise<number>
}

async function open(): Promise<Line> {
  const { hostname, port } = new URL(service.url)
  const began = performance.now()
  let text = ''
  const { promise, resolve } = Promise.withResolvers<number>()
  const socket = connect(Number(port), hostname)
  socket.on('data', (part) => {
    text += part.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.on('close', () => resolve(performance.now() - began))
  await new Promise<void>((connected, failed) => socket.once('connect', connected).once('error', failed))
  return { socket, text: () => text, ended: () => promise }
}

/** Sends a text, then a byte at a time, until the connection is ended. */
async function dribble(line: Line, first: string, byte: string): Promise<void> {
  line.socket.write(first)
  while (!line.socket.destroyed) {
    await sleep(50)
    if (line.socket.writable) line.socket.write(byte)
  }
}

describe('a client that is slow is answered 408, and its connection ended: ', () => {
  const HEAD = 'POST /api/keys HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  test.each([
    ['that says nothing', '', '', CLIENTS.head_ms],
    ['whose head comes by drops', `${HEAD}X-A: `, 'a', CLIENTS.head_ms],
    ['whose headers come by drops', HEAD, 'X: 1\r\n', CLIENTS.head_ms],
    ['whose body comes by drops', `${HEAD}Content-Length: 4000\r\n\r\n{`, ' ', CLIENTS.request_ms],
    ['whose chunks come by drops', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n', CLIENTS.request_ms],
  ])('%s', async (_what, first, byte, most_ms) => {
    const line = await open()
    const sending = dribble(line, first, byte)
    const took = await line.ended()
    await sending
    expect(took).toBeGreaterThan(most_ms - 50)
    expect(took).toBeLessThan(most_ms + 4000)
    const [head, body] = line.text().split('\r\n\r\n') as [string, string]
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(body) as Reply).toMatchObject({ code: 'request-timeout', status: 408 })
  })

  test.each(['/nothing', '/api/plans'])('and once only, where %s was answered before its body was here', async (path) => {
    const line = await open()
    await dribble(line, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\n\r\n`, 'x')
    expect(line.text().match(/HTTP\/1\.1 \d+/g)).toEqual([path === '/nothing' ? 'HTTP/1.1 404' : 'HTTP/1.1 405'])
  })

  test('and a disconnect in the middle is not taken for a mistake of ours', async () => {
    const line = await open()
    line.socket.write(`${HEAD}Content-Length: 4000\r\n\r\n{`)
    await sleep(100)
    line.socket.destroy()
    await sleep(300)
    expect(logged.filter((one) => !one.includes('"level":30'))).toEqual([])
  })
})

test('a connection that nothing is asked by is ended', async () => {
  const line = await open()
  line.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  const took = await line.ended()
  expect(line.text()).toMatch(/^HTTP\/1\.1 200 /)
  expect(took).toBeGreaterThan(CLIENTS.between_ms - 50)
  expect(took).toBeLessThan(CLIENTS.between_ms + 5000)
})

describe('a client that reads nothing of a big reply', () => {
  const ask = async (query: string): Promise<Line> => {
    const line = await open()
    const headers = Object.entries(await service.keyed('PRO')).map(([name, value]) => `${name}: ${value}\r\n`)
    // It has its answer, and so the room for it, before anybody else asks; all but the first piece it leaves.
    const begun = new Promise<void>((resolve) => {
      line.socket.once('data', () => {
        line.socket.pause()
        resolve()
      })
    })
    line.socket.write(`GET /api/big?limit=${ROWS}&${query} HTTP/1.1\r\nHost: a\r\n${headers.join('')}\r\n`)
    await begun
    return line
  }
  const statusOf = async (): Promise<number> => {
    const response = await service.get(`/api/big?limit=${ROWS}&format=csv`, { 'Accept-Encoding': 'identity' })
    await response.arrayBuffer()
    return response.status
  }

  test('gives the room of a file back once it is cut off', async () => {
    const line = await ask('format=csv')
    await until('no room', async () => (await statusOf()) === 503, LONG_MS)
    await until('room again', async () => (await statusOf()) === 200, LONG_MS)
    line.socket.destroy()
  })

  test('gives the room of files back that wait behind each other or are still to be made, once it is gone', async () => {
    const headers = Object.entries(await service.keyed('PRO', { 'Accept-Encoding': 'gzip' })).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const one = `GET /api/big?limit=${ROWS}&format=ndjson HTTP/1.1\r\nHost: a\r\n${headers.join('')}\r\n`
    for (const wait_ms of [0, 500]) {
      const line = await open()
      line.socket.pause()
      line.socket.write(one + one)
      await sleep(wait_ms)
      line.socket.resetAndDestroy()
      await until('room again', async () => (await statusOf()) === 200, LONG_MS)
    }
  })

  test('gives its connection back, as connections are limited', async () => {
    // From memory, as all answers of now are.
    await (await service.get(`/api/big?limit=${ROWS}`)).arrayBuffer()
    const lines = await Promise.all(Array.from({ length: CLIENTS.connections }, () => ask('lang=es')))
    await until(
      'none left',
      async () => {
        const one = await open()
        const isRefused = (await Promise.race([one.ended(), sleep(200, null)])) !== null
        one.socket.destroy()
        return isRefused
      },
      LONG_MS,
    )
    await until('one again', async () => (await service.open('/health').catch(() => null))?.status === 200, LONG_MS)
    for (const { socket } of lines) socket.destroy()
  })
})

test('a client that reads slowly, but reads, gets all of it', async () => {
  const line = await open()
  const headers = Object.entries(await service.keyed('PRO')).map(([name, value]) => `${name}: ${value}\r\n`)
  line.socket.pause()
  line.socket.write(`GET /api/big?limit=${ROWS}&format=csv HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers.join('')}\r\n`)
  let isOver = false
  const ended = line.ended().then(() => {
    isOver = true
  })
  const began = performance.now()
  while (!isOver && performance.now() - began < 2 * CLIENTS.idle_ms) {
    await sleep(CLIENTS.idle_ms / 4)
    line.socket.resume()
    await sleep(1)
    line.socket.pause()
  }
  line.socket.resume()
  await ended
  const [head, body] = line.text().split('\r\n\r\n') as [string, string]
  expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]))
})
