import { describe, expect, test } from 'vitest'
import { type CompletenessGroups, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { LONG_DISTANCE_BAND } from '../../../jobs/feeds/rail/realtime.ts'
import { countRow, groupCounts, groupsOf } from '../../../jobs/ingest/completeness-groups.ts'
import { collectDiagnostics } from '../../../jobs/ingest/diagnostics.ts'
import { type Before, judge } from '../../../jobs/ingest/guard.ts'
import type { Publication } from '../../../jobs/ingest/parse.ts'
import { fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'

const NOON = Date.UTC(2026, 3, 29, 12)
const feed = defineFeed({
  id: 'fuel_stations',
  source: miteco,
  into: [fuelStations],
  every_s: 1800,
  plans: [],
  bands: { fuel_stations: { atLeast: 100, minRatio: 0.95, maxRatio: 1.1 } },
  groups: { fuel_stations: { column: 'province_code' } },
  rows: () => [],
})

function publication(counts: Record<string, number>, publishedAt: number | null = NOON, bad = 0): Publication {
  const { report } = collectDiagnostics()
  report.publishedAt = publishedAt
  if (bad > 0) report.quarantined.fuel_stations = { 'price is null': bad }
  const rows = Object.entries(counts).flatMap(([province_code, count]) => Array.from({ length: count }, () => ({ province_code })))
  return { ...counted(rows), report, data_time: publishedAt ?? NOON, fetched_at: NOON }
}

/** The counts of rows while they are parsed. */
function counted(rows: readonly { readonly province_code: unknown }[]): Pick<Publication, 'rows' | 'counts' | 'blocks'> {
  const blocks: Record<string, number> = {}
  for (const row of rows) countRow(blocks, groupsOf(row, 'province_code'))
  return { rows: new Map(), counts: new Map([['fuel_stations', rows.length]]), blocks: { fuel_stations: blocks } }
}

function last(counts: Record<string, number>, at = NOON - 1_800_000, missing: string[] = []): Before {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    last: {
      seq: 1,
      fetch_id: 'fuel_stations.x',
      feed: 'fuel_stations',
      fetched_at: new Date(at).toISOString(),
      data_time: new Date(at).toISOString(),
      bodies: [],
      rows: { fuel_stations: rows },
      blocks: { fuel_stations: counts },
      said_missing: {},
      quarantined: 0,
      unknown_codes: 0,
      rejected: null,
      accepted_by: 'guard',
    },
    missing: missing.length > 0 ? { fuel_stations: missing } : {},
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

  test('takes a publication without any row where its band says so, and still refuses half of one', () => {
    const band = { atLeast: 0, minRatio: 0.8, maxRatio: 1.1 }
    const of = (bands: Feed['bands'], count: number): string =>
      judge({ ...feed, bands, groups: {} }, publication({ '08': count }), last({ '08': 200 })).kind
    expect(of({ fuel_stations: { ...band, mayBeEmpty: true } }, 0)).toBe('accept')
    expect(of({ fuel_stations: { ...band, mayBeEmpty: true } }, 100)).toBe('reject')
    expect(of({ fuel_stations: band }, 0)).toBe('reject')
  })

  test('refuses the drop of 2026-04-29, 12,187 to 11,408 stations', () => {
    const verdict = judge(feed, publication({ '08': 5_704, '28': 5_704 }), last({ '08': 6_093, '28': 6_094 }))
    expect(verdict).toMatchObject({ kind: 'reject', reason: expect.stringContaining('11408 rows after 12187, 93.6 %') })
  })

  test('refuses a publication without a usable value in a column that many rows fill, but takes placeholders', () => {
    const of = (counts: Record<string, number>): ReturnType<typeof judge> => {
      const given = publication({ '08': 100 })
      given.report.unusable['fuel_stations'] = counts
      return judge(feed, given, null)
    }
    expect(of({ km: 20, road: 19 }).kind).toBe('accept')
    expect(of({ km: 21 })).toMatchObject({ kind: 'reject', reason: 'fuel_stations: none of the 21 values of km is usable' })
  })

  test('a first publication of another age is refused: its date was written or read wrongly', () => {
    const years = (count: number): number => NOON - count * 365 * 86_400_000
    expect(judge(feed, publication({ '08': 100 }, years(9.9)), null).kind).toBe('accept')
    expect(judge(feed, publication({ '08': 100 }, Date.UTC(1923, 0, 26)), null)).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('1923-01-26T00:00:00.000Z is more than ten years before the fetch'),
    })
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
    // However large it is; the others are compared meanwhile.
    const large = { '08': 500, '28': 500, '41': 700 }
    const without = last({ '08': 500, '28': 500 }, NOON - 1, ['41'])
    expect(judge(feed, publication(large), without)).toMatchObject({ kind: 'accept', missing: {} })
    expect(judge(feed, publication({ ...large, '28': 300 }), without)).toMatchObject({ kind: 'reject', reason: /800 rows after 1000/ })
  })

  test('a block too small to judge by is no missing block', () => {
    expect(judge(feed, publication({ '08': 500 }), last({ '08': 500, '51': 12 }))).toMatchObject({ kind: 'accept', missing: {} })
  })

  test('long-distance trains that are gone are believed after 15 minutes, for so long live data count', () => {
    const live = { ...feed, groups: {}, bands: { fuel_stations: LONG_DISTANCE_BAND } }
    const after = (count: number, seconds: number): string => {
      const now = publication({ '08': count })
      return judge(live, now, last({ '08': 100 }, NOON - 1000 * seconds)).kind
    }
    expect([after(59, 30), after(59, 900), after(0, 900), after(60, 30)]).toEqual(['reject', 'reject', 'reject', 'accept'])
    expect([after(59, 901), after(0, 901)]).toEqual(['accept', 'accept'])
  })

  test('of a few rows any may go soon, but not all; rows that do not show completeness do not count', () => {
    const live = { ...feed, groups: {}, bands: { fuel_stations: LONG_DISTANCE_BAND } }
    const after = (before: number, now: number, seconds = 30): string =>
      judge(live, publication({ '08': now }), last({ '08': before }, NOON - 1000 * seconds)).kind
    expect([after(19, 1), after(19, 0), after(20, 11), after(20, 12), after(1, 0, 901)]).toEqual([
      'accept',
      'reject',
      'reject',
      'accept',
      'accept',
    ])
    const rule = { column: 'province_code', least: Number.POSITIVE_INFINITY }
    const excepted = { ...feed, groups: { fuel_stations: rule }, bands: { fuel_stations: { ...LONG_DISTANCE_BAND, exceptGroups: ['41'] } } }
    const judged = (before: Record<string, number>, now: Record<string, number>) =>
      judge(excepted, publication(now), last(before, NOON - 30_000))
    expect(judged({ '08': 20, '41': 80 }, { '08': 20, '41': 1 })).toEqual({ kind: 'accept', missing: {} })
    expect(judged({ '08': 20, '41': 80 }, { '08': 20 })).toEqual({ kind: 'accept', missing: {} })
    expect(judged({ '08': 20, '41': 80 }, { '08': 10, '41': 80 })).toMatchObject({ kind: 'reject', reason: /10 rows after 20/ })
    expect(judged({ '41': 80 }, {})).toMatchObject({ kind: 'reject', reason: 'fuel_stations: no rows after 80' })
  })

  test('half a publication is refused', () => {
    const verdict = judge(feed, publication({ '08': 500 }), last({ '08': 500, '28': 500, '41': 300 }))
    expect(verdict).toMatchObject({ kind: 'reject', reason: 'fuel_stations: 2 of 3 blocks missing' })
  })

  test('a publication with a fifth in quarantine is a changed format', () => {
    expect(judge(feed, publication({ '08': 400 }, NOON, 100), null).kind).toBe('accept')
    expect(judge(feed, publication({ '08': 400 }, NOON, 101), null)).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('101 of 501 rows quarantined'),
    })
  })
})

describe('blocks as a feed declares them', () => {
  const declared = (blocks: CompletenessGroups): Feed => ({
    ...feed,
    groups: { fuel_stations: blocks },
    bands: { fuel_stations: { atLeast: 1, minRatio: 0.5, maxRatio: 2 } },
  })
  const alerts = (...nucleos: string[][]): Publication => ({
    ...publication({}),
    ...counted(nucleos.map((province_code) => ({ province_code }))),
  })
  const lastAlerts = (rows: number, counts: Record<string, number>): Before => ({
    last: { ...last(counts).last, rows: { fuel_stations: rows } },
    missing: {},
  })

  test('a small block is missing where its feed says how few rows it may have', () => {
    const before = last({ '10': 40, '20': 24, '60': 9, '62': 3 })
    const without = publication({ '10': 40, '20': 24 })
    expect(judge(declared({ column: 'province_code' }), without, before)).toMatchObject({ kind: 'accept', missing: {} })
    expect(judge(declared({ column: 'province_code', least: 5 }), without, before)).toMatchObject({ missing: { fuel_stations: ['60'] } })
  })

  test('how many blocks may be missing is the feed’s to say', () => {
    const before = last({ '10': 100, '20': 100, '60': 100, '62': 100 })
    const one = publication({ '10': 100 })
    expect(judge(declared({ column: 'province_code' }), one, before)).toMatchObject({ reason: 'fuel_stations: 3 of 4 blocks missing' })
    expect(judge(declared({ column: 'province_code', mostMissing: 0.8 }), one, before)).toMatchObject({
      kind: 'accept',
      missing: { fuel_stations: ['20', '60', '62'] },
    })
  })

  test('a block is missing where the lake expects enough of it, not where it expects less, and as before where the lake does not know', () => {
    const rules = declared({ column: 'province_code', least: 3, mostMissing: 1, never: ['52'] })
    const now = publication({ '08': 10 })
    const missing = (before: Before | null, expected: Record<string, number>): unknown =>
      judge(rules, now, before, { fuel_stations: expected }).kind === 'accept' &&
      (judge(rules, now, before, { fuel_stations: expected }) as { missing: unknown }).missing
    const had = last({ '08': 10, '28': 3, '41': 3 }, NOON - 60_000, ['50'])
    expect(missing(null, { '08': 9, '28': 3, '41': 2, '52': 9 })).toEqual({ fuel_stations: ['28'] })
    expect(missing(had, { '28': 2, '41': 3, '50': 0 })).toEqual({ fuel_stations: ['41'] })
    expect(missing(had, { '28': 3 })).toEqual({ fuel_stations: ['28', '41', '50'] })
    expect(missing(had, {})).toEqual({ fuel_stations: ['28', '41', '50'] })
  })

  test('the number of expected things of a block may be set apart from the number of rows that it had', () => {
    const rules = declared({ column: 'province_code', least: 2, leastExpected: 1, mostMissing: 1 })
    const before = last({ '08': 10, '28': 1, '41': 2 })
    const now = publication({ '08': 10 })
    expect(judge(rules, now, before, { fuel_stations: {} })).toMatchObject({ missing: { fuel_stations: ['41'] } })
    expect(judge(rules, now, before, { fuel_stations: { '28': 1, '41': 0 } })).toMatchObject({ missing: { fuel_stations: ['28'] } })
  })

  test('a row of a list counts for its block, once, and for none where it is in several or the list is empty', () => {
    expect(alerts(['10', '20'], ['10', '10'], [], ['51']).blocks).toEqual({ fuel_stations: { '10': 1, '51': 1 } })
  })

  test('where a block of a list is missing, the rows that are in one of the others alone are compared', () => {
    const rules = declared({ column: 'province_code', least: 2, mostMissing: 0.7 })
    // Nine alerts: four of Madrid, two of Asturias, two of Rodalies, and one of Madrid and Asturias.
    const before = lastAlerts(9, { '10': 4, '20': 2, '51': 2 })
    const now = alerts(['10'], ['10'], ['10'], ['10'], ['51'], ['51'])
    expect(judge(rules, now, before)).toMatchObject({ kind: 'accept', missing: { fuel_stations: ['20'] } })
    // The one of both hides nothing, there or not: three of the six that are of one of the others are.
    expect(judge(rules, alerts(['51'], ['51'], ['10'], ['10', '20']), before)).toMatchObject({
      kind: 'accept',
      missing: { fuel_stations: ['20'] },
    })
    expect(judge(rules, alerts(['51'], ['10']), before)).toMatchObject({
      kind: 'reject',
      reason: 'fuel_stations: 2 rows after 6, 33.3 % of them where at least 50.0 % is usual',
    })
  })

  test('blocks that were missing before are known nevertheless: the same gap is no greater the second time', () => {
    const rules = declared({ column: 'province_code' })
    const before = last({ '10': 100, '20': 100 }, NOON - 1_800_000, ['60', '62'])
    expect(judge(rules, publication({ '10': 100, '20': 100 }), before)).toMatchObject({
      kind: 'accept',
      missing: { fuel_stations: ['60', '62'] },
    })
    expect(judge(rules, publication({ '10': 100 }), before)).toMatchObject({ reason: 'fuel_stations: 3 of 4 blocks missing' })
  })

  test('a dataset whose blocks are counted in another lacks the same ones, and nothing else', () => {
    const blocks = {
      fuel_stations: { column: 'province_code', least: 2 },
      fuel_prices: { column: 'province_code', countedIn: 'fuel_stations' },
    }
    const both: Feed = { ...declared({ column: 'province_code' }), into: [fuelStations, fuelPrices], groups: blocks }
    const prices = (stations: Record<string, number>, priced: Record<string, number>): Publication => {
      const given = publication(stations)
      const counts = new Map([...given.counts, ['fuel_prices', publication(priced).counts.get('fuel_stations') ?? 0]])
      return { ...given, counts, blocks: groupCounts(both, given.blocks) }
    }
    const whole = last({ '10': 40, '20': 24 })
    const counts = { fuel_stations: { '10': 40, '20': 24 }, fuel_prices: { '10': 40, '20': 24 } }
    const before: Before = { ...whole, last: { ...whole.last, rows: { fuel_stations: 64, fuel_prices: 60 }, blocks: counts } }
    // No row of Asturias, whose stations are there: they rightly have none.
    expect(judge(both, prices({ '10': 40, '20': 24 }, { '10': 30 }), before)).toMatchObject({ kind: 'accept', missing: {} })
    const gone = { fuel_stations: ['20'], fuel_prices: ['20'] }
    expect(judge(both, prices({ '10': 40 }, { '10': 30 }), before)).toMatchObject({ kind: 'accept', missing: gone })
    const still: Before = { ...last({ '10': 40 }), missing: gone }
    expect(judge(both, prices({ '10': 40 }, {}), still)).toMatchObject({ missing: gone })
    expect(judge(both, prices({ '10': 40, '20': 1 }, {}), still)).toMatchObject({ missing: {} })
  })
})
