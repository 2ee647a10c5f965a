import { describe, expect, test } from 'vitest'
import { advance, type DatasetState, emptyState, liveRows } from '../../../jobs/ingest/fold.ts'
import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 31, 23, 50)
const key = Buffer.from('00'.repeat(32), 'hex')

function beacon(id: string, km = 1): AnyRow {
  return {
    source: 'dgt',
    source_id: id,
    activated_at: START,
    road: 'A-7',
    km,
    direction: 'POSITIVE',
    province_code: '30',
    municipality_code: '30024',
    municipality: 'Lorca',
    position: { lat: 37.6, lon: -1.7 },
  }
}

/** Folds publications given as minute after the start and their beacons. The parser reports some of the blocks as missing. */
function run(state: DatasetState, minute: number, rows: AnyRow[], said: string[] = []) {
  const data_time = START + minute * MINUTE
  const counts = rows.length > 0 ? { '30': rows.length } : {}
  const rule = { column: 'province_code', least: 3 }
  const facts = { fetch_id: `dgt_incidents.${minute}`, data_time, blocks: { counts, said }, rule }
  return advance(v16Beacons, state, { rows, facts, key })
}

/** Live rows of a state by entity key. */
function live(state: DatasetState, dataset: Dataset = v16Beacons): Map<string, AnyRow> {
  return new Map(liveRows(dataset, state, null))
}

describe('a thing in no block', () => {
  /** Folds a publication whose block is missing from the second on. */
  const publish = (state: DatasetState, minute: number, unplaced: readonly string[]) => {
    const rows = unplaced.map((id) => ({ ...beacon(id), province_code: null }))
    const blocks = minute === 0 ? { counts: { '30': 3 }, said: [] } : { counts: {}, said: ['30'] }
    const facts = {
      fetch_id: `dgt_incidents.${minute}`,
      data_time: START + minute * MINUTE,
      blocks,
      rule: { column: 'province_code', least: 3 },
    }
    return advance(v16Beacons, state, { rows, facts, key })
  }

  test('that was seen while a block was missing ends though the block still is; one that was seen before may be in it', () => {
    const state = emptyState()
    publish(state, 0, ['before'])
    publish(state, 1, ['since'])
    for (const minute of [2, 3]) expect(publish(state, minute, []).changes).toEqual([])
    expect(publish(state, 4, []).changes).toMatchObject([{ kind: 'ENDED', row: { source_id: 'since' } }])
    for (const minute of [5, 6, 7]) expect(publish(state, minute, []).changes).toEqual([])
    expect(state.entries.get('dgt\u001fbefore')?.status).toBe('ACTIVE')
  })
})

describe('the fold over accepted fetches', () => {
  test('gives a new thing an id that only its life decides, and a new life a new one', () => {
    const state = emptyState()
    const first = run(state, 0, [beacon('a')]).rows[0]
    expect(first?.beacon_id).toMatch(/^v16_[0-9A-HJKMNP-TV-Z]{16}$/)
    run(state, 1, [beacon('a', 2)])
    expect(state.entries.get('dgt\u001fa')?.row.beacon_id).toBe(first?.beacon_id)
    const again = emptyState()
    expect(run(again, 0, [beacon('a')]).rows[0]?.beacon_id).toBe(first?.beacon_id)
    const later = emptyState()
    expect(run(later, 1, [beacon('a')]).rows[0]?.beacon_id).not.toBe(first?.beacon_id)
  })

  test('lands a row only where a value other than the time differs', () => {
    const state = emptyState()
    expect(run(state, 0, [beacon('a')]).rows).toHaveLength(1)
    expect(run(state, 1, [beacon('a')])).toEqual({ rows: [], changes: [] })
    const moved = run(state, 2, [beacon('a', 2)])
    expect(moved.changes).toMatchObject([{ kind: 'UPDATED', changed: ['km'] }])
    expect(moved.rows).toMatchObject([
      { km: 2, observed_at: START + 2 * MINUTE, updated_at: START + 2 * MINUTE, status: 'ACTIVE', is_baseline: false },
    ])
  })

  test('ends a thing in the third newer publication without it, and says when it was seen last', () => {
    const state = emptyState()
    run(state, 0, [beacon('a'), beacon('b')])
    expect(run(state, 1, [beacon('b')]).rows).toEqual([])
    expect(live(state).get('dgt\u001fa')?.is_stale).toBe(true)
    expect(run(state, 2, [beacon('b')]).rows).toEqual([])
    const over = run(state, 3, [beacon('b')])
    expect(over.changes).toMatchObject([{ kind: 'ENDED', key: 'dgt\u001fa' }])
    expect(over.rows).toMatchObject([{ status: 'ENDED', last_seen_at: START, observed_at: START + 3 * MINUTE }])
    expect([...live(state).keys()]).toEqual(['dgt\u001fb'])
  })

  test('ends a thing at once where each publication of its dataset is the whole truth', () => {
    const state = emptyState()
    const dataset: Dataset = { ...v16Beacons, absencesToEnd: 1 }
    const publish = (minute: number, rows: AnyRow[]) =>
      advance(dataset, state, {
        rows,
        facts: { fetch_id: `dgt_incidents.${minute}`, data_time: START + minute * MINUTE, blocks: { counts: {}, said: [] }, rule: null },
        key,
      })
    publish(0, [beacon('a'), beacon('b')])
    const over = publish(1, [beacon('b')])
    expect(over.changes).toMatchObject([{ kind: 'ENDED', key: 'dgt\u001fa' }])
    expect(over.rows).toMatchObject([{ status: 'ENDED', last_seen_at: START, observed_at: START + MINUTE }])
  })

  test('an absence in between restarts the count', () => {
    const state = emptyState()
    run(state, 0, [beacon('a')])
    run(state, 1, [])
    run(state, 2, [])
    run(state, 3, [beacon('a')])
    run(state, 4, [])
    expect(run(state, 5, []).rows).toEqual([])
    expect(run(state, 6, []).rows).toMatchObject([{ status: 'ENDED' }])
  })

  test('absence in a missing block counts for nothing', () => {
    const state = emptyState()
    run(state, 0, [beacon('a')])
    for (let minute = 1; minute < 9; minute++) expect(run(state, minute, [], ['30']).rows).toEqual([])
    expect(live(state).size).toBe(1)
  })

  test('a return within 30 minutes of the end goes on with the same id, a later one begins a new life', () => {
    const state = emptyState()
    const id = run(state, 0, [beacon('a')]).rows[0]?.beacon_id
    for (const minute of [1, 2, 3]) run(state, minute, [])
    expect(run(state, 33, [beacon('a')]).changes).toMatchObject([{ kind: 'UPDATED', changed: ['status'], row: { beacon_id: id } }])
    for (const minute of [34, 35, 36]) run(state, minute, [])
    const recreated = run(state, 67, [beacon('a')]).changes
    expect(recreated).toMatchObject([{ kind: 'CREATED' }])
    expect(recreated[0]?.row.beacon_id).not.toBe(id)
  })

  test('a new partition opens with a full baseline that keeps the time of the last change', () => {
    const state = emptyState()
    run(state, 0, [beacon('a'), beacon('b')])
    const opened = run(state, 11, [beacon('a'), beacon('b', 5), beacon('c')])
    expect(opened.changes.map(({ kind, key: id }) => [kind, id])).toEqual([
      ['UPDATED', 'dgt\u001fb'],
      ['CREATED', 'dgt\u001fc'],
    ])
    const byId = new Map(opened.rows.map((row) => [row.source_id, row]))
    expect(byId.get('a')).toMatchObject({ is_baseline: true, observed_at: START + 11 * MINUTE, updated_at: START })
    expect(byId.get('b')).toMatchObject({ is_baseline: false, updated_at: START + 11 * MINUTE })
    expect(byId.size).toBe(3)
  })

  test('a catalogue entry is never ended by absence: it is MISSING, stays, and comes back', () => {
    const station = { station_id: '1', province_code: '08', brand: 'X' } as AnyRow
    const state = emptyState()
    const fold = (minute: number, rows: AnyRow[]) =>
      advance(fuelStations, state, {
        rows,
        facts: { fetch_id: `f.${minute}`, data_time: START + minute * MINUTE, blocks: { counts: {}, said: [] }, rule: null },
        key,
      })
    fold(0, [station])
    fold(1, [])
    fold(2, [])
    expect(fold(3, []).changes).toMatchObject([{ kind: 'UPDATED', changed: ['status'], row: { status: 'MISSING' } }])
    for (let minute = 4; minute < 100; minute++) expect(fold(minute * 60, []).changes).toEqual([])
    expect(live(state, fuelStations).get('1')?.status).toBe('MISSING')
    expect(fold(9000, [station]).changes).toMatchObject([{ kind: 'UPDATED', changed: ['status'], row: { status: 'ACTIVE' } }])
  })
})
