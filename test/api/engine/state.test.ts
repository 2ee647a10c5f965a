import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openState, type ServiceState } from '../../../api/engine/state/state.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { writeFeedState } from '../../../lake/live/freshness.ts'
import { type LiveReader, openLive } from '../../../lake/live/read.ts'
import { announceWorker } from '../../../lake/live/workers.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { claimLake, writeFeedListings } from '../../../lake/system.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

let redis: TestRedis
let live: LiveReader
beforeAll(async () => {
  redis = await startTestRedis()
  live = openLive({ redisUrl: redis.url })
  await live.ready
})
afterAll(async () => {
  await live.close()
  await redis.stop()
})

interface Stage {
  readonly store: ObjectStore
  readonly errors: string[]
  open(clock?: () => number): Promise<ServiceState>
}

async function stage(): Promise<Stage> {
  const store = await fileStore(join(tempFolder(), 'store'))
  const errors: string[] = []
  return {
    store,
    errors,
    open: async (clock = Date.now) => {
      const state = await openState({ store, live, clock, onError: ({ message }) => errors.push(message), poll_ms: 5, describe_ms: 0 })
      onTestFinished(() => state.close())
      return state
    },
  }
}

test('a lake of unknown origin is not presented as real', async () => {
  const { open, store, errors } = await stage()
  await expect(open()).rejects.toThrow('does not say where its data comes from')
  await claimLake(store, 'simulated', 0)
  const state = await open()
  await store.delete('system/lake.json')
  await until('the loss is reported', () => errors.length > 0)
  expect([state.mode, state.system().mode]).toEqual(['simulated', 'simulated'])
})

test('a failed refresh is reported, and the next one follows all the same', async () => {
  const { open, store, errors } = await stage()
  await claimLake(store, 'simulated', 0)
  let isBroken = false
  const state = await open(() => {
    if (isBroken) throw new Error('no clock')
    return Date.now()
  })
  isBroken = true
  await until('the failure is reported', () => errors.includes('no clock'))
  isBroken = false
  await writeFeedListings(store, [{ id: 'a', domain: 'road', source: 's', datasets: ['incidents'], every_s: 60, urls: [], enabled: true }])
  await until('the new list of feeds', () => state.system().feeds.length === 1)
})

test('after a restart, an answer that is stale changed at the start at the latest', async () => {
  const { open, store } = await stage()
  await claimLake(store, 'simulated', 0)
  const feed = { id: 'dgt_incidents', domain: 'road', source: 'dgt', datasets: ['incidents'], every_s: 60, urls: [], enabled: true }
  await writeFeedListings(store, [feed])
  const before = await open(() => 1000)
  expect(before.contextChangedAt([incidents]), 'a feed that never delivered').toBe(0)
  const connection = openRedis(redis.url)
  onTestFinished(() => connection.disconnect())
  const times = { last_attempt_at: 0, last_success_at: 1000, data_time: 1000, fresh_at: 1000, last_fetch_id: null }
  const rest = { last_error: null, failing_since: null, rows: {}, quarantined: 0, unknown_codes: 0, missing_blocks: [], lost_fetches: 0 }
  await writeFeedState(connection, { feed: 'dgt_incidents', ...times, ...rest })
  await until('the state is read', () => live.feedStates().has('dgt_incidents'))
  const after = await open(() => 1_000_000)
  expect([after.isStale(incidents), after.contextChangedAt([incidents])]).toEqual([true, 1_000_000])
})

test('an idle process reads the store once a minute, and at once after a worker has announced itself', async () => {
  const files = await fileStore(join(tempFolder(), 'store'))
  let requests = 0
  const store: ObjectStore = {
    ...files,
    get: (...args) => {
      requests++
      return files.get(...args)
    },
    head: (key) => {
      requests++
      return files.head(key)
    },
  }
  await claimLake(store, 'simulated', 0)
  const feed = { id: 'a', domain: 'road', source: 's', datasets: ['incidents'], every_s: 60, urls: [], enabled: true }
  await writeFeedListings(store, [feed])
  const state = await openState({ store, live, clock: Date.now, onError: () => undefined, poll_ms: 5 })
  onTestFinished(() => state.close())
  requests = 0
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(requests).toBe(0)
  await writeFeedListings(files, [feed, { ...feed, id: 'b' }])
  const connection = openRedis(redis.url)
  onTestFinished(() => connection.disconnect())
  await announceWorker(connection, { id: 'new', started_at: 1, schedules: [], declared: null })
  await until('the new list of feeds', () => state.system().feeds.length === 2)
})
