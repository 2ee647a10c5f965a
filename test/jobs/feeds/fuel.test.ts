import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FeedBody, FormatError } from '../../../jobs/feeds/define.ts'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const NOW = Date.parse('2026-01-01T00:00:00Z')

/** The fields of a station with its blanks, of 2025, with seven of its 23 prices. */
const STATION = {
  'C.P.': '08630',
  Dirección: 'CALLE TREBALL, 1, ',
  Horario: 'L-D: 24H',
  Latitud: '41,514583',
  Localidad: 'ABRERA',
  'Longitud (WGS84)': '1,897944',
  Margen: 'D',
  Municipio: 'Abrera',
  'Precio Adblue': '0,729',
  'Precio Gases licuados del petróleo': '',
  'Precio Gasoleo A': '1,419',
  'Precio Gasoleo B': '',
  'Precio Gasoleo Premium': '',
  'Precio Gasolina 95 E5': '',
  'Precio Gasolina 98 E5': '',
  Provincia: 'BARCELONA',
  Remisión: 'dm',
  Rótulo: ' REPSOL ',
  'Tipo Venta': 'P',
  '% BioEtanol': '0,0',
  '% Éster metílico': '7,0',
  IDEESS: '4375',
  IDMunicipio: '861',
  IDProvincia: '08',
  IDCCAA: '09',
}

type Fields = Record<string, unknown>

function answer(stations: readonly unknown[], envelope: Fields = {}): Buffer {
  const whole = { Fecha: '27/09/2025 18:05:47', ListaEESSPrecio: stations, Nota: 'Archivo…', ResultadoConsulta: 'OK', ...envelope }
  return Buffer.from(JSON.stringify(whole).replaceAll('/', '\\/'), 'utf8')
}

/** Stations of one province, each with one price; only the first has a position. */
function stationsOf(code: string, count: number): Fields[] {
  return Array.from({ length: count }, (_, at) => ({
    ...STATION,
    IDProvincia: code,
    IDEESS: `${code}${at}`,
    'Precio Adblue': '',
    ...(at > 0 && { Municipio: '', Latitud: '' }),
  }))
}

function parse(bytes: Buffer, fetched_at = NOW): Promise<Publication> {
  return parsePublication(fuelStationsFeed, [{ name: 'national', bytes }], fetched_at)
}

function parseStations(...changes: readonly Fields[]): Promise<Publication> {
  return parse(answer(changes.map((fields, at) => ({ ...STATION, IDEESS: String(at), ...fields }))))
}

function rowsOf(publication: Publication, dataset: 'fuel_stations' | 'fuel_prices'): readonly AnyRow[] {
  return publication.rows.get(dataset) as readonly AnyRow[]
}

function counts(rows: readonly AnyRow[], column: string): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const row of rows) tally[String(row[column])] = (tally[String(row[column])] ?? 0) + 1
  return tally
}

function placeWarnings(publication: Publication): Record<string, number> {
  return Object.fromEntries([...publication.report.warnings].filter(([text]) => text.startsWith('place of a station')))
}

describe('a station', () => {
  test('is read with its prices', async () => {
    const publication = await parse(answer([STATION]))
    expect(publication.data_time).toBe(Date.parse('2025-09-27T16:05:47Z'))
    expect(rowsOf(publication, 'fuel_stations')).toEqual([
      {
        source: 'miteco',
        station_id: '4375',
        brand: 'REPSOL',
        address: 'CALLE TREBALL, 1',
        road: null,
        km: null,
        locality: 'ABRERA',
        postal_code: '08630',
        municipality: 'Abrera',
        municipality_code: '08001',
        province_code: '08',
        position: { lat: 41.514583, lon: 1.897944 },
        side: 'RIGHT',
        opening_hours: 'L-D: 24H',
        sale_type: 'PUBLIC',
        reporter: 'RETAILER',
        bioethanol_pct: 0,
        methyl_ester_pct: 7,
        position_issue: null,
      },
    ])
    expect(rowsOf(publication, 'fuel_prices')).toEqual([
      { station_id: '4375', product: 'ADBLUE', price: 0.729, price_unit: 'EUR/L', province_code: '08', price_issue: null },
      { station_id: '4375', product: 'DIESEL_A', price: 1.419, price_unit: 'EUR/L', province_code: '08', price_issue: null },
    ])
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  })

  test('keeps codes that are not known, and counts them', async () => {
    const publication = await parseStations(
      { Margen: 'X', 'Tipo Venta': 'p', Remisión: 'om' },
      { Margen: 'X', 'Tipo Venta': 'R', Remisión: '' },
    )
    expect(rowsOf(publication, 'fuel_stations')).toMatchObject([
      { side: 'X', sale_type: 'PUBLIC', reporter: 'WHOLESALE_OPERATOR' },
      { side: 'X', sale_type: 'RESTRICTED', reporter: null },
    ])
    expect(publication.report.unknownCodes).toEqual({ road_side: { X: 2 } })
  })

  test('may have lost its place: 0/0, swapped, elsewhere, none', async () => {
    const abrera = { lat: 41.514583, lon: 1.897944 }
    const madrid = { lat: 40.416775, lon: -3.70379 }
    const cases: readonly (readonly [lat: string, lon: string, position: object | null, issue: string])[] = [
      ['0,000000', '0,000000', null, 'ZERO'],
      ['1,897944', '41,514583', abrera, 'SWAPPED'],
      ['51,5', '0,1', null, 'OUTSIDE_SPAIN'],
      ['', '', null, 'MISSING'],
      ['N/S', '1,9', null, 'UNREADABLE'],
      ['40,416775', '-3,703790', madrid, 'OTHER_PROVINCE'],
      ['n/d', '-', null, 'UNREADABLE'],
      ['-3,703790', '40,416775', madrid, 'OTHER_PROVINCE'],
      ['39,5', '1,0', { lat: 39.5, lon: 1 }, 'OTHER_PROVINCE'],
    ]
    const publication = await parseStations(...cases.map(([lat, lon]) => ({ Latitud: lat, 'Longitud (WGS84)': lon })))
    const found = rowsOf(publication, 'fuel_stations').map((row) => [row['position'], row['position_issue']])
    expect(found).toEqual(cases.map(([, , position, issue]) => [position, issue]))
    expect(rowsOf(publication, 'fuel_stations').every((row) => row['municipality_code'] === '08001')).toBe(true)
    expect(placeWarnings(publication)).toEqual({
      'place of a station: position is 0, 0': 1,
      'place of a station: latitude and longitude were swapped': 2,
      'place of a station: position lies outside Spain': 1,
      'place of a station: position is no position': 2,
      'place of a station: position lies outside the province that is named': 3,
      'place of a station: position lies in no municipality': 1,
    })
  })

  test('that comes twice, or cannot be read, is set aside with its prices', async () => {
    const publication = await parseStations({}, { IDEESS: '0', 'Precio Gasolina 95 E5': '1,5' }, { IDEESS: '' }, { IDProvincia: '53' })
    expect(rowsOf(publication, 'fuel_stations').map((row) => row['station_id'])).toEqual(['0'])
    expect(rowsOf(publication, 'fuel_prices')).toHaveLength(2)
    expect(publication.report.quarantined).toEqual({
      fuel_stations: { 'IDEESS comes twice in one publication': 1, 'no IDEESS': 1, 'IDProvincia is no province': 1 },
      fuel_prices: { 'IDEESS comes twice in one publication': 3, 'no IDEESS': 2, 'IDProvincia is no province': 2 },
    })
  })
})

describe('a price', () => {
  test('has the product of its field, whatever its accents, and its unit', async () => {
    const fields: Record<string, string> = {
      'Precio Gasolina 95 E5': 'GASOLINE_95_E5',
      'Precio Gasolina 95 E5 Premium': 'GASOLINE_95_E5_PREMIUM',
      'Precio Gasolina 95 E10': 'GASOLINE_95_E10',
      'Precio Gasolina 95 E25': 'GASOLINE_95_E25',
      'Precio Gasolina 95 E85': 'GASOLINE_95_E85',
      'Precio Gasolina 98 E5': 'GASOLINE_98_E5',
      'Precio Gasolina 98 E10': 'GASOLINE_98_E10',
      'Precio Gasolina Renovable': 'GASOLINE_RENEWABLE',
      'Precio Gasóleo A': 'DIESEL_A',
      'Precio Gasoleo Premium': 'DIESEL_PREMIUM',
      'Precio Gasoleo B': 'DIESEL_B',
      'Precio Diésel Renovable': 'DIESEL_RENEWABLE',
      'Precio Biodiesel': 'BIODIESEL',
      'Precio Bioetanol': 'BIOETHANOL',
      'Precio Gases licuados del petróleo': 'LPG',
      'Precio Gas Natural Comprimido': 'CNG',
      'Precio Gas Natural Licuado': 'LNG',
      'Precio Biogas Natural Comprimido': 'BIO_CNG',
      'Precio Biogas Natural Licuado': 'BIO_LNG',
      'Precio Hidrogeno': 'HYDROGEN',
      'Precio Adblue': 'ADBLUE',
      'Precio  Metanol\t': 'METHANOL',
      'Precio Amoniaco': 'AMMONIA',
    }
    const { 'Precio Gasoleo A': _a, ...station } = STATION
    const publication = await parse(answer([{ ...station, ...Object.fromEntries(Object.keys(fields).map((field) => [field, '9,900'])) }]))
    const rows = rowsOf(publication, 'fuel_prices')
    expect(new Set(rows.map((row) => row['product']))).toEqual(new Set(Object.values(fields)))
    expect(Object.values(fields).toSorted()).toEqual(Object.keys(FUEL_PRODUCTS.codes).toSorted())
    const byWeight = rows.filter((row) => row['price_unit'] === 'EUR/kg').map((row) => row['product'])
    expect(byWeight).toEqual(expect.arrayContaining(['CNG', 'LNG', 'BIO_CNG', 'BIO_LNG', 'HYDROGEN']))
    expect(byWeight).toHaveLength(5)
    expect(publication.report.unknownCodes).toEqual({})
  })

  test('of an unknown product lands under the name of its field, counted', async () => {
    const publication = await parseStations({ 'Precio Queroseno': '1,100', 'Precio Hidrógeno Verde': '8,000' }, { 'Precio Queroseno': '' })
    expect(rowsOf(publication, 'fuel_prices').slice(2, 4)).toEqual([
      { station_id: '0', product: 'Precio Queroseno', price: 1.1, price_unit: 'EUR/L', province_code: '08', price_issue: null },
      { station_id: '0', product: 'Precio Hidrógeno Verde', price: 8, price_unit: 'EUR/kg', province_code: '08', price_issue: null },
    ])
    expect(publication.report.unknownCodes).toEqual({ fuel_product: { 'Precio Queroseno': 1, 'Precio Hidrógeno Verde': 1 } })
  })

  test('that is invalid is quarantined, with its reason', async () => {
    const publication = await parseStations(
      { 'Precio Adblue': 'n/s', 'Precio Gasoleo A': '0,000' },
      { 'Precio Adblue': '1.419', 'Precio Gasoleo A': '-' },
    )
    expect(rowsOf(publication, 'fuel_prices')).toEqual([])
    expect(publication.report.quarantined).toEqual({
      fuel_prices: { 'price is no number': 1, 'price is below 0.001': 1, 'price is above 100': 1 },
    })
    expect([...publication.report.warnings]).toContainEqual(['a price is marked as absent, where the field has always been empty', 1])
  })
})

describe('an answer', () => {
  test('is of the time it states, with or without the zero of its hour', async () => {
    const at = async (Fecha: string, fetched_at?: number): Promise<string> =>
      new Date((await parse(answer([STATION], { Fecha }), fetched_at)).data_time).toISOString()
    expect(await at('20/06/2026 1:02:54')).toBe('2026-06-19T23:02:54.000Z')
    expect(await at('26/10/2025 2:30:00', Date.parse('2025-10-26T00:31:00Z'))).toBe('2025-10-26T00:30:00.000Z')
    expect(await at('26/10/2025 2:30:00', Date.parse('2025-10-26T01:31:00Z'))).toBe('2025-10-26T01:30:00.000Z')
  })

  test('names new fields that are no price', async () => {
    const publication = await parseStations({ 'Tipo Servicio': 'A' }, { 'Tipo Servicio': 'A' })
    expect([...publication.report.warnings]).toContainEqual(['unknown field "Tipo Servicio" of stations', 1])
  })

  const bare = Object.fromEntries(Object.entries(STATION).filter(([field]) => !field.startsWith('Precio')))
  test.each([
    ['cut off', answer([STATION]).subarray(0, 400)],
    ['refused by the service', answer([], { ResultadoConsulta: 'Parámetro incorrecto' })],
    ['without a result', answer([STATION], { ResultadoConsulta: undefined })],
    ['without a list', answer([STATION], { ListaEESSPrecio: null })],
    ['of an unreadable time', answer([STATION], { Fecha: '2025-09-27T18:05:47' })],
    ['about one product', answer([{ ...bare, PrecioProducto: '1,419' }])],
    ['in XML', Buffer.from('<PreciosEESSTerrestres><Fecha>27/09/2025</Fecha></PreciosEESSTerrestres>')],
    ['that is no object', Buffer.from('[]')],
  ])('is refused when %s', async (_what, bytes) => {
    await expect(parse(bytes)).rejects.toThrow(FormatError)
  })
})

describe('the country', () => {
  const whole = provinces.flatMap(({ code }) => stationsOf(code, 20))

  test('misses the provinces that have no station', async () => {
    const publication = await parse(answer(whole.filter((station) => !['08', '52'].includes(String(station['IDProvincia'])))))
    expect(publication.report.missingBlocks).toEqual({ fuel_stations: ['08', '52'], fuel_prices: ['08', '52'] })
    expect([...publication.report.warnings]).toContainEqual(['no station in 2 of 52 provinces: 08 52', 1])
    expect((await parse(answer(whole))).report.missingBlocks).toEqual({})
  })

  test('may not shrink by more than a twentieth unseen, as it did on 2026-04-29', async () => {
    const before = await parse(answer(whole))
    expect(judge(fuelStationsFeed, before, null).kind).toBe('accept')
    const last = {
      data_time: '2025-09-27T15:30:00.000Z',
      rows: { fuel_stations: whole.length, fuel_prices: whole.length },
      blocks: before.blocks,
    } as unknown as AcceptedFetch
    // Spread over all provinces, as the stations with restricted sale were.
    const without = async (share: number): Promise<string> =>
      judge(fuelStationsFeed, await parse(answer(whole.filter((_, at) => (at * 7919) % whole.length >= share * whole.length))), {
        last,
        missing: {},
      }).kind
    expect(await without(779 / 12_187)).toBe('reject')
    expect(await without(0.04)).toBe('accept')
  })
})

describe('the provinces one by one', () => {
  function bodies(change: (code: string) => Buffer | null = () => null, without: readonly string[] = []): FeedBody[] {
    return provinces
      .filter(({ code }) => !without.includes(code))
      .map(({ code }) => ({ name: `province-${code}`, bytes: change(code) ?? answer(stationsOf(code, 3)) }))
  }
  const parseAll = (given: FeedBody[]): Promise<Publication> => parsePublication(fuelStationsFeed, given, NOW)

  test('give one publication, no newer than the oldest answer', async () => {
    const publication = await parseAll(
      bodies((code) => answer(stationsOf(code, 3), { Fecha: code === '13' ? '27/09/2025 18:04:10' : `27/09/2025 18:05:${code}` })),
    )
    expect(rowsOf(publication, 'fuel_stations')).toHaveLength(156)
    expect(publication.data_time).toBe(Date.parse('2025-09-27T16:04:10Z'))
    expect(publication.report.missingBlocks).toEqual({})
  })

  test('may lack two', async () => {
    const publication = await parseAll(bodies(undefined, ['08', '28']))
    expect(publication.report.missingBlocks).toEqual({ fuel_stations: ['08', '28'], fuel_prices: ['08', '28'] })
    await expect(parseAll(bodies(undefined, ['08', '28', '41']))).rejects.toThrow('49 good answers for 52 provinces, 50 needed')
  })

  test('count as not given where they are bad or stale', async () => {
    const publication = await parseAll(
      bodies((code) => {
        if (code === '08') return answer(stationsOf(code, 3)).subarray(0, 900)
        return code === '28' ? answer(stationsOf(code, 3), { Fecha: '27/09/2025 17:05:46' }) : null
      }),
    )
    expect(publication.report.missingBlocks).toEqual({ fuel_stations: ['08', '28'], fuel_prices: ['08', '28'] })
    expect([...publication.report.warnings.keys()].join()).toMatch(/province-08 left out.*province-28 left out: over an hour older/)
    expect(publication.data_time).toBe(Date.parse('2025-09-27T16:05:47Z'))
    await expect(parseAll(bodies(() => Buffer.from('{')))).rejects.toThrow('0 good answers')
  })

  test('hold no station of another', async () => {
    const publication = await parseAll(bodies((code) => (code === '08' ? answer([...stationsOf('08', 3), ...stationsOf('43', 1)]) : null)))
    expect(publication.report.quarantined['fuel_stations']).toEqual({ 'in the answer of another province': 1 })
    expect(counts(rowsOf(publication, 'fuel_stations'), 'province_code')).toMatchObject({ '08': 3, '43': 3 })
  })

  test('are requested by the last plan of the feed, where 50 are enough', () => {
    const plan = fuelStationsFeed.plans.at(-1)
    expect(plan?.requests).toHaveLength(52)
    expect(plan?.enough).toBe(50)
    expect(plan?.requests[7]).toMatchObject({
      name: 'province-08',
      url: expect.stringMatching(/\/EstacionesTerrestres\/FiltroProvincia\/08$/),
    })
  })
})

describe.skipIf(!shared)('captures of the ministry', () => {
  const capture = (file: string): Buffer => readFileSync(join(shared as string, 'feeds/miteco-eess', file))

  test('of Barcelona give 807 stations and the counted prices', async () => {
    const publication = await parse(capture('EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json'))
    expect(publication.data_time).toBe(Date.parse('2025-09-27T16:05:47Z'))
    const stations = rowsOf(publication, 'fuel_stations')
    expect(stations).toHaveLength(807)
    expect(counts(stations, 'side')).toEqual({ RIGHT: 395, LEFT: 144, NOT_APPLICABLE: 268 })
    expect(counts(stations, 'sale_type')).toEqual({ PUBLIC: 797, RESTRICTED: 10 })
    expect(counts(stations, 'reporter')).toEqual({ WHOLESALE_OPERATOR: 335, RETAILER: 472 })
    expect(counts(stations, 'methyl_ester_pct')).toEqual({ 0: 799, 7: 8 })
    expect(stations.filter((row) => row['position'] === null || row['municipality_code'] === null)).toEqual([])
    expect(stations.filter((row) => row['brand'] !== String(row['brand']).trim())).toEqual([])
    expect(counts(rowsOf(publication, 'fuel_prices'), 'product')).toEqual({
      GASOLINE_95_E5: 767,
      GASOLINE_95_E5_PREMIUM: 90,
      GASOLINE_95_E10: 2,
      GASOLINE_95_E85: 1,
      GASOLINE_98_E5: 452,
      GASOLINE_98_E10: 1,
      DIESEL_A: 786,
      DIESEL_PREMIUM: 401,
      DIESEL_B: 41,
      LPG: 85,
      CNG: 19,
      LNG: 8,
      BIODIESEL: 8,
      ADBLUE: 234,
      DIESEL_RENEWABLE: 133,
      GASOLINE_RENEWABLE: 6,
    })
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(publication.report.missingBlocks['fuel_stations']).toHaveLength(51)
    expect(judge(fuelStationsFeed, publication, null).kind).toBe('accept')
  })

  test('of Cantabria give 164 stations, of an earlier layout', async () => {
    const publication = await parse(capture('EstacionesTerrestres_FiltroCCAA_06_20240819T143651.json'))
    expect(publication.data_time).toBe(Date.parse('2024-08-19T12:36:51Z'))
    expect(rowsOf(publication, 'fuel_stations')).toHaveLength(164)
    expect(rowsOf(publication, 'fuel_prices')).toHaveLength(589)
    expect(counts(rowsOf(publication, 'fuel_stations'), 'province_code')).toEqual({ 39: 164 })
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(judge(fuelStationsFeed, publication, null).kind).toBe('accept')
  })
})
