import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { renfeMaterial } from '../../../jobs/feeds/rail/renfe-material.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/renfe_material/models.csv'))
const TEXT = FIXTURE.toString('latin1')
const [HEADER = '', FIRST = ''] = TEXT.split('\r\n')

const parse = (bytes: Buffer): Promise<Publication> => parsePublication(renfeMaterial, [{ name: 'models', bytes }], Date.UTC(2026, 0))
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('rail_stock') as readonly AnyRow[]
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

test('models: units out of the values, several values in their order, series out of the name', async () => {
  const publication = await parse(FIXTURE)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  expect(rowsOf(publication)[0]).toEqual({
    source: 'renfe',
    model: 'Prueba Serie 730 (híbrido)',
    purpose: 'Pasajeros - Larga distancia',
    series: '730',
    stock_type: 'LONG_DISTANCE',
    gauges_mm: [1435, 1668],
    top_speeds_kmh: [250, 220, 180],
    powers_kw: [4800, 3600],
    voltages_v: [25000, 1500],
    motors: '8 asíncronos',
    mass_t: 329.6,
    length_m: 200.15,
    seats_min: 347,
    seats_max: 347,
    seats: '347',
    signalling: 'LZB - ASFA',
    manufacturer: 'Talleres del Ejemplo',
    units_built: 22,
    is_accessible: null,
    photos_url: 'http://example.org/a.html',
    features_url: null,
    sheet_url: null,
  })
  expect(rowsOf(publication).map(({ series, stock_type, seats_min, seats_max }) => [series, stock_type, seats_min, seats_max])).toEqual([
    ['730', 'LONG_DISTANCE', 347, 347],
    ['592', 'MEDIUM_DISTANCE', 105, 123],
    ['592', 'COMMUTER', 200, 200],
    ['2400', 'COMMUTER_MEDIUM_DISTANCE', 64, 64],
    [null, 'LONG_DISTANCE', null, null],
    ['253', 'FREIGHT', null, null],
    ['112', 'HIGH_SPEED', 438, 438],
    ['462', 'COMMUTER', 126, 126],
    ['104', 'MEDIUM_DISTANCE_HIGH_SPEED', 237, 237],
  ])
  expect(rowsOf(publication)[1]).toMatchObject({ length_m: 70.21, voltages_v: [], gauges_mm: [1668] })
})

test.each([
  ['a speed in other units', ['250 Km/h - 220', '250 mph - 220'], 'VELOCIDAD MAXIMA is no number of km/h'],
  ['a mass that is two', ['329,6 T', '329,6 T - 300 T'], 'MASA SIN CARGA has several values'],
  ['seats that are words', [';347;', ';"muchas";'], 'PLAZAS SENTADAS is no number of seats'],
  ['units that are no number', [';22;', ';"veinte";'], 'UNIDADES CONSTRUIDAS is no whole number'],
  ['no name', ['"Prueba Serie 730 (híbrido)"', ''], 'no MODELO'],
  ['one field too few', [';347;', ';'], 'another number of fields'],
] as const)('%s is quarantined', async (_, [from, to], reason) => {
  const { report } = await parse(latin1(TEXT.replace(from, to)))
  expect(report.quarantined).toEqual({ rail_stock: { [reason]: 1 } })
})

test('a purpose that no list has is kept and counted', async () => {
  const publication = await parse(latin1(TEXT.replaceAll('Pasajeros - Larga distancia', 'Pasajeros - Nocturno')))
  expect(publication.report.unknownCodes).toEqual({ rail_stock_type: { 'Pasajeros - Nocturno': 2 } })
  expect(rowsOf(publication)[0]?.stock_type).toBe('Pasajeros - Nocturno')
})

test('a list that is cut, renamed or has lost a column is refused', async () => {
  await expect(parse(latin1(TEXT.slice(0, -5)))).rejects.toThrow('cut off')
  await expect(parse(latin1(TEXT.replace('"ANCHO VIA"', '"ANCHO"')))).rejects.toThrow('the header lacks ANCHO VIA')
  await expect(parse(latin1(`${HEADER}\r\n${FIRST.replace(';347;', ';;')}\r\n`))).rejects.toThrow(FormatError)
})

test.skipIf(!shared)('the capture: 38 models, the doubled one told apart, every value read', async () => {
  const publication = await parse(readFileSync(join(shared as string, 'feeds/renfe-material/2022-07-03_informacion-trenes.csv')))
  const rows = rowsOf(publication)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  expect(rows).toHaveLength(38)
  const of = (model: string): readonly AnyRow[] => rows.filter((row) => row.model === model)
  expect(of('Media Distancia R-592').map(({ stock_type, seats_min }) => [stock_type, seats_min])).toEqual([
    ['MEDIUM_DISTANCE', 228],
    ['COMMUTER', 200],
  ])
  expect(rows.filter(({ series }) => series === null).map(({ model }) => model)).toEqual(['Trenhotel'])
  expect(rows.filter(({ seats_min }) => seats_min === null).map(({ model }) => model)).toEqual(['Trenhotel', 'Mercancías S253'])
  expect(rows.filter(({ seats_min, seats_max }) => seats_min !== seats_max).map(({ model }) => model)).toEqual(['Media Distancia R-594'])
  expect(rows.filter(({ voltages_v }) => (voltages_v as number[]).length === 0)).toHaveLength(9)
  expect(rows.filter(({ powers_kw }) => (powers_kw as number[]).length === 0)).toHaveLength(1)
  expect(rows.filter(({ series }) => series === '112')).toHaveLength(2)
  const live = ['449', '599', '130', '470', '447', '103', '120', '112', '121', '100']
  expect(live.filter((series) => !rows.some((row) => row.series === series))).toEqual([])
  expect(rows.some((row) => row.series === '106')).toBe(false)
})
