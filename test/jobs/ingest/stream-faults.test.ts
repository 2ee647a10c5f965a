import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { aisReceivers } from '../../../jobs/feeds/maritime/ais-receivers.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { holdConnection } from '../../../jobs/ingest/streams/connection.ts'
import { followStream, type StreamFile } from '../../../jobs/ingest/streams/follow.ts'
import { until } from '../../helpers/until.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A feed of one receiver that takes every message, in a context whose clock the test moves. */
async function startReceiver() {
  const sockets = new Set<Socket>()
  const receiver = createServer((socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    receiver.close()
  })
  let now = Date.parse('2026-11-21T08:31:00Z')
  const context = {
    ...{ now: () => now, log: pino({ level: 'silent' }), origin: (url: string) => url, patience: 0.01 },
    setting: () => `tcp://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
  } as unknown as IngestContext
  // Refusals of an intake are tested elsewhere.
  const feed = {
    ...aisReceivers,
    stream: { ...aisReceivers.stream, intake: () => ({ take: (frame: string) => frame, counts: () => ({}) }) },
  } as typeof aisReceivers
  const send = (line: string): void => {
    now += 4000
    for (const socket of sockets) socket.write(`${line}\n`)
  }
  return { context, feed, send }
}

test('waits longer and longer while a publisher refuses each connection by a message', async () => {
  let connections = 0
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  closers.push(() => server.close())
  server.on('connection', (socket) => {
    connections++
    socket.send('{"error":"Api Key Is Not Valid"}')
  })
  const stop = new AbortController()
  const held = holdConnection(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    ...{ greeting: null, silence_ms: 60_000, signal: stop.signal, patience: 0.01 },
    onFrame: () => {
      throw new Error('refused')
    },
    onEnd: () => undefined,
  })
  await until('a third connection', () => connections > 2)
  await new Promise((resolve) => setTimeout(resolve, 600))
  stop.abort()
  await held
  // Every 5 to 10 ms without growing waits; 10, 20, 40, 80, 160 … with them.
  expect(connections).toBeLessThan(12)
})

test('an address that cannot be connected to is a reason, not a crash', async () => {
  const reasons: string[] = []
  const stop = new AbortController()
  const held = holdConnection('tcp://127.0.0.1:70000', {
    ...{ greeting: null, silence_ms: 60_000, signal: stop.signal, patience: 0.01, onFrame: () => undefined },
    onEnd: (_, reason) => {
      reasons.push(reason)
      if (reasons.length > 1) stop.abort()
    },
  })
  await held
  expect(reasons[0]).toBe('not a valid address')
})

test('loses nothing while files cannot be kept for some minutes', async () => {
  const { context, feed, send } = await startReceiver()
  const stop = new AbortController()
  const accepted: StreamFile[] = []
  let [isAway, ticks, sent] = [true, 0, 0]
  const followed = followStream(context, feed, {
    ...{ times: { show: 5, silence: 600_000 }, signal: stop.signal },
    known: async () => ({ rows: new Map(), isNew: false }),
    accept: async (file) => {
      if (isAway) throw new Error('the store is away')
      accepted.push(file)
    },
    show: async () => undefined,
    // Each tick is four seconds, and has a line.
    report: async () => {
      ticks++
      send(`line ${sent++}`)
    },
  })
  await until('four minutes', () => ticks > 60)
  isAway = false
  await until('a file', () => accepted.length > 0)
  stop.abort()
  await followed
  const lines = Buffer.concat(accepted.map(({ bytes }) => bytes))
    .toString()
    .match(/(?<=line )\d+/g)
    ?.map(Number)
  expect(lines?.[0]).toBe(0)
  expect(lines).toEqual([...(lines?.keys() ?? [])])
  expect(lines?.length).toBeGreaterThan(55)
})

test('keeps files while Redis takes no report of the stream', async () => {
  const { context, feed, send } = await startReceiver()
  const stop = new AbortController()
  const accepted: StreamFile[] = []
  const followed = followStream(context, feed, {
    ...{ times: { show: 5, silence: 600_000 }, signal: stop.signal },
    known: async () => ({ rows: new Map(), isNew: false }),
    accept: async (file) => void accepted.push(file),
    show: async () => undefined,
    report: async () => {
      send('line')
      throw new Error('OOM command not allowed')
    },
  })
  await until('two files', () => accepted.length > 1)
  stop.abort()
  await followed
})
