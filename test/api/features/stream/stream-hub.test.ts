import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { openHub, type Stream, type StreamHub } from '../../../../api/features/stream/hub.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import { EventLog, type LoggedEvent } from '../../../../lake/events/log.ts'
import type { LiveRow } from '../../../../lake/live/types.ts'
import { fileStore } from '../../../../lake/store/file.ts'
import { emptyRedis, type TestRedis } from '../../../helpers/redis.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow } from '../../service.ts'

let redis: Redis
let server: TestRedis
emptyRedis((one, its) => {
  redis = one
  server = its
})

interface Stage {
  readonly hub: StreamHub
  /** Records the given number of batches of events of some 5 kB each. */
  record(batches: number, events: number): Promise<void>
  /** Opens a stream over a plain connection; counts its events. */
  open(): { readonly socket: Socket; events(): number; heartbeats(): number }
}

async function openStage(options: { readonly stuck_ms?: number; readonly heartbeat_ms?: number } = {}): Promise<Stage> {
  const log = new EventLog({ store: await fileStore(tempFolder()), redis })
  const errors: Error[] = []
  const hub = await openHub({ log, redisUrl: server.url, onError: (error) => errors.push(error), ...options })
  const http = createServer((_request, response) => {
    response.writeHead(200)
    hub.open({ response, isWanted: () => true, from: null })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await hub.close()
    http.closeAllConnections()
    http.close()
    expect(errors).toEqual([])
  })
  let recorded = 0
  const row = exampleRow(v16Beacons, { municipality: 'x'.repeat(5000) }) as LiveRow
  const change = { dataset: v16Beacons.id, kind: 'CREATED', row, changed: [] } as const
  const event = (id: number): LoggedEvent => ({ id: `e${id}`, type: 'v16.activated', thing: String(id), at: 0, change })
  return {
    hub,
    record: async (batches, events) => {
      for (let batch = 0; batch < batches; batch++)
        await log.record(
          `b${recorded}`,
          Array.from({ length: events }, () => event(++recorded)),
          { since: Date.now() },
        )
    },
    open: () => {
      const socket = connect((http.address() as AddressInfo).port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      let [events, heartbeats] = [0, 0]
      socket.on('error', () => undefined)
      let tail = ''
      // A mark may be cut by the end of a piece; events have only one line with it.
      const count = (text: string, mark: string): number => text.split(mark).length - 1
      socket.setEncoding('latin1').on('data', (piece: string) => {
        const text = tail + piece
        const end = text.lastIndexOf('\n') + 1
        events += count(text.slice(0, end), 'event: v16.activated\n')
        heartbeats += count(text.slice(0, end), ': 20')
        tail = text.slice(end)
      })
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      return { socket, events: () => events, heartbeats: () => heartbeats }
    },
  }
}

test('a reader that takes nothing for a while gets all of it later; the rest is in the log, not in memory', async () => {
  const stage = await openStage()
  const [slow, quick] = [stage.open(), stage.open()]
  await until('both are open', () => stage.hub.count === 2)
  slow.socket.pause()
  await stage.record(8, 200)
  await until('the quick one has all', () => quick.events() === 1600)
  expect(slow.events()).toBeLessThan(1600)
  slow.socket.resume()
  await until('the slow one has all', () => slow.events() === 1600)
  await stage.record(1, 1)
  await until('both go on', () => slow.events() === 1601 && quick.events() === 1601)
})

test('a reader that takes nothing for too long is closed, and no other', async () => {
  const stage = await openStage({ stuck_ms: 200, heartbeat_ms: 50 })
  const [stuck, quick] = [stage.open(), stage.open()]
  await until('both are open', () => stage.hub.count === 2)
  await until('heartbeats', () => quick.heartbeats() > 2)
  stuck.socket.pause()
  await stage.record(8, 200)
  await until('the stuck one is closed', () => stage.hub.count === 1)
  expect(stage.hub.slow).toBe(1)
  await until('the quick one has all', () => quick.events() === 1600)
})

test('a stream of a client that has gone before it is opened is over at once', async () => {
  const { hub } = await openStage()
  const opened = Promise.withResolvers<Stream>()
  const http = createServer((_request, response) => {
    response.once('close', () => opened.resolve(hub.open({ response, isWanted: () => true, from: null })))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1')
  http.once('request', () => socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await (await opened.promise).ended
  expect(hub.count).toBe(0)
})
