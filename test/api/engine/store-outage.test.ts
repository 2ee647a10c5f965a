import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incidentHistory, incidentList } from '../../../api/endpoints/road/incidents.ts'
import { problemOf } from '../../../api/engine/replies/problem-replies.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { readinessOf } from '../../../api/engine/state/readiness.ts'
import { QueryError } from '../../../lake/query/errors.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ endpoints: [incidentList, incidentHistory] })
  await fillWithExamples(service)
  expect((await service.get(requestOf(incidentHistory))).status).toBe(200)
})
afterAll(() => service?.close())

describe('while the object store is away', () => {
  test('keys work, live data is served, and the lake answers 503 with Retry-After', async () => {
    const { storeFolder } = service.shared
    await rename(storeFolder, `${storeFolder}-away`)
    try {
      await sleep(200)
      expect((await service.get(requestOf(incidentList, { limit: '7' }))).status).toBe(200)
      const refused = await service.get(requestOf(incidentHistory, { limit: '7' }))
      expect([refused.status, ((await refused.json()) as Reply).code]).toEqual([503, 'feed-unavailable'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await rename(`${storeFolder}-away`, storeFolder)
    }
    expect((await service.get(requestOf(incidentHistory, { limit: '7' }))).status).toBe(200)
  })

  test.each([
    ['a store that does not answer', new StoreError('away', { code: 'ECONNREFUSED' }), 503, 'feed-unavailable'],
    ['a query whose files cannot be read', new QueryError('failed', 'IO Error: Could not establish connection'), 503, 'feed-unavailable'],
    ['a query with a mistake of ours', new QueryError('failed', 'Binder Error: no such column'), 500, 'internal'],
    ['a full disk', new StoreError('full', { code: 'ENOSPC' }), 507, 'insufficient-storage'],
    ['a full bucket', new StoreError('full', { code: 'failed', cause: { status: 507 } }), 507, 'insufficient-storage'],
  ])('%s is distinguished', (_, error, status, code) => {
    const problem = problemOf(error)
    expect([problem.status, problem.code]).toEqual([status, code])
    if (status !== 500) expect(problem.options.retry_after_s).toBeGreaterThan(0)
  })
})

test('a full disk does not make the service unready: reads work, and readiness names it', async () => {
  const now = async (): Promise<number> => {
    throw new StoreError('no space left', { code: 'ENOSPC' })
  }
  const lake = { ...service.lake, store: { ...service.lake.store, now } } as never
  const state = { live: service.live, system: () => ({ feeds: [], states: new Map() }) } as never
  const limiter = { refusal: null }
  const ready = await readinessOf({ endpoints: [incidentList], state, lake, limiter, clock: Date.now })()
  expect(ready).toMatchObject({ status: 'degraded', lake: true, store_full: true, redis_read_only: false })
  // The store answers reads, and a worker's write found it full.
  const live = { connected: true, get: () => null, workers: () => ({ phase: 'STEADY', store_full: true }) }
  const asBucket = await readinessOf({
    endpoints: [],
    state: { ...(state as object), live } as never,
    lake: service.lake,
    limiter,
    clock: Date.now,
  })()
  expect(asBucket).toMatchObject({ status: 'degraded', lake: true, store_full: true })
})

test('while the store is away the service serves current data and says what is missing', async () => {
  const now = async (): Promise<number> => {
    throw new StoreError('away', { code: 'ECONNREFUSED' })
  }
  const lake = { ...service.lake, store: { ...service.lake.store, now } } as never
  const system = (): object => ({ feeds: [], states: new Map() })
  const ready = (live: object): Promise<object> =>
    readinessOf({
      endpoints: [incidentList],
      state: { live: { workers: () => null, ...live }, system } as never,
      lake,
      limiter: { refusal: null },
      clock: Date.now,
    })()
  expect(await ready({ connected: true, get: () => ({}) })).toMatchObject({ status: 'degraded', lake: false, redis: true })
  expect(await ready({ connected: true, get: () => null })).toMatchObject({ status: 'not ready', lake: false })
})
