import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mitmaZonePoints } from '../../../jobs/feeds/mobility/mitma-zone-points.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { placeAt } from '../../../lake/places/municipalities.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dbfTable, shapePoints } from '../../../scripts/stand-in/formats/shapefile.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const file = (name: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures/mitma_zone_points/centroids.parts', name))
const [TABLE, SHAPES] = [file('municipios.dbf'), file('municipios.shp')]

async function pointsOf(files: Readonly<Record<string, Buffer>>) {
  const bodies = Object.entries(files).map(([name, bytes]) => ({ name, bytes }))
  const { rows, report } = await parsePublication(mitmaZonePoints, bodies, 0)
  return { report, rows: (rows.get('mobility_zone_points') ?? []) as readonly AnyRow[] }
}

/** The shapefile of municipal zones with some bytes replaced. */
function changed(write: (bytes: Buffer) => void): Readonly<Record<string, Buffer>> {
  const shapes = Buffer.from(SHAPES)
  write(shapes)
  return { 'municipios.dbf': TABLE, 'municipios.shp': shapes }
}

test('files that were cut, do not belong together or are of something else are refused', async () => {
  const whole = { 'municipios.dbf': TABLE, 'municipios.shp': SHAPES }
  const two = shapePoints([
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ])
  const cases: readonly (readonly [Readonly<Record<string, Buffer>>, string])[] = [
    [{ ...whole, 'municipios.dbf': TABLE.subarray(0, -90) }, 'the table was cut off: 3 rows are 308 bytes, there are 219'],
    [{ ...whole, 'municipios.dbf': TABLE.subarray(0, 40) }, 'the fields of the table have no end'],
    [{ ...whole, 'municipios.shp': SHAPES.subarray(0, -28) }, 'the shapefile was cut off: it says 184 bytes, there are 156'],
    [{ ...whole, 'municipios.shp': two }, 'municipios: 3 rows of the table for 2 shapes'],
    [changed((bytes) => bytes.writeInt32LE(5, 32)), 'shapes of type 5, where points (1) are expected'],
    [changed((bytes) => bytes.writeInt32BE(7, 128)), 'shape 2 is numbered 7'],
    [changed((bytes) => bytes.writeInt32LE(3, 136)), 'shape 2 is of type 3'],
    [changed((bytes) => bytes.writeInt32BE(11, 132)), 'shape 2 has 22 bytes'],
    [changed((bytes) => bytes.writeInt32LE(1001, 28)), 'a shapefile of version 1001'],
    [{ ...whole, 'municipios.shp': TABLE }, 'no shapefile'],
    [{ ...whole, 'municipios.dbf': SHAPES }, 'no dBASE III table'],
    [{ ...whole, 'municipios.dbf': dbfTable(['ZONA'], [['1'], ['2'], ['3']]) }, 'MUNICIPALITY has no ID'],
    [{ 'municipios.shp': SHAPES }, 'municipios: a shapefile is a .shp and a .dbf, and one of them is not there'],
  ]
  for (const [files, reason] of cases) await expect(pointsOf(files), reason).rejects.toThrow(reason)
})

test('rows without an id or a place are counted; a row marked as deleted is left out', async () => {
  const table = dbfTable(['ID', 'FUENTE'], [['01001'], [''], ['01002'], ['Cañada'], ['01004']])
  table[97 + 4 * 161] = 0x2a
  const shapes = shapePoints([1, 2, 3, 4, 5].map((x) => ({ x: 500_000 + x, y: 4_500_000 })))
  shapes.writeDoubleLE(Number.NaN, 100 + 2 * 28 + 12)
  const { rows, report } = await pointsOf({ 'municipios.dbf': table, 'municipios.shp': shapes })
  expect(report).toMatchObject({
    quarantined: { mobility_zone_points: { 'no ID': 1, 'x is no number': 1 } },
    unknownCodes: { mitma_zone_points_column: { FUENTE: 1 } },
  })
  expect(rows.map(({ zone_id }) => zone_id)).toEqual(['01001', 'Cañada'])
})

test.skipIf(!shared)(
  'the recorded files have 3,909 and 2,735 zones, 117 of each abroad, and municipalities are in their places',
  async () => {
    const folder = join(shared ?? '', 'feeds/mitma-movilidad/v2/zonificacion')
    const names = ['distritos', 'municipios'].flatMap((level) => ['dbf', 'shp'].map((kind) => [level, kind] as const))
    const { rows, report } = await pointsOf(
      Object.fromEntries(
        names.map(([level, kind]) => [`${level}.${kind}`, readFileSync(join(folder, `zonificacion_${level}_centroides.${kind}`))]),
      ),
    )
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    const figures = ['DISTRICT', 'MUNICIPALITY'].map((level) => {
      const zones = rows.filter(({ zone_level }) => zone_level === level)
      return [zones.length, zones.filter(({ zone_id }) => /^(FR|PT)/.test(zone_id as string)).length]
    })
    expect(figures).toEqual([
      [3909, 117],
      [2735, 117],
    ])
    const single = rows.filter(({ zone_level, zone_id }) => zone_level === 'MUNICIPALITY' && /^\d{5}$/.test(zone_id as string))
    const places = single.map(({ zone_id, position }) => ({ zone_id: zone_id as string, ...placeAt(position as Point) }))
    // The one of Sant Carles de la Ràpita is in its bay.
    const elsewhere = places.filter(({ zone_id, province_code }) => province_code !== zone_id.slice(0, 2))
    expect(elsewhere).toEqual([{ zone_id: '43136', province_code: null, municipality_code: null }])
    // Some are hollow, so that their centroid is a neighbour's.
    const own = places.filter(({ zone_id, municipality_code }) => municipality_code === zone_id)
    expect(single.length).toBeGreaterThan(1500)
    expect(own.length / places.length).toBeGreaterThan(0.97)
  },
)
