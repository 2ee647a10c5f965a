import { afterAll, beforeAll, expect, test } from 'vitest'
import { accidentHotspots } from '../../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../../lake/datasets/safety/road-accidents.ts'
import { utmToPoint } from '../../../../lake/places/utm.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { seeded } from '../../../../models/hotspots/chance.ts'
import { type HotspotsGiven, hotspotSets, hotspotsOf } from '../../../../models/hotspots/sets.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 10)
const dice = seeded('hotspot figures')
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(dice() * values.length)] as T

/** A year of a city: scattered accidents, two clusters, some without victims and some without a position. */
function yearOf(source: 'madrid' | 'barcelona', year: number, zone: 30 | 31): AnyRow[] {
  const corner = zone === 30 ? ([440_000, 4_474_000] as const) : ([428_000, 4_580_000] as const)
  const gathered = (x: number, y: number, count: number) => Array.from({ length: count }, () => [x + 90 * dice(), y + 90 * dice()] as const)
  const scattered = Array.from({ length: 60 }, () => [3000 * dice(), 3000 * dice()] as const)
  return [...scattered, ...gathered(700, 900, 30), ...gathered(2200, 2100, 18)].map(([dx, dy], at) => {
    const severity = oneOf(['FATAL', 'SERIOUS', 'SLIGHT', 'SLIGHT', 'NONE'])
    const start = Date.UTC(year, Math.floor(12 * dice()), 1 + Math.floor(28 * dice()), 10)
    return exampleTableRow(roadAccidents, {
      ...{ source, edition: `${source}-${year}`, accident_id: String(at).padStart(3, '0'), year, severity },
      ...{ period_start: start, period_end: start + 60_000, hour_local: oneOf([null, 8, 9, 14]), is_casualty: severity !== 'NONE' },
      ...{ killed_24h: severity === 'FATAL' ? 2 : 0, hospitalised_24h: severity === 'SERIOUS' ? 1 : 0, slight_24h: oneOf([0, 1, 3]) },
      ...{
        accident_type: oneOf([null, 'REAR_END', 'PEDESTRIAN']),
        road: null,
        street: oneOf(['CALL. UNA, 1', 'CALL. OTRA, 20, 20', null]),
      },
      ...(source === 'madrid' ? { province_code: '28', municipality_code: '28079' } : { province_code: '08', municipality_code: '08019' }),
      // One in ten has no position, and of 2020 none.
      position: year === 2020 || at % 10 === 3 ? null : utmToPoint(corner[0] + dx, corner[1] + dy, zone),
    })
  })
}

const ACCIDENTS: readonly AnyRow[] = [
  ...[2020, 2024, 2025].flatMap((year) => yearOf('madrid', year, 30)),
  ...[2012, 2020, 2022].flatMap((year) => yearOf('barcelona', year, 31)),
  ...Array.from({ length: 7 }, (_, at) => exampleTableRow(roadAccidents, { accident_id: String(at), province_code: at < 5 ? '18' : '28' })),
]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.land(roadAccidents, ACCIDENTS, NOW)
  const sets = hotspotSets([...new Set(ACCIDENTS.map((row) => row['edition'] as string))]).filter(({ bandwidth_m }) => bandwidth_m === 100)
  for (const set of sets) {
    const accidents = ACCIDENTS.filter((row) => row['is_casualty'] && set.editions.includes(row['edition'] as string))
    const rows = await hotspotsOf(set, { accidents: accidents as unknown as HotspotsGiven['accidents'], before: [], runs: 199 })
    await service.land(
      accidentHotspots,
      rows.map((row) => exampleTableRow(accidentHotspots, row as AnyRow)),
      NOW,
    )
  }
})
afterAll(() => service?.close())

const ask = (query: string): Promise<GoldenRow[]> => golden(service.lake, [roadAccidents, accidentHotspots], query)

/** The edges of a polygon kept as well-known binary (little-endian, one ring), as a list of SQL values. */
function edgesOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  const [order, kind, rings, corners] = [bytes[0], bytes.readUInt32LE(1), bytes.readUInt32LE(5), bytes.readUInt32LE(9)]
  expect([order, kind, rings]).toEqual([1, 3, 1])
  const [lon, lat] = [0, 8].map((from) => Array.from({ length: corners as number }, (_, at) => bytes.readDoubleLE(13 + 16 * at + from)))
  const edges = Array.from({ length: (corners as number) - 1 }, (_, at) => [lon?.[at], lat?.[at], lon?.[at + 1], lat?.[at + 1]])
  return edges.map((edge) => `(${edge.map((value) => `${value}::DOUBLE`).join()})`).join()
}

/** The accidents inside a polygon: those from which a line to the east crosses an odd number of its edges. */
const insideSql = (hex: string, editions: readonly string[]): string => `
  WITH edges(x0, y0, x1, y1) AS (VALUES ${edgesOf(hex)}),
  located AS (
    SELECT * FROM road_accidents
    WHERE is_casualty AND position_lat IS NOT NULL AND edition IN (${editions.map((edition) => `'${edition}'`).join()})),
  inside AS (
    SELECT any_value(located) AS one FROM located, edges
    WHERE (y0 > position_lat) != (y1 > position_lat) AND position_lon < x0 + (x1 - x0) * (position_lat - y0) / (y1 - y0)
    GROUP BY edition, accident_id HAVING count(*) % 2 = 1)`

/** The SQL that counts the accidents inside. */
const COUNTED = [
  ['streets', `split_part(one.street, ', ', 1)`],
  ['by_type', `coalesce(one.accident_type, 'UNKNOWN')`],
  ['by_severity', 'one.severity'],
  ['by_hour', 'CAST(one.hour_local AS VARCHAR)'],
  ['by_year', 'CAST(one.year AS VARCHAR)'],
] as const

/** The accidents inside by a value, the most first. */
const countedSql = (value: string): string => `(
  SELECT list({'value': value, 'accidents': accidents} ORDER BY accidents DESC, value)
  FROM (SELECT ${value} AS value, count(*) AS accidents FROM inside GROUP BY 1) WHERE value IS NOT NULL)`

const EDITIONS = { madrid: ['madrid-2024', 'madrid-2025'], barcelona: ['barcelona-2020', 'barcelona-2022'] } as const

test.each([
  { source: 'madrid', kernel: 'epanechnikov', weighting: 'none' },
  { source: 'madrid', kernel: 'gaussian', weighting: 'severity' },
  { source: 'barcelona', kernel: 'epanechnikov', weighting: 'severity' },
  { source: 'barcelona', kernel: 'gaussian', weighting: 'none' },
] as const)('$source $kernel $weighting: each figure is that of plain SQL over the files', async ({ source, kernel, weighting }) => {
  const { hotspots } = await service.json(`/api/accidentes/hotspots?source=${source}&kernel=${kernel}&bandwidth=100&weighting=${weighting}`)
  const set = `${source}.${kernel}.100.${weighting}`
  const editions = EDITIONS[source]
  const kept = await ask(`
    SELECT hotspot_id, hex(area) AS area,
      row_number() OVER (ORDER BY density_km2 DESC) AS rank,
      round(100 * cume_dist() OVER (ORDER BY density_km2), 1) AS score
    FROM accident_hotspots WHERE hotspot_set = '${set}' ORDER BY density_km2 DESC`)
  expect(hotspots.map(({ id, rank, score }: Reply) => ({ id, rank, score }))).toEqual(
    kept.map(({ hotspot_id, rank, score }) => ({ id: hotspot_id, rank, score })),
  )
  expect(hotspots.length).toBeGreaterThanOrEqual(1)
  const [whole] = await ask(`
    SELECT list(DISTINCT year ORDER BY year) FILTER (position_lat IS NOT NULL) AS years,
      round(count(position_lat) / count(*), 4) AS coverage
    FROM road_accidents
    WHERE is_casualty AND year IN (SELECT year FROM road_accidents WHERE source = '${source}' AND position_lat IS NOT NULL)
      AND edition IN (${editions.map((edition) => `'${edition}'`).join()})`)
  expect(whole?.['years']).toEqual(source === 'madrid' ? [2024, 2025] : [2022])
  for (const [at, spot] of hotspots.entries()) {
    const [figures] = await ask(`${insideSql(kept[at]?.['area'] as string, editions)}
      SELECT count(*) AS accidents, sum(one.killed_24h) AS killed, sum(one.hospitalised_24h) AS serious, sum(one.slight_24h) AS slight,
        ${COUNTED.map(([member, value]) => `${countedSql(value)} AS ${member}`).join()}
      FROM inside`)
    const { streets, by_type, by_severity, by_hour, by_year, ...sums } = figures as GoldenRow & { streets: readonly GoldenRow[] | null }
    expect(spot).toMatchObject({ ...sums, ...whole, roads: (streets ?? []).slice(0, 3).map(({ value }) => value) })
    expect(spot.accidents).toBeGreaterThanOrEqual(3)
    const { meta: _meta, ...one } = await service.json(`/api/accidentes/hotspots/${spot.id}`)
    expect(one).toMatchObject({ ...spot, by_type, by_severity, by_hour, by_year })
  }
})

test.each([
  ['', 'true'],
  ['&province=Granada', `province_code = '18'`],
  ['&province=28', `province_code = '28'`],
  ['&municipality=Barcelona', `province_code = '08'`],
  ['&province=Soria', 'false'],
])('coverage%s is that of plain SQL over the files, of provinces without a position too', async (query, where) => {
  const expected = await ask(`
    SELECT source, province_code,
      CASE WHEN source = 'madrid' THEN '28079' WHEN source = 'barcelona' THEN '08019' ELSE max(municipality_code) END AS municipality_code,
      count(*) AS accidents, sum(CASE WHEN position_lat IS NULL THEN 0 ELSE 1 END) AS located, round(located / count(*), 4) AS share,
      coalesce(list(DISTINCT year ORDER BY year) FILTER (position_lat IS NOT NULL), []) AS located_years
    FROM road_accidents WHERE is_casualty AND ${where} GROUP BY source, province_code ORDER BY source, province_code`)
  const { coverage, hotspots } = await service.json(`/api/accidentes/hotspots?bandwidth=100${query}`)
  expect(coverage).toEqual(expected)
  // Without located accidents there is no black spot.
  const located = new Set(coverage.filter(({ located: some }: Reply) => some > 0).map((one: Reply) => one.province_code))
  for (const { province_code } of hotspots) expect(located).toContain(province_code)
})
