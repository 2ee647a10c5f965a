import { describe, expect, test } from 'vitest'
import { defineFeed } from '../../../jobs/feeds/define.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { collectNotes } from '../../../jobs/ingest/notes.ts'
import type { Publication } from '../../../jobs/ingest/parse.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'

const NOON = Date.UTC(2026, 3, 29, 12)
const feed = defineFeed({
  id: 'fuel_stations',
  domain: 'fuel',
  source: miteco,
  into: [fuelStations],
  every_s: 1800,
  plans: [],
  bands: { fuel_stations: { atLeast: 100, minRatio: 0.95, maxRatio: 1.1 } },
  blocks: { fuel_stations: 'province_code' },
  rows: () => [],
})

function publication(counts: Record<string, number>, publishedAt: number | null = NOON, bad = 0): Publication {
  const { report } = collectNotes()
  report.publishedAt = publishedAt
  if (bad > 0) report.quarantined.fuel_stations = { 'price is null': bad }
  const rows = Object.entries(counts).flatMap(([province_code, count]) => Array.from({ length: count }, () => ({ province_code })))
  return { rows: new Map([['fuel_stations', rows]]), report, data_time: publishedAt ?? NOON, fetched_at: NOON }
}

function last(counts: Record<string, number>, at = NOON - 1_800_000, missing: string[] = []): AcceptedFetch {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    seq: 1,
    fetch_id: 'fuel_stations.x',
    feed: 'fuel_stations',
    fetched_at: new Date(at).toISOString(),
    data_time: new Date(at).toISOString(),
    bodies: [],
    rows: { fuel_stations: rows },
    blocks: { fuel_stations: counts },
    missing_blocks: missing.length > 0 ? { fuel_stations: missing } : {},
    quarantined: 0,
    unknown_codes: 0,
    rejected: null,
    accepted_by: 'guard',
  }
}

describe('the guard', () => {
  test('takes a first publication of the least size and refuses a smaller one', () => {
    expect(judge(feed, publication({ '08': 100 }), null).kind).toBe('accept')
    expect(judge(feed, publication({ '08': 99 }), null)).toMatchObject({
      kind: 'reject',
      reason: 'fuel_stations: 99 rows, at least 100 expected',
    })
  })

  test('refuses the drop of 2026-04-29, 12,187 to 11,408 stations', () => {
    const verdict = judge(feed, publication({ '08': 5_704, '28': 5_704 }), last({ '08': 6_093, '28': 6_094 }))
    expect(verdict).toMatchObject({ kind: 'reject', reason: expect.stringContaining('11408 rows after 12187, 93.6 %') })
  })

  test('a publication time again is a success that adds nothing, an older one is refused, one ahead of the clock too', () => {
    expect(judge(feed, publication({ '08': 100 }, NOON), last({ '08': 100 }, NOON)).kind).toBe('unchanged')
    expect(judge(feed, publication({ '08': 100 }, NOON - 1), last({ '08': 100 }, NOON))).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('older'),
    })
    expect(judge(feed, publication({ '08': 100 }, NOON + 11 * 60_000), null)).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('ahead'),
    })
  })

  test('a block gone whole is flagged and left out of the comparison, until it comes back', () => {
    const before = last({ '08': 500, '28': 500, '41': 300 })
    const gone = judge(feed, publication({ '08': 500, '28': 500 }), before)
    expect(gone).toMatchObject({ kind: 'accept', missing: { fuel_stations: ['41'] } })
    const still = judge(feed, publication({ '08': 500, '28': 500 }), last({ '08': 500, '28': 500 }, NOON - 1, ['41']))
    expect(still).toMatchObject({ kind: 'accept', missing: { fuel_stations: ['41'] } })
    const back = judge(feed, publication({ '08': 500, '28': 500, '41': 20 }), last({ '08': 500, '28': 500 }, NOON - 1, ['41']))
    expect(back).toMatchObject({ kind: 'accept', missing: {} })
  })

  test('a block too small to judge by is no missing block', () => {
    expect(judge(feed, publication({ '08': 500 }), last({ '08': 500, '51': 12 }))).toMatchObject({ kind: 'accept', missing: {} })
  })

  test('half a publication is refused', () => {
    const verdict = judge(feed, publication({ '08': 500 }), last({ '08': 500, '28': 500, '41': 300 }))
    expect(verdict).toMatchObject({ kind: 'reject', reason: 'fuel_stations: 2 of 3 blocks missing' })
  })

  test('a publication of which a fifth is quarantined is a changed format', () => {
    expect(judge(feed, publication({ '08': 400 }, NOON, 100), null).kind).toBe('accept')
    expect(judge(feed, publication({ '08': 400 }, NOON, 101), null)).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('101 of 501 rows quarantined'),
    })
  })
})
