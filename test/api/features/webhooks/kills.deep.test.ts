import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { newPepperText, parsePeppers } from '../../../../api/auth/keys/pepper.ts'
import { makeRunner } from '../../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import type { LoggedEvent } from '../../../../lake/events/log.ts'
import { littleFeed, openTestContext, tableRows } from '../../../helpers/pipeline.ts'
import { type ReadStream, readStream, type StreamMessage } from '../../../helpers/stream.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { receive, subscribe } from './stage.ts'

const CHANGES = 1000
const WORKER = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
const API = fileURLToPath(new URL('../../../../scripts/service/run-api.ts', import.meta.url))
const DELIVER = fileURLToPath(new URL('../../../../scripts/service/run-deliver.ts', import.meta.url))

/** A client of API processes that come and go: it resumes the stream, and changes a webhook over and over. */
async function follow(service: TestService, webhook: string, api: () => string | null) {
  const headers = await service.keyed('ENTERPRISE')
  const streams: ReadStream[] = []
  let from = `${(await service.events.log.head()) + 1}-0`
  let acknowledged = 0
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const url = api()
      const stream =
        url === null ? null : await readStream(`${url}/api/stream?topics=v16`, { ...headers, 'Last-Event-ID': from }).catch(() => null)
      if (!stream?.response.ok) {
        await delay(100)
        continue
      }
      streams.push(stream)
      while (!isOver && !stream.isOver()) await delay(50)
      await stream.close()
      from = stream.lastId() ?? from
    }
  })()
  const changing = (async () => {
    for (let change = 1; !isOver; change++) {
      await delay(500)
      const body = JSON.stringify({ description: String(change) })
      const reply = await fetch(`${api()}/api/webhooks/${webhook}`, {
        ...{ method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body },
      }).catch(() => null)
      if (reply?.ok) acknowledged = change
    }
  })()
  return {
    messages: (): StreamMessage[] => streams.flatMap(({ messages }) => messages),
    acknowledged: () => acknowledged,
    close: async (): Promise<void> => {
      isOver = true
      await Promise.all([reading, changing])
    },
  }
}

test('workers, deliverers and API processes that are killed at random lose no event, change none and keep the order of things', async () => {
  const pepper = newPepperText()
  const folder = tempFolder()
  const service = await startService({ beside: { storeFolder: join(folder, 'store'), peppers: parsePeppers(pepper) } })
  onTestFinished(() => service.close())
  const receivers = [await receive(), await receive(), await receive()]
  const secrets = new Map<string, string>()
  const ids: string[] = []
  for (const receiver of receivers) {
    const { id, secret } = await subscribe(service, receiver.url, { types: ['v16'] })
    secrets.set(receiver.url, secret)
    ids.push(id)
  }
  // One of them is weak, but takes each event the second time: the third attempt would come after five minutes.
  const failed = new Set<string>()
  const weak = receivers[2]
  if (weak)
    weak.answer = ({ id }) => {
      if (failed.has(id) || Math.random() > 0.1) return 204
      failed.add(id)
      return 500
    }

  // Each publication has four other beacons and lacks four old ones.
  let minute = 0
  let isOver = false
  const start = Date.UTC(2026, 0, 2)
  const publisher = createServer((_request, response) => {
    if (!isOver) minute++
    const beacons = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`b${4 * minute + at}`, at]))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ at: new Date(start + minute * 60_000).toISOString(), beacons }))
  })
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void publisher.close())
  const options = { folder, redisUrl: service.events.redisUrl, publisher: `http://127.0.0.1:${(publisher.address() as AddressInfo).port}` }
  const context = await openTestContext(options)
  onTestFinished(() => context.close())
  await prepareTables(context, littleFeed().into)

  const children = new Set<ChildProcess>()
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const launch = (script: string, args: readonly string[]): ChildProcess => {
    const env = {
      ...process.env,
      DATA_DIR: folder,
      REDIS_URL: options.redisUrl,
      KEY_PEPPER: pepper,
      WEBHOOK_LOOPBACK: '1',
      PORT: '0',
      LOG_LEVEL: 'error',
    }
    const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  let apiUrl: string | null = null
  const launchApi = (): ChildProcess => {
    const child = launch(API, [])
    child.on('message', (message: { readonly ready?: { readonly url: string } }) => {
      apiUrl = message.ready?.url ?? apiUrl
    })
    return child
  }
  const starts = { worker: () => launch(WORKER, [JSON.stringify(options)]), deliver: () => launch(DELIVER, []), api: launchApi }
  const running = { worker: starts.worker(), deliver: starts.deliver(), api: starts.api() }
  const client = await follow(service, ids[0] as string, () => apiUrl)
  onTestFinished(() => client.close())
  const eventsOf = async (): Promise<LoggedEvent[]> => {
    const found: LoggedEvent[] = []
    for (let after = 0; ; ) {
      const read = await service.events.log.read(after)
      if (read.reset || read.batches.length === 0) return found
      for (const batch of read.batches) found.push(...batch.events)
      after = read.batches.at(-1)?.offset ?? after
    }
  }
  /** The work of each process so far, in events. */
  const done = {
    worker: async () => (await eventsOf()).length,
    deliver: async () => receivers.reduce((sum, one) => sum + one.received.length, 0),
    api: async () => client.messages().length,
  }
  const kills = { worker: 0, deliver: 0, api: 0 }
  const doneAtKill = { worker: 0, deliver: 0, api: 0 }
  const names = Object.keys(kills) as (keyof typeof kills)[]
  const killed = (): number => names.reduce((sum, name) => sum + kills[name], 0)
  while ((await done.worker()) < CHANGES || kills.api < 2) {
    await delay(100 + Math.random() * 400)
    const name = names[Math.floor(Math.random() * names.length)] as keyof typeof kills
    // At work, not while it starts: it has done something since it was last killed.
    if ((await done[name]()) < doneAtKill[name] + 25) continue
    running[name].kill('SIGKILL')
    if (name === 'api') apiUrl = null
    kills[name]++
    if (killed() % 4 === 0) await service.emptyRedis()
    doneAtKill[name] = await done[name]()
    running[name] = starts[name]()
  }
  isOver = true
  running.worker.kill('SIGKILL')
  const events = await eventsOf()
  for (const name of names) expect(kills[name], name).toBeGreaterThan(0)
  const wanted = new Set(events.map(({ id }) => id))
  expect(wanted.size).toBe(events.length)
  for (const receiver of receivers)
    await until(
      `receiver ${receivers.indexOf(receiver)} has all ${wanted.size} events`,
      () => new Set(receiver.received.map(({ id }) => id)).size === wanted.size,
      300_000,
    )

  const streamed = (): (readonly [id: string, body: string])[] =>
    client.messages().map(({ data }) => [(JSON.parse(data) as { readonly id: string }).id, data])
  await until('the stream has all events', () => new Set(streamed().map(([id]) => id)).size === wanted.size, 300_000)
  expect(client.messages().filter(({ event }) => event === 'reset')).toEqual([])

  const bodies = new Map<string, string>()
  // Webhooks send the same as streams.
  for (const [id, body] of streamed()) {
    expect(bodies.get(id) ?? body).toBe(body)
    bodies.set(id, body)
  }
  for (const { url, received } of receivers) {
    for (const { id, body, headers } of received) {
      new Webhook(secrets.get(url) as string).verify(body, headers as Record<string, string>)
      expect(bodies.get(id) ?? body).toBe(body)
      bodies.set(id, body)
    }
    // For each thing, the first arrivals are in the order of the log.
    const firsts = [...new Set(received.map(({ id }) => id))]
    const place = new Map(firsts.map((id, at) => [id, at]))
    for (const ofThing of Map.groupBy(events, ({ thing }) => thing).values()) {
      const places = ofThing.map(({ id }) => place.get(id) as number)
      expect(places).toEqual([...places].sort((one, other) => one - other))
    }
  }
  await client.close()
  // A change that was acknowledged is not lost; one that was not may have been made.
  const { description } = (await (await service.get(`/api/webhooks/${ids[0]}`)).json()) as Reply
  expect(client.acknowledged()).toBeGreaterThan(0)
  expect(Number(description)).toBeGreaterThanOrEqual(client.acknowledged())
  // The log has every change that was accepted: the table, which is made of the raw bytes, says which.
  const runner = makeRunner(context)
  await runner.land(littleFeed(), new AbortController().signal)
  const rows = await tableRows(context, v16Beacons)
  const all = await eventsOf()
  const idsOf = (type: string): string[] => all.filter((one) => one.type === type).map(({ change }) => String(change?.row['beacon_id']))
  const inTable = (status: string): string[] => [
    ...new Set(rows.filter((row) => row['status'] === status && !row['is_baseline']).map((row) => String(row['beacon_id']))),
  ]
  expect(idsOf('v16.activated').sort()).toEqual(inTable('ACTIVE').sort())
  expect(idsOf('v16.ended').sort()).toEqual(inTable('ENDED').sort())
  expect(dirname(service.shared.storeFolder)).toBe(folder)
}, 1_200_000)
