import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { dailyFiles } from '../../../jobs/feeds/mobility/mitma-files.ts'
import { mitmaOvernightStays } from '../../../jobs/feeds/mobility/mitma-overnight-stays.ts'
import { mitmaDistrictTrips, mitmaGauTrips, mitmaTrips, mitmaV1Trips } from '../../../jobs/feeds/mobility/mitma-trips.ts'
import { mitmaV1Zones, mitmaZoneNames, mitmaZones } from '../../../jobs/feeds/mobility/mitma-zones.ts'
import { listingOf } from '../../../jobs/feeds/periods.ts'
import { readPiped } from '../../../jobs/formats/piped.ts'
import { decodeReply } from '../../../jobs/ingest/http.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { deepTest } from '../../helpers/tier.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
/** When files were fetched, ms: after the period that they cover. */
const AT = Date.UTC(2026, 10, 1)
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/mitma_overnight_stays/20220101_Pernoctaciones_municipios.csv'))
const HEADER = FIXTURE.toString().split('\n')[0] as string

const parse = (bytes: Buffer | string, name = 'file'): Promise<Publication> =>
  parsePublication(mitmaOvernightStays, [{ name, bytes: Buffer.from(bytes) }], Date.UTC(2026, 0), { keeps: () => true })
const rowsOf = (publication: Publication): readonly AnyRow[] => publication.rows.get('mobility_overnight_stays') as readonly AnyRow[]
const rss = (...urls: string[]): Buffer =>
  Buffer.from(`<rss><channel>${urls.map((url) => `<item><title>x</title><link>${url}</link></item>`).join('')}</channel></rss>`)

describe('overnight stays', () => {
  test('keep zones as text, the level of each, and estimates to the thousandth', async () => {
    const publication = await parse(FIXTURE, '2022-01-01')
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(rowsOf(publication).find(({ persons }) => persons === 2447.613)).toEqual({
      study: 'V2',
      study_day: 'V2-2022-01-01',
      local_date: '2022-01-01',
      day_starts_at: Date.parse('2021-12-31T23:00:00Z'),
      overnight_level: 'MUNICIPALITY',
      overnight_zone: '01001',
      residence_level: 'DISTRICT',
      residence_zone: '01001',
      persons: 2447.613,
    })
    expect(rowsOf(publication).map(({ residence_zone, persons }) => [residence_zone, persons])).toEqual([
      ['01001', 2447.613],
      ['0105901', 31.02],
      ['01001', 9],
      ['01002_AD', 0],
    ])
  })

  test('are refused whole for a line of another day, without a number, twice or cut off; columns are found by name', async () => {
    const file = (...lines: string[]): string => `${[HEADER, '20220101|01001|01003|2.5', ...lines].join('\n')}\n`
    for (const [text, reason] of [
      [file('20220101|01001|01001|NA'), 'not as it should be'],
      [file('20220102|01001|01002|1.0'), 'a day other than the file: 20220102'],
      [file('20220101|01001'), 'not as it should be'],
      [file('20220101|01001|01003|2.5'), 'zones come twice: 01003, 01001'],
      [file().slice(0, -1), 'cut off'],
      ['fecha|zona\n', 'the header lacks zona_residencia, zona_pernoctacion, personas'],
      [`${HEADER}\n2022|1|2|3\n`, 'a day other than the file'],
      [FIXTURE.toString().replaceAll('20220101', '20220102'), 'a day other than the file'],
    ] as const)
      await expect(parse(text, '2022-01-01')).rejects.toThrow(reason)
    const turned = await parse('personas|fuente|zona_pernoctacion|zona_residencia|fecha\r\n2.5|x|01003|01001|20220101\r\n')
    expect(rowsOf(turned)).toMatchObject([{ overnight_zone: '01003', residence_zone: '01001', persons: 2.5 }])
    expect(turned.report.unknownCodes).toEqual({ mitma_column: { fuente: 1 } })
  })

  test('come packed, whatever header the server sends, within bounds', async () => {
    const request = mitmaOvernightStays.plans[0]?.requests[0]
    if (!request) throw new Error('no request')
    const packed = gzipSync(FIXTURE)
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const reply = { url: 'https://publisher.example/day', headers, received: packed }
      expect((await decodeReply(request, reply)).equals(FIXTURE)).toBe(true)
      await expect(decodeReply({ ...request, maxDecodedBytes: 10 }, reply)).rejects.toThrow('unpacks to more than 10 bytes')
    }
  })
})

test('piped files end lines either way, and blank lines do not count', () => {
  const { header, batches } = readPiped(Buffer.from('a|b\r\n1|2\n\n3|4\r\n5\n'), ['b'])
  expect([header, [...batches].flat()]).toEqual([
    ['a', 'b'],
    [
      { text: '1|2', fields: ['2'] },
      { text: '3|4', fields: ['4'] },
      { text: '5', fields: null },
    ],
  ])
})

test('a daily file is identified by its name; of two of a name the one in its own folder counts', () => {
  const at = (folder: string, name: string): string => `https://publisher.example/${folder}/${name}`
  const index = rss(
    at('districts', '20210205_district.txt.gz'),
    at('municipalities', '20210205_district.txt.gz'),
    at('municipalities', '20210206_district.txt.gz'),
    at('districts', '20210207_municipality.txt.gz'),
    at('districts', '202102_district.tar'),
    'no address',
  )
  const listed = dailyFiles([{ name: 'rss', bytes: index }], { name: /^(\d{8})_district\.txt\.gz$/, folder: '/districts/' })
  expect(listingOf('day', listed, ALL)).toEqual({
    files: [
      { period: '2021-02-05', url: at('districts', '20210205_district.txt.gz') },
      { period: '2021-02-06', url: at('municipalities', '20210206_district.txt.gz') },
    ],
    gaps: [],
  })
})

describe('zones', () => {
  const membersOf = async (bytes: Buffer) => {
    const publication = await parsePublication(mitmaZones, [{ name: 'relation', bytes }], 0)
    return { report: publication.report, rows: publication.rows.get('mobility_zone_members') as readonly AnyRow[] }
  }

  test('are described by their contents: municipalities with their sections, and land that several share', async () => {
    const text = readFileSync(join(PROJECT, 'test/fixtures/mitma_zones/relation.csv')).toString()
    const { rows, report } = await membersOf(Buffer.from(text))
    expect(report.quarantined).toEqual({})
    const line = ({ zone_level, zone_id, member_id, municipality_code, province_code, sections }: AnyRow): unknown[] => [
      zone_level,
      zone_id,
      member_id,
      municipality_code,
      province_code,
      sections,
    ]
    expect(rows.filter(({ zone_level }) => zone_level === 'GAU').map(line)).toEqual([
      ['GAU', '01001', '01001', '01001', '01', 2],
      ['GAU', 'GAU Vitoria', '01047', '01047', '01', 1],
      ['GAU', 'GAU Vitoria', '01049', '01049', '01', 1],
      ['GAU', '34011153001', '34011153001', null, null, 0],
    ])
    const bad = await membersOf(Buffer.from(`${text}0100101001|0100101|1001|01001|01001|01001\r\n1|2\r\n`))
    expect(bad.report.quarantined).toEqual({ mobility_zone_members: { 'no municipality or zone': 1, 'another number of fields': 1 } })
    expect(bad.rows).toEqual(rows)
  })

  test.skipIf(!shared)('of the recorded relation are 3,792 districts, 2,618 municipal zones and 2,086 urban areas', async () => {
    const file = join(shared ?? '', 'feeds/mitma-movilidad/v2/zonificacion/relacion_ine_zonificacionMitma.csv.gz')
    const { rows, report } = await membersOf(gunzipSync(readFileSync(file)))
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    const ofLevel = (level: string) => rows.filter(({ zone_level }) => zone_level === level)
    const zonesOf = (level: string): number => new Set(ofLevel(level).map(({ zone_id }) => zone_id)).size
    expect(['DISTRICT', 'MUNICIPALITY', 'GAU'].map(zonesOf)).toEqual([3792, 2618, 2086])
    const municipalities = ofLevel('MUNICIPALITY').filter(({ municipality_code }) => municipality_code !== null)
    expect(new Set(municipalities.map(({ municipality_code }) => municipality_code)).size).toBe(8131)
    expect(ofLevel('GAU').reduce((sum, { sections }) => sum + (sections as number), 0)).toBe(36_333)
    expect(ofLevel('DISTRICT').filter(({ municipality_code }) => municipality_code === null)).toHaveLength(49)
  })
})

describe('names and populations of zones', () => {
  const NAMES = readFileSync(join(PROJECT, 'test/fixtures/mitma_zone_names/nombres_municipios.csv')).toString()
  const POPULATIONS = '34011153001|NA\r\n01047_AM|3771.0\r\n01001|2925.0\r\n'
  const zonesOf = async (lists: Readonly<Record<string, string | Buffer>>) => {
    const bodies = Object.entries(lists).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
    const { rows, report } = await parsePublication(mitmaZoneNames, bodies, 0)
    return { report, rows: rows.get('mobility_zones') as readonly AnyRow[] }
  }
  const line = ({ zone_level, zone_id, name, population }: AnyRow): unknown[] => [zone_level, zone_id, name, population]

  test('are put together by zone and level, with a header or none and a column before or none', async () => {
    const { rows, report } = await zonesOf({
      poblacion_municipios: POPULATIONS,
      nombres_municipios: NAMES,
      nombres_gaus: 'ID|name\r\nGAU Albacete|Albacete\r\n01001|Alegría-Dulantzi\r\n',
      poblacion_gaus: 'GAU Albacete|172722.0\r\n01001|2926.0\r\n',
    })
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    expect(rows.map(line)).toEqual([
      ['MUNICIPALITY', '01001', 'Alegría-Dulantzi', 2925],
      ['MUNICIPALITY', '01047_AM', 'Erriberabeitia agregacion de municipios', 3771],
      ['MUNICIPALITY', '34011153001', 'Parzonería', null],
      ['GAU', 'GAU Albacete', 'Albacete', 172_722],
      ['GAU', '01001', 'Alegría-Dulantzi', 2926],
    ])
    const tried = await zonesOf({ fixture: NAMES })
    expect(tried.rows.map(line)).toEqual(rows.slice(0, 3).map((row) => line({ ...row, population: null })))
  })

  test('count bad lines and populations of unknown zones; a list without any number, or a truncated one, is refused', async () => {
    const bad = await zonesOf({
      nombres_municipios: `${NAMES}3|01002\r\n4||Amurrio\r\n5|01003|Aramaio\r\n`,
      poblacion_municipios: `${POPULATIONS}ID|population\r\n01003|many\r\n01004\r\n`,
    })
    expect(bad.report.quarantined).toEqual({
      mobility_zones: {
        'another number of fields': 2,
        'no id or name': 1,
        'a population without a named zone': 1,
      },
    })
    expect([...bad.report.warnings]).toContainEqual(['mobility_zones: population is no whole number: stored as null', 1])
    expect(bad.rows).toHaveLength(4)
    const named = await zonesOf({ nombres_municipios: NAMES.replace('name', 'name|fuente').replaceAll(/(\d\|.*)\r/g, '$1|IGN\r') })
    expect([named.rows.length, named.report.unknownCodes]).toEqual([3, { mitma_column: { fuente: 1 } }])
    const lists = { nombres_municipios: NAMES, poblacion_municipios: POPULATIONS }
    await expect(zonesOf({ ...lists, poblacion_municipios: '01001|NA\r\n' })).rejects.toThrow('has a population')
    await expect(zonesOf({ ...lists, poblacion_municipios: POPULATIONS.slice(0, -3) })).rejects.toThrow('cut off')
    await expect(zonesOf({ ...lists, nombres_municipios: POPULATIONS })).rejects.toThrow('the header lacks ID, name')
  })

  test.skipIf(!shared)('of the recorded lists are as many as the zones, with 47,385,107 inhabitants at each level', async () => {
    const folder = join(shared ?? '', 'feeds/mitma-movilidad/v2/zonificacion')
    const names = ['distritos', 'municipios', 'gaus'].flatMap((level) => [`nombres_${level}`, `poblacion_${level}`])
    const { rows, report } = await zonesOf(Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, `${name}.csv`))])))
    expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
    const figures = ['DISTRICT', 'MUNICIPALITY', 'GAU'].map((level) => {
      const zones = rows.filter(({ zone_level }) => zone_level === level)
      const without = zones.filter(({ population }) => population === null)
      return [zones.length, zones.reduce((sum, { population }) => sum + ((population as number | null) ?? 0), 0), without.length]
    })
    expect(figures).toEqual([
      [3792, 47_385_107, 49],
      [2618, 47_385_107, 49],
      [2086, 47_385_107, 49],
    ])
  })
})

describe('trips', () => {
  const TRIPS = readFileSync(join(PROJECT, 'test/fixtures/mitma_trips/20220201_Viajes_municipios.csv'))
  const cells = async (bytes: Buffer, name = 'file'): Promise<readonly AnyRow[]> => {
    const publication = await parsePublication(mitmaTrips, [{ name, bytes }], AT, { keeps: () => true })
    expect(publication.report.quarantined).toEqual({})
    return publication.rows.get('mobility_trips') as readonly AnyRow[]
  }

  test('are added up by zones, hour and distance, packed or not', async () => {
    const rows = await cells(TRIPS)
    expect(rows[1]).toEqual({
      study: 'V2',
      study_day: 'V2-2022-02-01',
      local_date: '2022-02-01',
      day_starts_at: Date.parse('2022-01-31T23:00:00Z'),
      zone_level: 'MUNICIPALITY',
      origin_zone: '01001',
      destination_zone: '01002',
      hour: 8,
      starts_at: Date.parse('2022-02-01T07:00:00Z'),
      is_clock_change: false,
      distance_band: '10-50',
      trips: 6.025,
      trip_km: 278.089,
    })
    expect(rows.map(({ origin_zone, destination_zone, distance_band }) => [origin_zone, destination_zone, distance_band])).toEqual([
      ['01001', '01001', '2-10'],
      ['01001', '01002', '10-50'],
      ['01002_AM', 'PT16D', '>50'],
    ])
    expect(await cells(gzipSync(TRIPS), '2022-02-01')).toEqual(rows)
    await expect(cells(TRIPS, '2022-02-02')).rejects.toThrow('a day other than the file')
  })

  test.each([
    [mitmaDistrictTrips, 'DISTRICT', 'distritos', ['18 01002_AM 0105901 10-50 6.329 140.935', '8 0105901 0105902 0.5-2 14.75 22.25']],
    [
      mitmaGauTrips,
      'GAU',
      'GAU',
      ['8 GAU Vitoria-Gasteiz 01002 10-50 12.5 318.75', '8 GAU Vitoria-Gasteiz GAU Vitoria-Gasteiz 2-10 1012.5 4318.75'],
    ],
  ] as const)('between zones of another level are read the same, into a table of their own: %#', async (feed, level, word, expected) => {
    const bytes = readFileSync(join(PROJECT, `test/fixtures/${feed.id}/20220201_Viajes_${word}.csv`))
    const { rows, report } = await parsePublication(feed, [{ name: '2022-02-01', bytes }], AT, { keeps: () => true })
    expect([...rows.keys(), report.quarantined]).toEqual([feed.into[0]?.id, {}])
    const parsed = (rows.get(feed.into[0]?.id as string) ?? []).map((row) => [
      row.zone_level,
      [row.hour, row.origin_zone, row.destination_zone, row.distance_band, row.trips, row.trip_km].join(' '),
    ])
    expect(parsed).toEqual(expected.map((line) => [level, line]))
  })

  test('of the study of 2020 and 2021 are read by the names of its columns, in its own distances', async () => {
    const bytes = readFileSync(join(PROJECT, 'test/fixtures/mitma_v1_trips/20210201_maestra_1_mitma_municipio.txt'))
    const { rows, report } = await parsePublication(mitmaV1Trips, [{ name: '2021-02-01', bytes }], AT, { keeps: () => true })
    expect([...rows.keys(), report.quarantined, report.unknownCodes]).toEqual(['mobility_v1_trips', {}, {}])
    const parsed = rows.get('mobility_v1_trips') ?? []
    expect(parsed[1]).toMatchObject({ study: 'V1', study_day: 'V1-2021-02-01', starts_at: Date.parse('2021-02-01T07:00:00Z') })
    expect(
      parsed.map((row) => [row.hour, row.origin_zone, row.destination_zone, row.distance_band, row.trips, row.trip_km].join(' ')),
    ).toEqual(['9 01001_AM 01001_AM 0.5-2 1250 1437.5', '8 01001_AM 01002 10-50 6.025 210.75', '23 28106 01002 >100 4.75 1710.5'])
    const odd = Buffer.from(bytes.toString().replace('100+', '0100-500'))
    const other = await parsePublication(mitmaV1Trips, [{ name: '2021-02-01', bytes: odd }], AT, { keeps: () => true })
    expect(other.report.unknownCodes).toEqual({ distance_band: { '0100-500': 1 } })
  })

  test.skipIf(!shared)('of the hundred recorded ones are as long as their band says', async () => {
    const [header = '', ...lines] = gunzipSync(
      readFileSync(join(shared ?? '', 'feeds/mitma-movilidad/v2/NOT-RAW_od_dist_translated_100rows_20220201.csv.gz')),
    )
      .toString()
      .trim()
      .split('\n')
    const at = (line: string, name: string): string => line.split(',')[header.split(',').indexOf(name)] as string
    const names = ['hour', 'id_origin', 'id_destination', 'distance', 'n_trips', 'trips_total_length_km']
    const raw = lines.map((line) => ['20220201', ...names.map((name) => at(line, name))].join('|'))
    const rows = await cells(Buffer.from(['fecha|periodo|origen|destino|distancia|viajes|viajes_km', ...raw, ''].join('\n')), '2022-02-01')
    const sum = (name: string, of: readonly AnyRow[]): number => of.reduce((total, row) => total + (row[name] as number), 0)
    expect(sum('trips', rows)).toBeCloseTo(
      lines.reduce((total, line) => total + Number(at(line, 'n_trips')), 0),
      3,
    )
    const bounds: Record<string, readonly [number, number]> = { '0.5-2': [0.5, 2], '2-10': [2, 10], '10-50': [10, 50], '>50': [50, 2000] }
    const odd = rows.filter(({ distance_band, trips, trip_km }) => {
      const [least, most] = bounds[distance_band as string] as readonly [number, number]
      const mean_km = (trip_km as number) / (trips as number)
      return mean_km < least || mean_km > most
    })
    expect([lines.length, odd]).toEqual([100, []])
  })
})

describe('zones of the study of 2020 and 2021', () => {
  const membersOf = async (bytes: Buffer) => {
    const { rows, report } = await parsePublication(mitmaV1Zones, [{ name: 'relation', bytes }], 0)
    return { report, rows: rows.get('mobility_zone_members') as readonly AnyRow[] }
  }

  test('hold municipalities whole; a line without one is a bad row', async () => {
    const text = readFileSync(join(PROJECT, 'test/fixtures/mitma_v1_zones/relaciones_municipio_mitma.csv')).toString()
    const { rows, report } = await membersOf(Buffer.from(`${text}NA|01003\n01004|\n`))
    expect(rows.map((row) => [row.study, row.zone_level, row.zone_id, row.member_id, row.province_code, row.sections])).toEqual([
      ['V1', 'MUNICIPALITY', '01001_AM', '01001', '01', null],
      ['V1', 'MUNICIPALITY', '01001_AM', '01013', '01', null],
      ['V1', 'MUNICIPALITY', '01002', '01002', '01', null],
    ])
    expect(Object.values(report.quarantined)).toHaveLength(1)
    await expect(membersOf(Buffer.from('municipio|zona\n01001|01001\n'))).rejects.toThrow('the header lacks municipio_mitma')
  })

  test.skipIf(!shared)('are 2,205 of 8,125 municipalities in the recorded list', async () => {
    const { rows, report } = await membersOf(readFileSync(join(shared ?? '', 'feeds/mitma-movilidad/v1/relaciones_municipio_mitma.csv')))
    expect([rows.length, new Set(rows.map(({ zone_id }) => zone_id)).size, report.quarantined]).toEqual([8125, 2205, {}])
  })
})

describe.skipIf(!shared)('the recorded files of the ministry', () => {
  const folder = join(shared ?? '', 'feeds/mitma-movilidad')

  test('904 days of overnight stays are listed, and eight are missing', () => {
    const index = [{ name: 'rss', bytes: gunzipSync(readFileSync(join(folder, 'v2/RSS_v2_2024-08-07.xml.gz'))) }]
    const listed = mitmaOvernightStays.archive?.files(index, ALL) ?? []
    const { files, gaps } = listingOf('day', listed, ALL)
    expect([files.length, files[0]?.period, files.at(-1)?.period]).toEqual([904, '2022-01-01', '2024-06-30'])
    for (const [feed, word] of [
      [mitmaTrips, 'municipios'],
      [mitmaDistrictTrips, 'distritos'],
      [mitmaGauTrips, 'GAU'],
    ] as const) {
      const trips = listingOf('day', feed.archive?.files(index, ALL) ?? [], ALL)
      expect([trips.files.length, trips.gaps]).toEqual([904, gaps])
      expect(trips.files.filter(({ url }) => !url.includes(`/por-${word}/viajes/`) || !url.endsWith(`_Viajes_${word}.csv.gz`))).toEqual([])
    }
    expect(gaps).toEqual([
      ...['2023-10-26', '2023-10-27', '2023-10-30', '2023-10-31', '2023-11-01', '2023-11-02', '2023-11-03'],
      '2024-04-18',
    ])
  })

  test('of the first study, files of districts in folders of municipalities are not files of municipalities', () => {
    const index = [{ name: 'rss', bytes: readFileSync(join(folder, 'v1/RSS_v1_2024-08-18.xml')) }]
    const of = (kind: number, level: string, folder: string) =>
      dailyFiles(index, {
        name: new RegExp(`^(\\d{8})_maestra_${kind}_mitma_${level}\\.txt\\.gz$`),
        folder: `/${folder}/ficheros-diarios/2`,
      })
    const misplaced = of(2, 'distrito', 'maestra2-mitma-distritos').filter(({ url }) => url.includes('mitma-municipios'))
    expect(misplaced.map(({ period }) => period)).toEqual(['2021-02-05'])
    const days = listingOf('day', of(2, 'distrito', 'maestra2-mitma-distritos'), { from: '2020-02-21', to: '2021-05-09' })
    expect([days.files.length, days.files.filter(({ url }) => url.includes('mitma-municipios')).length]).toEqual([444, 0])
    const trips = listingOf('day', of(1, 'municipio', 'maestra1-mitma-municipios'), { from: '2020-02-21', to: '2021-05-09' })
    // The day before its last is missing too; 2020-07-12 has only the districts, in its folder.
    expect([trips.files.length, trips.gaps]).toEqual([442, ['2020-07-12', '2021-05-01']])
    // With the week of reference before.
    const taken = listingOf('day', mitmaV1Trips.archive?.files(index, ALL) ?? [], ALL)
    expect([taken.files[0]?.period, taken.files.length, taken.gaps]).toEqual(['2020-02-14', 449, trips.gaps])
  })

  deepTest('1 January 2022 has 515,748 overnight stays of 47,297,502 persons', { timeout: 60_000 }, async () => {
    const bytes = gunzipSync(readFileSync(join(folder, 'v2/20220101_Pernoctaciones_municipios.csv.gz')))
    const publication = await parse(bytes, '2022-01-01')
    expect([publication.report.quarantined, publication.report.unknownCodes]).toEqual([{}, {}])
    const rows = rowsOf(publication)
    const thousandths = rows.reduce((sum, { persons }) => sum + Math.round((persons as number) * 1000), 0)
    const zones = (name: string): number => new Set(rows.map((row) => row[name])).size
    expect([rows.length, Math.round(thousandths / 1000), rows.filter(({ persons }) => persons === 0).length]).toEqual([
      515_748, 47_297_502, 3,
    ])
    expect([zones('residence_zone'), zones('overnight_zone')]).toEqual([3743, 2563])
  })
})
