import { afterAll, beforeAll, expect, test } from 'vitest'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { listVersions, versionKey } from '../../../lake/iceberg/table.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { writeTableNotice } from '../../../lake/live/table-notices.ts'
import { until } from '../../helpers/until.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const REASON = 'its format version is 3, only 2 is supported'
let service: TestService
let now = T0
let key: Record<string, string>
beforeAll(async () => {
  service = await startService({ clock: () => now })
  key = { 'X-API-Key': await service.key('ENTERPRISE') }
  const row = exampleTableRow(incidents, { source_id: 'a', observed_at: T0, updated_at: T0 })
  await service.publish(incidents, [exampleRow(incidents)])
  await service.land(incidents, [row], T0 + 60_000)
  const { store } = service.lake
  const table = service.lake.table(incidents)
  const { version, metadata } = (await table.load({ isFresh: true })) as NonNullable<Awaited<ReturnType<typeof table.load>>>
  await store.put(versionKey(table.key, version + 1), Buffer.from(JSON.stringify({ ...metadata, 'format-version': 3 })))
  // As a worker announces it.
  const redis = openRedis(service.redisUrl)
  await writeTableNotice(redis, 'incidents', { refused: REASON, writer: 'spark 3.5.1 at 2026-01-02T00:00:00.000Z' })
  redis.disconnect()
  await until('announced', async () => service.live.tableNotices().size > 0)
})
afterAll(() => service.close())

test('answers and exports from a table that cannot be used are 503 with the reason; live state and other tables are served', async () => {
  for (const path of ['/api/incidents/history?from=2026-01-01', '/api/export/incidents']) {
    const response = await service.get(path, key)
    const body = (await response.json()) as Reply
    expect([path, response.status, body.code]).toEqual([path, 503, 'feed-unavailable'])
    expect(body.detail).toContain(REASON)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const path of ['/api/incidents', '/api/export', '/api/datasets'])
    expect([path, (await service.get(path, key)).status]).toEqual([path, 200])
})

test('a damaged table answers like one of another format', async () => {
  const table = service.lake.table(incidents)
  const version = (await listVersions(table)).at(-1) as number
  await service.lake.store.put(versionKey(table.key, version + 1), Buffer.from('{"format-version": 2, "trunc'))
  const response = await service.get('/api/incidents/history?from=2026-01-01', key)
  expect([response.status, ((await response.json()) as Reply).detail]).toEqual([503, expect.stringContaining('its metadata is damaged')])
})

test('the status names the table and the reason', async () => {
  await until('reported', async () => {
    now += 16_000
    const { reasons } = (await (await service.get('/status?format=json&lang=en')).json()) as Reply
    const refused = reasons.find(({ code }: Reply) => code === 'table-refused')
    if (refused)
      expect([refused.of, refused.text]).toEqual([
        'incidents',
        `These tables cannot be used, and their feeds wait: incidents (${REASON}). If Redis is emptied meanwhile, their live state comes back with the next fetch.`,
      ])
    const changed = reasons.find(({ code }: Reply) => code === 'table-changed')
    if (refused)
      expect(changed?.text).toBe('These tables were changed by another writer: incidents (spark 3.5.1 at 2026-01-02T00:00:00.000Z).')
    return refused !== undefined
  })
})
