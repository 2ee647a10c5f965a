import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { areasInThread } from '../../../jobs/feeds/mobility/mitma-areas.ts'
import { mitmaZoneAreas } from '../../../jobs/feeds/mobility/mitma-zone-areas.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { pointToUtm } from '../../../lake/places/utm.ts'
import type { Line, MultiPolygon } from '../../../lake/schema/columns.ts'
import { dbfTable, shapePolygons } from '../../../scripts/stand-in/formats/shapefile.ts'
import { PROJECT } from '../../laws/sources.ts'

const file = (name: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures/mitma_zone_areas/areas.parts', name))
const [TABLE, SHAPES] = [file('municipios.dbf'), file('municipios.shp')]
// The evening of the 15th in UTC.
const FETCHED_AT = Date.UTC(2026, 9, 15, 22, 30)

interface ZoneArea {
  readonly zone_level: string
  readonly zone_id: string
  readonly edition: string
  readonly observed_at: number
  readonly area: MultiPolygon
  readonly outline: MultiPolygon
}

async function areasOf(files: Readonly<Record<string, Buffer>>) {
  const bodies = Object.entries(files).map(([name, bytes]) => ({ name, bytes }))
  const { rows, report } = await parsePublication(mitmaZoneAreas, bodies, FETCHED_AT, { keeps: () => true })
  return { report, rows: (rows.get('mobility_zone_areas') ?? []) as unknown as readonly ZoneArea[] }
}

/** Zones of rings in UTM 30N. */
const zonesOf = (shapes: Parameters<typeof shapePolygons>[0], ids = shapes.map((_, at) => `zone ${at}`)) => ({
  'municipios.dbf': dbfTable(
    ['ID'],
    ids.map((id) => [id]),
  ),
  'municipios.shp': shapePolygons(shapes),
})

const utm = ([lon, lat]: Line[0]): [number, number] => {
  const { easting_m, northing_m } = pointToUtm({ lat, lon }, 30)
  return [easting_m, northing_m]
}
/** Signed area of rings in hectares, on the plane that they were drawn on. */
function hectares(rings: readonly Line[]): number {
  const doubled = rings.flatMap((ring) => {
    const corners = ring.map(utm)
    return corners.slice(1).map(([x, y], at) => (corners[at]?.[0] as number) * y - x * (corners[at]?.[1] as number))
  })
  return Math.round(doubled.reduce((sum, one) => sum + one, 0) / 2 / 10_000)
}

/** A shape that declares points and no rings, of the same number of bytes. */
function pointsWithoutRings(): Buffer {
  const square = box(500_000, 4_500_000, 1000)
  const bytes = shapePolygons([[square, square, square, square]])
  bytes.writeInt32LE(0, 144)
  bytes.writeInt32LE(21, 148)
  return bytes
}

const box = (x: number, y: number, side: number): [number, number][] => [
  [x, y],
  [x, y + side],
  [x + side, y + side],
  [x + side, y],
  [x, y],
]

test('zones have their parts and holes, by level, those of the Canaries by the same zone of UTM; outer rings run counter-clockwise', async () => {
  const { rows, report } = await areasOf({
    ...{ 'municipios.dbf': TABLE, 'municipios.shp': SHAPES },
    ...{ 'distritos.dbf': file('distritos.dbf'), 'distritos.shp': file('distritos.shp') },
  })
  expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
  expect(
    rows.map(({ zone_level, zone_id, area }) => [zone_level, zone_id, area.map((part) => part.map((ring) => hectares([ring])))]),
  ).toEqual([
    ['DISTRICT', '0105901', [[1200]]],
    ['MUNICIPALITY', '01001', [[10_030, -400]]],
    ['MUNICIPALITY', '01002', [[400]]],
    ['MUNICIPALITY', '01047_AM', [[9970], [0], [600]]],
    ['MUNICIPALITY', '3501601', [[6300]]],
  ])
  const [, , , , canaries] = rows as [ZoneArea, ZoneArea, ZoneArea, ZoneArea, ZoneArea]
  expect(canaries.area[0]?.[0]?.at(-1)?.map((degrees) => degrees.toFixed(5))).toEqual(['-15.40000', '28.10000'])
  expect(new Set(rows.map(({ edition, observed_at }) => `${edition} ${observed_at}`))).toEqual(new Set([`2026-10-16 ${FETCHED_AT}`]))
})

test('outlines have fewer points, and no gap between zones that meet', async () => {
  const { rows } = await areasOf({ 'municipios.dbf': TABLE, 'municipios.shp': SHAPES })
  const [west, enclave, east] = rows as [ZoneArea, ZoneArea, ZoneArea]
  const points = ({ outline }: ZoneArea): number[] => outline.map((part) => part.reduce((sum, ring) => sum + ring.length, 0))
  // The bend and its surroundings; the islet of 30 m is left out.
  expect([points(west), points(enclave), points(east)]).toEqual([[8 + 5], [5], [8, 5]])
  const common = (west.outline[0]?.[0] ?? []).filter((point) => east.outline[0]?.[0]?.some((other) => String(other) === String(point)))
  expect(new Set(common.map(String)).size).toBe(5)
  expect(
    Math.abs(hectares([...west.outline.flat(), ...east.outline.flat()]) - hectares([...west.area.flat(), ...east.area.flat()])),
  ).toBeLessThan(3)
})

test('a hole is of the smallest polygon around it; one without is a polygon; rings without an area are left out', async () => {
  const hole = (x: number, y: number, side: number) => box(x, y, side).toReversed()
  const [x, y] = [500_000, 4_500_000]
  const flat: [number, number][] = [
    [x, y],
    [x + 5, y],
    [x, y],
    [x + 5, y],
    [x, y],
  ]
  const touching: [number, number][] = [
    [x, y + 20_000],
    [x + 2000, y + 21_000],
    [x + 1000, y + 22_000],
    [x, y + 20_000],
  ]
  const { rows, report } = await areasOf(
    zonesOf([
      [box(x, y, 9000), hole(x + 1000, y + 1000, 7000), box(x + 2000, y + 2000, 5000), hole(x + 3000, y + 3000, 1000)],
      [hole(x + 20_000, y, 1000)],
      [flat, box(x + 30_000, y, 1000), box(x + 40_000, y, 0.001)],
      [flat],
      [],
      // A hole that touches its polygon with a corner.
      [box(x, y + 20_000, 4000), touching],
    ]),
  )
  expect(report.quarantined).toEqual({ mobility_zone_areas: { 'no area': 2 } })
  const parts = rows.map(({ zone_id, area }) => [zone_id, area.map((part) => part.map((ring) => hectares([ring])))])
  expect(parts).toEqual([
    [
      'zone 0',
      [
        [8100, -4900],
        [2500, -100],
      ],
    ],
    ['zone 1', [[100]]],
    ['zone 2', [[100]]],
    ['zone 5', [[1600, -150]]],
  ])
})

test('shapes whose rings run the other way are turned, those in another system of coordinates are no zones', async () => {
  const [x, y] = [500_000, 4_500_000]
  const [outer, hole] = [box(x, y, 9000), box(x + 1000, y + 1000, 7000).toReversed()]
  const [right, turned] = [
    [outer, hole],
    [outer.toReversed(), hole.toReversed()],
  ].map((rings) => areasOf(zonesOf([rings])))
  expect((await turned)?.rows[0]?.area[0]?.map((ring) => hectares([ring]))).toEqual([8100, -4900])
  expect((await turned)?.rows[0]?.area[0]?.map((ring) => hectares([ring]))).toEqual(
    (await right)?.rows[0]?.area[0]?.map((ring) => hectares([ring])),
  )
  const degrees = box(-3, 40, 0.1)
  const elsewhere = [degrees, box(5e8, y, 9000), box(x, 5e7, 9000), box(x, -3e7, 9000), box(x, y, 0.001)].map((ring) => [ring])
  const { rows, report } = await areasOf(zonesOf([...elsewhere, [outer]]))
  expect(report.quarantined).toEqual({ mobility_zone_areas: { 'no area': 5 } })
  expect(rows.map(({ zone_id }) => zone_id)).toEqual(['zone 5'])
})

test('of many zones each is returned once, with an outline of its own, while others get their turn', async () => {
  const many = Array.from({ length: 450 }, (_, at) => [box(400_000 + 1000 * (at % 30), 4_400_000 + 1000 * Math.floor(at / 30), 1000)])
  const { rows, report } = await areasOf(zonesOf(many))
  expect([report.quarantined, new Set(rows.map(({ zone_id }) => zone_id)).size]).toEqual([{}, 450])
  for (const { area, outline } of rows) expect(Math.abs(hectares(outline.flat()) - hectares(area.flat()))).toBeLessThanOrEqual(1)
  for (const { area, outline } of rows)
    for (const [at, degrees] of (outline[0]?.[0]?.[0] ?? []).entries())
      expect(Math.min(...(area[0]?.[0] ?? []).map((corner) => Math.abs((corner[at] as number) - degrees)))).toBeLessThan(1e-5)
})

test('files that were cut and shapes of another kind are refused, a corner that is no number is left out', async () => {
  const whole = { 'municipios.dbf': TABLE, 'municipios.shp': SHAPES }
  const changed = (write: (bytes: Buffer) => void): Readonly<Record<string, Buffer>> => {
    const shapes = Buffer.from(SHAPES)
    write(shapes)
    return { ...whole, 'municipios.shp': shapes }
  }
  const bad = await areasOf(changed((bytes) => bytes.writeDoubleLE(Number.NaN, 100 + 8 + 52 + 16)))
  expect(bad.report.quarantined).toEqual({})
  expect([...bad.report.warnings]).toEqual([['municipios: 1 corners of areas are no position in Spain or beside it: left out', 1]])
  const intact = await areasOf(whole)
  const corners = ({ area }: ZoneArea): number => area.flat(2).length
  expect(bad.rows.map(corners)).toEqual(intact.rows.map((row, at) => corners(row) - (at === 0 ? 1 : 0)))
  const cases: readonly (readonly [Readonly<Record<string, Buffer>>, string])[] = [
    [{ ...whole, 'municipios.shp': SHAPES.subarray(0, -16) }, 'the shapefile was cut off'],
    [changed((bytes) => bytes.writeInt32LE(1, 32)), 'shapes of type 1, where polygons (5) are expected'],
    [changed((bytes) => bytes.writeInt32LE(15, 108)), 'shape 1 is of type 15, where polygons (5) are expected'],
    [changed((bytes) => bytes.writeInt32LE(30, 148)), 'shape 1 has 516 bytes, which 2 rings of 30 points are not'],
    [changed((bytes) => bytes.writeInt32LE(-1, 144)), 'which -1 rings'],
    [{ ...whole, 'municipios.shp': pointsWithoutRings() }, 'shape 1 has 380 bytes, which 0 rings of 21 points are not'],
    [zonesOf([Array.from({ length: 9 }, () => [])]), 'which 9 rings of 0 points are not'],
    [changed((bytes) => bytes.writeDoubleLE(0, 160)), 'ring 1 of shape 1 is not closed'],
    [changed((bytes) => bytes.writeInt32LE(90, 156)), 'ring 1 of shape 1 is of points 0 to 90 of 29'],
    [changed((bytes) => bytes.writeInt32LE(3, 152)), 'ring 1 of shape 1 is of points 3 to'],
    [{ ...whole, 'municipios.dbf': dbfTable(['ID'], [['1']]) }, 'municipios: 1 rows of the table for 4 shapes'],
  ]
  for (const [files, reason] of cases) await expect(areasOf(files), reason).rejects.toThrow(reason)
})

test('a file that takes longer, or more memory, than files do is refused, and what refuses it goes on', async () => {
  await expect(areasInThread(SHAPES, { timeout_ms: 1, heap_mb: 1024 })).rejects.toThrow(
    new FormatError('the polygons were not read within 0.001 seconds'),
  )
  const corners = Array.from({ length: 50 }, (_, at): [number, number] => [500_000 - at, 4_500_000 + at * at])
  const many = shapePolygons(Array.from({ length: 2000 }, () => [[...corners, corners[0] as [number, number]]]))
  await expect(areasInThread(many, { timeout_ms: 60_000, heap_mb: 5 })).rejects.toThrow(
    new FormatError('the polygons take more than 5 MB of memory'),
  )
  expect((await areasInThread(SHAPES)).areas).toHaveLength(4)
})
