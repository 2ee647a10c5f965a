import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { barcelonaAir, madridAir } from '../../../jobs/feeds/air/day-file.ts'
import { mitecoIca } from '../../../jobs/feeds/air/miteco-ica.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2027, 0, 1)
/** Valid hours, and invalid ones before a valid one of their line, counted by another program. */
const MADRID = [
  ['2019-03-07', 3421, 52],
  ['2019-09-26', 2575, 26],
] as const
const BARCELONA = { VALID: 32_440, INVALID: 296 }

const read = (feed: Feed, bytes: Buffer | string, at = AT): Promise<Publication> =>
  parsePublication(feed, [{ name: 'records', bytes: Buffer.from(bytes) }], at, { keeps: () => true })
const capture = (path: string): Buffer => readFileSync(join(shared as string, 'feeds', path))
const fixture = (path: string): string => readFileSync(join(PROJECT, 'test/fixtures', path), 'utf8')
const count = <T>(rows: readonly T[], of: (row: T) => unknown): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, (row) => String(of(row)))].map(([key, group]) => [key, group.length]))

describe('the national index', () => {
  test.skipIf(!shared)('the capture: 624 stations, 566 of them active, and 541 indices', async () => {
    const { rows, report } = await read(mitecoIca, capture('miteco-ica/ica-ultima-hora_20260902T2100Z.csv'), Date.UTC(2026, 8, 2, 22, 50))
    const stations = rows.get('air_quality_stations') as AnyRow[]
    const index = rows.get('air_quality_index') as AnyRow[]
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    expect(count(stations, (row) => row['is_active'])).toEqual({ true: 566, false: 58 })
    expect(count(stations, (row) => row['type'])).toEqual({ BACKGROUND: 274, INDUSTRIAL: 216, TRAFFIC: 134 })
    expect(new Set(stations.map((row) => row['station_id'])).size).toBe(624)
    expect(stations.filter((row) => !/^\d{8}$/.test(row['station_id'] as string))).toEqual([])
    expect(stations.filter((row) => (row['station_id'] as string).startsWith('0'))).toHaveLength(
      stations.filter((row) => Number(row['province_code']) < 10).length,
    )
    expect(stations.filter((row) => !provinceByCode(row['province_code'] as string) || row['position'] === null)).toEqual([])
    expect(count(stations, (row) => row['province_code'])).toMatchObject({ '28': 52, '08': 47, '05': 1 })
    // Of 624, 63 are empty, 7 of them active; 19 are zero, 18 of them active; one inactive station has an index.
    expect(index).toHaveLength(566 - 7 - 18)
    expect(count(index, (row) => isoInstant(row['observed_at'] as number))).toEqual({ '2026-09-02T21:00:00.000Z': 541 })
    // 46077006 is inactive, and has an index of 2 by ozone.
    expect(count(index, (row) => `${row['level']}${row['is_partial'] ? ' partial' : ''}`)).toEqual({
      ...{ GOOD: 64, FAIRLY_GOOD: 230, MODERATE: 86, POOR: 7 },
      ...{ 'GOOD partial': 40, 'FAIRLY_GOOD partial': 93, 'MODERATE partial': 20, 'POOR partial': 1 },
    })
    expect(count(index, (row) => row['pollutants'])).toEqual({ O3: 349, PM10: 110, NO2: 51, PM2_5: 29, SO2: 2 })
  })

  test('a header without stations is valid; no body, a page and other text are errors', async () => {
    const header = fixture('miteco_ica/ica.csv').split('\n')[1]
    const { counts, report } = await read(mitecoIca, `${header}\n`)
    expect([[...counts.values()], report.quarantined]).toEqual([[0, 0], {}])
    for (const text of ['', '<!DOCTYPE html><html></html>\n', 'Servicio no disponible\n'])
      await expect(read(mitecoIca, text)).rejects.toThrow('has no line that begins with cod_estacion')
  })
})

describe('hours of a day side by side', () => {
  const hours = (rows: readonly AnyRow[], pollutant: string): unknown[] =>
    rows.flatMap((row) => (row['pollutant'] === pollutant ? [[isoInstant(row['hour_begins_at'] as number), row['value']]] : []))

  test.skipIf(!shared)('captures of Madrid: each hour up to the last valid one of its line', async () => {
    for (const [file, valid, invalid] of MADRID) {
      const { rows, report } = await read(madridAir, capture(`air-quality/madrid-horario_${file}.csv`))
      const measured = rows.get('air_measurements') as AnyRow[]
      expect([file, report.quarantined, report.unknownCodes, warningLines(report)]).toEqual([file, {}, {}, []])
      expect([file, count(measured, (row) => row['validity'])]).toEqual([file, { VALID: valid, INVALID: invalid }])
      expect(measured.filter((row) => (row['value'] === null) !== (row['validity'] === 'INVALID'))).toEqual([])
      expect(new Set(measured.map((row) => row['station_id'])).size).toBe(24)
      // 07/03/2019 is winter: the hour that ends at 01:00 began at 23:00 in UTC.
      const first = Math.min(...measured.map((row) => row['hour_begins_at'] as number))
      expect(isoInstant(first)).toBe(file === '2019-03-07' ? '2019-03-06T23:00:00.000Z' : '2019-09-25T22:00:00.000Z')
    }
  })

  test.skipIf(!shared)('the capture of Barcelona: pollutants of eight stations, none of the weather', async () => {
    const { rows, report } = await read(barcelonaAir, capture('barcelona-aire/2025_08_Agost_qualitat_aire_BCN.csv'))
    const measured = rows.get('air_measurements') as AnyRow[]
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    expect(new Set(measured.map((row) => row['station_id'])).size).toBe(8)
    expect(Object.keys(count(measured, (row) => row['pollutant'])).sort()).toEqual(['CO', 'NO', 'NO2', 'NOX', 'O3', 'PM10', 'PM2_5', 'SO2'])
    expect(count(measured, (row) => row['validity'])).toEqual(BARCELONA)
    expect(count(measured, (row) => row['unit'] === (row['pollutant'] === 'CO' ? 'mg/m3' : 'ug/m3'))).toEqual({ true: measured.length })
  })

  test('the flag decides, trailing hours have not come, and the repeated hour of October has no place', async () => {
    const { rows, report } = await read(madridAir, fixture('madrid_air/padded.csv'))
    const measured = rows.get('air_measurements') as AnyRow[]
    // On 25/10/2026 the clock shows 02:00 twice: H03 is neither.
    expect(hours(measured, 'NO2')).toEqual([
      ['2026-10-24T22:00:00.000Z', 31],
      ['2026-10-24T23:00:00.000Z', 28],
      ['2026-10-25T02:00:00.000Z', null],
      ['2026-10-25T03:00:00.000Z', 24],
    ])
    expect(hours(measured, 'CO')).toHaveLength(2)
    expect(hours(measured, 'PM10')).toEqual([])
    expect(warningLines(report)).toEqual(['an hour that the clock skips or repeats (2 times)'])
  })

  test('numbers without padding and a byte order mark give the same rows', async () => {
    const plain = fixture('madrid_air/plain.csv')
    const padded = plain
      .slice(1)
      .replaceAll(/;(51|47|1\.3|1\.1);V/g, (_all, number: string) => `;${number.padStart(5, '0')};V`)
      .replaceAll(';79;8;', ';079;008;')
      .replaceAll(';2026;3;9;', ';2026;03;09;')
    expect(padded).not.toBe(plain.slice(1))
    expect((await read(madridAir, padded)).rows).toEqual((await read(madridAir, plain)).rows)
  })
})
