import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { renfeEstaciones } from '../../../jobs/feeds/rail/renfe-estaciones.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const NOW = Date.parse('2026-06-24T00:00:00Z')

const parse = (bytes: Buffer): Promise<Publication> => parsePublication(renfeEstaciones, [{ name: 'stations', bytes }], NOW)
const fixture = (name: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures/renfe_estaciones', name))
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('rail_station_register') as readonly AnyRow[]
const texts = (publication: Publication): Record<string, number> => Object.fromEntries(publication.report.warnings)

function counts(rows: readonly AnyRow[], column: string): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const row of rows) tally[String(row[column])] = (tally[String(row[column])] ?? 0) + 1
  return tally
}

const LOST = 'a lost character (0x1A), for which U+FFFD stands'
const NBSP = 'a non-breaking space, taken for a blank'

test('the list of today: Latin-1, padded coordinates, lost characters and blanks that do not break', async () => {
  const publication = await parse(fixture('stations-2026.csv'))
  expect(rowsOf(publication)).toEqual([
    {
      source: 'renfe',
      stop_id: '04040',
      name: 'VILLANUEVA DEL MOLINO',
      address: 'C/ la Estación  S/N \ufffdmolino',
      postal_code: '50280',
      municipality: 'CALATORAO',
      municipality_code: '50068',
      province: 'ZARAGOZA',
      province_code: '50',
      country: 'ES',
      position: { lat: 41.65, lon: -1.36 },
      is_commuter: false,
      is_metre_gauge: false,
      city_group: null,
    },
    expect.objectContaining({ stop_id: '05102', name: 'SAN ROMÁN DO MAR', province_code: '15', is_commuter: true, is_metre_gauge: true }),
    expect.objectContaining({ address: 'Pza. del Ejemplo, S/N', city_group: 'MADRI', position: { lat: 40.4065, lon: -3.6895 } }),
    expect.objectContaining({ stop_id: '99901', position: null, address: null, postal_code: null, province_code: '28' }),
    expect.objectContaining({ country: 'FR', position: { lat: 42.7, lon: 2.88 }, province: null, province_code: null }),
    expect.objectContaining({ country: 'PT', name: 'PORTO', municipality: 'PORTO', municipality_code: null }),
  ])
  expect([texts(publication)[LOST], texts(publication)[NBSP]]).toEqual([1, 2])
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
})

test('lists of 2022: a mark and CRLF with decimal commas; none and LF with decimal points, zeros lost, no flags', async () => {
  expect(rowsOf(await parse(fixture('list-2022.csv')))).toMatchObject([
    { stop_id: '04040', position: { lat: 41.6501, lon: -1.3604 }, country: 'ES', is_commuter: false, city_group: null },
    { stop_id: '87001', position: { lat: 42.7, lon: 2.88 }, country: 'FR', province: null },
  ])
  const nucleo = await parse(fixture('nucleo-2022.csv'))
  expect(rowsOf(nucleo)).toMatchObject([
    {
      stop_id: '04041',
      postal_code: '08350',
      position: { lat: 41.5776, lon: 2.5492 },
      country: null,
      is_commuter: null,
      is_metre_gauge: null,
    },
    { stop_id: '78801', postal_code: null, province_code: '08' },
  ])
  expect(texts(nucleo)).toMatchObject({
    'a postal code without its leading zero': 1,
    'an invalid postal code: left out': 1,
  })
})

const HEADER = '"CODIGO";"DESCRIPCION";"LATITUD";"LONGITUD";"DIRECION";"CP";"POBLACION";"PROVINCIA";"PAIS";"CERCANIAS";"FEVE";"COMUN"\n'
const GOOD = '"17001";"MADRID";"40.4065   ";"-3.6895   ";"Plaza";"28045";"MADRID";"MADRID";"ESPAÑA";"SI";"NO";""\n'
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

test('impossible values are left out and counted: codes, flags, countries, positions', async () => {
  const { report, rows } = await parse(
    latin1(
      `${HEADER}${GOOD}${GOOD.replace('17001', 'X7001')}${GOOD.replace('17001', '17002').replace('"SI"', '"QUIZA"')}${GOOD.replace('17001', '17003').replace('ESPAÑA', 'ANDORRA')}${GOOD.replace('17001', '17004').replace('40.4065   ', 'cuarenta  ')}${GOOD}"17009";"CORTO"\n${GOOD.replace('17001', '17005')}`,
    ),
  )
  expect(rows.get('rail_station_register')).toMatchObject([
    { stop_id: '17001' },
    { stop_id: '17002', is_commuter: null },
    { stop_id: '17003', country: 'ANDORRA', province_code: null },
    { stop_id: '17004', position: null, province_code: '28' },
    { stop_id: '17005' },
  ])
  expect(report.quarantined).toEqual({
    rail_station_register: { 'the code is not five digits': 1, 'another number of fields': 1, 'key comes twice in one publication': 1 },
  })
  expect(report.unknownCodes).toEqual({ CERCANIAS: { QUIZA: 1 }, rail_country: { ANDORRA: 1 } })
  expect(report.warnings.get('place of a station: position is no position')).toBe(1)
})

test.each([
  ['a list of something else', 'Codigo;Nombre\n02002;Puente\n', 'the header lacks DESCRIPCION'],
  ['a list without codes', `${HEADER.replace('"CODIGO"', '"ID"')}${GOOD}`, 'the header lacks CODIGO or CÓDIGO'],
  ['a list that was cut', `${HEADER}${GOOD}${GOOD.slice(0, 40)}`, 'Quote'],
  [
    'a list of unknown provinces',
    `${HEADER}${GOOD.replace('"MADRID";"ESPAÑA"', '"X";"ESPAÑA"').replace('40.4065', '').replace('-3.6895', '')}`,
    'none of the stations has',
  ],
  ['a list without countries', `${HEADER}${GOOD.replace('ESPAÑA', '')}`, 'none of the stations has a PAIS'],
])('%s is refused', async (_, text, reason) => {
  await expect(parse(latin1(text))).rejects.toThrow(FormatError)
  await expect(parse(latin1(text))).rejects.toThrow(reason)
})

test.skipIf(!shared)('the capture of 2026: 1,072 stations, 12 lost characters, 4 blanks, 2 without a position', async () => {
  const publication = await parse(readFileSync(join(shared as string, 'feeds/renfe-estaciones/estaciones_2026-06-24.csv')))
  const rows = rowsOf(publication)
  expect(rows).toHaveLength(1072)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  expect([texts(publication)[LOST], texts(publication)[NBSP]]).toEqual([12, 4])
  expect(rows.filter((row) => row.position === null).map((row) => row.stop_id)).toEqual(['99178', '99183'])
  expect(counts(rows, 'is_commuter')).toEqual({ true: 473, false: 599 })
  expect(counts(rows, 'is_metre_gauge')).toEqual({ true: 237, false: 835 })
  expect(counts(rows, 'country')).toEqual({ ES: 1058, FR: 10, PT: 4 })
  expect(counts(rows, 'city_group')).toMatchObject({ null: 1021, MADRI: 7, BARCE: 5, ZARAG: 4, ANTEQ: 3 })
  expect([counts(rows, 'postal_code').null, counts(rows, 'province').null]).toEqual([29, 14])
  expect(rows.filter((row) => row.country === 'ES' && row.province_code === null)).toEqual([])
  expect(rows.filter((row) => row.country === 'ES' && row.municipality_code === null).length).toBeLessThan(12)
})

/** Rows, positions among them, and impossible postal codes, for each list of 2022. */
const LISTS = {
  'listado-estaciones-completo': [1547, 1547, 44],
  listado_completo_av_ld_md: [646, 646, 42],
  'listado-de-estaciones-feve-2': [383, 383, 2],
  'listado-estaciones-cercanias-madrid': [93, 93, 0],
  'listado-estaciones-cercanias-sevilla': [33, 33, 0],
  'listado-estaciones-rodalies-barcelona': [122, 122, 0],
  'cercanias-cadiz-': [14, 14, 0],
} as const

test.skipIf(!shared)('the lists of 2022: every row, whatever mark, line end and decimal sign they have', async () => {
  const folder = join(shared as string, 'feeds/renfe-estaciones')
  const found: Record<string, unknown> = {}
  for (const file of readdirSync(folder).filter((name) => name.startsWith('2022') && !name.includes('atendo'))) {
    const publication = await parse(readFileSync(join(folder, file)))
    const rows = rowsOf(publication)
    expect([file, publication.report.quarantined, publication.report.unknownCodes]).toEqual([file, {}, {}])
    found[file.slice('2022-07-03_'.length, -'.csv'.length)] = [
      rows.length,
      rows.filter(({ position }) => position !== null).length,
      rows.filter(({ postal_code }) => postal_code === null).length,
    ]
  }
  expect(found).toEqual(LISTS)
})
