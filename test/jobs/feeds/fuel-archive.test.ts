import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fuelArchive } from '../../../jobs/feeds/fuel/archive.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { PROJECT } from '../../laws/sources.ts'

type Fields = Readonly<Record<string, unknown>>

const NOW = Date.parse('2026-11-01T00:00:00Z')
const FIXTURE = JSON.parse(readFileSync(join(PROJECT, 'test/fixtures/fuel_archive/2026-10-27.json'), 'utf8')) as {
  ListaEESSPrecio: Fields[]
}
/** A station without prices, except in some fields. */
const STATION: Fields = {
  ...Object.fromEntries(
    Object.entries(FIXTURE.ListaEESSPrecio[0] as Fields).map(([field, value]) => [field, field.startsWith('Precio') ? '' : value]),
  ),
  ...{ IDEESS: '4375', IDProvincia: '08', Rótulo: ' REPSOL ', 'Tipo Venta': 'P', 'Precio Adblue': '0,729', 'Precio Gasoleo A': '1,419' },
}
const answer = (stations: readonly unknown[], envelope: Fields = {}): Buffer =>
  Buffer.from(
    JSON.stringify({ Fecha: '27/09/2025 0:00:00', ListaEESSPrecio: stations, Nota: 'Archivo…', ResultadoConsulta: 'OK', ...envelope }),
  )

describe('a day of the archive', () => {
  const parseDay = (bytes: Buffer, name = '2012-03-25'): Promise<Publication> =>
    parsePublication(fuelArchive, [{ name, bytes }], NOW, { keeps: () => true })
  const rows = (publication: Publication): readonly AnyRow[] => publication.rows.get('fuel_archive_prices') as readonly AnyRow[]

  test('is the requested one, whatever time it states; each price is a row', async () => {
    const stations = [STATION, { ...STATION, IDEESS: '5', Rótulo: '', 'Tipo Venta': 'R', 'Precio Adblue': '', 'Precio Queroseno': '0,987' }]
    const publication = await parseDay(answer(stations, { Fecha: 'hoy' }))
    const station = { day: '2012-03-25', day_starts_at: Date.parse('2012-03-24T23:00:00Z'), province_code: '08' }
    const public4375 = { ...station, station_id: '4375', brand: 'REPSOL', sale_type: 'PUBLIC', price_unit: 'EUR/L', price_issue: null }
    const restricted5 = { ...station, station_id: '5', brand: null, sale_type: 'RESTRICTED', price_unit: 'EUR/L', price_issue: null }
    expect(rows(publication)).toEqual([
      { ...public4375, product: 'ADBLUE', price: 0.729 },
      { ...public4375, product: 'DIESEL_A', price: 1.419 },
      { ...restricted5, product: 'DIESEL_A', price: 1.419 },
      { ...restricted5, product: expect.stringMatching(/queroseno/i), price: 0.987 },
    ])
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: { fuel_product: expect.anything() } })
  })

  test('that is given by hand is that of its time, and without one refused', async () => {
    expect(rows(await parseDay(answer([STATION]), 'by-hand'))[0]).toMatchObject({ day: '2025-09-27' })
    await expect(parseDay(answer([STATION], { Fecha: 'hoy' }), 'by-hand')).rejects.toThrow('Fecha is "hoy"')
  })

  test('without stations is absent; one that the service refused, or whose prices have other names, is an error', async () => {
    const isAbsent = (bytes: Buffer): boolean | undefined => fuelArchive.archive?.isAbsent?.({ name: '2025-05-21', bytes })
    expect([isAbsent(answer([])), isAbsent(answer([], { ResultadoConsulta: 'Datos no encontrados' }))]).toEqual([true, true])
    expect([isAbsent(answer([STATION])), isAbsent(Buffer.from('<html></html>')), isAbsent(Buffer.from('{"Mensaje":"x"}'))]).toEqual([
      false,
      false,
      false,
    ])
    await expect(parseDay(answer([STATION], { ResultadoConsulta: 'ERROR' }))).rejects.toThrow('ResultadoConsulta is "ERROR"')
    const { 'Precio Gasoleo A': price, ...other } = STATION
    await expect(parseDay(answer([{ ...other, 'Precio Diésel': price }]))).rejects.toThrow('no station has the field Precio Gasoleo A')
  })

  test('is the same where only the time that it was asked at, or the note, is another', () => {
    const contentOf = (bytes: Buffer): Buffer | undefined => fuelArchive.archive?.contentOf?.({ name: '2025-05-20', bytes })
    const before = contentOf(answer([STATION]))
    expect(contentOf(answer([STATION], { Fecha: '28/09/2025 7:00:00', Nota: 'Otra' }))).toEqual(before)
    expect(contentOf(answer([{ ...STATION, 'Precio Adblue': '0,730' }]))).not.toEqual(before)
    expect(contentOf(Buffer.from('<html></html>'))?.toString()).toBe('<html></html>')
  })

  test('quarantines a station without an id or a province, and one that comes twice', async () => {
    const { report } = await parseDay(
      answer([STATION, STATION, { ...STATION, IDEESS: '' }, { ...STATION, IDEESS: '6', IDProvincia: '99' }]),
    )
    expect(report.quarantined['fuel_archive_prices']).toEqual({
      'IDEESS comes twice in one day': 1,
      'no IDEESS': 1,
      'IDProvincia is no province': 1,
    })
  })
})
