import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { madridHistory } from '../../../jobs/feeds/road/madrid-history.ts'
import { isBulk, makeBulk } from '../../../jobs/ingest/bulk.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { Lake } from '../../../lake/open.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { openEngineContext } from '../../helpers/engine-context.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { deepTest } from '../../helpers/tier.ts'
import { zipOf, zipOfFolder } from '../../helpers/zip.ts'
import { PROJECT } from '../../laws/sources.ts'
import { bytesOf, standIn } from '../../publishers/helpers.ts'

const shared = sharedFolder()
/** When files were fetched, ms: after the period that they cover. */
const AT = Date.UTC(2026, 10, 1)
const fixture = (month: string): Buffer => zipOfFolder(join(PROJECT, 'test/fixtures/madrid_history', `${month}.zip`))
const NEW = '"id";"fecha";"tipo_elem";"intensidad";"ocupacion";"carga";"vmed";"error";"periodo_integracion"'
const archive = (...lines: string[]): Buffer => zipOf({ name: 'month.csv', bytes: Buffer.from(`${lines.join('\n')}\n`) })

let lake: Lake
let context: IngestContext
beforeAll(async () => {
  context = await openEngineContext()
  lake = context.lake
})
afterAll(() => lake.close())

const parse = (bytes: Buffer, month: string): Promise<Publication> =>
  parsePublication(madridHistory, [{ name: month, bytes }], AT, { keeps: () => true })

/** The rows of a file that lands, which are those of a sample, too. */
async function rowsOf(bytes: Buffer, month: string): Promise<AnyRow[]> {
  if (!isBulk(madridHistory)) throw new Error('rows are made by the engine')
  const of = { bodies: [{ name: month, bytes }], fetch_id: 'madrid_history.x', fetchedAt: AT, signal: new AbortController().signal }
  const { publication, staged } = await makeBulk(context, madridHistory, of)
  const made = await lake.query(sql`SELECT * EXCLUDE (fetch_id) FROM ${staged.table} ORDER BY ALL`)
  const partitions = staged.files?.map(({ file }) => file.partition)
  await staged.drop()
  const parsed = await parse(bytes, month)
  const text = (rows: readonly AnyRow[]): string[] =>
    rows.map(({ fetch_id: _, ...row }) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))).sort()
  expect(text(made)).toEqual(text(parsed.rows.get('traffic_readings_15m') as AnyRow[]))
  expect([publication.counts, publication.report.unknownCodes, partitions]).toEqual([parsed.counts, parsed.report.unknownCodes, [[month]]])
  return made
}

const pick = (rows: readonly AnyRow[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]))

describe('a month', () => {
  test('of either layout: quoted numbers, NaN, negative values, values beyond a measure, kinds in words', async () => {
    const names = ['sensor_id', 'sensor_type', 'intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh', 'quality', 'samples']
    expect(pick(await rowsOf(fixture('2022-01'), '2022-01'), ...names)).toEqual([
      ['1003', 'M30', 512, null, 0, 65, 'UNKNOWN', 5],
      ['3409', 'URBAN', 96, 2, 11, null, 'OK', 15],
      ['3409', 'URBAN', null, null, 7, null, 'ERROR', 14],
    ])
    expect(pick(await rowsOf(fixture('2017-06'), '2017-06'), ...names)).toEqual([
      ['1003', 'M30', 540, 3, 0, 70, 'OK', 5],
      ['3409', 'URBAN', 88, 1, 9, null, 'ERROR', 15],
    ])
  })

  test('parted by commas, with CRLF, an unknown kind and flag, and columns in another order', async () => {
    const lines = ['fecha,id,error,periodo_integracion,tipo_elem,carga,ocupacion,vmed,intensidad', '2020-02-29 23:45:00,7,Z,9,C30,1,2,0,30']
    const bytes = zipOf({ name: '02.CSV', bytes: Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`) })
    const [row] = await rowsOf(bytes, '2020-02')
    expect(row).toMatchObject({
      ...{ local_date: '2020-02-29', minute_of_day: 1425, starts_at: Date.parse('2020-02-29T22:45:00Z'), sensor_type: 'C30' },
      ...{ intensity_veh_h: 30, occupancy_pct: 2, load_pct: 1, speed_kmh: 0, quality: 'Z', samples: 9 },
    })
    expect((await parse(bytes, '2020-02')).report.unknownCodes).toEqual({ sensor_type: { C30: 1 }, reading_quality: { Z: 1 } })
  })

  test('keeps the hour that October repeats under its local time, twice and without an instant, and that which March leaves out', async () => {
    const line = (time: string, intensity: number): string => `7;"${time}";"URB";"${intensity}";"1";"1";"0";"N";15`
    const autumn = ['2022-10-30 01:45:00', '2022-10-30 02:00:00', '2022-10-30 02:00:00', '2022-10-30 03:00:00', '2022-10-31 00:00:00']
    const names = ['minute_of_day', 'repetition', 'intensity_veh_h', 'is_clock_change', 'starts_at', 'day_starts_at']
    const at = (text: string): number => Date.parse(`2022-${text}Z`)
    expect(pick(await rowsOf(archive(NEW, ...autumn.map((time, nth) => line(time, 50 - nth))), '2022-10'), ...names)).toEqual([
      [105, 1, 50, false, at('10-29T23:45'), at('10-29T22:00')],
      [120, 1, 48, true, null, at('10-29T22:00')],
      [120, 2, 49, true, null, at('10-29T22:00')],
      [180, 1, 47, false, at('10-30T02:00'), at('10-29T22:00')],
      [0, 1, 46, false, at('10-30T23:00'), at('10-30T23:00')],
    ])
    const spring = ['2022-03-27 01:45:00', '2022-03-27 02:15:00', '2022-03-27 03:00:00', '2022-03-28 00:00:00']
    expect(pick(await rowsOf(archive(NEW, ...spring.map((time) => line(time, 5))), '2022-03'), ...names)).toEqual([
      [105, 1, 5, false, at('03-27T00:45'), at('03-26T23:00')],
      [135, 1, 5, true, null, at('03-26T23:00')],
      [180, 1, 5, false, at('03-27T01:00'), at('03-26T23:00')],
      [0, 1, 5, false, at('03-27T22:00'), at('03-27T22:00')],
    ])
  })

  test('is refused whole for a line of another month, another width, without a number, and for a zip that has no CSV or two', async () => {
    const good = '7;"2022-01-01 00:00:00";"URB";"1";"1";"1";"0";"N";15'
    for (const [bytes, reason] of [
      [archive(NEW, good, good.replace('2022-01-01', '2022-02-01')), 'a month other than the file: 2022-02-01 00:00:00'],
      [archive(NEW, good, `${good};9`), 'not as it should be'],
      [archive(NEW, good, good.replace('"1"', '"x"')), 'not as it should be'],
      [archive(NEW, good, good.replace('2022-01-01 00:00:00', 'yesterday')), 'not as it should be'],
      [archive(NEW.replace('"vmed";', ''), good), 'the header lacks vmed'],
      [zipOf({ name: 'read.me', bytes: Buffer.from('x') }), '0 files of CSV'],
      [zipOf({ name: 'a.csv', bytes: Buffer.from('x') }, { name: 'b.csv', bytes: Buffer.from('x') }), '2 files of CSV'],
    ] as const) {
      await expect(rowsOf(bytes, '2022-01')).rejects.toThrow(FormatError)
      await expect(rowsOf(bytes, '2022-01')).rejects.toThrow(reason)
      await expect(parse(bytes, '2022-01')).rejects.toThrow(reason)
    }
  })

  deepTest.each(['2017-10', '2022-03'])('%s of the stand-in has a reading for nearly every quarter of an hour', async (month) => {
    await using publishers = await standIn({ at: Date.parse('2025-06-20T08:00:00Z'), scale: 'small' })
    const [year, number] = month.split('-').map(Number) as [number, number]
    const path = `/datos.madrid.es/egob/catalogo/208627-${20 + (year - 2017) * 12 + number - 4}-transporte-ptomedida-historico.zip`
    const rows = await rowsOf(await bytesOf(publishers, path), month)
    const sensors = new Set(rows.map(({ sensor_id }) => sensor_id))
    const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
    const quarters = days * 96 + (number === 10 ? 4 : number === 3 ? -4 : 0)
    expect(rows.length / (sensors.size * quarters)).toBeGreaterThan(0.98)
    expect(rows.filter(({ is_clock_change }) => is_clock_change).length).toBe(
      number === 10 ? rows.filter(({ starts_at }) => starts_at === null).length : 0,
    )
    expect(new Set(rows.map(({ sensor_type }) => sensor_type))).toEqual(new Set(['URBAN', 'M30']))
  })
})

test('the files of the portal are those that name a month and are of this dataset', () => {
  const resource = (name: string, file: string) => ({ name, url: `https://datos.madrid.es/egob/catalogo/${file}` })
  const list = JSON.stringify({
    result: {
      resources: [
        resource('2022. Enero', '208627-77-transporte-ptomedida-historico.zip'),
        resource('Diciembre de 2021', '208627-76-transporte-ptomedida-historico.zip'),
        resource('Estructura del conjunto de datos', '208627-0-transporte-ptomedida-historico.pdf'),
        resource('2022. Enero', '300233-77-aforo-trafico-permanentes.csv'),
      ],
    },
  })
  expect(madridHistory.archive?.files([{ name: 'list', bytes: Buffer.from(list) }], { from: '2021-01-01', to: '2022-12-31' })).toEqual([
    { period: '2022-01', url: 'https://datos.madrid.es/egob/catalogo/208627-77-transporte-ptomedida-historico.zip' },
    { period: '2021-12', url: 'https://datos.madrid.es/egob/catalogo/208627-76-transporte-ptomedida-historico.zip' },
  ])
})

test.skipIf(shared === null)('two recorded days of the M-30, written as the archive has them, give the figures of the notes', async () => {
  const lines: string[] = []
  const counts = ['28', '29'].map((day) => {
    const text = readFileSync(join(shared as string, `feeds/madrid-historico/15min-derived/DERIVED_m30_15min_201611${day}.csv`), 'utf8')
    const records = text.trim().split('\n').slice(1)
    for (const record of records) {
      const [id, time, , intensity, occupancy] = record.replaceAll('"', '').split(',') as string[]
      lines.push(`${id};"${time}";"${id}";"PUNTOS MEDIDA M-30";${intensity};${occupancy};0;0;"N";5`)
    }
    return records.length
  })
  const header = '"idelem";"fecha";"identif";"tipo_elem";"intensidad";"ocupacion";"carga";"vmed";"error";"periodo_integracion"'
  const rows = await rowsOf(archive(header, ...lines), '2016-11')
  expect(counts).toEqual([4717, 4669])
  const intensities = rows.map(({ intensity_veh_h }) => intensity_veh_h as number)
  expect([rows.length, new Set(rows.map(({ sensor_id }) => sensor_id)).size]).toEqual([4717 + 4669, 77])
  expect([Math.min(...intensities), Math.max(...intensities)]).toEqual([44, 8423])
})
