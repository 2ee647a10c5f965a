import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listingOf } from '../../../jobs/feeds/periods.ts'
import { madridSensorEditions } from '../../../jobs/feeds/road/madrid-sensors.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'
import { bytesOf, standIn } from '../../publishers/helpers.ts'

const shared = sharedFolder()
const NOW = Date.parse('2026-11-01T00:00:00Z')
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const HEADER = ['tipo_elem', 'distrito', 'id', 'cod_cent', 'nombre', 'utm_x', 'utm_y', 'longitud', 'latitud']
/** The traces of former content in a spreadsheet. */
const BLANK = { name: 'Hoja1', rows: Array.from({ length: 2000 }, () => ['']) }

const parse = (bytes: Buffer, edition: string): Promise<Publication> =>
  parsePublication(madridSensorEditions, [{ name: edition, bytes }], NOW, { keeps: () => true })
const rowsOf = ({ rows }: Publication): readonly AnyRow[] => rows.get('traffic_sensor_editions') as readonly AnyRow[]
const fixture = (file: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures/madrid_sensor_editions', file))
const byId = (rows: readonly AnyRow[]): ReadonlyMap<unknown, AnyRow> => new Map(rows.map((row) => [row['sensor_id'], row]))

/** Metres between two positions of a city: a degree of latitude has 111.2 km. */
function metresBetween(one: Point, other: Point): number {
  const east = (one.lon - other.lon) * Math.cos((one.lat * Math.PI) / 180)
  return 111_195 * Math.hypot(east, one.lat - other.lat)
}

describe('an edition', () => {
  test('of either layout as CSV belongs to the requested month, and gives the places of its sensors', async () => {
    const [old, newer] = await Promise.all(['2018-02', '2023-07'].map(async (month) => parse(fixture(`${month}.csv`), month)))
    for (const { report } of [old, newer] as Publication[]) expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    const urban = {
      source: 'madrid',
      sensor_id: '100001',
      city: 'madrid',
      sensor_type: 'URBAN',
      name: 'Calle Inventada N-S',
      centre_code: '01001',
      municipality_code: '28079',
    }
    // The begin of the month by Madrid's clock.
    expect(rowsOf(old as Publication)).toEqual([
      expect.objectContaining({ sensor_id: '106663', sensor_type: 'M30', district: null }),
      {
        ...urban,
        ...{ edition: '2018-02', valid_from: Date.parse('2018-01-31T23:00:00Z'), district: null },
        position: { lat: 40.4305019, lon: -3.6883233 },
      },
    ])
    expect(rowsOf(newer as Publication)).toEqual([
      {
        ...urban,
        ...{ edition: '2023-07', valid_from: Date.parse('2023-06-30T22:00:00Z'), district: 4 },
        position: { lat: 40.4305047, lon: -3.6878517 },
      },
      expect.objectContaining({ sensor_id: '106663', sensor_type: 'M30', district: null }),
      expect.objectContaining({ sensor_id: '100777', sensor_type: 'OTHER', centre_code: '03FLPM10001' }),
    ])
  })

  test('as a workbook is the same, be its numbers text, and whatever its sheets are called', async () => {
    const csv = rowsOf(await parse(fixture('2023-07.csv'), '2023-07'))
    const lines = fixture('2023-07.csv').toString().trim().split('\n').slice(1)
    const cells = lines.map((line) => line.replaceAll('"', '').split(';'))
    const numbers = cells.map((fields) =>
      fields.map((field, at) => (field === '' ? null : [1, 2, 5, 6, 7, 8].includes(at) ? Number(field) : field)),
    )
    const typed = writeXlsx([{ name: 'Hoja1', rows: [HEADER, ...numbers] }], NOW)
    const asText = writeXlsx([BLANK, { name: 'camaras_fijas_bajo_cabeza_semaf', rows: [HEADER, ...cells] }], NOW)
    for (const workbook of [typed, asText]) {
      const read = await parse(workbook, '2023-07')
      expect(read.report.quarantined).toEqual({})
      expect(rowsOf(read)).toEqual(csv)
    }
    await expect(parse(writeXlsx([BLANK, { name: 'Otra', rows: [HEADER.slice(1)] }], NOW), '2023-07')).rejects.toThrow(
      'no sheet of the workbook has the columns of measuring points; there are Hoja1, Otra',
    )
    await expect(parse(typed.subarray(0, 600), '2023-07')).rejects.toThrow()
  })

  test('whose coordinates a spreadsheet has mangled is refused; a single one is left out', async () => {
    const header = 'idelem;tipo_elem;identif;nombre;st_x;st_y'
    const mangled = '1044;PUNTOS DE MEDIDA M-30;03FT08PM01;03FT08PM01;438.963.314.634.858;44.747.344.416.665'
    const good = '3600;PUNTOS DE MEDIDA URBANOS;01001;Calle Inventada N-S;441615,343346657;4475767,9421385'
    const file = (...lines: string[]): Buffer => Buffer.from(`${[header, ...lines].join('\r\n')}\r\n`)
    await expect(parse(file(mangled), '2016-12')).rejects.toThrow('none of the points has a position in Madrid')
    const read = await parse(file(mangled, good), '2016-12')
    expect(rowsOf(read)).toMatchObject([
      { sensor_id: '1044', sensor_type: 'M30', centre_code: '03FT08PM01', position: null },
      { sensor_id: '3600', sensor_type: 'URBAN', centre_code: '01001', position: { lat: 40.4305019, lon: -3.6883233 } },
    ])
    await expect(parse(Buffer.from(fixture('2018-02.csv').toString().replace('"y"', '"z"')), '2018-02')).rejects.toThrow('lacks y')
  })
})

test('the files of the portal are the editions that name a month, as CSV where there is one; shapes are left out', () => {
  const resource = (name: string, file: string) => ({ name, url: `https://datos.madrid.es/egob/catalogo/${file}` })
  const resources = [
    resource('2025. Enero', '202468-201-intensidad-trafico.csv'),
    resource('2025. Enero', '202468-202-intensidad-trafico-xlsx.xlsx'),
    resource('2025. Enero', '202468-203-intensidad-trafico.zip'),
    resource('Diciembre de 2024', '202468-156-intensidad-trafico-xlsx.xlsx'),
    resource('Ubicación de los puntos de medida', '202468-263-intensidad-trafico.csv'),
    resource('2024. Noviembre', '208627-77-transporte-ptomedida-historico.zip'),
  ]
  for (const listed of [resources, resources.toReversed()]) {
    const bytes = Buffer.from(JSON.stringify({ result: { resources: listed } }))
    const files = madridSensorEditions.archive?.files([{ name: 'list', bytes }], ALL) ?? []
    expect(listingOf('month', files, ALL)).toEqual({
      files: [
        { period: '2024-12', url: 'https://datos.madrid.es/egob/catalogo/202468-156-intensidad-trafico-xlsx.xlsx' },
        { period: '2025-01', url: 'https://datos.madrid.es/egob/catalogo/202468-201-intensidad-trafico.csv' },
      ],
      gaps: [],
    })
  }
})

test('the stand-in lists editions as CSV and as workbooks, in which sensors move and change their ids', async () => {
  await using publishers = await standIn({ at: Date.parse('2024-06-20T08:00:00Z'), scale: 'small' })
  const list = await bytesOf(publishers, originOf('')(madridSensorEditions.archive?.index[0]?.url as string))
  const { files } = listingOf('month', madridSensorEditions.archive?.files([{ name: 'list', bytes: list }], ALL) ?? [], ALL)
  const editions = new Map<string, ReadonlyMap<unknown, AnyRow>>()
  for (const { period, url } of files.filter((one) => one.period >= '2023-11')) {
    expect([period, url.endsWith('.xlsx')]).toEqual([period, /-(01|12)$/.test(period)])
    const read = await parse(await bytesOf(publishers, originOf('')(url)), period)
    expect(read.report.quarantined).toEqual({})
    editions.set(period, byId(rowsOf(read)))
  }
  const [first, last] = [[...editions.values()][0], [...editions.values()].at(-1)] as [
    ReadonlyMap<unknown, AnyRow>,
    ReadonlyMap<unknown, AnyRow>,
  ]
  const moved = [...first].filter(([id, row]) => {
    const now = last.get(id)?.['position'] as Point | undefined
    return now !== undefined && metresBetween(row['position'] as Point, now) > 20
  })
  expect([first.size > 1000, moved.length > 10, moved.length < 50]).toEqual([true, true, true])
})

describe.skipIf(shared === null)('recorded editions', () => {
  const capture = (file: string): Buffer => readFileSync(join(shared as string, 'feeds', file))
  const typesOf = (rows: readonly AnyRow[]): Record<string, number> =>
    Object.fromEntries(
      Object.entries(Object.groupBy(rows, (row) => String(row['sensor_type']))).map(([type, some]) => [type, some?.length ?? 0]),
    )

  test.each([
    ['madrid-puntos-medida/pmed_2018-02.csv', '2018-02', 4072],
    ['madrid-puntos-medida/pmed_ubicacion_2023-07.csv', '2023-07', 4746],
    ['madrid-historico/pmed/202468-156-intensidad-trafico-xlsx.xlsx', '2024-06', 4913],
    ['madrid-historico/pmed/01-2025-posiciones-medidores.xlsx', '2025-01', 4960],
    ['madrid-historico/pmed/12-2025-posiciones-medidores.xlsx', '2025-12', 5024],
  ])('%s has the points of the notes, each with a position', async (file, edition, points) => {
    const read = await parse(capture(file), edition)
    const rows = rowsOf(read)
    expect([rows.length, read.report.quarantined, read.report.unknownCodes]).toEqual([points, {}, {}])
    expect(rows.filter(({ position }) => position === null)).toEqual([])
    if (edition === '2018-02') expect(typesOf(rows)).toEqual({ M30: 421, URBAN: 3651 })
    if (edition === '2023-07') expect(typesOf(rows)).toEqual({ URBAN: 4322, M30: 296, OTHER: 128 })
    if (edition > '2018-02') expect(rows.filter(({ district }) => district === null)).toHaveLength(5)
  })

  test('of January and December 2025 differ by 86 new sensors, 22 removed, 25 that moved over 20 m and 262 renamed', async () => {
    const [january, december] = (await Promise.all(
      ['01', '12'].map(async (month) =>
        byId(rowsOf(await parse(capture(`madrid-historico/pmed/${month}-2025-posiciones-medidores.xlsx`), `2025-${month}`))),
      ),
    )) as [ReadonlyMap<unknown, AnyRow>, ReadonlyMap<unknown, AnyRow>]
    const both = [...january].flatMap(([id, row]) => (december.has(id) ? [[row, december.get(id) as AnyRow] as const] : []))
    const moved = both.filter(([was, is]) => metresBetween(was['position'] as Point, is['position'] as Point) > 20)
    const renamed = both.filter(([was, is]) => was['name'] !== is['name'])
    // The notes have 26 that moved: one of them by 19.97 m of the grid.
    const [came, went] = [december.size - both.length, january.size - both.length]
    expect([came, went, moved.length, renamed.length]).toEqual([86, 22, 25, 262])
  })

  test('of 2016 is refused: a spreadsheet has put points into its coordinates', async () => {
    await expect(parse(capture('madrid-historico/pmed/pmed_2016.csv'), '2016-12')).rejects.toThrow(
      'none of the points has a position in Madrid',
    )
  })
})
