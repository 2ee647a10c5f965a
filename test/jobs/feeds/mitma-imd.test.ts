import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kmOfPost, mitmaImd } from '../../../jobs/feeds/mobility/mitma-imd.ts'
import { listingOf } from '../../../jobs/feeds/periods.ts'
import { nextPage } from '../../../jobs/formats/arcgis.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/mitma_imd/2018.json'))
type Attributes = Record<string, unknown>

const bytesOf = (answer: unknown): Buffer => Buffer.from(JSON.stringify(answer))
const features = (attributes: readonly Attributes[], more: object = {}): Buffer =>
  bytesOf({ features: attributes.map((one) => ({ attributes: one })), ...more })
const parse = (bytes: Buffer, name = '2018'): Promise<Publication> =>
  parsePublication(mitmaImd, [{ name, bytes }], Date.UTC(2026, 0), { keeps: () => true })
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('imd_sections') as readonly AnyRow[]
const given = (JSON.parse(FIXTURE.toString()) as { features: { attributes: Attributes }[] }).features.map(({ attributes }) => attributes)

test('a post and metres behind it, which may be more than a thousand', () => {
  expect(['154+330', '191+2980', '243+1110', '0+000', ' 12 + 040 '].map(kmOfPost)).toEqual([154.33, 193.98, 244.11, 0, 12.04])
  expect(['154.330', '154', '+330', '154+', 'S/N', ''].map(kmOfPost)).toEqual(Array.from({ length: 6 }, () => Number.NaN))
})

describe('sections of the traffic map', () => {
  test('have kilometres, province and kind of road, and the quality of their vehicle-km', async () => {
    const publication = await parse(FIXTURE)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(rowsOf(publication).map((row) => [row.object_id, row.veh_km_check])).toEqual([
      [11, 'OK'],
      [7, 'OK'],
      [9, 'DIFFERS'],
    ])
    expect(rowsOf(publication)[1]).toEqual({
      ...{ edition: '2018', object_id: 7, section_id: 'N-1000A 13 14+500 15+2980', year: 2018 },
      ...{ year_starts_at: Date.parse('2017-12-31T23:00:00Z'), road: 'N-1000A', road_type: 'MULTILANE', province_code: '13' },
      ...{ post_from: '14+500', post_to: '15+2980', km_from: 14.5, km_to: 17.98, length_km: 3.5 },
      ...{ imd: 2000, imd_light: 1800, imd_heavy: 200, veh_km: 2_555_000, veh_km_light: 2_299_500, veh_km_heavy: 255_500 },
      ...{ year_days: 365, veh_km_check: 'OK' },
    })
  })

  test('are read by other names, in a leap year, without a number, and with codes that are not known', async () => {
    const names: Readonly<Record<string, string>> = {
      ...{ provincia: 'Provincia', nombre: 'Nombre', tipo_carretera: 'Tipo_de_ca', vh_km_total: 'vh_km_tota', vh_km_ligeros: 'vh_km_lige' },
      ...{ vh_km_pesados: 'vh_km_pesa', imd_total: 'IMD_total', imd_ligeros: 'IMD_ligero', imd_pesados: 'IMD_pesado' },
    }
    const [first = {}, second = {}] = given
    const cut = {
      ...first,
      longitud: 10,
      vh_km_total: 366 * 10_000,
      provincia: 'ATLANTIS',
      tipo_carretera: 'Túnel',
      Shape_Length: 3,
      aforo: 1,
    }
    const without = { ...second, vh_km_total: null, imd_pesados: ' ' }
    const renamed = [cut, without].map((one) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [names[name] ?? name, value])),
    )
    const publication = await parse(features(renamed), '2016')
    expect(publication.report.unknownCodes).toEqual({
      imd_section_field: { aforo: 1 },
      imd_province: { ATLANTIS: 1 },
      imd_road_type: { Túnel: 1 },
    })
    expect(rowsOf(publication)).toMatchObject([
      {
        edition: '2016',
        section_id: 'N-1000 ATLANTIS 10+000 14+500',
        province_code: null,
        road_type: 'Túnel',
        year_days: 366,
        veh_km_check: 'OK',
      },
      { year_days: 366, imd: 2000, imd_heavy: null, veh_km: null, veh_km_check: 'NOT_STATED' },
    ])
  })

  test('without road or post are put aside; one on two pages is one', async () => {
    const [first = {}, second = {}] = given
    const bad = [
      { ...first, OBJECTID: 1, nombre: null },
      { ...first, OBJECTID: 2, pk_fin: '14,5' },
      { ...first, OBJECTID: 3, imd_total: -1 },
    ]
    const pages = [features([...bad, first, second], { exceededTransferLimit: true }), features([second])]
    const bodies = pages.map((bytes, at) => ({ name: at === 0 ? '2018' : '2018.2', bytes }))
    const publication = await parsePublication(mitmaImd, bodies, Date.UTC(2026, 0), { keeps: () => true })
    expect(publication.report.quarantined).toEqual({
      imd_sections: { 'no nombre': 1, 'pk_fin is no post': 1, 'imd_total is no number from 0 on': 1 },
    })
    expect(rowsOf(publication).map(({ object_id }) => object_id)).toEqual([11, 7])
    expect([...publication.report.warnings.keys()]).toEqual(['a row is on several pages'])
  })

  test.each([
    [
      'vehicle-km that are most often something else',
      features(given.map((one) => ({ ...one, vh_km_total: one.imd_total }))),
      /vehicle-km of 0/,
    ],
    ['no light in what is heavy', features(given.map(({ imd_pesados: _, ...one }) => one)), /none of the sections has an IMD_pesados/],
    ['an error', bytesOf({ error: { code: 400, message: 'Invalid query' } }), /an error of the server: .*Invalid query/],
    ['no list', bytesOf({ features: null }), /no list of features/],
    ['a feature without attributes', bytesOf({ features: [{ geometry: {} }] }), /without attributes/],
    ['no JSON', FIXTURE.subarray(0, 900), /no JSON/],
  ])('are refused: %s', async (_what, bytes, words) => {
    await expect(parse(bytes)).rejects.toThrow(words)
  })

  test('are refused without the year that they are of', async () => {
    await expect(parse(FIXTURE, 'layer2')).rejects.toThrow('cannot determine the year of the map')
  })
})

test('the page after one begins behind its features; an error is refused with its status', () => {
  const url = 'https://maps.example/query?where=1%3D1&resultOffset=1000&f=json'
  const page = (answer: unknown) => nextPage({ bytes: bytesOf(answer) }, url)
  const two = [{ attributes: {} }, { attributes: {} }]
  expect(page({ features: two, exceededTransferLimit: true })).toEqual({ url: url.replace('1000', '1002') })
  expect([page({ features: two }), page({ features: [] })]).toEqual([null, null])
  expect(() => page({ features: [], exceededTransferLimit: true })).toThrow('not the last')
  expect(page({ error: { code: 404, message: 'Service not found' } })).toEqual({
    refused: 'Service not found',
    retryable: false,
    status: 404,
  })
  expect(page({ error: { code: 500 } })).toMatchObject({ retryable: true, status: 500 })
})

test('maps are of the years that the service has', () => {
  const listed = (from: string, to: string) => listingOf('year', mitmaImd.archive?.files([], { from, to }) ?? [], { from, to }).files
  expect(listed('0001-01-01', '2026-11-01').map(({ period }) => period)).toEqual(['2015', '2016', '2017', '2018', '2019'])
  expect(listed('2017-05-01', '2018-02-01').map(({ period }) => period)).toEqual(['2017', '2018'])
  expect(listed('2020-01-01', '2026-01-01')).toEqual([])
  expect(listed('2016-01-01', '2016-12-31')[0]?.url).toMatch(/\/Mapa2016web\/MapServer\/2\/query\?where=1%3D1&.*resultOffset=0&/)
})

test.skipIf(!shared)('the recorded answer: 23 sections, whose vehicle-km are all length × 365 × IMD', async () => {
  const bytes = readFileSync(join(shared as string, 'feeds/imd/ministerio_mapatrafico_arcgis_layer2_query.json'))
  // One of the maps of 2015 to 2018; which one is not recorded.
  const publication = await parse(bytes, '2018')
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const rows = rowsOf(publication)
  expect([rows.length, new Set(rows.map(({ section_id }) => section_id)).size]).toEqual([23, 23])
  expect(new Set(rows.map((row) => [row.veh_km_check, row.year_days].join()))).toEqual(new Set(['OK,365']))
  expect([...new Set(rows.map(({ road }) => road))].sort()).toEqual(['N-430', 'N-430A', 'N-502'])
  expect([...new Set(rows.map(({ province_code }) => province_code))].sort()).toEqual(['06', '10', '13', '45'])
  const others = rows.map((row) => Number(row.imd) - Number(row.imd_light) - Number(row.imd_heavy))
  expect([Math.min(...others), Math.max(...others)]).toEqual([0, 23])
  expect(rows.find(({ object_id }) => object_id === 3255)).toMatchObject({ km_from: 182.14, km_to: 193.98, length_km: 11.87, imd: 38 })
})
