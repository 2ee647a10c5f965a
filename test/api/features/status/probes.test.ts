import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { domains, endpoints } from '../../../../api/endpoints/catalog.ts'
import { openProbes, type Probe } from '../../../../api/features/status/probes.ts'
import { defineEndpoint } from '../../../../api/kernel/endpoint.ts'
import { record } from '../../../../api/kernel/fields.ts'
import { problem } from '../../../../api/kernel/problems.ts'
import { noDataYet } from '../../../../api/kernel/reads/no-data.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { QueryError } from '../../../../lake/query/errors.ts'
import { col } from '../../../../lake/schema/columns.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService } from '../../service.ts'

const MINUTE = 60_000
const n = col.integer(0, 'A number.', { unit: '1', example: 1 })

test('a group whose own probe fails is down that minute, without any request, with the reason', async () => {
  let isBroken = true
  const fragile = defineEndpoint({
    ...{ path: '/api/fragile', domain: 'road', plan: 'PRO', summary: 'Fails.', summary_es: 'Fails.', params: {}, example: {} },
    returns: {
      ...{ kind: 'list', name: 'numbers', record: record('Number', 'A number.', { n }), key: ['n'], sorts: ['n'], order: 'n' },
      limit: { default: 100, max: 1000 },
    },
    read: {
      kind: 'memory',
      from: [incidents],
      answer: () => {
        if (isBroken) throw new Error('a mistake of ours')
        return [{ n: 1 }]
      },
    },
  })
  let now = Date.UTC(2026, 2, 14, 12)
  const lines: string[] = []
  const service = await startService({
    ...{ clock: () => now, log: (line) => void lines.push(line), probe_ms: 20 },
    endpoints: [fragile, ...endpoints.filter(({ path }) => path === '/api/combustible/precios')],
  })
  onTestFinished(() => service.close())
  await service.publish(incidents, [exampleRow(incidents)])
  const groups = async (): Promise<Reply> => {
    const { uptime } = (await (await service.open('/status?format=json')).json()) as Reply
    return Object.fromEntries(uptime.groups.map(({ group, ...one }: Reply) => [group, one]))
  }
  await until('probed', () => lines.some((line) => line.includes('the probe of a group failed')))
  isBroken = false
  // Probes that began before it was mended have ended.
  await sleep(200)
  for (let minute = 0; minute < 6; minute++) {
    now += MINUTE
    await service.requests.flush()
  }
  const { road, fuel, account } = await groups()
  // A feed without data yet is up.
  expect([road.down_minutes, fuel.down_minutes, account.down_minutes]).toEqual([1, 0, 0])
  expect([road.requests, road.failed, fuel.requests]).toEqual([0, 0, 0])
  expect(JSON.parse(lines.find((line) => line.includes('the probe of a group failed')) as string)).toMatchObject({ group: 'road' })
})

test('a probe fails by an error of ours or by its time, and by no mistake of a caller and no full queue', async () => {
  const failed: string[] = []
  const probe = (group: string, run: Probe['run']): Probe => ({ group, run })
  const never = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  let ended = 0
  const probes = openProbes(
    [
      probe('well', async () => null),
      probe('not found', () => Promise.reject(problem('not-found', 'There is none.'))),
      probe('no data', () => Promise.reject(noDataYet('Nothing', { missing: [], waits_for: ['all'], retry_after_s: 1 }))),
      probe('busy', () => Promise.reject(new QueryError('busy', 'full'))),
      probe('late', (signal) => never(signal).finally(() => ended++)),
      probe('unreadable', () => Promise.reject(problem('feed-unavailable', 'Gone.'))),
      probe('broken', () => Promise.reject(new Error('a mistake'))),
      probe('stopped', () => Promise.reject(new QueryError('timeout', 'long'))),
    ],
    {
      requests: { probeFailed: (group) => void failed.push(group) },
      log: { warn: () => undefined } as never,
      every_ms: null,
      timeout_ms: 50,
    },
  )
  await probes.run()
  expect(failed).toEqual(['late', 'unreadable', 'broken', 'stopped'])
  expect(ended).toBe(1)
  await probes.close()
})

test('a process that ends fails no group', async () => {
  const failed: string[] = []
  const hangs: Probe = { group: 'road', run: () => new Promise(() => undefined) }
  const probes = openProbes([hangs, hangs], {
    ...{ requests: { probeFailed: (group: string) => void failed.push(group) }, log: { warn: () => undefined } as never, every_ms: null },
  })
  const running = probes.run()
  await probes.close()
  await running
  expect(failed).toEqual([])
})

test('every group of data has a list that needs no id, for its probe', () => {
  for (const { id } of domains)
    expect(
      endpoints.filter(({ domain, path, read }) => domain === id && !path.includes('{') && read.kind !== 'changes').length,
      id,
    ).toBeGreaterThan(0)
})
