import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aisReceivers } from '../../../jobs/feeds/maritime/ais-receivers.ts'
import { aisstream } from '../../../jobs/feeds/maritime/aisstream.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { vesselPositions, vessels } from '../../../lake/datasets/maritime/vessels.ts'
import { type FeedState, feedHealth, readFeedStates } from '../../../lake/live/freshness.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { livePart } from '../../../lake/live/write.ts'
import { acceptedAfter, readBody } from '../../../lake/raw/archive.ts'
import { positionSentences } from '../../../scripts/stand-in/formats/nmea.ts'
import { startPublishers } from '../../../scripts/stand-in/server.ts'
import type { Vessel } from '../../../scripts/stand-in/world/vessels.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

/** The sentences of the fixture, without the times at which they came. */
const SENTENCES = readFileSync('test/fixtures/ais_receivers/minute.nmea', 'utf8')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .flatMap((line) => line.split('\t').slice(1))
/** A vessel's type, which comes before its position: a vessel of no known type is not kept. */
const STATIC_FIRST = [...SENTENCES.filter((one) => /,[5H][^,]*,0\*|,2,2,/.test(one)), ...SENTENCES]
const PRIVATE = '224555550'
const TIMES = { show: 40, firstFile: 100, silence: 60_000 }

let server: TestRedis
let context: TestContext
let setting: Record<string, string> = {}
beforeEach(async () => {
  const folder = tempFolder()
  server = await startTestRedis()
  setting = {}
  // Each test begins at the fifth second of a minute. Fixes of the fixture belong to the minute before, by their own seconds.
  const ahead_ms = 65_000 - (Date.now() % 60_000)
  const opened = await openTestContext({ folder, redisUrl: server.url, publisher: '', now: () => Date.now() + ahead_ms })
  context = { ...opened, setting: (env) => setting[env] ?? null }
})
afterEach(async () => {
  await context.close()
  await server.stop()
})

const live = async (feed = aisReceivers) => {
  const { bytes } = await readPart(context.redis, vesselPositions.id, feed.id)
  return bytes ? (await decodeSnapshot(bytes)).rows : []
}

/** A receiver over TCP that sends its input to all connections. */
async function startReceiver() {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    send: async (lines: readonly string[]) => {
      await until('a connection', () => sockets.size > 0)
      for (const socket of sockets) socket.write(`${lines.join('\r\n')}\r\n`)
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A position of the ship of the fixture on another course, with no second of its own: as old as it is received. */
function further(course_deg: number): string {
  const vessel = { mmsi: 224_123_450, aisClass: 'A' } as Vessel
  const fix = { lat: 36.2, lon: -5.5, speed_kn: 14, course_deg, status: 0, destination: '' }
  return positionSentences(vessel, fix, 60)[0] as string
}

const health = async (feed = aisReceivers) => {
  const state = (await readFeedStates(context.redis)).get(feed.id) ?? null
  return { state, health: feedHealth(state, feed.every_s, Date.now()) }
}

test('keeps a stream in files, shows it before they are accepted, and lands it once', async () => {
  const receiver = await startReceiver()
  setting = { AIS_RECEIVERS: receiver.url }
  const runner = makeRunner(context)
  const stop = new AbortController()
  const followed = runner.follow(aisReceivers, stop.signal, { times: TIMES })
  await receiver.send(STATIC_FIRST)
  await until('live state', async () => (await livePart(context.redis, vesselPositions.id, aisReceivers.id)) !== null)
  expect((await livePart(context.redis, vesselPositions.id, aisReceivers.id))?.seq).toBe(1)
  expect((await health()).health).toBe('OK')

  // The same ship, further on: it is shown at once, in the state of the first file.
  await receiver.send(['!AIVDM,1,1,,A,garbage*00', further(180)])
  await until('the new course', async () => (await live()).find((row) => row['mmsi'] === '224123450')?.['course_deg'] === 180)
  expect((await livePart(context.redis, vesselPositions.id, aisReceivers.id))?.seq).toBe(1)
  stop.abort()
  await followed
  const accepted = await acceptedAfter(context.store, aisReceivers.id, 0)
  expect(accepted.map(({ seq }) => seq)).toEqual([1, 2])

  await runner.land(aisReceivers, new AbortController().signal)
  const rows = await tableRows(context, vesselPositions)
  expect(new Set(rows.map((row) => row['mmsi']))).toEqual(new Set(['224123450', '225987650']))
  expect((await tableRows(context, vessels)).map((row) => row['name'])).toEqual(['EXAMPLE STAR', 'PRACTICO UNO'])
  const raw = await Promise.all(accepted.flatMap(({ bodies }) => bodies.map((body) => readBody(context.store, body))))
  const text = Buffer.concat(raw).toString('latin1')
  expect(text).toContain('"bad_checksum":1')
  // The sailing boat's sentences are nowhere.
  expect(SENTENCES.filter((one) => one.includes('3F9j7')).length).toBe(2)
  expect(text).not.toContain('3F9j7')
  expect(JSON.stringify(rows)).not.toContain(PRIVATE)

  await rebuild(context, { feed: aisReceivers, dataset: vesselPositions, from: 0, to: null })
  expect(await tableRows(context, vesselPositions)).toEqual(rows)
  receiver.close()
})

test('notices silence, says so, and connects again', async () => {
  const receiver = await startReceiver()
  setting = { AIS_RECEIVERS: receiver.url }
  const stop = new AbortController()
  const followed = makeRunner(context).follow(aisReceivers, stop.signal, { times: { ...TIMES, silence: 300 } })
  await receiver.send(STATIC_FIRST)
  await until('an error', async () => ((await health()).state?.last_error ?? null) !== null)
  expect((await health()).state?.last_error).toMatch(/silent for 0 s|no message for \d+ s/)
  await until('another connection', () => receiver.connections() > 1)
  await receiver.send(SENTENCES)
  await until('no error', async () => (await health()).state?.last_error === null)
  stop.abort()
  await followed
  receiver.close()
})

test('a stream that has been silent for more than a minute is stale', () => {
  const state = { last_success_at: 1000, fresh_at: 1000, data_time: 1000, failing_since: null } as FeedState
  const of = (now: number) => feedHealth(state, aisReceivers.every_s, now)
  expect([of(40_000), of(55_000), of(62_000)]).toEqual(['OK', 'LATE', 'STALE'])
})

test('hears sentences over UDP, and leaves out what the operator excludes', async () => {
  const probe = createSocket('udp4')
  await new Promise<void>((resolve) => probe.bind(0, '127.0.0.1', resolve))
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  setting = { AIS_RECEIVERS: `udp://127.0.0.1:${port}`, AIS_EXCLUDED_MMSI: '225987650' }
  const stop = new AbortController()
  const followed = makeRunner(context).follow(aisReceivers, stop.signal, { times: TIMES })
  const sender = createSocket('udp4')
  await until('sentences', async () => {
    sender.send(STATIC_FIRST.join('\n'), port, '127.0.0.1')
    return (await livePart(context.redis, vesselPositions.id, aisReceivers.id)) !== null
  })
  stop.abort()
  await followed
  sender.close()
  expect((await live()).map((row) => row['mmsi'])).toEqual(['224123450'])
})

test('reads the dialect of aisstream over a WebSocket', async () => {
  // A minute a second, from ten minutes ago: frames are never ahead of the clock, however late the connection comes.
  const publishers = await startPublishers({ source: { kind: 'simulated', scale: 'small', speed: 60, start: Date.now() - 600_000 } })
  context = { ...context, origin: (url) => url.replace('https:/', publishers.url) }
  const stop = new AbortController()
  const followed = makeRunner(context).follow(aisstream, stop.signal, { times: TIMES })
  await until('vessels', async () => (await live(aisstream)).length > 0, 9000)
  stop.abort()
  await followed
  // The first file may hold only the types of vessels, which come before their positions.
  const accepted = await acceptedAfter(context.store, aisstream.id, 0)
  expect(accepted.reduce((sum, one) => sum + (one.rows['vessel_positions'] ?? 0), 0)).toBeGreaterThan(0)
  await publishers.close()
})
