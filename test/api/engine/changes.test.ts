import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { LiveChange, LiveRow } from '../../../lake/live/types.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

function change(kind: LiveChange['kind'], row: AnyRow, changed: readonly string[] = []): LiveChange {
  return { kind, key: entityKey(incidents, row), row: row as LiveRow, changed }
}

const one = exampleRow(incidents, { source_id: '1', incident_id: 'inc_1', severity: 'LOW' })
const worse = { ...one, severity: 'HIGH', to: { lat: 1, lon: 2 } }
const gone = { ...worse, status: 'ENDED', is_stale: true, observed_at: T0 + 120_000, last_seen_at: T0 + 60_000 }
const other = exampleRow(incidents, { source_id: '2', incident_id: 'inc_2', type: 'ACCIDENT', province_code: '28' })

const kinds = (reply: Reply): string[] => reply.changes.map((entry: Reply) => `${entry.kind} ${entry.id}`)

describe('the feed of changes', () => {
  let start = ''

  test("begins with the log's contents, and goes on where it ended", async () => {
    await service.publish(incidents, [one], { at: T0, changes: [change('CREATED', one)] })
    const first = await service.json('/api/incidents/changes')
    expect(kinds(first)).toEqual(['CREATED inc_1'])
    expect(first).toMatchObject({ total: null, reset: false, more: false })
    start = first.next_cursor
    const none = await service.json(`/api/incidents/changes?cursor=${start}`)
    expect(none).toMatchObject({ changes: [], reset: false, more: false })
    await service.publish(incidents, [worse, other], {
      at: T0 + 60_000,
      changes: [change('UPDATED', worse, ['severity', 'to']), change('CREATED', other)],
    })
    await service.publish(incidents, [other], { at: T0 + 120_000, changes: [change('ENDED', gone)] })
    const next = await service.json(`/api/incidents/changes?cursor=${none.next_cursor}`)
    expect(kinds(next)).toEqual(['UPDATED inc_1', 'CREATED inc_2', 'ENDED inc_1'])
    const [updated, , ended] = next.changes
    expect(updated).toMatchObject({
      at: '2026-01-02T12:01:00.000Z',
      changed: ['severity', 'to_lat', 'to_lon', 'observed_at', 'updated_at'],
      incident: { severity: 'HIGH', status: 'ACTIVE' },
    })
    expect(ended).toMatchObject({
      changed: ['observed_at', 'updated_at', 'status', 'is_stale', 'last_seen_at', 'ended_at', 'end_reason'],
      incident: {
        id: 'inc_1',
        status: 'ENDED',
        is_stale: true,
        last_seen_at: '2026-01-02T12:01:00.000Z',
        ended_at: '2026-01-02T12:02:00.000Z',
        end_reason: 'DISAPPEARED',
      },
    })
  })

  test('comes in pages that miss nothing and repeat nothing', async () => {
    for (const limit of [1, 2, 3]) {
      const seen: string[] = []
      let path = `/api/incidents/changes?limit=${limit}`
      for (let more = true; more; ) {
        const reply: Reply = await service.json(path)
        seen.push(...kinds(reply))
        more = reply.more
        path = `/api/incidents/changes?limit=${limit}&cursor=${reply.next_cursor}`
      }
      expect(seen, `limit=${limit}`).toEqual(['CREATED inc_1', 'UPDATED inc_1', 'CREATED inc_2', 'ENDED inc_1'])
      expect((await service.json(path)).changes).toEqual([])
    }
  })

  test('filters by the state after the change', async () => {
    expect(kinds(await service.json('/api/incidents/changes?province=Madrid'))).toEqual(['CREATED inc_2'])
    expect(kinds(await service.json('/api/incidents/changes?severity=HIGH&type=ROADWORKS'))).toEqual(['UPDATED inc_1', 'ENDED inc_1'])
    expect(kinds(await service.json('/api/incidents/changes?province=Madrid&limit=1'))).toEqual(['CREATED inc_2'])
  })

  test('takes since, but not together with a cursor', async () => {
    expect(kinds(await service.json('/api/incidents/changes?since=2026-01-01'))).toEqual([])
    expect(await service.json('/api/incidents/changes?since=2026-01-01')).toMatchObject({ reset: true })
    expect(await service.json('/api/incidents/changes?since=2100-01-01')).toMatchObject({ changes: [], reset: false, more: false })
    const response = await service.get(`/api/incidents/changes?since=2026-01-01&cursor=${start}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as Reply).errors[0].parameter).toBe('since')
  })

  test.each([
    ['12:00:00Z', ['CREATED inc_1', 'UPDATED inc_1', 'CREATED inc_2', 'ENDED inc_1']],
    ['12:00:00.001Z', ['UPDATED inc_1', 'CREATED inc_2', 'ENDED inc_1']],
    ['12:01:00Z', ['UPDATED inc_1', 'CREATED inc_2', 'ENDED inc_1']],
    ['12:01:01Z', ['ENDED inc_1']],
    ['12:02:00Z', ['ENDED inc_1']],
    ['12:02:01Z', []],
  ])('since %s: the changes of publications from then on, whenever they were written', async (time, expected) => {
    const begun = `/api/incidents/changes?since=2026-01-02T${time}`
    expect(await service.json(begun)).toMatchObject({ reset: false, more: false })
    expect(kinds(await service.json(begun))).toEqual(expected)
    const seen: string[] = []
    for (let path = `${begun}&limit=1`, more = true; more; ) {
      const reply: Reply = await service.json(path)
      seen.push(...kinds(reply))
      more = reply.more
      path = `/api/incidents/changes?limit=1&cursor=${reply.next_cursor}`
    }
    expect(seen).toEqual(expected)
  })

  test('uses the requested language', async () => {
    const { changes } = await service.json('/api/incidents/changes?lang=en')
    expect(changes[0].incident.description).toBe(changes[0].incident.descriptions.en)
    expect(changes[0].incident.description).not.toBe(changes[0].incident.descriptions.es)
  })

  test('says so where the log begins later than the cursor, and goes on from there', async () => {
    await service.killRedis()
    await service.restartRedis()
    await service.publish(incidents, [other], { at: T0 + 180_000 })
    expect(await service.json('/api/incidents/changes?since=2026-01-02T12:02:59Z')).toMatchObject({ reset: true })
    const { updated_at } = await service.json('/api/incidents')
    expect(await service.json(`/api/incidents/changes?since=${updated_at}`)).toMatchObject({ changes: [], reset: false })
    const reply = await service.json(`/api/incidents/changes?cursor=${start}`)
    expect(reply).toMatchObject({ changes: [], reset: true, more: false })
    const back = { ...one, incident_id: 'inc_3' }
    await service.publish(incidents, [other, back], { at: T0 + 240_000, changes: [change('CREATED', back)] })
    expect(kinds(await service.json(`/api/incidents/changes?cursor=${reply.next_cursor}`))).toEqual(['CREATED inc_3'])
  })
})

test('without Redis, a cursor at the end gets no changes, and any other cursor gets an outage', async () => {
  const { next_cursor } = await service.json('/api/incidents/changes')
  await service.killRedis()
  const pages = [`/api/incidents/changes?limit=7&cursor=${next_cursor}`, `/api/incidents/changes?province=Madrid&since=2100-01-01`]
  const [none, unknown] = (await Promise.all(pages.map((path) => service.get(path)))) as [Response, Response]
  expect(none.status).toBe(200)
  const reply = (await none.json()) as Reply
  expect(reply).toMatchObject({ changes: [], reset: false, more: false })
  expect(unknown.status).toBe(503)
  expect(Number(unknown.headers.get('retry-after'))).toBeGreaterThan(0)
  await service.restartRedis()
  await service.publish(incidents, [other], { at: T0 + 300_000 })
  // The log has started again.
  expect(await service.json(`/api/incidents/changes?cursor=${reply.next_cursor}`)).toMatchObject({ reset: true })
})

test('price changes have no price where it is no longer sold', async () => {
  const price = exampleRow(fuelPrices)
  const key = entityKey(fuelPrices, price)
  await service.publish(fuelPrices, [price], {
    changes: [
      { kind: 'CREATED', key, row: price as LiveRow, changed: [] },
      { kind: 'UPDATED', key, row: { ...price, price: 1.429 } as unknown as LiveRow, changed: ['price'] },
      { kind: 'ENDED', key, row: { ...price, price: 1.429, status: 'ENDED' } as unknown as LiveRow, changed: [] },
    ],
  })
  const { changes } = await service.json('/api/gas-stations/changes?fuel=DIESEL_A&province=Barcelona')
  expect(changes.map((entry: Reply) => [entry.kind, entry.price, entry.changed])).toEqual([
    ['CREATED', 1.419, []],
    ['UPDATED', 1.429, ['price']],
    ['ENDED', null, ['price']],
  ])
  expect((await service.json('/api/gas-stations/changes?fuel=ADBLUE')).changes).toEqual([])
  expect((await service.json('/api/gas-stations/changes?province=Madrid')).changes).toEqual([])
})
