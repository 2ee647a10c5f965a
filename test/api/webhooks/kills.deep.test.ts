import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { newPepperText, parsePeppers } from '../../../api/access/pepper.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import type { LoggedEvent } from '../../../lake/events/log.ts'
import { littleFeed, openTestContext, tableRows } from '../../helpers/pipeline.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { startService } from '../service.ts'
import { receive, subscribe } from './stage.ts'

const CHANGES = 1000
const WORKER = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
const DELIVER = fileURLToPath(new URL('../../../scripts/service/run-deliver.ts', import.meta.url))

test('workers and deliverers that are killed at random lose no event, change none and keep the order of things', async () => {
  const pepper = newPepperText()
  const folder = tempFolder()
  const service = await startService({ beside: { storeFolder: join(folder, 'store'), peppers: parsePeppers(pepper) } })
  onTestFinished(() => service.close())
  const receivers = [await receive(), await receive(), await receive()]
  const secrets = new Map<string, string>()
  for (const receiver of receivers) {
    const { secret } = await subscribe(service, receiver.url, { types: ['v16'] })
    secrets.set(receiver.url, secret)
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
      LOG_LEVEL: 'error',
    }
    const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const starts = { worker: () => launch(WORKER, [JSON.stringify(options)]), deliver: () => launch(DELIVER, []) }
  const running = { worker: starts.worker(), deliver: starts.deliver() }
  const eventsOf = async (): Promise<LoggedEvent[]> => {
    const found: LoggedEvent[] = []
    for (let after = 0; ; ) {
      const read = await service.events.log.read(after)
      if (read.reset || read.batches.length === 0) return found
      for (const batch of read.batches) found.push(...batch.events)
      after = read.batches.at(-1)?.offset ?? after
    }
  }
  let kills = 0
  let lastEvents = 0
  let lastReceived = 0
  const received = (): number => receivers.reduce((sum, one) => sum + one.received.length, 0)
  for (let count = 0; count < CHANGES; count = (await eventsOf()).length) {
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400))
    // At work, not while it starts: each has done something since the last kill.
    const name = kills % 2 === 0 ? 'worker' : 'deliver'
    if (name === 'worker' ? count < lastEvents + 25 : received() < lastReceived + 25) continue
    running[name].kill('SIGKILL')
    kills++
    if (kills % 4 === 0) await service.emptyRedis()
    running[name] = starts[name]()
    lastEvents = count
    lastReceived = received()
  }
  isOver = true
  running.worker.kill('SIGKILL')
  const events = await eventsOf()
  expect(kills).toBeGreaterThan(2)
  const wanted = new Set(events.map(({ id }) => id))
  expect(wanted.size).toBe(events.length)
  for (const receiver of receivers)
    await until(
      `receiver ${receivers.indexOf(receiver)} has all ${wanted.size} events`,
      () => new Set(receiver.received.map(({ id }) => id)).size === wanted.size,
      120_000,
    )

  const bodies = new Map<string, string>()
  for (const { url, received } of receivers) {
    for (const { id, body, headers } of received) {
      new Webhook(secrets.get(url) as string).verify(body, headers as Record<string, string>)
      expect(bodies.get(id) ?? body).toBe(body)
      bodies.set(id, body)
    }
    // Of each thing, the first arrivals are in the order of the log.
    const firsts = [...new Set(received.map(({ id }) => id))]
    const place = new Map(firsts.map((id, at) => [id, at]))
    for (const ofThing of Map.groupBy(events, ({ thing }) => thing).values()) {
      const places = ofThing.map(({ id }) => place.get(id) as number)
      expect(places).toEqual([...places].sort((one, other) => one - other))
    }
  }
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
}, 400_000)
