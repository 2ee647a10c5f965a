import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { madridSensors } from '../../../jobs/feeds/road/madrid-sensors.ts'
import { madridTraffic } from '../../../jobs/feeds/road/madrid-traffic.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

/** The fields of sensors of interurban roads alone, and the province. */
const NO_ROAD = {
  ...{ province_code: '28', road: null, km: null, direction: null, destination: null },
  ...{ site_kind: null, source_site_kind: null, source_direction: null },
}

const shared = sharedFolder()
const NOW = Date.parse('2026-01-01T00:00:00Z')

function parse(feed: Feed, bytes: Buffer, fetched_at = NOW): Promise<Publication> {
  return parsePublication(feed, [{ name: feed.plans[0]?.requests[0]?.name as string, bytes }], fetched_at)
}

function capture(path: string): Buffer {
  const bytes = readFileSync(join(shared as string, 'feeds', path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

function rowsOf(publication: Publication, dataset: string): readonly AnyRow[] {
  return publication.rows.get(dataset) as readonly AnyRow[]
}

function counts(rows: readonly AnyRow[], column: string): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const row of rows) tally[String(row[column])] = (tally[String(row[column])] ?? 0) + 1
  return tally
}

interface Pm {
  readonly id: string
  readonly layout?: 'URBAN' | 'M30' | '2018'
  readonly texts?: Readonly<Record<string, string>>
}

/** A pm.xml as the city writes it: byte order mark, CRLF, decimal commas. */
function pmXml(records: readonly Pm[], head = '<fecha_hora>22/10/2023 17:20:07</fecha_hora>'): Buffer {
  const lines = records.map(({ id, layout = 'URBAN', texts = {} }) => {
    const measured = { intensidad: '90', ocupacion: '1', carga: '3', nivelServicio: '0' }
    const place = { st_x: '436004,103195086', st_y: '4472588,47356732' }
    const elements: Record<string, string> = {
      URBAN: {
        idelem: id,
        descripcion: 'SEPULVEDA Ø118 N-S',
        accesoAsociado: '240102',
        ...measured,
        intensidadSat: '3000',
        error: 'N',
        subarea: '1718',
        ...place,
      },
      M30: { idelem: id, ...measured, velocidad: '74', error: 'N', ...place },
      '2018': {
        codigo: id,
        descripcion: 'GTA. A &gt; B',
        accesoAsociado: '0',
        ...measured,
        intensidadSat: '1800',
        error: 'N',
        subarea: '1718',
      },
    }[layout]
    const inside = Object.entries({ ...elements, ...texts }).map(([name, text]) =>
      text === '' ? `<${name}/>` : `<${name}>${text}</${name}>`,
    )
    return `  <pm>\r\n    ${inside.join('\r\n    ')}\r\n  </pm>\r\n`
  })
  return Buffer.from(`\ufeff<pms>\r\n  ${head}\r\n${lines.join('')}</pms>\r\n`, 'utf8')
}

async function readings(records: readonly Pm[]): Promise<readonly AnyRow[]> {
  return rowsOf(await parse(madridTraffic, pmXml(records)), 'traffic_readings')
}

describe('madrid_traffic', () => {
  test('reads both layouts into readings and sensors', async () => {
    const publication = await parse(madridTraffic, pmXml([{ id: '3409' }, { id: '3797', layout: 'M30' }]))
    expect(publication.data_time).toBe(Date.parse('2023-10-22T15:20:07Z'))
    expect(rowsOf(publication, 'traffic_readings')).toEqual([
      {
        source: 'madrid',
        sensor_id: '3409',
        period_s: 300,
        observed_at: Date.parse('2023-10-22T15:20:07Z'),
        sensor_type: 'URBAN',
        intensity_veh_h: 90,
        occupancy_pct: 1,
        load_pct: 3,
        level_of_service: 'FLUID',
        speed_kmh: null,
        quality: 'OK',
        headway_m: null,
        long_vehicles_pct: null,
      },
      expect.objectContaining({ sensor_id: '3797', sensor_type: 'M30', speed_kmh: 74 }),
    ])
    expect(rowsOf(publication, 'traffic_sensors')).toEqual([
      {
        source: 'madrid',
        listing: 'LIVE',
        sensor_id: '3409',
        city: 'madrid',
        sensor_type: 'URBAN',
        name: 'SEPULVEDA Ø118 N-S',
        centre_code: null,
        access_code: '240102',
        district: null,
        subarea: '1718',
        capacity_veh_h: 3000,
        position: { lat: 40.4014473, lon: -3.7541517 },
        municipality_code: '28079',
        ...NO_ROAD,
      },
      expect.objectContaining({ sensor_id: '3797', name: null, access_code: null, subarea: null, capacity_veh_h: null }),
    ])
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {}, missingBlocks: {} })
  })

  test('knows that -1 and nothing are no measurement', async () => {
    const none = { intensidad: '-1', ocupacion: '-1', carga: '-1', nivelServicio: '-1', velocidad: '-1', error: '' }
    const [row] = await readings([{ id: '1', layout: 'M30', texts: none }, { id: '2' }])
    expect(row).toMatchObject({ intensity_veh_h: null, occupancy_pct: null, load_pct: null, level_of_service: null, speed_kmh: null })
    expect(row).toMatchObject({ quality: 'UNKNOWN' })
  })

  test('leaves the level out where the load is above 100, and keeps the load', async () => {
    const rows = await readings([
      { id: '1', texts: { carga: '101', nivelServicio: '0' } },
      { id: '2', texts: { carga: '317', nivelServicio: '' } },
      { id: '3', texts: { carga: '100', nivelServicio: '3' } },
    ])
    expect(rows.map((row) => [row['load_pct'], row['level_of_service']])).toEqual([
      [101, null],
      [317, null],
      [100, 'CONGESTION'],
    ])
  })

  test('keeps codes it does not know and counts them', async () => {
    const publication = await parse(
      madridTraffic,
      pmXml([
        { id: '1', texts: { nivelServicio: '4', error: 'X' } },
        { id: '2', texts: { error: 'X' } },
      ]),
    )
    expect(rowsOf(publication, 'traffic_readings')[0]).toMatchObject({ level_of_service: '4', quality: 'X' })
    expect(publication.report.unknownCodes).toEqual({ level_of_service: { '4': 1 }, reading_quality: { X: 2 } })
  })

  test('nulls invalid measures and quarantines invalid readings, with the reason', async () => {
    const publication = await parse(
      madridTraffic,
      pmXml([{ id: '1' }, { id: '1' }, { id: '2', texts: { intensidad: 'many' } }, { id: '3', texts: { ocupacion: '101' } }, { id: '' }]),
    )
    const [first, second, third, ...others] = rowsOf(publication, 'traffic_readings') as [AnyRow, AnyRow, AnyRow]
    expect(second).toEqual({ ...first, sensor_id: '2', intensity_veh_h: null })
    expect(third).toEqual({ ...first, sensor_id: '3', occupancy_pct: null })
    expect(others).toEqual([])
    expect(Object.fromEntries(publication.report.warnings)).toEqual({
      'no M30 sensor in the file': 1,
      'traffic_readings: intensity_veh_h is no whole number: stored as null': 1,
      'traffic_readings: occupancy_pct is above 100: stored as null': 1,
    })
    expect(publication.report.quarantined['traffic_readings']).toEqual({
      'key comes twice in one publication': 1,
      'no idelem and no codigo': 1,
    })
  })

  test('nulls and counts positions that cannot be in Madrid, and names elements it does not know', async () => {
    const publication = await parse(
      madridTraffic,
      pmXml([
        { id: '1', texts: { st_x: '438.963.314.634.858' } },
        { id: '2', texts: { st_x: '0', st_y: '0' } },
        { id: '3', layout: 'M30', texts: { nuevo: '1' } },
      ]),
    )
    expect(rowsOf(publication, 'traffic_sensors').map((row) => row['position'])).toEqual([null, null, expect.anything()])
    expect([...publication.report.warnings]).toEqual([
      ['coordinates outside the UTM box of Madrid: position left out', 2],
      ['unknown element <nuevo> in <pm>', 1],
    ])
  })

  test('reads the layout of 2018, whose time is that of the fetch and whose codes are no idelem', async () => {
    const failed = { intensidad: 'Error', ocupacion: 'Error', carga: 'Error', nivelServicio: 'Error', error: 'Error' }
    const bytes = pmXml(
      [
        { id: '10004', layout: '2018' },
        { id: '90ET93PM01', layout: '2018', texts: failed },
      ],
      '',
    )
    const publication = await parse(madridTraffic, bytes)
    expect(publication.report.publishedAt).toBeNull()
    expect(rowsOf(publication, 'traffic_readings')).toMatchObject([
      { sensor_id: 'codigo:10004', observed_at: NOW, intensity_veh_h: 90, quality: 'OK' },
      { sensor_id: 'codigo:90ET93PM01', observed_at: NOW, intensity_veh_h: null, level_of_service: null, quality: 'ERROR' },
    ])
    expect(rowsOf(publication, 'traffic_sensors')[0]).toMatchObject({ centre_code: '10004', name: 'GTA. A > B', position: null })
  })

  test('says which block is missing, even with nothing to compare with', async () => {
    const publication = await parse(madridTraffic, pmXml([{ id: '1' }]))
    expect(publication.report.missingBlocks).toEqual({ traffic_readings: ['M30'], traffic_sensors: ['M30'] })
  })

  test('resolves the repeated hour of October by the fetch time', async () => {
    const bytes = pmXml([{ id: '1' }], '<fecha_hora>29/10/2023 02:30:05</fecha_hora>')
    const first = Date.parse('2023-10-29T00:30:05Z')
    expect((await parse(madridTraffic, bytes, first + 30_000)).data_time).toBe(first)
    expect((await parse(madridTraffic, bytes, first + 3_630_000)).data_time).toBe(first + 3_600_000)
  })

  test.each([
    ['cut off', pmXml([{ id: '1' }]).subarray(0, 200)],
    ['of another root', Buffer.from('<html><body>503</body></html>')],
    ['with a DTD', Buffer.from('<!DOCTYPE pms [<!ENTITY a "b">]><pms/>')],
    ['of an unreadable time', pmXml([{ id: '1' }], '<fecha_hora>2023-10-22 17:20:07</fecha_hora>')],
    ['of an impossible time', pmXml([{ id: '1' }], '<fecha_hora>31/02/2023 17:20:07</fecha_hora>')],
    ['with two times', pmXml([{ id: '1' }], '<fecha_hora>22/10/2023 17:20:07</fecha_hora><fecha_hora>22/10/2023 17:25:07</fecha_hora>')],
  ])('refuses a file %s', async (_what, bytes) => {
    await expect(parse(madridTraffic, bytes)).rejects.toThrow(FormatError)
  })
})

describe.skipIf(!shared)('captures of pm.xml', () => {
  test.each([
    ['pm_20230126T130143.xml.gz', 4267, '2023-01-26T12:01:43Z'],
    ['pm_20230222T192005.xml.gz', 4563, '2023-02-22T18:20:05Z'],
    ['pm_20230222T193005.xml.gz', 4563, '2023-02-22T18:30:05Z'],
    ['pm_20230222T194005.xml.gz', 4563, '2023-02-22T18:40:05Z'],
    ['pm_20230222T202005.xml.gz', 4563, '2023-02-22T19:20:05Z'],
    ['pm_20231022T172007.xml.gz', 4734, '2023-10-22T15:20:07Z'],
    ['pm_20231022T172507.xml.gz', 4734, '2023-10-22T15:25:07Z'],
    ['pm_20240225T120010.xml.gz', 4764, '2024-02-25T11:00:10Z'],
    ['pm_old-format_201802.xml.gz', 4275, '2026-01-01T00:00:00Z'],
  ])('%s gives %i readings and sensors', async (file, records, at) => {
    const publication = await parse(madridTraffic, capture(`madrid-intensidad/${file}`))
    expect(rowsOf(publication, 'traffic_readings')).toHaveLength(records)
    expect(rowsOf(publication, 'traffic_sensors')).toHaveLength(records)
    expect(publication.data_time).toBe(Date.parse(at))
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    const missing = file.includes('20230126') ? { traffic_readings: ['M30'], traffic_sensors: ['M30'] } : {}
    expect(publication.report.missingBlocks).toEqual(missing)
    expect(judge(madridTraffic, publication, null).kind).toBe('accept')
  })

  test('of 2023-10-22 17:20 has the counted levels, qualities and kinds', async () => {
    const rows = rowsOf(await parse(madridTraffic, capture('madrid-intensidad/pm_20231022T172007.xml.gz')), 'traffic_readings')
    // Published: 3682 fluid, 3 of them with a load above 100; 33 without level, 4 empty.
    expect(counts(rows, 'level_of_service')).toEqual({ FLUID: 3682 - 3, SLOW: 864, QUEUES: 129, CONGESTION: 22, null: 33 + 4 + 3 })
    expect(counts(rows, 'quality')).toEqual({ OK: 4269, ERROR: 455, UNKNOWN: 10 })
    expect(counts(rows, 'sensor_type')).toEqual({ URBAN: 4445, M30: 289 })
    expect(rows.filter((row) => row['intensity_veh_h'] === null)).toHaveLength(47)
    expect(rows.filter((row) => row['speed_kmh'] !== null)).toHaveLength(289 - 25)
  })

  test('that is cut off is refused', async () => {
    await expect(parse(madridTraffic, capture('madrid-intensidad/pm_20231008T170512_TRUNCATED.xml'))).rejects.toThrow(/idelem/)
  })

  test('without the M-30 block is accepted after a whole one, and flagged; a half is not accepted', async () => {
    const whole = await parse(madridTraffic, capture('madrid-intensidad/pm_20230222T192005.xml.gz'))
    expect(judge(madridTraffic, whole, null).kind).toBe('accept')
    const last = {
      data_time: '2023-01-26T11:56:43.000Z',
      rows: { traffic_readings: 4563, traffic_sensors: 4563 },
      blocks: whole.blocks,
    } as unknown as AcceptedFetch
    const urban = await parse(madridTraffic, capture('madrid-intensidad/pm_20230126T130143.xml.gz'))
    expect(judge(madridTraffic, urban, { last, missing: {} })).toMatchObject({
      kind: 'accept',
      missing: { traffic_readings: ['M30'], traffic_sensors: ['M30'] },
    })
    const counts = new Map([...urban.counts.keys()].map((id) => [id, 2000]))
    const blocks = Object.fromEntries(Object.entries(urban.blocks).map(([id, ofBlock]) => [id, { ...ofBlock, URBAN: 2000 }]))
    const half = { ...urban, counts, blocks }
    expect(judge(madridTraffic, half, { last, missing: {} })).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('2000 rows after 4274'),
    })
  })

  test('has 171 of 4764 sensors that the catalogue of July 2023 lacks', async () => {
    const live = rowsOf(await parse(madridTraffic, capture('madrid-intensidad/pm_20240225T120010.xml.gz')), 'traffic_sensors')
    const points = rowsOf(await parse(madridSensors, capture('madrid-puntos-medida/pmed_ubicacion_2023-07.csv')), 'traffic_sensors')
    const known = new Set(points.map((row) => row['sensor_id']))
    expect(live.filter((row) => !known.has(row['sensor_id']))).toHaveLength(171)
    const seen = new Set(live.map((row) => row['sensor_id']))
    expect(points.filter((row) => !seen.has(row['sensor_id']))).toHaveLength(153)
  })
})

const EDITION_2023 = '"tipo_elem";"distrito";"id";"cod_cent";"nombre";"utm_x";"utm_y";"longitud";"latitud"\n'
const EDITION_2018 = '"cod_cent";"id";"nombre";"tipo_elem";"x";"y"\n'

describe('madrid_sensors', () => {
  test('reads the edition of 2023', async () => {
    const bytes = Buffer.from(
      `${EDITION_2023}"URB";4;3840;"01001";"Ortega y Gasset E-O - Pº Castellana";441615.343346657;4475767.9421385;-3.6883;40.4305\n`,
    )
    const publication = await parse(madridSensors, bytes)
    expect(rowsOf(publication, 'traffic_sensors')).toEqual([
      {
        source: 'madrid',
        listing: 'CATALOGUE',
        sensor_id: '3840',
        city: 'madrid',
        sensor_type: 'URBAN',
        name: 'Ortega y Gasset E-O - Pº Castellana',
        centre_code: '01001',
        access_code: null,
        district: 4,
        subarea: null,
        capacity_veh_h: null,
        position: { lat: 40.4305019, lon: -3.6883233 },
        municipality_code: '28079',
        ...NO_ROAD,
      },
    ])
    expect(publication.data_time).toBe(NOW)
  })

  test('reads the edition of 2018, in whatever encoding', async () => {
    const text = `${EDITION_2018}"04FT74PM01";1006;"Pº 04FT74PM01";"M-30";437526,638490494;4473735,29258508\n`
    for (const encoding of ['utf8', 'latin1'] as const) {
      const [row] = rowsOf(await parse(madridSensors, Buffer.from(text, encoding)), 'traffic_sensors')
      expect(row).toMatchObject({ sensor_id: '1006', sensor_type: 'M30', name: 'Pº 04FT74PM01', district: null })
      expect(row?.['position']).toEqual({ lat: 40.4118939, lon: -3.7363235 })
    }
  })

  test('keeps the readable fields of odd records, and counts the others', async () => {
    const bytes = Buffer.from(
      `${EDITION_2023}"URB";;1;"a";"";438.963.314.634.858;4475767.9;0;0\n"TUN";3;2;"b";"x";;;;\n"URB";3;;"c";"x";1;2;3;4\n"URB";3;4\n"URB";x;5;"d";"e";441615.3;4475767.9;0;0\n`,
    )
    const publication = await parse(madridSensors, bytes)
    expect(rowsOf(publication, 'traffic_sensors')).toMatchObject([
      { sensor_id: '1', district: null, name: null, position: null },
      { sensor_id: '2', sensor_type: 'TUN', position: null },
      { sensor_id: '5', district: null, position: expect.anything() },
    ])
    expect(publication.report).toMatchObject({
      quarantined: { traffic_sensors: { 'another number of fields': 1, 'no id': 1 } },
      unknownCodes: { sensor_type: { TUN: 1 } },
    })
    expect(publication.report.warnings.get('traffic_sensors: district is no whole number: stored as null')).toBe(1)
    expect([...publication.report.warnings.values()]).toEqual([1, 1])
  })

  test('refuses a file without its columns', async () => {
    await expect(parse(madridSensors, Buffer.from('id;x;y\n1;2;3\n'))).rejects.toThrow('lacks nombre, tipo_elem')
  })

  test.skipIf(!shared)('reads both captured editions whole', async () => {
    const new_ = await parse(madridSensors, capture('madrid-puntos-medida/pmed_ubicacion_2023-07.csv'))
    const rows = rowsOf(new_, 'traffic_sensors')
    expect(counts(rows, 'sensor_type')).toEqual({ URBAN: 4322, M30: 296, OTHER: 128 })
    expect(rows.filter((row) => row['district'] === null)).toHaveLength(5)
    expect(rows.filter((row) => row['position'] === null)).toHaveLength(0)
    const old = await parse(madridSensors, capture('madrid-puntos-medida/pmed_2018-02.csv'))
    expect(counts(rowsOf(old, 'traffic_sensors'), 'sensor_type')).toEqual({ URBAN: 3651, M30: 421 })
    expect(rowsOf(old, 'traffic_sensors').filter((row) => row['position'] === null)).toHaveLength(0)
    for (const publication of [new_, old]) {
      expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
      expect(judge(madridSensors, publication, null).kind).toBe('accept')
    }
  })
})
