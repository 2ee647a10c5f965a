import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const HOUR = 3_600_000
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
})
afterAll(() => service?.close())

function incident(n: number, km: number | null): AnyRow {
  return exampleRow(incidents, { source_id: `s${n}`, incident_id: `inc_${n}`, km })
}

/** A list's rows by number, with the km that it is sorted by. */
type Rows = Readonly<Record<number, number | null>>

const rowsOf = (rows: Rows): AnyRow[] => Object.entries(rows).map(([n, km]) => incident(Number(n), km))
const km = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 5 }))
const list = fc.dictionary(fc.integer({ min: 0, max: 14 }).map(String), km, { minKeys: 1, maxKeys: 12 })

test('a row that is there throughout with the same sort key is listed exactly once, whatever else comes, goes or changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(list, { minLength: 2, maxLength: 5 }),
      fc.constantFrom('km', '-km', 'id', '-id'),
      fc.integer({ min: 1, max: 4 }),
      async (states, sort, limit) => {
        const seen: string[] = []
        let cursor: string | undefined
        let turn = 0
        const used: Rows[] = []
        do {
          const state = states[Math.min(turn, states.length - 1)] as Rows
          if (turn < states.length) await service.publish(incidents, rowsOf(state))
          used.push(state)
          const query = new URLSearchParams({ sort, limit: String(limit), ...(cursor ? { cursor } : {}) })
          const reply = await service.json(`/api/incidents?${query}`)
          expect(reply.total).toBe(Object.keys(state).length)
          seen.push(...reply.incidents.map((one: Reply) => one.id))
          cursor = reply.next_cursor
          turn++
        } while (cursor)
        const [first] = used as [Rows]
        const steady = Object.keys(first).filter((n) => used.every((state) => n in state && state[Number(n)] === first[Number(n)]))
        for (const n of steady) expect(seen.filter((id) => id === `inc_${n}`)).toHaveLength(1)
        // Rows whose sort key does not change are never listed twice, even where they come and go.
        for (const id of new Set(seen)) {
          const keys = new Set(
            used.flatMap((state) => {
              const n = id.slice(4)
              return n in state ? [state[Number(n)]] : []
            }),
          )
          if (keys.size === 1) expect(seen.filter((other) => other === id)).toHaveLength(1)
        }
      },
    ),
    { numRuns: 25 },
  )
})

describe('cursors', () => {
  const first = async (query: string): Promise<Reply> => service.json(`/api/incidents?${query}`)
  beforeAll(() => service.publish(incidents, rowsOf(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n, n])))))

  test('belong to filters and sort, not to fields, limit, language or format', async () => {
    const { next_cursor } = await first('limit=2&sort=km')
    const go = (query: string): Promise<Response> => service.get(`/api/incidents?${query}&cursor=${next_cursor}`)
    for (const query of ['sort=km&limit=3', 'sort=km&fields=id', 'sort=km&lang=en&format=geojson'])
      expect((await go(query)).status, query).toBe(200)
    for (const query of ['limit=2', 'sort=-km', 'sort=km&type=ROADWORKS', 'sort=km&province=Madrid']) {
      const response = await go(query)
      expect(response.status, query).toBe(400)
      expect((await response.json()) as Reply).toMatchObject({ code: 'invalid-cursor' })
    }
    expect((await service.get(`/api/v16?cursor=${next_cursor}`)).status).not.toBe(200)
  })

  test('cannot be made up', async () => {
    const { next_cursor } = await first('limit=2')
    const [body, signature] = next_cursor.split('.')
    const other = Buffer.from(JSON.stringify([9e9, ['inc_0']])).toString('base64url')
    for (const forged of [`${other}.${signature}`, `${body}.${signature.slice(1)}A`, `${body}x.${signature}`, body, `.${signature}`]) {
      expect((await service.get(`/api/incidents?limit=2&cursor=${forged}`)).status, forged).toBe(400)
    }
  })

  test('live for a day, and say when they have expired', async () => {
    const { next_cursor } = await first('limit=2')
    now = T0 + 23 * HOUR
    expect((await service.get(`/api/incidents?limit=2&cursor=${next_cursor}`)).status).toBe(200)
    now = T0 + 26 * HOUR
    const response = await service.get(`/api/incidents?limit=2&cursor=${next_cursor}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as Reply).detail).toContain('expired')
    now = T0
  })

  test('are in the Link header too', async () => {
    const response = await service.get('/api/incidents?limit=2&province=Granada')
    const { next_cursor } = (await response.json()) as Reply
    const link = response.headers.get('link') as string
    const path = /^<([^>]+)>; rel="next"$/.exec(link)?.[1] as string
    expect(new URL(path, service.url).searchParams.get('cursor')).toBe(next_cursor)
    expect((await service.json(path)).incidents[0].id).toBe('inc_2')
    expect((await service.get('/api/incidents?limit=100')).headers.get('link')).toBeNull()
  })
})

describe('pages of the lake', () => {
  const at = (minute: number): number => T0 + minute * 60_000
  const reading = (minute: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(trafficReadings, { sensor_id: 'p', observed_at: at(minute), ...values })
  const path = '/api/trafico/sensores/p/historico?interval=raw&limit=3&from=2026-01-02&to=2026-01-03'

  test('read the state that the first page read, once each, both ways', async () => {
    await service.land(
      trafficReadings,
      Array.from({ length: 10 }, (_, n) => reading(n)),
      at(10),
    )
    for (const sort of ['period_start', '-period_start']) {
      const seen: string[] = []
      const snapshots = new Set<string>()
      let next: string | undefined = `${path}&sort=${sort}`
      let extra = 100
      while (next) {
        const reply: Reply = await service.json(next)
        seen.push(...reply.history.map((one: Reply) => one.period_start))
        snapshots.add(reply.meta.snapshot)
        next = reply.next_cursor && `${path}&sort=${sort}&cursor=${reply.next_cursor}`
        await service.land(trafficReadings, [reading(extra++)], at(extra))
      }
      expect(snapshots.size).toBe(1)
      const times = seen.toSorted()
      expect(seen).toEqual(sort.startsWith('-') ? times.toReversed() : times)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.length).toBeGreaterThanOrEqual(10)
    }
  })

  test('can be read again by the name of their state', async () => {
    const first = await service.json(`${path}&total=exact`)
    await service.land(trafficReadings, [reading(500)], at(500))
    const again = await service.json(`${path}&total=exact&snapshot=${first.meta.snapshot}`)
    expect(again).toEqual({ ...first, next_cursor: expect.any(String) })
    expect((await service.json(`${path}&total=exact`)).total).toBe(first.total + 1)
    const [, id, covered, signature] = first.meta.snapshot.split('.')
    const forged = [`${id}.${covered}`, `${id}.999999999999999`, `${id}.999999999999999.${signature}`, `1.${covered}.${signature}`]
    for (const [at, rest] of forged.entries()) forged[at] = `traffic_readings.${rest}`
    for (const snapshot of [
      'nonsense',
      ...forged,
      'traffic_readings.98765.1',
      'incidents.1.1',
      'traffic_readings.99999999999999999999999.1',
    ]) {
      const response = await service.get(`${path}&snapshot=${snapshot}`)
      expect(response.status, snapshot).toBe(400)
      expect(((await response.json()) as Reply).errors[0].parameter).toBe('snapshot')
    }
  })
})
