import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { madridCountStations, madridCounts } from '../../../jobs/feeds/road/madrid-counts.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { deepTest } from '../../helpers/tier.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const FIXTURES = join(PROJECT, 'test/fixtures')
const MARCH = readFileSync(join(FIXTURES, 'madrid_counts/2023-03.csv'))
const HEADER = MARCH.toString().split('\n')[0] as string

const parse = (bytes: Buffer | string, name = 'file'): Promise<Publication> =>
  parsePublication(madridCounts, [{ name, bytes: Buffer.from(bytes) }], Date.UTC(2026, 0), { keeps: () => true })
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('traffic_counts_hourly') as readonly AnyRow[]
const half = (day: string, series: string, first: number): string =>
  `${day};${series};${Array.from({ length: 12 }, (_, at) => first + at).join(';')};`

describe('a month of counts', () => {
  test('has each hour of the local clock; the hour that the clock leaves out has no instant', async () => {
    const publication = await parse(MARCH)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    const castellana = rowsOf(publication).filter(({ station_id, local_date }) => station_id === 'ES01' && local_date === '2023-03-26')
    expect(castellana).toHaveLength(24)
    expect(castellana[13]).toEqual({
      source: 'madrid',
      month: '2023-03',
      station_id: 'ES01',
      direction: '1',
      local_date: '2023-03-26',
      hour: 13,
      day_starts_at: Date.parse('2023-03-25T23:00:00Z'),
      starts_at: Date.parse('2023-03-26T11:00:00Z'),
      is_clock_change: false,
      vehicles: 2275,
      quality: 'OK',
    })
    expect(castellana.slice(1, 4).map(({ hour, starts_at, is_clock_change }) => [hour, starts_at, is_clock_change])).toEqual([
      [1, Date.parse('2023-03-26T00:00:00Z'), false],
      [2, null, true],
      [3, Date.parse('2023-03-26T01:00:00Z'), false],
    ])
  })

  test('gives each count its quality', async () => {
    const qualities = (station: string, day: string): unknown[] =>
      [...new Set(rows.filter(({ station_id, local_date }) => station_id === station && local_date === day))].map(({ quality }) => quality)
    const rows = rowsOf(await parse(MARCH))
    expect(new Set(qualities('ES01', '2023-03-26'))).toEqual(new Set(['OK']))
    // Equal days are no observations, whichever was there first.
    expect(new Set([...qualities('ES01', '2023-03-27'), ...qualities('ES01', '2023-03-28')])).toEqual(new Set(['COPIED_DAY']))
    expect(new Set(qualities('ES09', '2023-03-26'))).toEqual(new Set(['DEAD_DIRECTION']))
    expect(new Set(qualities('ES06', '2023-03-27'))).toEqual(new Set(['OUTAGE']))
    expect(rows.filter(({ vehicles }) => vehicles === 9999).map(({ station_id, hour, quality }) => [station_id, hour, quality])).toEqual([
      ['ES20', 6, 'CEILING'],
      ['ES20', 7, 'CEILING'],
      ['ES20', 12, 'CEILING'],
      ['ES42', 6, 'ERROR'],
    ])
    // Half a day is twelve hours, and no whole day that could be found to be a copy.
    expect(qualities('ES42', '2023-03-27')).toHaveLength(12)
  })

  test('has years of two digits in some files, and the hour that October repeats without an instant', async () => {
    const december = rowsOf(await parse(readFileSync(join(FIXTURES, 'madrid_counts/2022-12.csv'))))
    expect(new Set(december.map(({ month, local_date }) => `${month} ${local_date}`))).toEqual(new Set(['2022-12 2022-12-31']))
    const october = rowsOf(await parse(`${HEADER}\n${half('30/10/2022', 'ES01;1-', 10)}\n${half('30/10/2022', 'ES01;1=', 40)}\n`))
    expect(october.filter(({ starts_at }) => starts_at === null).map(({ hour }) => hour)).toEqual([2])
    expect(october[3]?.starts_at).toBe(Date.parse('2022-10-30T02:00:00Z'))
  })

  test('for the last day of a running month has the past hours', async () => {
    const lines = (day: string, ...hours: string[]): string =>
      `${day};ES01;1-;${[...hours, ...Array(12 - hours.length).fill('')].join(';')};`
    const publication = await parse(
      [HEADER, lines('01/03/2023', '5', '', '7'), half('01/03/2023', 'ES01;1=', 1), lines('02/03/2023', '8', '', '9'), ''].join('\n'),
    )
    const hours = (day: string): unknown[] =>
      rowsOf(publication)
        .filter((row) => row['local_date'] === day)
        .map(({ hour }) => hour)
    expect(hours('2023-03-02')).toEqual([0, 2])
    expect(hours('2023-03-01')).toEqual([0, 2, ...Array.from({ length: 12 }, (_, at) => 12 + at)])
    // A gap between counts, and the end of an earlier day, are faults.
    expect(publication.report.quarantined).toEqual({ traffic_counts_hourly: { 'vehicles is no whole number': 11 } })
  })

  test('refuses foreign rows one by one, and a file of another month as a whole', async () => {
    const text = [
      HEADER,
      half('01/03/2023', 'ES01;1-', 1),
      half('01/04/2023', 'ES01;1-', 1),
      half('01/03/2023', 'ES01;1-', 1),
      half('01/03/2023', 'ES01;1', 1),
      half('1 de marzo', 'ES01;1-', 1),
      '02/03/2023;ES01;1-;5',
      half('02/03/2023', 'ES01;3-', 1).replace(';7;', ';x;'),
      ';;;;',
      '',
    ].join('\n')
    const publication = await parse(text)
    expect(publication.report.quarantined).toEqual({
      traffic_counts_hourly: {
        'a day of another month than the file': 1,
        'a half of a day comes twice': 1,
        'FSEN names no direction and half of the day': 1,
        'FDIA is no day': 1,
        'another number of fields': 1,
        'vehicles is no whole number': 1,
      },
    })
    expect(publication.report.unknownCodes).toEqual({ count_direction: { '3': 12 } })
    expect((await parse(MARCH, '2023-04')).counts.get('traffic_counts_hourly')).toBe(0)
    await expect(parse(`${HEADER}\n;;;;;;;;;;;;;;;\n`)).rejects.toThrow(FormatError)
    await expect(parse(MARCH.subarray(0, 700))).rejects.toThrow('cut off')
  })

  test('is found in the list of the portal by its name, whatever the number of its file', () => {
    const list = (resources: unknown): Buffer => Buffer.from(JSON.stringify({ success: true, result: { resources } }))
    const url = (number: number, end = 'csv'): string =>
      `https://datos.madrid.es/egob/catalogo/300233-${number}-aforo-trafico-permanentes.${end}`
    const files = (bytes: Buffer) => madridCounts.archive?.files([{ name: 'list', bytes }], { from: '0001-01-01', to: '9999-12-31' })
    const newer =
      'https://datos.madrid.es/dataset/300233-0-aforo-trafico-permanentes/resource/300233-3-aforo-trafico-permanentes-csv/download/300233-3-aforo-trafico-permanentes-csv.csv'
    expect(
      files(
        list([
          { name: 'Ubicación de las estaciones y sentidos', url: url(70) },
          { name: '2025. Enero', url: url(71) },
          { name: 'Septiembre de 2024', description: null, url: newer },
          { name: '2025. Enero', url: url(72, 'xlsx') },
          { name: '2025. Febrero', url: 'no address' },
          'nothing',
        ]),
      ),
    ).toEqual([
      { period: '2025-01', url: url(71) },
      { period: '2024-09', url: newer },
    ])
    expect(() => files(Buffer.from('{'))).toThrow(FormatError)
    expect(() => files(Buffer.from('{"result":{}}'))).toThrow('result.resources')
  })
})

describe.skipIf(!shared)('the recorded months', () => {
  const folder = join(shared ?? '', 'feeds/madrid-historico/permanentes')

  deepTest(
    '1,985,232 values, 4,837 of them 9999, none refused',
    async () => {
      const count = { values: 0, ceiling: 0, months: new Set<unknown>(), odd: new Set<string>() }
      const changes = new Map<unknown, number>()
      const copied = new Map<unknown, number>()
      for (const file of readdirSync(folder).filter((name) => name.startsWith('Datos'))) {
        const publication = await parse(readFileSync(join(folder, file)))
        expect([file, publication.report.quarantined, publication.report.unknownCodes]).toEqual([file, {}, {}])
        for (const { month, station_id, vehicles, quality, is_clock_change } of rowsOf(publication)) {
          count.values++
          count.months.add(month)
          if (is_clock_change) changes.set(month, (changes.get(month) ?? 0) + 1)
          if (quality === 'COPIED_DAY') copied.set(month, (copied.get(month) ?? 0) + 1)
          if (vehicles !== 9999) continue
          count.ceiling++
          if (station_id !== 'ES20') count.odd.add(`${station_id} ${quality}`)
        }
      }
      expect({ ...count, months: count.months.size, odd: [...count.odd] }).toEqual({
        values: 1_985_232,
        ceiling: 4837,
        months: 23,
        odd: ['ES42 ERROR'],
      })
      // 59 stations in two directions, an hour each.
      expect([...changes]).toEqual([...changes].map(([month]) => [month, 118]))
      expect([...changes.keys()].sort()).toEqual(['2021-03', '2022-03', '2022-10', '2023-03'])
      // In July 2023 the publisher repeated one day until the 21st, in the 109 live series: 2,294 station-days by its notes.
      expect((copied.get('2023-07') ?? 0) / 24).toBeGreaterThanOrEqual(2294)
    },
    60_000,
  )

  test('59 stations and the one that never was, eleven directions without traffic', async () => {
    const bytes = readFileSync(join(folder, 'UbicacionEstacionesPermanentesSentidos.csv'))
    const publication = await parsePublication(madridCountStations, [{ name: 'stations', bytes }], Date.UTC(2026, 0))
    const rows = publication.rows.get('traffic_count_stations') as readonly AnyRow[]
    expect([rows.length, rows.filter(({ is_counted }) => !is_counted).length, publication.report.quarantined]).toEqual([120, 11, {}])
  })
})
