import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { announceDeprecations } from '../../../api/events/deprecations.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { EVENT_DAYS, EventLog } from '../../../lake/events/log.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

let redis: Redis
emptyRedis((one) => {
  redis = one
})

const SINCE = Date.UTC(2026, 0, 2)
const DAY_MS = 86_400_000

test('a deprecation is announced once, also after the log has deleted the event', async () => {
  const store = await fileStore(tempFolder())
  let now = SINCE
  const log = new EventLog({ store, redis, clock: () => now })
  const deprecated = { since: '2026-01-02', sunset: '2027-01-02', replacement: '/api/new' }
  const endpoints = [{ path: '/api/old', deprecated }, { path: '/api/new' }] as unknown as Endpoint[]
  const announce = (): Promise<void> => announceDeprecations(store, log, endpoints, now)
  await announce()
  await announce()
  const data = { path: '/api/old', ...deprecated }
  expect(await log.read(0)).toMatchObject({ batches: [{ events: [{ type: 'api.deprecated', thing: 'api /api/old', at: SINCE, data }] }] })
  expect(await log.head()).toBe(1)
  now += (EVENT_DAYS + 1) * DAY_MS
  await log.record('other', [{ id: 'evt_1', type: 'feed.stale', thing: 'x', at: now, data: {} }], { since: now })
  await log.retire()
  await announce()
  expect(await log.head()).toBe(2)
})
