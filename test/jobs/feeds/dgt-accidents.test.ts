import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dgtAccidentDictionary } from '../../../jobs/feeds/safety/dgt-accident-dictionary.ts'
import { dgtAccidents } from '../../../jobs/feeds/safety/dgt-accidents.ts'
import { dgtAnimalAccidents } from '../../../jobs/feeds/safety/dgt-animal-accidents.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { at, capture, fixture, only, parse, rowsOf, shared } from './accident-files.ts'

describe('the national table', () => {
  test('codes by the dictionary, 998 and 999 with their reason, a month in place of a date', async () => {
    const publication = await parse(dgtAccidents, fixture('dgt_accidents/TABLA_ACCIDENTES_24.zip'))
    const [road, small, canary] = rowsOf(publication)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect([...publication.report.warnings]).toEqual([])
    expect(road).toMatchObject({
      edition: 'dgt-2024',
      accident_id: '202400000001',
      period_start: at('2024-02-29T23:00:00Z'),
      period_end: at('2024-03-31T22:00:00Z'),
      occurred_at: null,
      time_precision: 'MONTH',
      weekday_iso: 5,
      hour_local: 14,
      province_code: '18',
      municipality_code: '18087',
      road: 'A-44',
      km: 118.4,
      direction: 'POSITIVE',
      road_type: 'AUTOVIA',
      accident_type: 'REAR_END',
      is_urban: false,
      is_junction: false,
      priority_rules: ['RULE'],
      severity: 'SLIGHT',
      // The cell is empty, which the dictionary says is no strong wind.
      is_windy: false,
      killed_by_user_30d: null,
      absent: { sidewalk: 'NOT_APPLICABLE' },
    })
    expect(small).toMatchObject({
      province_code: '01',
      municipality_code: null,
      road: null,
      accident_type: 'RUN_OFF_LEFT_COLLISION',
      severity: 'FATAL',
      killed_24h: 0,
      killed_30d: 1,
      killed_by_user_24h: null,
      killed_by_user_30d: { MOTORCYCLE: 1 },
      surface: null,
      weather: null,
      priority_rules: [],
      absent: {
        municipality_code: 'ANONYMISED',
        road: 'NOT_SPECIFIED',
        surface: 'UNKNOWN',
        weather: 'NOT_SPECIFIED',
        priority_rules: 'NOT_SPECIFIED',
        sidewalk: 'NOT_APPLICABLE',
      },
    })
    expect(canary).toMatchObject({
      island: 'TENERIFE',
      zone: 'STREET',
      is_urban: true,
      junction_type: 'T_OR_Y',
      fog: 'LIGHT',
      is_windy: true,
      severity: 'SERIOUS',
    })
    expect(canary?.['period_start']).toBe(at('2024-09-30T23:00:00Z'))
  })

  test('is an archive of years, each under its own address', () => {
    const files = dgtAccidents.archive?.files([], { from: '0001-01-01', to: '2025-11-22' }) ?? []
    expect(files.map(({ period }) => period)).toEqual(['2016', '2017', '2018', '2019', '2020', '2021', '2022', '2023', '2024', '2025'])
    expect(files.slice(3).map(({ url }) => url.split('/downloads/dgt-en-cifras/')[1])).toEqual([
      'publicaciones/Ficheros_microdatos_de_accidentalidad_con_victimas/Tabla-Accidentes-2019.xlsx',
      '24h/TABLA_ACCIDENTES_20.xlsx',
      '24h/TABLA_ACCIDENTES_21.xlsx',
      '24h/TABLA_ACCIDENTES_22.xlsx',
      '24h/TABLA_ACCIDENTES_23.XLSX',
      'publicaciones/Ficheros_microdatos_de_accidentalidad_con_victimas/TABLA_ACCIDENTES_24.XLSX',
      'publicaciones/Ficheros_microdatos_de_accidentalidad_con_victimas/TABLA_ACCIDENTES_25.XLSX',
    ])
    expect(dgtAccidents.archive?.files([], { from: '2023-05-01', to: '2023-12-31' }).map(({ period }) => period)).toEqual(['2023'])
  })

  const HEADER = ['SECUENCIAL', 'ANYO', 'Mes', 'COD_PROVINCIA', 'TOTAL_MU30DF', 'TOTAL_HG30DF', 'TOTAL_HL30DF', 'ISLA', 'CARRETERA']
  const more = ['KM', 'TIPO_ACCIDENTE', 'CONDICION_METEO', 'COD_MUNICIPIO', 'TIPO_VIA', 'NUEVA']
  const table = (...rows: (string | number | null)[][]): Buffer => writeXlsx([{ name: 'T', rows: [[...HEADER, ...more], ...rows] }], 0)
  const accident = (id: number, province: number, island: number | null, type: number): (string | number | null)[] => [
    id,
    2020,
    3,
    province,
    1,
    0,
    0,
    island,
    'A-2',
    '7,1',
    1,
    1,
    `${province}001`.padStart(5, '0'),
    type,
    'x',
  ]

  test('a header by meaning, with the columns that rows need; other missing columns are counted', async () => {
    const publication = await parse(dgtAccidents, table(accident(1, 7, 0, 3), accident(2, 28, 0, 77), accident(3, 38, 10, 3)))
    const { report } = publication
    expect(only(rowsOf(publication), 'edition', 'accident_id', 'island', 'absent')).toEqual([
      ['dgt-2020', '1', null, { island: 'NOT_SPECIFIED', priority_rules: 'NOT_SPECIFIED' }],
      ['dgt-2020', '2', null, { island: 'NOT_APPLICABLE', priority_rules: 'NOT_SPECIFIED' }],
      ['dgt-2020', '3', 'TENERIFE', { priority_rules: 'NOT_SPECIFIED' }],
    ])
    expect(only(rowsOf(publication), 'road_type', 'road_type_source', 'is_windy')).toEqual([
      ['AUTOVIA', null, null],
      [null, '77', null],
      ['AUTOVIA', null, null],
    ])
    expect(report.unknownCodes).toEqual({ dgt_accidents_column: { NUEVA: 1 }, road_type: { 77: 1 } })
    expect(report.warnings.get('no column HORA')).toBe(1)
    expect(report.warnings.has('no column TOT_VMP_MU24H')).toBe(false)
  })

  test.skipIf(!shared)('the small workbooks: 2020 calls the id SECUENCIAL, island 0 means none', async () => {
    const read = async (name: string): Promise<AnyRow[]> =>
      rowsOf(await parse(dgtAccidents, readFileSync(join(shared as string, 'cases', name))))
    expect(await read('dgt-accidents-2020-secuencial.xlsx')).toHaveLength(400)
    const rows = await read('dgt-accidents-isla-0-km-placeholders.xlsx')
    expect(rows.filter((row) => row['island'] === '0')).toEqual([])
    const without = (column: string): number => rows.filter((row) => (row['absent'] as AnyRow | null)?.[column]).length
    expect([without('island'), without('km')]).toEqual([30, 30])
  })

  test('a workbook without the table, or without a column of it, is refused by name', async () => {
    await expect(parse(dgtAccidents, writeXlsx([{ name: 'Hoja1', rows: [['a', 'b']] }], 0))).rejects.toThrow(
      'no sheet has the header of the table; there are Hoja1',
    )
    await expect(parse(dgtAccidents, writeXlsx([{ name: 'Hoja1', rows: [['ANYO', 'MES']] }], 0))).rejects.toThrow(
      'the header of sheet Hoja1 lacks ID_ACCIDENTE',
    )
  })

  test('the dictionary: labels by variable and value, and those for all values together', async () => {
    const publication = await parse(dgtAccidentDictionary, fixture('dgt_accident_dictionary/Diccionario.zip'))
    expect(only(rowsOf(publication), 'variable', 'value', 'label')).toEqual([
      ['TIPO_VIA', '1', 'Autopista de peaje'],
      ['TIPO_VIA', '3', 'Autovía'],
      ['COD_MUNICIPIO', '-', 'Sin dato'],
      ['COD_MUNICIPIO', '00000', 'Municipio menos de 5000 habitantes'],
      ['ACERA', '1', 'No'],
      ['ACERA', '998', 'No aplica'],
      ['TOTAL_MU24H', '-', 'Fallecidos a 24 horas'],
      ['KM', 'Formato', '7.2'],
    ])
    expect(publication.report.unknownCodes).toEqual({})
  })

  test.skipIf(!shared)('the recorded dictionary: every variable is known, and every value that is no reason for none', async () => {
    const publication = await parse(dgtAccidentDictionary, capture('dgt-accidentes/Diccionario_Tabla_Accidentes.xlsx'))
    expect([publication.counts.get('accident_codebook'), publication.report.unknownCodes]).toEqual([281, {}])
  })

  test('accidents with animals: dates without padding, the clock of the Canaries', async () => {
    const publication = await parse(dgtAnimalAccidents, fixture('dgt_animal_accidents/ACC_ANIMALES_2024.csv'))
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(
      only(
        rowsOf(publication),
        'edition',
        'occurred_at',
        'municipality_code',
        'road',
        'km',
        'animal_kind',
        'severity',
        'road_type',
        'direction',
      ),
    ).toEqual([
      ['animals-2024', at('2024-11-03T00:50:00Z'), null, 'CM-332', 43.1, 'WILD', 'NONE', 'OTHER', 'POSITIVE'],
      ['animals-2024', at('2024-06-12T22:05:00Z'), '38038', null, 7, null, 'FATAL', 'MOTORWAY', 'UNKNOWN'],
    ])
  })

  test('accidents with animals: columns that no row needs may be missing, one that rows need may not', async () => {
    const text = fixture('dgt_animal_accidents/ACC_ANIMALES_2024.csv').toString()
    const { counts, report } = await parse(dgtAnimalAccidents, Buffer.from(text.replace('TIPO_ANIMAL_2F', 'ESPECIE')))
    expect([counts.get('animal_accidents'), report.unknownCodes]).toEqual([2, { dgt_animal_accidents_column: { ESPECIE: 1 } }])
    await expect(parse(dgtAnimalAccidents, Buffer.from(text.replace('FECHA_ACCIDENTE', 'X')))).rejects.toThrow('has no FECHA_ACCIDENTE')
  })

  test.skipIf(!shared)('accidents with animals of 2024: 36,087, 549 with victims, 8 killed', async () => {
    const publication = await parse(dgtAnimalAccidents, capture('dgt-accidentes/ACC_ANIMALES_2024.csv.gz'))
    const rows = rowsOf(publication)
    const killed = rows.reduce((sum, row) => sum + (row['killed_30d'] as number), 0)
    expect([rows.length, rows.filter((row) => row['is_casualty']).length, killed, publication.report.quarantined]).toEqual([
      36_087,
      549,
      8,
      {},
    ])
    expect(new Set(rows.map((row) => row['province_code'])).size).toBe(43)
  })
})
