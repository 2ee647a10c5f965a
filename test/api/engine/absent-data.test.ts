import { rename, rm, symlink } from 'node:fs/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DEFAULT_PLANS } from '../../../api/auth/plans.ts'
import { absentState, neverDelivered, withRetry } from '../../../api/engine/answers/absent-data.ts'
import { openState } from '../../../api/engine/state/state.ts'
import { InvalidParam, Problem } from '../../../api/kernel/problems.ts'
import { noDataYet } from '../../../api/kernel/reads/no-data.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { openLive } from '../../../lake/live/read.ts'
import { until } from '../../helpers/until.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

/** The start time of test lakes. */
const BEGUN = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService({ plans: DEFAULT_PLANS })
})
afterAll(() => service?.close())

const codeOf = async (path: string): Promise<string> => {
  const response = await service.get(path)
  return `${response.status} ${((await response.json()) as Reply).code}`
}

test('a resource without data yet is 404, is charged to the caller, and names the feed that it waits for', async () => {
  for (const [n, path] of ['/api/v16', '/api/v16/history', '/api/incidents/changes', '/api/trenes/rutas'].entries()) {
    const response = await service.get(path)
    const { code, missing, waits_for } = (await response.json()) as Reply
    expect([path, response.status, code]).toEqual([path, 404, 'no-data-yet'])
    expect(response.headers.get('ratelimit')).toContain(`"minute";r=${299 - n};`)
    expect([missing.length > 0, waits_for.length > 0]).toEqual([true, true])
  }
})

test('a feed that is turned off is named with the reason, and a worker that never ran', async () => {
  const feed = { id: 'dgt_incidents', datasets: ['v16_beacons'], enabled: false, disabled_reason: 'set DGT_KEY' }
  for (const [feeds, expected] of [
    [[feed], 'it waits for dgt_incidents (turned off: set DGT_KEY).'],
    [[feed, { ...feed, id: 'other', enabled: true }], 'it waits for other.'],
    [[{ ...feed, datasets: [] }], 'it waits for its first build from other datasets.'],
    [[], 'it waits for the start of the worker, which has announced no feeds.'],
  ] as const)
    expect(neverDelivered(v16Beacons, feeds).message).toBe(`No data of V16 emergency beacons has arrived yet: ${expected}`)
})

test('missing data of a failing feed says when the next fetch is, and of a healthy one that it lands soon', async () => {
  const next = Date.now() + 120_000
  const failing = { failing_since: Date.now(), last_error: 'HTTP 500 from https://example.org/x?api_key=secret', failures: 2 }
  await service.tell({ feed: 'dgt_incidents', last_success_at: null, ...failing, next_attempt_at: next })
  const asked = async (): Promise<readonly [Response, Reply]> => {
    const response = await service.get('/api/v16')
    return [response, await response.json()]
  }
  await until('it is seen', async () => (await asked())[1].next_attempt_at !== undefined)
  const [response, reply] = await asked()
  expect([response.status, reply.code, reply.next_attempt_at]).toEqual([404, 'no-data-yet', new Date(next).toISOString()])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(60)
  expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(131)
  expect(reply.detail).toContain(new Date(next).toISOString())
  const { feeds } = await service.json('/api/freshness?feed=dgt_incidents')
  expect(feeds[0]).toMatchObject({ last_error: 'HTTP 500 from https://example.org/x?api_key=…', next_attempt_at: reply.next_attempt_at })
  await service.tell({ feed: 'dgt_incidents', last_success_at: Date.now(), failing_since: null, next_attempt_at: next + 86_400_000 })
  await until('it is healthy', async () => (await asked())[1].next_attempt_at === undefined)
  expect(Number((await asked())[0].headers.get('retry-after'))).toBe(30)
})

test('derived data is expected soon while data arrives, and a value that may still arrive is no error', () => {
  const feed = { id: 'maps', datasets: ['imd_sections'], enabled: true } as const
  const said = (error: Error, of: object): unknown => {
    const found = withRetry(error, { feeds: [feed], states: new Map(), phase: 'STEADY', ...of } as never, 0)
    return found instanceof Problem ? [found.code, found.options.retry_after_s] : found
  }
  const derived = noDataYet('No forecasts', { missing: [{ id: 'traffic_forecasts' }], waits_for: ['28 days of counts'] })
  expect(said(derived, { phase: 'LOADING' })).toEqual(['no-data-yet', 30])
  expect(said(derived, { phase: 'BACKFILLING' })).toEqual(['no-data-yet', 300])
  expect(said(derived, { phase: 'STEADY' })).toEqual(['no-data-yet', 3600])
  expect(said(derived, { phase: 'STEADY', feeds: [] })).toEqual(['no-data-yet', 30])
  const both = noDataYet('Some data', { missing: [], waits_for: ['maps', 'other'] })
  const failing = new Map([['other', { failing_since: 1, next_attempt_at: 3_000_000 }]])
  expect(said(both, { feeds: [feed, { ...feed, id: 'other' }], states: failing })).toEqual(['no-data-yet', 30])
  // An attempt that is due may run at this moment.
  const withDue = (at: number | null) => ({
    feeds: [feed, { ...feed, id: 'other' }],
    states: new Map([...failing, ['maps', { failing_since: 1, next_attempt_at: at }]]),
  })
  for (const at of [null, 0]) expect(said(both, withDue(at))).toEqual(['no-data-yet', 30])
  expect(said(both, withDue(120_000))).toEqual(['no-data-yet', 130])
  const year = new InvalidParam('expected a year', { parameter: 'year', value: '2018', of: [{ id: 'imd_sections' }] })
  expect(said(year, {})).toEqual(['no-data-yet', 30])
  const with2018 = (backfill: object | null) => ({ states: new Map([['maps', { last_success_at: 1, failing_since: null, backfill }]]) })
  expect(said(year, with2018({ files: 3, present: 2 }))).toEqual(['no-data-yet', 30])
  for (const backfill of [null, { files: 3, present: 3 }]) expect(said(year, with2018(backfill))).toBe(year)
})

test('a published state that cannot be read is an outage; older rows of an archive were never current', async () => {
  await service.land(v16Beacons, [exampleTableRow(v16Beacons)], BEGUN - HOUR)
  expect(await codeOf('/api/v16')).toBe('404 no-data-yet')
  await service.land(v16Beacons, [], BEGUN + HOUR)
  for (const path of ['/api/v16', '/api/v16?province=Madrid']) expect(await codeOf(path)).toBe('503 feed-unavailable')
  await service.publish(v16Beacons, [exampleRow(v16Beacons)])
  expect((await service.get('/api/v16')).status).toBe(200)
})

test('before the first contact with Redis the existence of data is unknown: that is an outage, and no outage after', async () => {
  const { lake } = service
  const live = openLive({ redisUrl: 'redis://127.0.0.1:1' })
  const state = await openState({ ...{ store: lake.store, live, clock: Date.now }, onError: () => undefined })
  onTestFinished(async () => {
    state.close()
    await live.close()
  })
  expect((await absentState(incidents, { state, lake })).code).toBe('feed-unavailable')
  await service.killRedis()
  await until('degraded', async () => !(await service.json('/ready')).redis)
  for (const path of ['/api/incidents', '/api/incidents/changes', '/api/incidents/inc_x'])
    expect(await codeOf(path)).toBe('404 no-data-yet')
})

test('tables that the store does not give are an outage', async () => {
  const folder = service.shared.storeFolder
  await rename(folder, `${folder}-gone`)
  // A loop: reading it fails, while a folder that is gone looks like an empty store.
  await symlink(folder, folder)
  try {
    const response = await service.get('/api/panels/61402/history')
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true])
    expect(await response.json()).toMatchObject({ code: 'feed-unavailable' })
  } finally {
    await rm(folder)
    await rename(`${folder}-gone`, folder)
  }
})
