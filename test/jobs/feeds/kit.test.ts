import { expect, test } from 'vitest'
import { type Diagnostics, FormatError } from '../../../jobs/feeds/define.ts'
import { columnsOf, foldedName } from '../../../jobs/feeds/kit/binder.ts'
import { RecordReader } from '../../../jobs/feeds/kit/reader.ts'
import { csvFeed, jsonFeed } from '../../../jobs/feeds/kit/record-feed.ts'
import { delimiterOf } from '../../../jobs/formats/csv.ts'
import { collectDiagnostics } from '../../../jobs/ingest/diagnostics.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'

const AT = Date.UTC(2026, 10, 1, 12)
const COLUMNS = { sensor: 'idelem | Código', flow: 'Intensidad', speed: 'velocidad', when: 'Fecha' } as const
const row = {
  source: 'madrid',
  period_s: 300,
  sensor_type: 'URBAN',
  occupancy_pct: null,
  load_pct: null,
  level_of_service: null,
  speed_kmh: null,
  quality: 'OK',
  headway_m: null,
  long_vehicles_pct: null,
}

const common = {
  id: 'little',
  source: madrid,
  into: trafficReadings,
  every_s: 60,
  get: { url: 'https://publisher.example/', maxBytes: 1000 },
  band: { atLeast: 0 },
  columns: COLUMNS,
  needs: ['sensor', 'when'],
} as const
const csv = csvFeed({
  ...common,
  decimal: 'comma',
  knows: ['nota'],
  row: (r) => ({
    ...row,
    sensor_id: r.text('sensor'),
    observed_at: Date.parse(r.text('when')),
    intensity_veh_h: r.integer('flow'),
    speed_kmh: r.number('speed'),
  }),
})
const json = jsonFeed({
  ...common,
  duplicateWarning: 'a sensor that comes again',
  row: (r) => ({ ...row, sensor_id: r.text('sensor'), observed_at: Date.parse(r.text('when')), intensity_veh_h: r.count('flow') }),
})
const parse = (feed: typeof csv, text: string | Buffer): Promise<Publication> =>
  parsePublication(feed, [{ name: 'file', bytes: Buffer.from(text) }], AT, { keeps: () => true })
const readings = ({ rows }: Publication) =>
  rows.get('traffic_readings')?.map((one) => [one['sensor_id'], one['intensity_veh_h'], one['speed_kmh']])

test('headers are matched by meaning, in any encoding and with any delimiter', async () => {
  expect(['Numero_expedient', "Número d'expedient", 'NUMERO EXPEDIENT ', 'Coordenada UTM (Y)'].map(foldedName)).toEqual([
    ...['numeroexpedient', 'numerodexpedient', 'numeroexpedient', 'coordenadautmy'],
  ])
  expect(['a;b', '"a,b";c', 'a\tb,c\td\n;;;;', 'a', 'a,b;c,d'].map(delimiterOf)).toEqual([';', ';', '\t', ',', ','])
  for (const [mark, encoding] of [
    [',', 'utf8'],
    [';', 'latin1'],
    ['\t', 'utf16le'],
  ] as const) {
    const lines = [
      ['FECHA', 'código ', 'intensidad', 'Velocidad', 'Nota'],
      ['2026-11-01T11:55Z', 'Año', '90', '50', 'x'],
    ]
    const text = `\ufeff${lines.map((line) => line.join(mark)).join('\n')}\n`
    const publication = await parse(csv, Buffer.from(encoding === 'latin1' ? text.slice(1) : text, encoding))
    expect([readings(publication), publication.report.unknownCodes, publication.report.warnings]).toEqual([
      [['Año', 90, 50]],
      {},
      new Map(),
    ])
  }
})

test('only needed columns refuse a file; other missing ones, and unknown ones, are counted', async () => {
  await expect(parse(csv, 'Fecha,velocidad\n2026-11-01T11:55Z,5\n')).rejects.toThrow('file has no idelem')
  const { report, rows } = await parse(csv, 'Fecha,idelem,clima\n2026-11-01T11:55Z,1,sol\n')
  expect(rows.get('traffic_readings')).toHaveLength(1)
  expect(report.unknownCodes).toEqual({ little_column: { clima: 1 } })
  expect([...report.warnings.keys()]).toEqual(['no record has Intensidad', 'no record has velocidad'])
})

test('an unreadable value is counted and null; where the row needs it, the record is rejected', async () => {
  const lines = ['Fecha;idelem;Intensidad;velocidad', '2026-11-01T11:55Z;1;many;16,0', 'short;1', '2026-11-01T11:55Z; ;1;1']
  const publication = await parse(csv, `${lines.join('\n')}\n`)
  expect(readings(publication)).toEqual([['1', null, 16]])
  expect(publication.report.quarantined).toEqual({ traffic_readings: { 'another number of fields': 1, 'no idelem': 1 } })
  expect([...publication.report.warnings]).toEqual([['Intensidad is no whole number', 1]])
})

test('an observation later than its fetch is rejected and counted by the engine', async () => {
  const at = (ms: number): string => `Fecha,idelem\n${new Date(AT + ms).toISOString()},1\n`
  expect((await parse(csv, at(10 * 60_000))).report.quarantined).toEqual({})
  expect((await parse(csv, at(10 * 60_000 + 1))).report.quarantined).toEqual({
    traffic_readings: { 'observed_at is later than the fetch': 1 },
  })
})

test('JSON: names by record, an empty count is null, a repeated key is counted', async () => {
  const record = { Fecha: '2026-11-01T11:55Z', idelem: 7, intensidad: '' }
  const publication = await parse(json, JSON.stringify([record, { ...record, clima: 1 }, { ...record, idelem: 8, intensidad: 12 }]))
  expect(readings(publication)).toEqual([
    ['7', 0, null],
    ['8', 12, null],
  ])
  expect(publication.report.unknownCodes).toEqual({ little_column: { clima: 1 } })
  expect([...publication.report.warnings]).toEqual([
    ['a sensor that comes again', 1],
    ['no record has velocidad', 1],
  ])
  for (const [text, words] of [
    ['{', 'file is no JSON'],
    ['{}', 'file is no list'],
    ['[1]', 'file has a record that is no object'],
  ] as const)
    await expect(parse(json, text)).rejects.toThrow(words)
})

test('readers: codes, positions in degrees either way', () => {
  const { diagnostics: diagnostics, report }: { diagnostics: Diagnostics; report: Publication['report'] } = collectDiagnostics()
  const columns = columnsOf({ kind: 'tipo', lat: 'lat', lon: 'lon' }, [])
  const reader = new RecordReader({
    columns,
    needs: [],
    decimal: 'either',
    emptyValues: ['-'],
    diagnostics: diagnostics,
    clock: { fetched_at: AT },
  })
  const read = (...values: unknown[]): RecordReader<'kind' | 'lat' | 'lon'> => {
    reader.turnTo(values)
    return reader
  }
  expect(['URB', 'X', '-', undefined].map((text) => read(text).code('kind', { URB: 'URBAN' }))).toEqual(['URBAN', 'X', null, null])
  expect(read('', '40,5', '-3.5').position('lat', 'lon')).toEqual({ lat: 40.5, lon: -3.5 })
  expect(read('', '403000N', '0033000W').dms('lat', 'lon')).toEqual({ lat: 40.5, lon: -3.5 })
  expect(read('', '406000N', '-').dms('lat', 'lon')).toBeNull()
  expect([...report.warnings.keys()]).toEqual(['lat is no ddmmss with N, S, E or W'])
  expect(['2026-01-03', '3/1/2026', '03-01-2026', '-'].map((text) => read('', text).date('lat'))).toEqual([
    ...['2026-01-03', '2026-01-03', '2026-01-03', null],
  ])
  const instant = Date.UTC(2026, 0, 3, 10)
  expect(
    ['2026-01-03T11:00:00+01:00', '03/01/2026 11:00', 'Sat, 03 Jan 2026 10:00:00 GMT'].map((text) => read('', text).instant('lat')),
  ).toEqual([instant, instant, instant])
  expect([read('', '30/2/2026').date('lat'), read('', 'noon').instant('lat')]).toEqual([null, null])
  expect([...report.warnings.keys()].slice(1)).toEqual(['lat is no date', 'lat is no time'])
  expect([read('', 1.5, '-').integer('lat'), read('', 1.5).number('lat'), read({ a: 1 }).text('kind')]).toEqual([null, 1.5, null])
  expect([read('', '', ' ').count('lon'), read('', '', '7').count('lon'), read('').count('lon')]).toEqual([0, 7, null])
  expect([...report.warnings.keys()].slice(3)).toEqual(['lat is no whole number', 'tipo is no single value'])
  const strict = new RecordReader<'lat', 'lat'>({
    columns: columnsOf({ lat: 'lat' }, []),
    needs: ['lat'],
    decimal: 'point',
    emptyValues: [],
    diagnostics: diagnostics,
    clock: { fetched_at: AT },
  })
  strict.turnTo(['north'])
  expect(() => strict.number('lat')).toThrow(new FormatError('lat is no number'))
})
