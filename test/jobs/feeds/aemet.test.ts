import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { readDownloadLink } from '../../../jobs/feeds/weather/aemet.ts'
import { aemetDaily } from '../../../jobs/feeds/weather/aemet-daily.ts'
import { aemetObservation } from '../../../jobs/feeds/weather/aemet-observation.ts'
import { aemetStations } from '../../../jobs/feeds/weather/aemet-stations.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { tryFeed } from '../../../jobs/ingest/try.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 1)
const fixture = (path: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures', path))
const parse = (feed: Feed, bytes: Buffer, at = AT, name = 'a'): Promise<Publication> =>
  parsePublication(feed, [{ name, bytes }], at, { keeps: () => true })
const rowsOf = (publication: Publication, dataset: string): readonly AnyRow[] => publication.rows.get(dataset) as readonly AnyRow[]
const latin = (records: readonly object[]): Buffer => Buffer.from(JSON.stringify(records), 'latin1')
const list = (bytes: Buffer): Record<string, unknown>[] => JSON.parse(bytes.toString('latin1'))
const OBSERVED = fixture('aemet_observation/observations.json')

test('observations: the hour that ends at fint, units of ours, no noise of doubles, missing keys null', async () => {
  const publication = await parse(aemetObservation, OBSERVED)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const [retiro, coruna, mountain] = rowsOf(publication, 'weather_observations') as [AnyRow, AnyRow, AnyRow]
  expect(retiro).toMatchObject({
    ...{ source: 'aemet', station_id: '3195', period_s: 3600, observed_at: Date.UTC(2026, 9, 31, 22) },
    ...{ precipitation_mm: 5.6, liquid_precipitation_mm: 0.3, solid_precipitation_mm: 0.4, disdrometer_precipitation_mm: 2.77 },
    ...{ temp_c: 0.1, temp_min_c: -0.1, temp_max_c: 0.2, dew_point_c: -0.3, ground_temp_c: 7.1, soil_temp_5cm_c: 8.1 },
    ...{ humidity_pct: 97, wind_mean_m_s: 4.9, wind_dir_deg: 297, gust_m_s: 12.6, gust_dir_deg: 307, wind_sd_m_s: 0.3, wind_dir_sd_deg: 6 },
    ...{ pressure_hpa: 929.9, pressure_sea_level_hpa: 1009.9, visibility_m: 400, sunshine_min: 0, soil_temp_20cm_c: 9.9 },
    ...{ snow_cm: null, wind_run_km: null, geopotential_700hpa_m: null, ultrasonic_gust_m_s: null },
  })
  expect(coruna).toMatchObject({ precipitation_mm: null, wind_mean_m_s: null, wind_run_km: 55.5 })
  expect(mountain).toMatchObject({
    ...{ snow_cm: 53.1, geopotential_700hpa_m: 3130.8, geopotential_850hpa_m: 1487.6, geopotential_925hpa_m: 775.8, wind_dir_deg: 360 },
    ...{ ultrasonic_wind_mean_m_s: 7.2, ultrasonic_wind_dir_deg: 345, ultrasonic_gust_m_s: 13.9, ultrasonic_gust_dir_deg: 318 },
    ...{ ultrasonic_wind_sd_m_s: 2.3, ultrasonic_wind_dir_sd_deg: 73 },
  })
})

test('observations: a station once a publication, with the province of its position', async () => {
  const stations = rowsOf(await parse(aemetObservation, OBSERVED), 'weather_stations')
  expect(stations.map(({ station_id, name, province_code, altitude_m }) => [station_id, name, province_code, altitude_m])).toEqual([
    ['3195', 'MADRID RETIRO', '28', 667],
    ['1475X', 'A CORUÑA PUERTO', '15', 21],
    ['9839V', 'REFUGIO DE EJEMPLO', '22', 2230.01],
  ])
  expect(stations[0]).toMatchObject({ listing: 'OBSERVATION', municipality_code: '28079', position: { lat: 40.411804, lon: -3.678095 } })
})

test('observations: times are UTC with an offset, as since 2025, and without one, as before', async () => {
  const [record = {}] = list(OBSERVED)
  const timeOf = async (fint: unknown): Promise<unknown> => {
    const { rows, report } = await parse(aemetObservation, latin([{ ...record, fint }]))
    return rows.get('weather_observations')?.[0]?.['observed_at'] ?? report.quarantined
  }
  const one = Date.UTC(2021, 0, 8, 14)
  for (const text of ['2021-01-08T14:00:00', '2021-01-08T14:00:00+0000', '2021-01-08T14:00:00+00:00', '2021-01-08T14:00:00Z'])
    expect([text, await timeOf(text)]).toEqual([text, one])
  for (const text of ['2021-01-08T15:00:00+0100', '2021-01-08T15:00:00+01:00', '2021-01-08T10:30:00-0330'])
    expect([text, await timeOf(text)]).toEqual([text, one])
  for (const text of ['2021-01-08T14:00:00+0130', '2021-01-08T14:10:00', '2021-02-30T14:00:00', '2021-01-08', '14:00', 7, null])
    expect([text, await timeOf(text)]).toEqual([text, { weather_observations: { 'fint is no full hour': 1 } }])
  expect(await timeOf('2026-11-01T01:00:00+0000')).toEqual({ weather_observations: { 'observed_at is later than the fetch': 1 } })
})

test('observations: unknown fields are counted, an invalid number is null, either spelling of two measures is taken', async () => {
  const [record = {}] = list(OBSERVED)
  const one = async (more: object): Promise<Publication> => parse(aemetObservation, latin([{ ...record, ...more }]))
  expect((await one({ uvmax: 3 })).report.unknownCodes).toEqual({ aemet_observation_key: { uvmax: 1 } })
  for (const [hr, reason] of [
    ['97,0', 'humidity_pct is no whole number'],
    [101, 'humidity_pct is above 100'],
    [-1, 'humidity_pct is below 0'],
  ] as const) {
    const { rows, report } = await one({ hr })
    expect(rows.get('weather_observations')).toMatchObject([{ station_id: '3195', humidity_pct: null, temp_c: 0.1 }])
    expect([report.quarantined, [...report.warnings]]).toEqual([{}, [[`weather_observations: ${reason}: stored as null`, 1]]])
  }
  const { pliqt, psoltp, ...rest } = record
  const [renamed] = rowsOf(await parse(aemetObservation, latin([{ ...rest, pliqtp: pliqt, psolt: psoltp }])), 'weather_observations')
  expect(renamed).toMatchObject({ liquid_precipitation_mm: 0.3, solid_precipitation_mm: 0.4 })
  await expect(parse(aemetObservation, latin([{ ...record, ta: undefined }]))).rejects.toThrow('none of the records has a ta')
})

test('observations: a calm wind has no direction, north is 0 or 360, and each wind has its own direction', async () => {
  const [record = {}] = list(OBSERVED)
  const windOf = async (wind: object): Promise<unknown> =>
    rowsOf(await parse(aemetObservation, latin([{ ...record, ...wind }])), 'weather_observations')[0]
  for (const dv of [0, 360, 77])
    expect(await windOf({ vv: 0, dv, vmax: 0.4, dmax: 350 })).toMatchObject({ wind_dir_deg: null, gust_dir_deg: 350 })
  for (const dv of [0, 360, 77]) expect(await windOf({ vv: 0.1, dv })).toMatchObject({ wind_dir_deg: dv })
  expect(await windOf({ vmax: 0, dmax: 360, vvu: 0, dvu: 90, vmaxu: 0, dmaxu: 1 })).toMatchObject({
    ...{ wind_dir_deg: 297, gust_dir_deg: null, ultrasonic_wind_dir_deg: null, ultrasonic_gust_dir_deg: null },
  })
})

test.skipIf(!shared)('observations with placeholders and other offsets: 1,300 rows, only the bad field is null', async () => {
  const bytes = readFileSync(join(shared as string, 'cases/aemet-observation-odd.json'))
  const { rows, report, counts } = await parse(aemetObservation, bytes, Date.UTC(2025, 11, 6))
  expect([counts.get('weather_observations'), report.quarantined]).toEqual([1300, {}])
  const at22 = new Map(
    rows
      .get('weather_observations')
      ?.flatMap((row) => (row['observed_at'] === Date.UTC(2025, 11, 5, 22) ? [[row['station_id'], row]] : [])),
  )
  for (const [station, members] of [
    ['0016A', { temp_c: 9.5, visibility_m: 30_000 }],
    ['0042Y', { precipitation_mm: null, temp_c: 10.7 }],
    ['0061X', { humidity_pct: null, wind_mean_m_s: 5.9 }],
    ['0066X', { pressure_hpa: null, humidity_pct: 80 }],
    ['0073X', { visibility_m: null, wind_dir_deg: 331 }],
    ['0076', { temp_c: null, pressure_hpa: 1016.6 }],
    ['0092X', { wind_mean_m_s: 0, wind_dir_deg: null }],
    ['0106X', { wind_mean_m_s: 0, wind_dir_deg: null }],
  ] as const)
    expect([station, at22.get(station)]).toEqual([station, expect.objectContaining(members)])
  expect([...report.warnings.values()].reduce((sum, count) => sum + count, 0)).toBe(5)
})

test('daily climatology: a request for each day of a range, from 1920 on', () => {
  const files = aemetDaily.archive?.files([], { from: '2024-02-28', to: '2024-03-01' }) ?? []
  expect(files.map(({ period }) => period)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
  expect(files[1]?.url).toBe(
    'https://opendata.aemet.es/opendata/api/valores/climatologicos/diarios/datos/fechaini/2024-02-29T00:00:00UTC/fechafin/2024-02-29T23:59:59UTC/todasestaciones',
  )
  expect(aemetDaily.archive?.files([], { from: '0001-01-01', to: '1920-01-01' })).toHaveLength(1)
  expect(aemetDaily.archive?.files([], { from: '0001-01-01', to: '1919-12-31' })).toEqual([])
})

test('a day whose document declares no data is absent; any other refusal is a failure', async () => {
  const isAbsent = (text: string): boolean | undefined => aemetDaily.archive?.isAbsent?.({ name: '2026-03-01', bytes: Buffer.from(text) })
  const noData = '{"descripcion":"No hay datos que satisfagan esos criterios","estado":404}'
  expect([isAbsent(noData), isAbsent('{"descripcion":"x","estado":429}'), isAbsent('[]'), isAbsent('null'), isAbsent('<html>')]).toEqual([
    ...[true, false, false, false, false],
  ])
  const { trial } = await tryFeed(aemetDaily, { files: [{ name: 'day.json', bytes: Buffer.from(noData) }], at: AT })
  expect(trial).toMatchObject({ accepted: false, reason: 'the publisher says that it has no such file' })
})

test('documents that are no lists of records are refused', async () => {
  for (const [text, words] of [
    ['{"estado":404,"descripcion":"No hay datos"}', 'estado 404, No hay datos'],
    ['[1]', 'record 0 is no object'],
    ['[{', 'is no JSON'],
    ['null', 'is no list'],
  ] as const)
    for (const feed of [aemetObservation, aemetStations]) {
      const reading = parse(feed, Buffer.from(text))
      await expect(reading).rejects.toThrow(words)
      await expect(reading).rejects.toThrow(FormatError)
    }
})

test('slips: the address of the data, or why there is none and whether to request it again', () => {
  const slip = (members: object): unknown => readDownloadLink(latin([members]).subarray(1, -1))
  expect(slip({ descripcion: 'exito', estado: 200, datos: 'https://opendata.aemet.es/opendata/sh/1' })).toEqual({
    url: 'https://opendata.aemet.es/opendata/sh/1',
  })
  const refused = (estado: unknown, words: string, retryable: boolean): void =>
    expect(slip({ descripcion: 'Límite', estado, datos: 'https://opendata.aemet.es/x' })).toEqual({
      refused: words,
      retryable,
      ...(typeof estado === 'number' ? { status: estado } : {}),
    })
  refused(401, 'estado 401: Límite', false)
  refused(404, 'estado 404: Límite', false)
  refused(429, 'estado 429: Límite', true)
  refused(500, 'estado 500: Límite', true)
  refused('200', 'estado "200": Límite', false)
  expect(slip({ estado: 200 })).toMatchObject({ retryable: true, refused: expect.stringContaining('datos') })
  expect(readDownloadLink(Buffer.from('null'))).toMatchObject({ refused: 'estado undefined' })
  expect(readDownloadLink(Buffer.from('<html>'))).toMatchObject({ refused: expect.stringContaining('not JSON') })
})

test.skipIf(!shared)('the recorded publication of 2025-12-06: 9,510 records of 832 stations in 12 hours', async () => {
  const bytes = gunzipSync(captured('aemet-observacion/observacion_convencional_todas_20251205T22-20251206T09.json.gz'))
  expect(new Set((JSON.parse(bytes.toString()) as object[]).map((record) => Object.keys(record).sort().join())).size).toBe(94)
  const publication = await parse(aemetObservation, bytes, Date.UTC(2025, 11, 6, 9, 30))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {}, warnings: new Map() })
  const rows = rowsOf(publication, 'weather_observations')
  expect([rows.length, new Set(rows.map((row) => row['station_id'])).size]).toEqual([9510, 832])
  const hours = new Map<unknown, number>()
  for (const { observed_at } of rows) hours.set(observed_at, (hours.get(observed_at) ?? 0) + 1)
  expect([...hours.values()]).toEqual([832, 832, 832, 827, 831, 831, 830, 830, 816, 774, 737, 538])
  const counted = (name: string): number => rows.filter((row) => row[name] !== null).length
  expect(
    ['precipitation_mm', 'temp_c', 'humidity_pct', 'wind_mean_m_s', 'gust_m_s', 'visibility_m', 'snow_cm', 'sunshine_min'].map(counted),
  ).toEqual([9234, 9309, 9326, 8288, 8192, 1164, 111, 1592])
  const stations = rowsOf(publication, 'weather_stations')
  expect([stations.length, stations.filter((one) => one['province_code'] === null).length]).toEqual([832, 0])
})

test.skipIf(!shared)('the recorded inventory of 2023-09-27: 291 stations, each in a province that is known', async () => {
  const publication = await parse(aemetStations, captured('aemet-climatologia/inventario_todasestaciones_2023-09-27.json'))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const stations = rowsOf(publication, 'weather_stations')
  expect([stations.length, stations.filter((one) => one['synop_code'] === null).length]).toEqual([291, 25])
  expect(new Set(stations.map((one) => one['province_code'])).size).toBe(52)
  expect(stations.find((one) => one['station_id'] === '1387')?.['name']).toMatch(/CORUÑA/)
})

test.skipIf(!shared)('the recorded days of Madrid in 2017: 304, with 2 traces', async () => {
  const publication = await parse(aemetDaily, captured('aemet-climatologia/diarios_3195_2017-01-01_2017-10-31.json'))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const rows = rowsOf(publication, 'weather_daily')
  const counted = (name: string, is: (value: unknown) => boolean): number => rows.filter((row) => is(row[name])).length
  const there = (value: unknown): boolean => value !== null
  expect(rows).toHaveLength(304)
  expect([counted('precipitation_flag', (flag) => flag === 'TRACE'), counted('temp_mean_c', there)]).toEqual([2, 302])
  const times = ['temp_min_at', 'temp_max_at', 'gust_at', 'pressure_max_at', 'pressure_min_at']
  const several = ['horatmin', 'horatmax', 'horaracha', 'horaPresMax', 'horaPresMin'].map(
    (key) =>
      list(captured('aemet-climatologia/diarios_3195_2017-01-01_2017-10-31.json')).filter((record) => record[key] === 'Varias').length,
  )
  expect(several).toEqual([22, 13, 16, 50, 39])
  // One day gives the highest temperature without a time.
  const measures = ['temp_min_c', 'temp_max_c', 'gust_m_s', 'pressure_max_hpa', 'pressure_min_hpa']
  expect(times.map((name, at) => counted(measures[at] as string, there) - counted(name, there))).toEqual([22, 13 + 1, 16, 50, 39])
})

function captured(path: string): Buffer {
  return readFileSync(join(shared as string, 'feeds', path))
}
