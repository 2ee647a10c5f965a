import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { ignRoads, provinceFile } from '../../../jobs/feeds/road/ign-roads.ts'
import { openNetwork } from '../../../jobs/feeds/road/network/layers.ts'
import { editionOf, partsOf, postKm, provinceOfFile, roadCode } from '../../../jobs/feeds/road/network/parts.ts'
import { openGeoPackage, readGeoPackageGeometry } from '../../../jobs/formats/geopackage.ts'
import { readShapeLines, readShapePoints } from '../../../jobs/formats/shapefile.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import { type LayerToWrite, writeGeoPackage } from '../../../scripts/stand-in/formats/geopackage.ts'
import { dbfTable, shapePoints } from '../../../scripts/stand-in/formats/shapefile.ts'
import { packZip } from '../../../scripts/stand-in/formats/zip.ts'

const CHANGED = Date.UTC(2026, 6, 3)
const folder = mkdtempSync(join(tmpdir(), 'network-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const TEXT = 'TEXT' as const
/** A line near Madrid, and one of the Barcelona side: a national file has both. */
const MADRID = [
  [-3.7, 40.4],
  [-3.69, 40.401],
] as const
const BARCELONA = MADRID.map(([lon, lat]) => [lon + 5.6, lat + 1.2] as const)

function sections(rows: readonly (readonly [values: readonly string[], line: readonly (readonly [number, number])[]])[]): LayerToWrite {
  const columns = { id_tramo: TEXT, id_vial: TEXT, nombre: TEXT, tipo_tramd: TEXT, sentido: TEXT, estadofisd: TEXT }
  const features = rows.map(([values, line]) => ({ values, line }))
  return { name: 'rt_tramo_vial', columns, geometry: 'LINESTRING', hasHeights: true, features }
}

function posts(name: string, rows: readonly (readonly [values: readonly string[], at: readonly [number, number]])[]): LayerToWrite {
  const columns = { id_vial: TEXT, nombre: TEXT, numero: TEXT }
  return { name, columns, geometry: 'POINT', hasHeights: false, features: rows.map(([values, at]) => ({ values, line: [at] })) }
}

const NATIONAL: readonly LayerToWrite[] = [
  sections([
    [['1', 'v1', 'Z-900', 'Troncal', '1', 'En servicio'], MADRID],
    [['2', 'v2', 'BV-9001', 'Troncal', '3', 'En construcción'], BARCELONA],
    [['3', 'v3', 'DESCONOCIDO', 'Troncal', '3', 'En servicio'], MADRID],
    [['4', 'v4', 'CALLE MAYOR', 'Troncal', '-998', ''], MADRID],
    [['5', 'v1', 'Z-900', 'Enlace', '-997', ''], MADRID.toReversed()],
    [['6', 'v1', 'Z-900', 'Troncal', '2', ''], [...MADRID].map(([lon, lat]) => [lon + 60, lat] as const)],
  ]),
  posts('rt_ppkk_p', [
    [['v1', 'Z-900', '12,000'], MADRID[0]],
    [['v1', '', '12,5'], MADRID[1]],
    [['', 'BV-9001', '3'], BARCELONA[0] as readonly [number, number]],
    [['v4', 'CALLE MAYOR', '14'], MADRID[0]],
    [['v1', 'Z-900', '7 BIS'], MADRID[0]],
  ]),
]

function fileOf(layers: readonly LayerToWrite[], name = 'national.gpkg'): string {
  const path = join(folder, name)
  writeFileSync(path, writeGeoPackage(layers, CHANGED))
  return path
}

function read(path: string, province: string | null) {
  const network = openNetwork(path)
  try {
    const { parts, leftOut } = partsOf(network, { province, edition: editionOf(network) })
    const linesOf = (bytes: Buffer) =>
      gunzipSync(bytes)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    return { parts: parts.map(({ bytes, ...part }) => ({ ...part, lines: linesOf(bytes) })), leftOut: Object.fromEntries(leftOut) }
  } finally {
    network.close()
  }
}

test('a national file is cut by province; only roads with a code, and posts with a kilometre, are kept', () => {
  const { parts, leftOut } = read(fileOf(NATIONAL), null)
  expect(parts.map(({ part, sections, posts }) => [part, sections, posts])).toEqual([
    ['08-2026-07-national', 1, 1],
    ['28-2026-07-national', 2, 2],
  ])
  expect(parts[1]?.lines.slice(1)).toEqual([
    ['s', '1', 'Z-900', 'Troncal', 1, null, null, true, [-3.7, 40.4, -3.69, 40.401]],
    ['s', '5', 'Z-900', 'Enlace', null, null, null, true, [-3.69, 40.401, -3.7, 40.4]],
    ['p', '1', 'Z-900', 12, -3.7, 40.4],
    ['p', '2', 'Z-900', 12.5, -3.69, 40.401],
  ])
  expect(parts[0]?.lines[1]?.[7]).toBe(false)
  expect(leftOut).toEqual({
    'sections without a road code': 2,
    'sections outside Spain': 1,
    'house numbers and posts of no road': 1,
    'posts without a kilometre': 1,
  })
})

test('a file of a province, zipped, gives the rows of its parts, wherever its sections are', async () => {
  const gpkg = writeGeoPackage(NATIONAL, CHANGED)
  const zip = packZip([{ name: 'RT/red_viaria.gpkg', pieces: [gpkg] }], CHANGED)
  const { counts, rows } = await parsePublication(ignRoads, [{ name: '19', bytes: zip }], CHANGED, { keeps: () => true })
  expect(Object.fromEntries(counts)).toEqual({ road_sections: 3, road_posts: 3 })
  expect(rows.get('road_sections')?.map(({ part, section_type, direction }) => [part, section_type, direction])).toEqual([
    ['19-2026-07-province', 'MAIN_LINE', 'POSITIVE'],
    ['19-2026-07-province', 'MAIN_LINE', 'BOTH'],
    ['19-2026-07-province', 'LINK', 'BOTH'],
  ])
})

test('shapefiles give the same, with names of columns that end in a capital D, heights and Latin-1', () => {
  const at = join(folder, 'RT_VIARIA')
  const write = (name: string, bytes: Buffer): void => writeFileSync(join(folder, name), bytes)
  write('rt_tramo_vial.shp', shapeLinesZ([MADRID, MADRID.toReversed()]))
  write(
    'rt_tramo_vial.dbf',
    dbfTable(
      ['id_tramo', 'id_vial', 'nombre', 'tipo_tramD', 'sentido'],
      [
        ['1', 'v1', 'Z-900', 'Vía de servicio', '1'],
        ['2', 'v2', 'CALLE MÁLAGA', 'Troncal', '3'],
      ],
    ),
  )
  write(
    'rt_portalpk_p.shp',
    shapePoints([
      { x: -3.7, y: 40.4 },
      { x: -3.7, y: 40.4 },
    ]),
  )
  write(
    'rt_portalpk_p.dbf',
    dbfTable(
      ['id_porpk', 'id_vial', 'nombre', 'numero'],
      [
        ['9', 'v1', '', '12,0'],
        ['8', 'v2', '', '12'],
      ],
    ),
  )
  const { parts, leftOut } = read(folder, '28')
  expect(parts.map(({ part, lines }) => [part, ...lines.slice(1)])).toEqual([
    [
      expect.stringMatching(/^28-\d{4}-\d\d-province$/),
      ['s', '1', 'Z-900', 'Vía de servicio', 1, null, null, true, [-3.7, 40.4, -3.69, 40.401]],
      ['p', '9', 'Z-900', 12, -3.7, 40.4],
    ],
  ])
  expect(leftOut).toEqual({ 'sections without a road code': 1, 'house numbers and posts of no road': 1 })
  expect(() => openNetwork(`${at}.gpkg`)).toThrow('RT_VIARIA.gpkg')
})

test('another file, another system of coordinates and a missing column are refused by name', () => {
  const other = join(folder, 'other.gpkg')
  writeFileSync(other, 'no database')
  expect(() => openNetwork(other)).toThrow('no GeoPackage: file is not a database')
  expect(() => openNetwork(fileOf([posts('rt_ppkk_p', [])], 'posts.gpkg'))).toThrow(
    'posts.gpkg has no layer rt_tramo_vial; it has rt_ppkk_p',
  )
  const path = fileOf(NATIONAL, 'utm.gpkg')
  const base = new DatabaseSync(path)
  base.exec('UPDATE gpkg_geometry_columns SET srs_id = 25830')
  base.exec('ALTER TABLE rt_ppkk_p RENAME COLUMN numero TO pk')
  base.close()
  expect(() => read(path, null)).toThrow('rt_tramo_vial has coordinates of EPSG:25830; EPSG:4258 and EPSG:4326 are read')
})

test('road codes, kilometres and the provinces of file names', () => {
  for (const code of [
    'A-7',
    'N-634',
    'BV-4023',
    'TE-V-8301',
    'Ma-1',
    'RM-F36',
    'N-121-A',
    'ARA-A1',
    'AS-I',
    'C-1412b',
    'M-30',
    'LU-P-2001',
  ])
    expect(roadCode(code)).toBe(code)
  for (const name of ['', 'DESCONOCIDO', 'NO APLICABLE', '-998', 'CALLE 12', 'AVENIDA DE LA PAZ', '12']) expect(roadCode(name)).toBeNull()
  expect(['12,5', '12.5', '12+300', '0', '12 BIS', 'S/N', '', '2500', '-1'].map(postKm)).toEqual([
    12.5,
    12.5,
    12.3,
    0,
    null,
    null,
    null,
    null,
    null,
  ])
  expect(provinces.map(({ code }) => provinceOfFile(provinceFile(code)))).toEqual(provinces.map(({ code }) => code))
  expect([provinceOfFile('RT_ALICANTE_ALACANT_gpkg.zip'), provinceOfFile('RT_MALAGA_shp.zip')]).toEqual(['03', '29'])
  expect([provinceOfFile('rt_viaria.gpkg'), provinceOfFile('RT_VIARIA'), provinceOfFile('espana.zip')]).toEqual([null, null, null])
})

describe('geometries of GeoPackages', () => {
  const blob = (envelope: number, wkb: Buffer): Buffer => {
    const bytes = Buffer.concat([Buffer.alloc(8 + [0, 32, 48, 48, 64][envelope]!), wkb])
    bytes.write('GP')
    bytes[3] = 1 | (envelope << 1)
    return bytes
  }
  const wkb = (type: number, dimensions: number, isLittle = true): Buffer => {
    const bytes = Buffer.alloc(9 + 16 * dimensions)
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    view.setUint8(0, isLittle ? 1 : 0)
    view.setUint32(1, type, isLittle)
    view.setUint32(5, 2, isLittle)
    for (let nth = 0; nth < 2 * dimensions; nth++) view.setFloat64(9 + 8 * nth, nth + 1, isLittle)
    return bytes
  }
  test('of two to four dimensions, both byte orders, any envelope, ISO and extended WKB', () => {
    expect(readGeoPackageGeometry(blob(0, wkb(2, 2)))).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
    ])
    expect(readGeoPackageGeometry(blob(1, wkb(1002, 3, false)))).toEqual([
      [
        [1, 2],
        [4, 5],
      ],
    ])
    expect(readGeoPackageGeometry(blob(2, wkb(2002, 3)))).toEqual([
      [
        [1, 2],
        [4, 5],
      ],
    ])
    expect(readGeoPackageGeometry(blob(4, wkb(3002, 4)))).toEqual([
      [
        [1, 2],
        [5, 6],
      ],
    ])
    expect(readGeoPackageGeometry(blob(0, wkb(0x8000_0002, 3)))).toEqual([
      [
        [1, 2],
        [4, 5],
      ],
    ])
    const multi = Buffer.concat([Buffer.from([1, 5, 0, 0, 0, 2, 0, 0, 0]), wkb(2, 2), wkb(2, 2)])
    expect(readGeoPackageGeometry(blob(0, multi))).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ])
  })
  test('empty ones are null, damaged ones and areas are errors', () => {
    const empty = blob(0, Buffer.alloc(0))
    empty[3] = 0x11
    expect(readGeoPackageGeometry(empty)).toBeNull()
    expect(() => readGeoPackageGeometry(Buffer.from('WKB00000'))).toThrow('does not begin with GP')
    expect(() => readGeoPackageGeometry(blob(0, wkb(2, 2).subarray(0, 30)))).toThrow('cut off')
    expect(() => readGeoPackageGeometry(blob(0, wkb(3, 2)))).toThrow('type 3; points and lines are read')
  })
})

test('a GeoPackage states its layers and their last change', () => {
  const { layers, close } = openGeoPackage(fileOf(NATIONAL, 'layers.gpkg'))
  expect([...layers.values()].map(({ name, rows, srs, changed }) => [name, rows, srs, changed])).toEqual([
    ['rt_ppkk_p', 5, 4258, '2026-07-03'],
    ['rt_tramo_vial', 6, 4258, '2026-07-03'],
  ])
  close()
})

test('shapes with heights are read without them', () => {
  expect([...readShapeLines(shapeLinesZ([MADRID]))]).toEqual([[MADRID.map((corner) => [...corner])]])
  const flat = shapePoints([{ x: 1, y: 2 }])
  expect(readShapePoints(flat)).toEqual([{ x: 1, y: 2 }])
  expect(() => [...readShapeLines(flat)]).toThrow('shapes of type 1, where lines (3) are expected')
})

/** A shapefile of lines with heights (type 13, PolyLineZ), one part each. */
function shapeLinesZ(lines: readonly (readonly (readonly [number, number])[])[]): Buffer {
  const contents = lines.map((line) => {
    const content = Buffer.alloc(48 + 16 * line.length + 16 + 8 * line.length)
    content.writeInt32LE(13, 0)
    content.writeInt32LE(1, 36)
    content.writeInt32LE(line.length, 40)
    for (const [nth, [x, y]] of line.entries()) {
      content.writeDoubleLE(x, 48 + 16 * nth)
      content.writeDoubleLE(y, 56 + 16 * nth)
    }
    return content
  })
  const records = contents.flatMap((content, nth) => {
    const head = Buffer.alloc(8)
    head.writeInt32BE(nth + 1, 0)
    head.writeInt32BE(content.length / 2, 4)
    return [head, content]
  })
  const bytes = Buffer.concat([Buffer.alloc(100), ...records])
  bytes.writeInt32BE(9994, 0)
  bytes.writeInt32BE(bytes.length / 2, 24)
  bytes.writeInt32LE(1000, 28)
  bytes.writeInt32LE(13, 32)
  return bytes
}
