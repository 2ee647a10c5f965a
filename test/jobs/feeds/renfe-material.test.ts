import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renfeMaterial } from '../../../jobs/feeds/rail/renfe-material.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/renfe_material/models.csv'))
const TEXT = FIXTURE.toString('latin1')

const parse = (bytes: Buffer): Promise<Publication> => parsePublication(renfeMaterial, [{ name: 'models', bytes }], Date.UTC(2026, 0))
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('rail_stock') as readonly AnyRow[]
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

test.each([
  ['a speed in other units', ['250 Km/h - 220', '250 mph - 220'], 'VELOCIDAD MAXIMA is no number of km/h'],
  ['a mass that is two', ['329,6 T', '329,6 T - 300 T'], 'MASA SIN CARGA has several values'],
  ['seats that are words', [';347;', ';"muchas";'], 'PLAZAS SENTADAS is no number of seats'],
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

test.skipIf(!shared)('the capture: 38 models, the duplicate distinguished, every value read', async () => {
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
