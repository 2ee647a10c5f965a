import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { barcelonaAccidents } from '../../../jobs/feeds/safety/barcelona-accidents.ts'
import { dgtAnimalAccidents } from '../../../jobs/feeds/safety/dgt-animal-accidents.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { TIER } from '../../helpers/tier.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const ALL = { from: '0001-01-01', to: '2026-12-31' }
const parse = (feed: Feed, bytes: Buffer, name = 'accidents'): Promise<Publication> =>
  parsePublication(feed, [{ name, bytes }], Date.UTC(2026, 10, 1), { keeps: () => true })
const rowsOf = ({ rows }: Publication): AnyRow[] => [...rows.values()][0] as AnyRow[]
const fixture = (path: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures', path))

describe('files by year', () => {
  const listed = (feed: Feed, resources: unknown): readonly (readonly string[])[] =>
    (feed.archive?.files([{ name: 'list', bytes: Buffer.from(JSON.stringify({ result: { resources } })) }], ALL) ?? []).map((file) => [
      file.period,
      file.url.split('/').at(-1) as string,
    ])

  test('Madrid lists them by number: the year is in the name, text goes before workbooks, older series are left out', () => {
    const file = (name: string | null, url: string, description?: string) => ({ name, description, url: `https://datos.madrid.es/${url}` })
    const found = listed(madridAccidents, [
      file('Accidentes 2025', 'egob/catalogo/300228-34-accidentes-trafico-detalle.csv'),
      file('2024', 'egob/catalogo/300228-32-accidentes-trafico-detalle.csv'),
      file('2024', 'egob/catalogo/300228-31-accidentes-trafico-detalle.xlsx'),
      file(null, 'egob/catalogo/300228-22-accidentes-trafico-detalle.xlsx', 'Accidentalidad de 2020'),
      file('2018', 'egob/catalogo/300228-17-accidentes-trafico-detalle.csv'),
      file('2019 a 2024', 'egob/catalogo/300228-90-accidentes-trafico-detalle.csv'),
      file('Bicicletas 2024', 'egob/catalogo/300110-1-accidentes-bicicleta-csv.csv'),
      { name: '2023', url: 'no address' },
      null,
    ])
    // The last record of a year counts.
    expect(Object.fromEntries(found)).toEqual({
      2020: '300228-22-accidentes-trafico-detalle.xlsx',
      2024: '300228-32-accidentes-trafico-detalle.csv',
      2025: '300228-34-accidentes-trafico-detalle.csv',
    })
  })

  test('Barcelona lists them by name, beside the tables of persons, vehicles and causes', () => {
    const names = [
      ...['2025_accidents_gu_bcn.csv', '2010_ACCIDENTS_GU_BCN_2010.csv', 'accidents_gu_bcn_2013.csv', '2025_accidents_persones_gu_bcn.csv'],
      ...['accidents_causa_conductor_gu_bcn_2022.csv', '2024_accidents_gu_bcn.json', '2009_accidents_gu_bcn.csv'],
    ]
    const found = listed(
      barcelonaAccidents,
      names.map((name) => ({ name, url: `https://opendata-ajuntament.barcelona.cat/data/dataset/a/resource/b/download/${name}` })),
    )
    expect(found.map(([period]) => period)).toEqual(['2025', '2010', '2013'])
  })

  test('accidents with animals have addresses by year; an invalid list is refused', () => {
    const files = dgtAnimalAccidents.archive?.files([], { from: '2023-05-01', to: '2024-12-31' }) ?? []
    expect(files.map(({ period, url }) => [period, url.split('/').at(-1)])).toEqual([
      ['2023', 'ACC_ANIMALES_2023.csv'],
      ['2024', 'ACC_ANIMALES_2024.csv'],
    ])
    for (const text of ['{', '{"result":{}}', 'null'])
      expect(() => madridAccidents.archive?.files([{ name: 'list', bytes: Buffer.from(text) }], ALL)).toThrow('the list of files')
  })

  test.each([
    [madridAccidents, 'madrid_accidents/accidents.csv', '2024', 'madrid-2024'],
    [barcelonaAccidents, 'barcelona_accidents/2025_accidents_gu_bcn.csv', '2025', 'barcelona-2025'],
    [dgtAnimalAccidents, 'dgt_animal_accidents/ACC_ANIMALES_2024.csv', '2024', 'animals-2024'],
  ] as const)('%o: a file under the address of another year never takes the place of that', async (feed, file, year, edition) => {
    const publication = await parse(feed, fixture(file), year)
    expect(new Set(rowsOf(publication).map((row) => row['edition']))).toEqual(new Set([edition]))
    await expect(parse(feed, fixture(file), '2023')).rejects.toThrow(`the file of 2023 has accidents of ${year}`)
  })
})

describe('numbers, dates and times as Madrid writes them', () => {
  const HEADER =
    'num_expediente;fecha;hora;localizacion;numero;cod_distrito;distrito;tipo_accidente;estado_meteorológico;tipo_vehiculo;tipo_persona;rango_edad;sexo;cod_lesividad;lesividad;coordenada_x_utm;coordenada_y_utm;positiva_alcohol;positiva_droga'
  const line = (id: string, date: string, time: string, x: string, y: string): string =>
    `${id};${date};${time};CALL. EJEMPLO, 1;1;1;CENTRO;Alcance;Despejado;Turismo;Conductor;De 30 a 34 años;Mujer;7;x;${x};${y};N;NULL`
  const rowsIn = async (lines: readonly string[]): Promise<readonly [Publication, AnyRow[]]> => {
    const publication = await parse(madridAccidents, Buffer.from(`\uFEFF${[HEADER, ...lines].join('\r\n')}\r\n`), '2023')
    return [publication, rowsOf(publication)]
  }
  const PLACE = utmToPoint(440_000.166, 4_474_000.38, 30)

  test.each([
    ['a decimal comma', '440000,166', '4474000,380', []],
    ['a decimal point', '440000.166', '4474000.380', []],
    ['millimetres', '440.000.166', '4.474.000.380', ['coordinates are millimetres: divided by 1,000']],
  ])('coordinates with %s are at one place', async (_, x, y, warnings) => {
    const [{ report }, rows] = await rowsIn([line('2023S1', '02/01/2023', '7:50:00', x, y)])
    expect(rows.map(({ position }) => position)).toEqual([PLACE])
    expect([...report.warnings.keys()]).toEqual(warnings)
  })

  test('a serial date and a part of a day in text are those of a workbook', async () => {
    const [{ report }, rows] = await rowsIn([line('2023S1', '44928', '0,326388889', '440000,166', '4474000,380')])
    expect(report.quarantined).toEqual({})
    expect(rows.map(({ occurred_at, hour_local }) => [occurred_at, hour_local])).toEqual([[Date.UTC(2023, 0, 2, 6, 50), 7]])
  })
})

describe("Madrid's older layout", () => {
  const HEADER = [
    ...['Nº  EXPEDIENTE', 'FECHA', 'HORA', 'CALLE', 'NÚMERO', 'DISTRITO', 'TIPO ACCIDENTE', 'ESTADO METEREOLÓGICO', 'TIPO VEHÍCULO'],
    ...['TIPO PERSONA', 'RANGO DE EDAD', 'SEXO', 'LESIVIDAD*'],
  ]
  const person = ['Caída', 'Despejado', 'Turismo', 'Conductor', 'DE 25 A 29 AÑOS', 'Hombre']
  const ROWS = [
    ['2020S000001', 43_831, 0.96875, 'CALL. EJEMPLO', '-', 'RETIRO', ...person],
    ['2020S000001', 43_831, 0.96875, 'CALL. EJEMPLO', '-', 'RETIRO', ...person, 4],
    ['2020S000002', 43_890, 0, 'CALL. EJEMPLO', 12, 'RETIRO', ...person, 14, null, ','],
    ['2020S000003', 44_165, 0.9409722222222222, 'CALL. EJEMPLO', 12, 'RETIRO', ...person, 7],
  ]
  const EXPECTED = [
    ['madrid-2020', '2020S000001', Date.UTC(2020, 0, 1, 22, 15), 23, 'CALL. EJEMPLO', 'FATAL', 2, 'FALL', 'CLEAR', null],
    ['madrid-2020', '2020S000002', Date.UTC(2020, 1, 28, 23), 0, 'CALL. EJEMPLO, 12', 'NONE', 1, 'FALL', 'CLEAR', null],
    ['madrid-2020', '2020S000003', Date.UTC(2020, 10, 30, 21, 35), 22, 'CALL. EJEMPLO, 12', 'SLIGHT', 1, 'FALL', 'CLEAR', null],
  ]
  const NAMES = [
    'edition',
    'accident_id',
    'occurred_at',
    'hour_local',
    'street',
    'severity',
    'persons',
    'accident_type',
    'weather',
    'position',
  ]
  const valuesOf = (publication: Publication): unknown[][] => rowsOf(publication).map((row) => NAMES.map((name) => row[name]))

  test('a workbook with days and times as numbers, no coordinates and stray cells; or the same as text', async () => {
    const workbook = await parse(madridAccidents, writeXlsx([{ name: '2020', rows: [HEADER, ...ROWS] }], 0), '2020')
    expect([workbook.report.quarantined, workbook.report.unknownCodes]).toEqual([{}, {}])
    expect(valuesOf(workbook)).toEqual(EXPECTED)
    const text = [
      `${HEADER.join(';')};;`,
      `2020S000001;01/01/2020;23:15:00;CALL. EJEMPLO;-;RETIRO;${person.join(';')};;;`,
      `2020S000001;01/01/2020;23:15:00;CALL. EJEMPLO;-;RETIRO;${person.join(';')};4;;`,
      `2020S000002;29/02/2020;0:00:00;CALL. EJEMPLO;12;RETIRO;${person.join(';')};14;;,`,
      `2020S000003;30/11/2020;22:35;CALL. EJEMPLO;12;RETIRO;${person.join(';')};7;;`,
    ]
    expect(valuesOf(await parse(madridAccidents, Buffer.from(`${text.join('\r\n')}\r\n`), '2020'))).toEqual(EXPECTED)
  })

  test('a workbook without a column of it, or cut off, is refused', async () => {
    const lacking = writeXlsx([{ name: '2020', rows: [HEADER.slice(0, -1), ...ROWS] }], 0)
    await expect(parse(madridAccidents, lacking, '2020')).rejects.toThrow('the header lacks cod_lesividad')
    await expect(parse(madridAccidents, lacking.subarray(0, lacking.length - 40), '2020')).rejects.toThrow()
  })

  test.skipIf(!shared || TIER === 'default')('2020 has 12,634 accidents of 28,773 persons, 505 of them in April', async () => {
    const bytes = readFileSync(join(shared as string, 'feeds/madrid-accidentes/2020_Accidentalidad.xlsx'))
    const publication = await parse(madridAccidents, bytes, '2020')
    const rows = rowsOf(publication)
    const persons = (of: readonly AnyRow[]): number => of.reduce((sum, row) => sum + (row['persons'] as number), 0)
    expect([rows.length, persons(rows), persons(rows.filter((row) => row['month'] === 4))]).toEqual([12_634, 28_773, 505])
    expect([publication.report.quarantined, publication.report.unknownCodes]).toEqual([{}, {}])
    expect(rows.reduce((last, row) => Math.max(last, row['period_start'] as number), 0)).toBeLessThan(Date.UTC(2020, 10, 30, 23))
    // 803 in emergency rooms and so on; 30 killed, 369 in hospital for more than a day.
    const harmed = (name: string): number => rows.reduce((sum, row) => sum + ((row[name] as number | null) ?? 0), 0)
    expect([harmed('killed_24h'), harmed('hospitalised_24h'), harmed('slight_24h')]).toEqual([30, 369, 7001])
  })

  test.skipIf(!shared)('the recorded years of Barcelona are each of the year that their name says', async () => {
    for (const year of [2012, 2019, 2022]) {
      const bytes = gunzipSync(readFileSync(join(shared as string, `feeds/barcelona-accidentes/${year}_accidents_gu_bcn.csv.gz`)))
      const publication = await parse(barcelonaAccidents, bytes, String(year))
      expect(new Set(rowsOf(publication).map((row) => row['edition']))).toEqual(new Set([`barcelona-${year}`]))
    }
  })
})
