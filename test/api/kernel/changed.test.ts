import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advance, type DatasetState, emptyState, liveRows } from '../../../jobs/ingest/fold.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { LiveChange } from '../../../lake/live/types.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 31, 23, 40)
const PUBLICATIONS = 50

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

/** Figures between 0 and 1 that depend on the seed alone. */
function figures(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Values that a column may take, by column. */
type Values = Readonly<Record<string, readonly unknown[]>>

const INCIDENT: Values = {
  type: ['ACCIDENT', 'ROADWORKS'],
  source_type: ['a', 'b'],
  severity: ['LOW', 'HIGH'],
  road: [null, 'A-1', 'A-2'],
  km: [null, 0, 12.5],
  km_to: [null, 13],
  direction: ['BOTH', 'POSITIVE'],
  destination: [null, 'BURGOS'],
  province_code: [null, '18', '28'],
  municipality_code: [null, '18141'],
  municipality: [null, 'Murtas'],
  position: [null, { lat: 40, lon: -3 }, { lat: 41, lon: -4 }],
  to: [null, { lat: 42, lon: -5 }],
  description: ['Obras.', 'Accidente.'],
  description_en: ['Roadworks.', 'Accident.'],
  delay_minutes: [null, 0, 5],
  measures: [[], [{ kind: 'OTHER' }]],
  created_at: [START - 9 * MINUTE, START - 8 * MINUTE],
  starts_at: [null, START],
  expected_end_at: [null, START + MINUTE],
}
const PRICE: Values = { price: [1.4, 1.5, 1.6], price_unit: ['EUR/L', 'EUR/kg'], province_code: ['08', '17'] }

/** Publishes and lands the fold of things whose columns change now and then, that go and sometimes come back. */
async function publish(dataset: Dataset, things: readonly AnyRow[], values: Values): Promise<void> {
  const next = figures(5)
  const state: DatasetState = emptyState()
  const rows: AnyRow[] = []
  const now = things.map((thing) => ({ thing, isThere: true }))
  let at = START
  for (let nth = 0; nth < PUBLICATIONS; nth++) {
    at += next() < 0.1 ? 40 * MINUTE : MINUTE
    for (const one of now) {
      one.isThere = one.isThere ? next() > 0.1 : next() < 0.25
      if (next() < 0.3) continue
      for (const [name, pool] of Object.entries(values))
        if (next() < 0.15) one.thing = { ...one.thing, [name]: pool[Math.floor(next() * pool.length)] }
    }
    const given = now.filter(({ isThere }) => isThere).map(({ thing }) => thing)
    const facts = { fetch_id: `f.${nth + 1}`, data_time: at, blocks: { counts: {}, said: [] }, rule: null }
    const done = advance(dataset, state, { rows: given, facts, key: Buffer.alloc(32) })
    rows.push(...done.rows)
    const changes = done.changes.map(({ kind, key, changed, row }): LiveChange => ({ kind, key, changed, row }))
    await service.publish(
      dataset,
      [...liveRows(dataset, state, null)].map(([, row]) => row),
      { at, changes },
    )
  }
  await service.land(dataset, rows, at)
}

/** Names of the members that differ between two records; for a point both coordinates, as in replies. */
function differing(before: Reply, after: Reply): string[] {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const points = [
    ['lat', 'lon'],
    ['to_lat', 'to_lon'],
  ].flatMap((pair) => (pair.some((name) => names.includes(name)) ? pair : []))
  return [...new Set([...names, ...points])].sort()
}

/** All entries of a feed of changes, page by page. */
async function entries(path: string): Promise<Reply[]> {
  const all: Reply[] = []
  for (let next = `${path}?limit=100`, more = true; more; ) {
    const reply = await service.json(next)
    all.push(...reply.changes)
    more = reply.more
    next = `${path}?limit=100&cursor=${reply.next_cursor}`
  }
  return all
}

/** Checks each entry against the previous one of the same thing. Returns the kinds, and the number of returns. */
function checkEntries(all: readonly Reply[], idOf: (entry: Reply) => string, shown: (entry: Reply) => Reply): Map<string, number> {
  const last = new Map<string, Reply>()
  const kinds = new Map<string, number>()
  for (const entry of all) {
    const before = last.get(idOf(entry))
    kinds.set(entry.kind, (kinds.get(entry.kind) ?? 0) + 1)
    if (before?.kind === 'ENDED' && entry.kind === 'UPDATED') kinds.set('back', (kinds.get('back') ?? 0) + 1)
    if (entry.kind === 'CREATED') expect(entry.changed).toEqual([])
    else expect(entry.changed.toSorted()).toEqual(differing(shown(before), shown(entry)))
    last.set(idOf(entry), entry)
  }
  return kinds
}

describe('changed names the members that differ from the state before, and no other', () => {
  test('of incidents, in the feed and in the history', async () => {
    const things = Array.from({ length: 6 }, (_, n) => {
      const { status: _s, updated_at: _u, is_stale: _i, ...row } = exampleRow(incidents, { source_id: `s${n}` })
      return row
    })
    await publish(incidents, things, INCIDENT)
    const all = await entries('/api/incidents/changes')
    const kinds = checkEntries(
      all,
      (entry) => entry.id,
      (entry) => entry.incident,
    )
    for (const kind of ['CREATED', 'UPDATED', 'ENDED', 'back']) expect(kinds.get(kind), kind).toBeGreaterThan(2)
    for (const id of new Set(all.map((entry) => entry.id))) {
      const written = all.filter((entry) => entry.id === id)
      const { versions } = await service.json(`/api/incidents/${id}/history?limit=1000`)
      expect(versions.map((one: Reply) => [one.observed_at, one.changed])).toEqual(written.map((entry) => [entry.at, entry.changed]))
      for (const [at, one] of versions.entries()) {
        const { version, changed, ...shown } = one
        expect(version).toBe(at + 1)
        expect(shown).toEqual(written[at].incident)
      }
    }
  })

  test('of prices', async () => {
    const things = ['1', '2', '3', '4'].map((station_id) => ({
      station_id,
      product: 'DIESEL_A',
      price: 1.4,
      price_unit: 'EUR/L',
      province_code: '08',
    }))
    await publish(fuelPrices, things, PRICE)
    const kinds = checkEntries(
      await entries('/api/gas-stations/changes'),
      (entry) => entry.station_id,
      ({ kind: _k, at: _a, changed: _c, ...shown }) => shown,
    )
    for (const kind of ['CREATED', 'UPDATED', 'ENDED', 'back']) expect(kinds.get(kind), kind).toBeGreaterThan(1)
  })
})
