import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { duplicatesIn, withoutDuplicates } from '../../../../api/endpoints/road/same-incident.ts'
import type { Lake } from '../../../../lake/open.ts'
import { foldRoad, foldRoadSql } from '../../../../lake/places/road-key.ts'
import { join, type Sql, sql } from '../../../../lake/query/sql.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { openTestLake } from '../../../lake/query/fixtures.ts'

interface Report {
  readonly id: number
  readonly source: string
  readonly type: string
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly direction: string
  readonly province_code: string | null
  readonly position: { readonly lat: number; readonly lon: number } | null
}

const report = (values: Partial<Report>): Report => ({
  id: 1,
  source: 'dgt',
  type: 'ROADWORKS',
  road: 'AP-7',
  km: 10,
  km_to: 12,
  direction: 'POSITIVE',
  province_code: '17',
  position: null,
  ...values,
})
const catalan = report({ source: 'sct', id: 2 })
/** True where an incident is shown beside SCT's. */
const isShown = (values: Partial<Report>, other: Partial<Report> = {}): boolean =>
  withoutDuplicates([report(values), { ...catalan, ...other }]).some(({ id }) => id === 1)

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake?.close())

describe('an incident that both report is shown as the authority has it', () => {
  test('the same road, km and direction', () => {
    expect(isShown({})).toBe(false)
    expect(withoutDuplicates([report({}), catalan])).toEqual([catalan])
    expect(withoutDuplicates([catalan, report({ id: 3 }), report({})])).toEqual([catalan])
  })

  test.each([
    [{ road: 'ap7' }, false],
    [{ road: 'AP-71' }, true],
    [{ road: null }, true],
    [{ km: 12.9, km_to: 14 }, false],
    [{ km: 13, km_to: 14 }, true],
    [{ km: 9.5, km_to: 8 }, false],
    [{ km: 9, km_to: 8 }, true],
    [{ km: 11, km_to: null }, false],
    [{ km: null, km_to: null }, true],
    [{ km: 0, km_to: 2000 }, false],
    [{ direction: 'NEGATIVE' }, true],
    [{ direction: 'BOTH' }, false],
    [{ direction: 'UNKNOWN' }, false],
    [{ province_code: '08' }, false],
    [{ province_code: '25' }, false],
    [{ province_code: '43' }, false],
    [{ province_code: '22' }, true],
    [{ province_code: null }, true],
    [{ type: 'CONGESTION' }, false],
    [{ type: 'CLOSURE' }, false],
    [{ type: 'RESTRICTION' }, false],
    [{ type: 'OTHER' }, false],
    // An accident within works is another thing.
    [{ type: 'ACCIDENT' }, true],
    [{ source: 'dt_gv' }, false],
    [{ source: 'sct' }, true],
    [{ source: 'sct_situations' }, false],
  ])('%j beside SCT’s is shown: %s', (values, shown) => {
    expect(isShown(values)).toBe(shown)
  })

  test('the authority covers its own provinces only, and never has kilometres that it does not state', () => {
    expect(isShown({}, { province_code: '22' })).toBe(true)
    expect(isShown({}, { km: null, km_to: null })).toBe(true)
    expect(isShown({}, { type: 'CONGESTION' })).toBe(false)
    expect(isShown({ road: 'N-II', km: 700 }, { road: 'N-2', km: 700.5, km_to: null })).toBe(false)
  })

  test('where one states no kilometre their positions decide', () => {
    const at = (lat: number) => ({ km: null, km_to: null, position: { lat, lon: 2.5 } })
    expect(isShown(at(41.505), { position: { lat: 41.5, lon: 2.509 } })).toBe(false)
    expect(isShown(at(41.51), { position: { lat: 41.5, lon: 2.5 } })).toBe(true)
    expect(isShown(at(41.5))).toBe(true)
  })

  test('of two sources of an authority the first is preferred, and both to others', () => {
    const second = report({ source: 'sct_situations', id: 4 })
    expect(withoutDuplicates([report({}), second])).toEqual([second])
    expect(withoutDuplicates([report({}), second, catalan])).toEqual([catalan])
    const island = report({ source: 'mallorca', id: 5, road: 'Ma-13', province_code: '07' })
    expect(withoutDuplicates([report({ road: 'MA-13', province_code: '07' }), island])).toEqual([island])
  })

  test('without it nothing is left out', () => {
    const all = [report({}), report({ id: 3 })]
    expect(withoutDuplicates(all)).toEqual(all)
  })
})

/** A query of rows, each with its place in the list. */
function table(rows: readonly Readonly<Record<string, string | number | null>>[], types: Readonly<Record<string, Sql>>): Sql {
  const selects = rows.map(
    (row, at) =>
      sql`SELECT ${at} AS nth, ${join(Object.entries(types).map(([name, type]) => sql`CAST(${row[name] ?? null} AS ${type}) AS ${NAMES[name] as Sql}`))}`,
  )
  return sql`(${join(selects, sql` UNION ALL `)})`
}
const NAMES: Readonly<Record<string, Sql>> = {
  source: sql`source`,
  type: sql`type`,
  road: sql`road`,
  km: sql`km`,
  km_to: sql`km_to`,
  direction: sql`direction`,
  province_code: sql`province_code`,
  municipality_code: sql`municipality_code`,
  position_lat: sql`position_lat`,
  position_lon: sql`position_lon`,
}
const TEXT = sql`VARCHAR`
const KM = sql`DECIMAL(9, 3)`
const DEGREES = sql`DOUBLE`
const chosen = async (query: Sql): Promise<number[]> => (await lake.query(query)).map((row) => Number(row['nth']))

const km = fc.option(
  fc.integer({ min: 0, max: 80 }).map((value) => value / 4),
  { nil: null },
)
describe('SQL chooses the same as JavaScript', () => {
  test('doubles', async () => {
    const reported = fc.record({
      source: fc.constantFrom('sct', 'dgt', 'sct_situations', 'mallorca'),
      type: fc.constantFrom('ROADWORKS', 'ACCIDENT', 'CONGESTION'),
      road: fc.constantFrom('A-2', 'a2', 'N-II', 'N2', null),
      km,
      km_to: km,
      direction: fc.constantFrom('POSITIVE', 'NEGATIVE', 'BOTH'),
      province_code: fc.constantFrom('08', '17', '22', '07', null),
      position_lat: fc.constantFrom(41.5, 41.505, 41.52, null),
      position_lon: fc.constantFrom(2.5, 2.509, 2.52),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(reported, { minLength: 1, maxLength: 30 }), async (rows) => {
        const types = {
          source: TEXT,
          type: TEXT,
          road: TEXT,
          km: KM,
          km_to: KM,
          direction: TEXT,
          province_code: TEXT,
          position_lat: DEGREES,
          position_lon: DEGREES,
        }
        const lives = sql`SELECT *, 'ACTIVE' AS status, now() AS first_seen_at, now() AS observed_at FROM ${table(rows, types)}`
        const left = await chosen(
          sql`SELECT nth FROM (${lives}) ANTI JOIN (${duplicatesIn(lives, sql`nth`)}) AS doubles USING (nth) ORDER BY nth`,
        )
        const positionOf = ({ position_lat: lat, position_lon: lon }: (typeof rows)[number]) => (lat === null ? null : { lat, lon })
        const kept = withoutDuplicates(rows.map((row, at) => ({ ...row, position: positionOf(row), at })))
        expect(left).toEqual(kept.map(({ at }) => at))
      }),
      { numRuns: 25 },
    )
  })

  test('two that never went on at once are two', async () => {
    const life = (source: string, from: string, until: string | null): Sql =>
      sql`SELECT ${source} AS nth, ${source} AS source, 'ROADWORKS' AS type, 'A-2' AS road, 5.0 AS km, NULL AS km_to, 'BOTH' AS direction, '08' AS province_code, NULL::DOUBLE AS position_lat, NULL::DOUBLE AS position_lon, CAST(${from} AS TIMESTAMPTZ) AS first_seen_at, CAST(${until ?? from} AS TIMESTAMPTZ) AS observed_at, ${until ? 'ENDED' : 'ACTIVE'} AS status`
    const shown = async (dgt: [string, string | null], sct: [string, string | null]): Promise<string[]> => {
      const lives = sql`${life('dgt', ...dgt)} UNION ALL ${life('sct', ...sct)}`
      const rows = await lake.query(
        sql`SELECT source FROM (${lives}) ANTI JOIN (${duplicatesIn(lives, sql`nth`)}) AS doubles USING (nth) ORDER BY source`,
      )
      return rows.map((row) => String(row['source']))
    }
    expect(await shown(['2026-03-01', null], ['2026-03-02', null])).toEqual(['sct'])
    expect(await shown(['2026-03-01', '2026-03-03'], ['2026-03-02', null])).toEqual(['sct'])
    expect(await shown(['2026-03-01', '2026-03-02'], ['2026-03-02', null])).toEqual(['dgt', 'sct'])
    expect(await shown(['2026-03-04', null], ['2026-03-02', '2026-03-03'])).toEqual(['dgt', 'sct'])
  })

  test('designations fold alike', async () => {
    const odd = [
      'N-I',
      'N-II',
      'N-III',
      'N-IV',
      'N-V',
      'N-VI',
      'N-VII',
      'N-IIz',
      'n iii',
      'NIVa',
      'Ñ-2',
      'Çarretera·L·L',
      'AS-II',
      'N-IIA4',
      '-',
      'ß1',
    ]
    const texts = [...odd, ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 12 }), { numRuns: 200, seed: 7 })].filter(
      (text) => !text.includes('\u0000'),
    )
    const rows = await lake.query(
      sql`SELECT ${foldRoadSql(sql`road`)} AS folded FROM ${table(
        texts.map((road) => ({ road })),
        { road: TEXT },
      )} ORDER BY nth`,
    )
    expect(rows.map((row) => row['folded'])).toEqual(texts.map(foldRoad))
  })
})
