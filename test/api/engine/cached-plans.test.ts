import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPlans, TIERS } from '../../../api/auth/plans.ts'
import { defineEndpoint, type Endpoint, listReturn } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { textParam } from '../../../api/kernel/params/params.ts'
import { openPeriodParams } from '../../../api/kernel/params/params-time.ts'
import { defineCachedQuery } from '../../../api/kernel/reads/cached-query.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { col } from '../../../lake/schema/columns.ts'
import { until } from '../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const numbers = listReturn('numbers', record('Number', 'A number.', { id: col.string(0, 'A number.', { example: '1' }) }), {
  sorts: ['id'],
  order: 'id',
  limit: { default: null, max: 100 },
})
const common = { domain: 'road', plan: 'FREE', summary: 'Numbers', summary_es: 'Numbers', returns: numbers, example: {} } as const

/** Answers from memory; periods that began long ago need a higher plan. */
const recentOnly = defineEndpoint({
  ...common,
  path: '/api/numbers/recent',
  params: { period: openPeriodParams() },
  recent: { hours: 24, wider: 'PRO', period: 'period' },
  read: { kind: 'memory', from: [incidents], answer: () => [{ id: '1' }] },
}) as Endpoint

const held = new Map<string, () => void>()
const byName = defineCachedQuery<string>({
  name: 'numbers by name',
  from: [trafficReadings],
  maxEntries: 10,
  read: (_, key) => new Promise((resolve) => held.set(key, () => resolve(`of ${key}`))),
})
/** Reads a cached view for a value of the request. */
const ofView = defineEndpoint({
  ...common,
  path: '/api/numbers/view',
  params: { name: textParam('A name.', { max: 10, example: 'a' }) },
  read: {
    kind: 'memory',
    from: [incidents],
    lake: [trafficReadings],
    needs: [],
    answer: async ({ cached: slice }, { name }) => [{ id: await slice(byName, name ?? '') }],
  },
}) as Endpoint

let service: TestService
beforeAll(async () => {
  const plans = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, { minute: 1e6, day: 1e7, concurrency: 1 }]))))
  service = await startService({ endpoints: [recentOnly, ofView], plans })
  await service.publish(incidents, [exampleRow(incidents)])
})
afterAll(() => service?.close())

test('a reply from memory needs the plan of its own request, whoever sent the first', async () => {
  const path = '/api/numbers/recent?from=2020-01-01&to=2020-01-02'
  for (let count = 0; count < 3; count++) expect((await service.open(path, await service.keyed('PRO'))).status).toBe(200)
  for (let count = 0; count < 2; count++) {
    const refused = await service.open(path, await service.keyed('FREE'))
    expect([refused.status, ((await refused.json()) as Reply).required_plan]).toEqual([403, 'PRO'])
  }
  expect((await service.open('/api/numbers/recent', await service.keyed('FREE'))).status).toBe(200)
})

test('a cached view that is read for a value of the caller takes a lease; one that is cached takes none', async () => {
  const key = await service.keyed('FREE')
  const ask = (name: string) => service.open(`/api/numbers/view?name=${name}`, key)
  const first = ask('first')
  await until('the first read', () => held.has('first'))
  const refused = await ask('second')
  expect([refused.status, ((await refused.json()) as Reply).code]).toEqual([429, 'concurrency'])
  held.get('first')?.()
  expect([(await first).status, await (await first).json()]).toMatchObject([200, { numbers: [{ id: 'of first' }] }])
  const next = ask('other')
  await until('the next read', () => held.has('other'))
  // Known, and so without a lease, while the only one is taken.
  expect((await ask('first')).status).toBe(200)
  held.get('other')?.()
  expect((await next).status).toBe(200)
})

test('a request to a free path waits a second for its turn before it is refused', async () => {
  const key = await service.keyed('FREE')
  const ask = (name: string) => service.open(`/api/numbers/view?name=${name}`, key)
  const first = ask('busy')
  await until('the first read', () => held.has('busy'))
  const next = ask('queued')
  await sleep(300)
  expect(held.has('queued')).toBe(false)
  held.get('busy')?.()
  await until('the next read', () => held.has('queued'))
  const began = performance.now()
  const refused = await ask('late')
  expect([refused.status, ((await refused.json()) as Reply).code]).toEqual([429, 'concurrency'])
  expect(performance.now() - began).toBeGreaterThan(900)
  held.get('queued')?.()
  expect([(await first).status, (await next).status]).toEqual([200, 200])
})
