import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { mostOf, severityOf } from '../../../jobs/feeds/safety/accident.ts'
import { cataloniaAccidents } from '../../../jobs/feeds/safety/catalonia-accidents.ts'
import { dgtAccidentDictionary } from '../../../jobs/feeds/safety/dgt-accident-dictionary.ts'
import { dgtAccidents } from '../../../jobs/feeds/safety/dgt-accidents.ts'
import { dgtAnimalAccidents } from '../../../jobs/feeds/safety/dgt-animal-accidents.ts'
import { monthSpan, spanOf } from '../../../jobs/feeds/safety/local-span.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { zipOfFolder } from '../../helpers/zip.ts'
import { PROJECT } from '../../laws/sources.ts'
import { barcelonaHarm } from './barcelona-harm.ts'

const shared = sharedFolder()
const fixture = (path: string): Buffer => {
  const file = join(PROJECT, 'test/fixtures', path)
  return path.endsWith('.zip') ? zipOfFolder(file) : readFileSync(file)
}
const capture = (path: string): Buffer => {
  const bytes = readFileSync(join(shared as string, 'feeds', path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
const parse = (feed: Feed, bytes: Buffer): Promise<Publication> =>
  parsePublication(feed, [{ name: 'accidents', bytes }], Date.UTC(2026, 10, 1), { keeps: () => true })
const rowsOf = ({ rows }: Publication): AnyRow[] => [...rows.values()][0] as AnyRow[]
const only = (rows: readonly AnyRow[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]))
const at = (text: string): number => Date.parse(text)

describe('spans of local time', () => {
  test('a minute, an hour, a day, a month', () => {
    expect(spanOf('2024-07-01', '9:05')).toEqual({
      period_start: at('2024-07-01T07:05:00Z'),
      period_end: at('2024-07-01T07:06:00Z'),
      occurred_at: at('2024-07-01T07:05:00Z'),
      time_precision: 'MINUTE',
      isClockChange: false,
    })
    expect(spanOf('2024-07-01', '09')).toMatchObject({ period_end: at('2024-07-01T08:00:00Z'), time_precision: 'HOUR' })
    expect(spanOf('2024-10-27', null)).toMatchObject({
      period_start: at('2024-10-26T22:00:00Z'),
      period_end: at('2024-10-27T23:00:00Z'),
      occurred_at: null,
    })
    expect(monthSpan(2024, 3, 'Europe/Madrid')).toMatchObject({
      period_start: at('2024-02-29T23:00:00Z'),
      period_end: at('2024-03-31T22:00:00Z'),
    })
    expect(monthSpan(2024, 12, 'Atlantic/Canary')).toMatchObject({
      period_start: at('2024-12-01T00:00:00Z'),
      period_end: at('2025-01-01T00:00:00Z'),
    })
    expect([spanOf('2024-02-30', '10'), spanOf('2024-02-28', '25'), spanOf('x', null)]).toEqual([null, null, null])
  })

  test('hours that the change of clocks repeats or leaves out have no instant, and a span of both readings', () => {
    expect(spanOf('2024-10-27', '2:30')).toMatchObject({
      period_start: at('2024-10-27T00:30:00Z'),
      period_end: at('2024-10-27T01:31:00Z'),
      occurred_at: null,
      isClockChange: true,
    })
    expect(spanOf('2024-10-27', '02')).toMatchObject({ period_end: at('2024-10-27T02:00:00Z'), occurred_at: null, isClockChange: true })
    expect(spanOf('2024-03-31', '2:30')).toMatchObject({ occurred_at: null, isClockChange: true })
    expect(spanOf('2024-03-31', '3:30')).toMatchObject({ isClockChange: false })
  })
})

test('the worst that happened to a person', () => {
  const of = (killed: number | null, hospitalised: number | null, slight: number | null): string =>
    severityOf({ killed, hospitalised, slight })
  expect([of(1, 2, 3), of(0, 1, null), of(0, 0, 2), of(0, 0, 0), of(0, 0, null)]).toEqual(['FATAL', 'SERIOUS', 'SLIGHT', 'NONE', 'UNKNOWN'])
  expect([mostOf([2024, 2023, 2024]), mostOf([2, 1]), mostOf([])]).toEqual([2024, 1, null])
})

describe('Madrid', () => {
  test('persons become accidents: identical ones are two, the year of the file is that of most', async () => {
    const publication = await parse(madridAccidents, fixture('madrid_accidents/accidents.csv'))
    const rows = rowsOf(publication)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(
      only(rows, 'edition', 'accident_id', 'killed_24h', 'hospitalised_24h', 'slight_24h', 'persons', 'severity', 'is_casualty'),
    ).toEqual([
      ['madrid-2024', '2023S900001', 1, 0, 0, 2, 'FATAL', true],
      ['madrid-2024', '2024S900002', 0, 0, 2, 2, 'SLIGHT', true],
      ['madrid-2024', '2024S900003', 0, 1, 0, 1, 'SERIOUS', true],
      ['madrid-2024', '2024S900004', 0, 0, 0, 1, 'NONE', false],
      ['madrid-2024', '2024S900005', 0, 0, null, 1, 'UNKNOWN', false],
    ])
    expect(rows[0]).toMatchObject({
      source: 'madrid',
      occurred_at: at('2024-01-04T08:05:00Z'),
      weekday_iso: 4,
      hour_local: 9,
      province_code: '28',
      municipality_code: '28079',
      street: 'CALL. EJEMPLO / CALL. PRUEBA, 3',
      accident_type: 'FRONT_SIDE',
      weather: 'LIGHT_RAIN',
      location_method: 'PUBLISHED',
      killed_30d: null,
      vehicles: null,
    })
    const { lat, lon } = rows[0]?.['position'] as { lat: number; lon: number }
    expect([lat.toFixed(3), lon.toFixed(3)]).toEqual(['40.417', '-3.706'])
    expect(only(rows.slice(2), 'occurred_at', 'absent', 'position')[0]?.slice(0, 2)).toEqual([
      null,
      { weather: 'UNKNOWN', occurred_at: 'CLOCK_CHANGE' },
    ])
    expect(rows[3]).toMatchObject({ position: null, location_method: null, location_error_m: null })
    // Nothing is told of a single person.
    expect(Object.keys(rows[0] as AnyRow).filter((name) => /alcohol|drug|sex|age/.test(name))).toEqual([])
  })

  test.each([
    [';9:05:00;', ';x;', 'fecha and hora are no date and time'],
    ['2024S900004;', ';', 'no num_expediente'],
  ])('%s written %s is quarantined', async (good, bad, reason) => {
    const text = fixture('madrid_accidents/accidents.csv').toString().replaceAll(good, bad)
    const { report } = await parse(madridAccidents, Buffer.from(text))
    expect(Object.keys(report.quarantined['road_accidents'] ?? {})).toEqual([reason])
  })

  test('a header is read by meaning; columns that no row needs may be missing', async () => {
    const text = fixture('madrid_accidents/accidents.csv').toString()
    const [header, ...lines] = text.split('\n') as [string, ...string[]]
    const written = (from: readonly [string, string][]): Buffer =>
      Buffer.from([from.reduce((names, [one, other]) => names.replace(one, other), header), ...lines].join('\n'))
    const before = rowsOf(await parse(madridAccidents, Buffer.from(text)))
    const spelt = await parse(
      madridAccidents,
      written([
        ['num_expediente', 'Num Expediente'],
        ['estado_meteorológico', 'ESTADO_METEOROLOGICO'],
      ]),
    )
    expect(rowsOf(spelt)).toEqual(before)
    const bare = await parse(
      madridAccidents,
      written([
        ['distrito;tipo', 'barrio;tipo'],
        ['estado_meteorológico', 'cielo'],
      ]),
    )
    expect(only(rowsOf(bare), 'accident_id', 'weather')).toEqual(only(before, 'accident_id').map(([id]) => [id, null]))
    expect(bare.report.unknownCodes).toEqual({ madrid_accidents_column: { barrio: 1, cielo: 1 } })
    expect([...bare.report.warnings.keys()]).toEqual(['no column distrito', 'no column estado_meteorológico'])
  })

  test('a file that lost its coordinates, or is cut off, is refused', async () => {
    const text = fixture('madrid_accidents/accidents.csv').toString()
    await expect(parse(madridAccidents, Buffer.from(text.replaceAll(/44\d{4}(,\d+)?;447\d{4}(,\d+)?/g, ';')))).rejects.toThrow(
      'none of the accidents has a position',
    )
    await expect(parse(madridAccidents, Buffer.from(text.slice(0, -20)))).rejects.toThrow('cut off')
    await expect(parse(madridAccidents, Buffer.from(text.replace('cod_lesividad', 'x')))).rejects.toThrow('lacks cod_lesividad')
  })

  test.skipIf(!shared)('2024-Q1 has 4,989 accidents, 2,061 with an injured person; 2025 has 7,072', async () => {
    const rows = rowsOf(await parse(madridAccidents, capture('madrid-accidentes/2024_Accidentalidad_parcial.csv.gz')))
    expect([
      rows.length,
      rows.filter((row) => row['is_casualty']).length,
      rows.reduce((sum, row) => sum + (row['persons'] as number), 0),
    ]).toEqual([4989, 2061, 11_886])
    const { counts, report } = await parse(madridAccidents, capture('madrid-accidentes/2025_Accidentalidad_ene-abr.csv.gz'))
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes]).toEqual([7072, {}, {}])
  })
})

describe('Barcelona', () => {
  test.skipIf(!shared)('a small file of each layout: 120 accidents, 1 killed, 12 seriously and 107 slightly hurt', async () => {
    for (const year of [2010, 2019, 2024]) {
      const bytes = readFileSync(join(shared as string, `cases/barcelona-accidents-${year}-as-published.csv`))
      expect([year, await barcelonaHarm(bytes)]).toEqual([year, [120, 1, 12, 107, 120, {}]])
    }
  })
})

describe('Catalonia', () => {
  test('times that lost their zeros, kilometres with a comma, names with the article behind; two alike are two', async () => {
    const publication = await parse(cataloniaAccidents, fixture('catalonia_accidents/accidents.csv'))
    const rows = rowsOf(publication)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(only(rows, 'hour_local', 'occurred_at', 'time_precision', 'municipality_code', 'road', 'km', 'vehicles', 'severity')).toEqual([
      [9, at('2010-03-15T08:10:00Z'), 'MINUTE', '08169', null, null, 1, 'SERIOUS'],
      [9, at('2010-03-15T08:10:00Z'), 'MINUTE', '08169', null, null, 1, 'SERIOUS'],
      [8, at('2010-03-16T07:00:00Z'), 'MINUTE', '25120', 'N-240', 99.9, 3, 'FATAL'],
      [null, null, 'DAY', '25120', 'N-240', 99.9, 3, 'FATAL'],
    ])
    const ids = rows.map((row) => row['accident_id'] as string)
    expect([new Set(ids).size, ids[1]]).toEqual([4, `${ids[0]}-2`])
    expect(rows[0]).toMatchObject({
      zone: 'URBAN',
      is_urban: true,
      accident_type: 'PEDESTRIAN',
      surface: null,
      absent: { surface: 'NOT_SPECIFIED' },
    })
    expect(rows[2]).toMatchObject({ road_owner: 'STATE', junction_type: 'ROUNDABOUT', is_junction: true, absent: null })
  })

  test('what no list knows is counted and beside its column; a time that is none is counted', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const strange = await parse(
      cataloniaAccidents,
      Buffer.from(text.replace('Encalç', 'Meteorit').replace('Dintre intersecció', 'Sota terra')),
    )
    expect(strange.report.unknownCodes).toEqual({ accident_type: { Meteorit: 1 }, sct_d_inter_seccio: { 'Sota terra': 1 } })
    expect(only(rowsOf(strange), 'accident_type', 'accident_type_source')).toEqual([
      ...Array(2).fill(['PEDESTRIAN', null]),
      [null, 'Meteorit'],
      ['REAR_END', null],
    ])
    const bad = await parse(cataloniaAccidents, Buffer.from(text.replaceAll(',9.1,', ',25.1,')))
    expect(bad.report.quarantined).toEqual({})
    expect([...bad.report.warnings]).toEqual([['hor is no time', 2]])
    expect(only(rowsOf(bad), 'time_precision')[0]).toEqual(['DAY'])
  })

  test('every label of the list has a code, whatever its case', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const read = async (from: string, label: string, column: string): Promise<unknown> => {
      const { report, rows } = await parse(cataloniaAccidents, Buffer.from(text.replaceAll(from, label)))
      expect(report.unknownCodes).toEqual({})
      return ([...rows.values()][0] as AnyRow[])[2]?.[column]
    }
    const codes = [
      ...['Relliscós:SLIPPERY', 'Inundat:FLOODED', 'Nevat:SNOW', 'GELAT:ICE'].map((one) => ['Mullat', 'surface', one]),
      ...['Altres:OTHER', 'Sortida de via amb xoc:RUN_OFF_COLLISION', 'Sortida de via amb bolcada:RUN_OFF_OVERTURN'].map((one) => [
        ...['Encalç', 'accident_type', one],
      ]),
      ...['Sortida de via amb atropellament:RUN_OFF_PEDESTRIAN', 'Xoc amb animal:ANIMAL'].map((one) => ['Encalç', 'accident_type', one]),
      ...['Alba o capvespre:TWILIGHT', 'De nit, il·luminació artificial insuficient:DARK_LIT'].map((one) => [
        ...['De dia, dia clar', 'light', one],
      ]),
      ...['Camí rural/pista forestal:LOCAL_TRACK', 'Pas a nivell:OTHER'].map((one) => ['Carretera convencional', 'road_type', one]),
      ['Giratòria', 'junction_type', "Enllaç d'entrada o eixida:INTERCHANGE"],
    ] as const
    for (const [from, column, pair] of codes) {
      const [label, code] = (pair as string).split(':') as [string, string]
      expect([label, await read(from as string, label, column as string)]).toEqual([label, code])
    }
  })

  test('a country track is no road; columns that no row needs may be missing', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const track = rowsOf(await parse(cataloniaAccidents, Buffer.from(text.replaceAll('N-240,"99,9"', 'CR,0'))))
    expect(only(track, 'road', 'km', 'absent')[2]).toEqual([null, null, { road: 'NOT_APPLICABLE' }])
    const { counts, report } = await parse(cataloniaAccidents, Buffer.from(text.replace(',D_CLIMATOLOGIA,', ',CLIMA,')))
    expect([counts.get('road_accidents'), report.unknownCodes, [...report.warnings.keys()]]).toEqual([
      4,
      { catalonia_accidents_column: { CLIMA: 1 } },
      ['no record has D_CLIMATOLOGIA'],
    ])
    await expect(parse(cataloniaAccidents, Buffer.from(text.replace('F_MORTS', 'X')))).rejects.toThrow('has no F_MORTS')
  })

  test.skipIf(!shared)('the small file of codes: every text is a code', async () => {
    const bytes = readFileSync(join(shared as string, 'cases/catalonia-accidents-codes.csv'))
    const { counts, report } = await parse(cataloniaAccidents, bytes)
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes]).toEqual([112, {}, {}])
  })

  test.skipIf(!shared)('the recorded rows are read without a bad one', async () => {
    const { counts, report } = await parse(cataloniaAccidents, capture('catalunya-accidentes/EXCERPT_Accidents_SCT_12rows.csv'))
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes, [...report.warnings]]).toEqual([12, {}, {}, []])
  })
})

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

  test('a header by meaning, with the columns that rows need; what else it lacks is counted', async () => {
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

  test.skipIf(!shared)('the small workbooks: 2020 calls the id SECUENCIAL, island 0 is none', async () => {
    const read = async (name: string): Promise<AnyRow[]> =>
      rowsOf(await parse(dgtAccidents, readFileSync(join(shared as string, 'cases', name))))
    expect(await read('dgt-accidents-2020-secuencial.xlsx')).toHaveLength(400)
    const rows = await read('dgt-accidents-isla-0-km-placeholders.xlsx')
    expect(rows.filter((row) => row['island'] === '0')).toEqual([])
    expect(rows.filter((row) => (row['absent'] as AnyRow | null)?.['island'])).toHaveLength(30)
  })

  test('a workbook without the table, or without a column of it, is refused by name', async () => {
    await expect(parse(dgtAccidents, writeXlsx([{ name: 'Hoja1', rows: [['a', 'b']] }], 0))).rejects.toThrow(
      'no sheet has the header of the table; there are Hoja1',
    )
    await expect(parse(dgtAccidents, writeXlsx([{ name: 'Hoja1', rows: [['ANYO', 'MES']] }], 0))).rejects.toThrow(
      'the header of sheet Hoja1 lacks ID_ACCIDENTE',
    )
  })

  test('the dictionary: labels by variable and value, what is said of all values together', async () => {
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
