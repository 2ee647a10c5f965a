import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import { madridSensors } from '../../../jobs/feeds/road/madrid-sensors.ts'
import { madridTraffic } from '../../../jobs/feeds/road/madrid-traffic.ts'
import { sctIncidentsFeed } from '../../../jobs/feeds/road/sct-incidents.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { changed } from './dgt-documents.ts'

const shared = sharedFolder()
const NOW = Date.parse('2026-11-01T00:00:00Z')

function parse(feed: Feed, given: string | Buffer): Promise<Publication> {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given
  return parsePublication(feed, [{ name: feed.plans[0]?.requests[0]?.name as string, bytes }], NOW)
}

function fixture(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url)), 'utf8')
}

function capture(path: string): string {
  const bytes = readFileSync(`${shared}/feeds/${path}`)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

function warnings(publication: Publication): Record<string, number> {
  return Object.fromEntries(publication.report.warnings)
}

describe('filling stations', () => {
  const stations = fixture('fuel_stations/stations.json')

  test.each([
    'Rótulo',
    'Dirección',
    'Municipio',
    'Latitud',
    'Longitud (WGS84)',
    'IDProvincia',
    'Precio Gasoleo A',
    'Precio Gases licuados del petróleo',
  ])('without any %s are refused, and the column is named', async (field) => {
    const renamed = stations.replaceAll(`"${field}"`, `"${field.replace(/[óaeo]/, '\ufffd')}"`)
    await expect(parse(fuelStationsFeed, renamed)).rejects.toThrow(`no station has the field ${field}`)
  })

  test('may write their fields without accents', async () => {
    const plain = changed(stations, [/Rótulo/g, 'Rotulo'], [/petróleo/g, 'petroleo'])
    expect((await parse(fuelStationsFeed, plain)).rows.get('fuel_stations')).toMatchObject([{ brand: 'PRUEBA' }, { brand: 'EJEMPLO' }])
  })

  test.each(['Latitud', 'Rótulo', 'C.P.'])('whose %s is empty throughout are refused; one that has it is enough', async (field) => {
    const filled = new RegExp(`"${field}":"[^"]*"`)
    const one = changed(stations, [filled, `"${field}":""`])
    expect((await parse(fuelStationsFeed, one)).rows.get('fuel_stations')).toHaveLength(2)
    const none = changed(stations, [new RegExp(filled, 'g'), `"${field}":" "`])
    await expect(parse(fuelStationsFeed, none)).rejects.toThrow(`none of the stations has ${field}`)
  })

  test('may come with a note that is no UTF-8, but not be so themselves', async () => {
    const bytes = Buffer.from(stations)
    bytes.write('\u00d3', bytes.indexOf('Archivo'), 'latin1')
    expect((await parse(fuelStationsFeed, bytes)).rows.get('fuel_stations')).toHaveLength(2)
    const at = bytes.indexOf('PRUEBA')
    bytes.write('\u00d3', at, 'latin1')
    await expect(parse(fuelStationsFeed, bytes)).rejects.toThrow(`not valid UTF-8: byte 0xd3 at offset ${at} of ${bytes.length}`)
  })

  test.skipIf(!shared)('of Barcelona in another encoding are refused', async () => {
    const text = capture('miteco-eess/EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json')
    for (const encoding of ['latin1', 'utf16le'] as const)
      await expect(parse(fuelStationsFeed, Buffer.from(text, encoding))).rejects.toThrow(FormatError)
    await expect(parse(fuelStationsFeed, Buffer.from(text, 'latin1'))).rejects.toThrow(
      /not valid UTF-8: byte 0x[0-9a-f]{2} at offset \d+ of/,
    )
    // Read as Latin-1 and written as UTF-8: valid, and no longer what it was.
    await expect(parse(fuelStationsFeed, Buffer.from(text).toString('latin1'))).rejects.toThrow('no station has the field Rótulo')
  })
})

describe('traffic readings', () => {
  const pm = fixture('madrid_traffic/pm.xml')

  test.each(['intensidad', 'ocupacion', 'carga', 'nivelServicio', 'error', 'intensidadSat', 'descripcion', 'subarea', 'st_x'])(
    'without any <%s> are refused, and it is named',
    async (name) => {
      const renamed = pm.replaceAll(`<${name}>`, `<${name}2>`).replaceAll(`</${name}>`, `</${name}2>`)
      await expect(parse(madridTraffic, renamed)).rejects.toThrow(new RegExp(`none of the URBAN sensors has <${name}>`))
    },
  )

  test('of the M-30 do not become those of streets where their speed has another name', async () => {
    const renamed = await parse(madridTraffic, changed(pm, ['<velocidad>', '<speed>'], ['</velocidad>', '</speed>']))
    expect(renamed.rows.get('traffic_readings')).toHaveLength(3)
    expect(renamed.report.quarantined['traffic_readings']).toEqual({ 'neither the layout of streets nor that of the M-30': 1 })
    expect(renamed.report.missingBlocks['traffic_readings']).toEqual(['M30'])
  })

  test('without a time are refused; the layout of 2018 has none', async () => {
    await expect(parse(madridTraffic, changed(pm, [/<fecha_hora>.*<\/fecha_hora>/, '']))).rejects.toThrow('no fecha_hora')
    expect((await parse(madridTraffic, fixture('madrid_traffic/pm-2018.xml'))).data_time).toBe(NOW)
  })

  test('that are text but no number are counted by element, and no measure at all is refused', async () => {
    const some = changed(
      pm,
      ['<intensidad>90<', '<intensidad>NaN<'],
      ['<ocupacion>7<', '<ocupacion>n/d<'],
      ['<st_x>436004,103195086<', '<st_x>-<'],
    )
    const read = await parse(madridTraffic, some)
    expect(read.rows.get('traffic_readings')?.[0]).toMatchObject({ intensity_veh_h: null, occupancy_pct: 1 })
    expect(read.report.quarantined).toEqual({})
    expect(warnings(read)).toMatchObject({ '<intensidad> is no number': 1, '<ocupacion> is no number': 1, '<st_x> is no number': 1 })
    expect(warnings(await parse(madridTraffic, changed(pm, ['<velocidad>74<', '<velocidad>-1<'])))).toMatchObject({
      '<velocidad> is a number in no record': 1,
    })
    for (const none of ['-1', '', 'n/d', 'Error'])
      await expect(parse(madridTraffic, changed(pm, [/<(intensidad|ocupacion|carga|velocidad)>-?\d+</g, `<$1>${none}<`]))).rejects.toThrow(
        'none of the sensors has a number in intensidad, ocupacion, carga, velocidad',
      )
  })

  test.skipIf(!shared)('of 2023 without their measures, or with other names for them, are refused', async () => {
    const real = capture('madrid-intensidad/pm_20231022T172007.xml.gz')
    await expect(parse(madridTraffic, changed(real, [/<(intensidad|ocupacion|carga)>[^<]*<\/\1>/g, '']))).rejects.toThrow(
      'none of the URBAN sensors has <intensidad>, <ocupacion>, <carga>',
    )
    await expect(parse(madridTraffic, changed(real, [/intensidad>/g, 'intensity>']))).rejects.toThrow('has <intensidad>')
    const nowhere = changed(real, [/<(intensidad|ocupacion|carga|velocidad)>[^<]*</g, '<$1>n/d<'])
    await expect(parse(madridTraffic, nowhere)).rejects.toThrow('none of the sensors has a number')
    let left = 50
    const some = real.replace(/<intensidad>\d+</g, (text) => (left-- > 0 ? '<intensidad>NaN<' : text))
    expect(warnings(await parse(madridTraffic, some))).toMatchObject({ '<intensidad> is no number': 50 })
  })
})

describe('the catalogue of sensors', () => {
  const points = fixture('madrid_sensors/points-2023.csv')

  test.each(['utm_x', 'utm_y'])('without %s is refused', async (column) => {
    await expect(parse(madridSensors, changed(points, [column, 'other']))).rejects.toThrow(`the header lacks ${column}`)
    await expect(parse(madridSensors, changed(fixture('madrid_sensors/points-2018.csv'), ['"y"', '"z"']))).rejects.toThrow('lacks y')
  })

  test('counts invalid numbers, and is refused where no point has a position', async () => {
    const one = await parse(madridSensors, changed(points, ['441615.343346657', 'n/d'], [';4;', ';N/A;']))
    expect(one.report.quarantined).toEqual({})
    expect(warnings(one)).toEqual({
      'coordinates outside the UTM box of Madrid: position left out': 1,
      'traffic_sensors: district is no whole number: stored as null': 1,
    })
    const none = changed(points, [/44\d{4}\.\d+;4/g, '438.963.314.634.858;4'])
    await expect(parse(madridSensors, none)).rejects.toThrow('none of the points has a position in Madrid')
  })

  test.skipIf(!shared)('is refused where it is cut off, and a truncated file once accepted does not block a complete one', async () => {
    const whole = capture('madrid-puntos-medida/pmed_ubicacion_2023-07.csv')
    for (const cut of [whole.length / 2, whole.length - 1, whole.length - 20, whole.length / 3].map(Math.floor))
      await expect(parse(madridSensors, whole.slice(0, cut)), String(cut)).rejects.toThrow(/cut off: line \d+, the last,|Quote Not Closed/)
    // At the end of a line nothing shows it.
    const half = await parse(madridSensors, whole.slice(0, whole.lastIndexOf('\n', whole.length / 2) + 1))
    const rows = { traffic_sensors: half.rows.get('traffic_sensors')?.length ?? 0 }
    expect(rows.traffic_sensors).toBeLessThan(2400)
    const last = { data_time: '2026-10-01T00:00:00.000Z', rows, blocks: {} } as unknown as AcceptedFetch
    expect(judge(madridSensors, await parse(madridSensors, whole), { last, missing: {} }).kind).toBe('accept')
  })
})

describe('incidents', () => {
  const situations = fixture('dgt_incidents/situations-v37.xml')

  test.each([
    'sourceIdentification',
    'causeType',
    'roadName',
    'tpegDirectionRoad',
    'latitude',
    'kilometerPoint',
    'municipality',
    'province',
    'overallStartTime',
    'validityStatus',
  ])('without any <%s> are refused, and it is named', async (name) => {
    const renamed = changed(situations, [new RegExp(`(</?(?:\\w+:)?)${name}>`, 'g'), `$1${name}2>`])
    await expect(parse(dgtIncidentsFeed, renamed)).rejects.toThrow(`none of the records has ${name}`)
  })

  test('without any severity are read, and a warning says so', async () => {
    const renamed = changed(situations, [/(overallS|s)everity>/g, 'gravity>'])
    expect(warnings(await parse(dgtIncidentsFeed, renamed))).toMatchObject({ 'no situation states a severity': 1 })
    expect(warnings(await parse(dgtIncidentsFeed, situations))).toEqual({})
  })

  test('with numbers that cannot be read throughout are refused', async () => {
    const worded = changed(situations, [/(kilometerPoint>)[\d.]+</g, '$1here<'])
    await expect(parse(dgtIncidentsFeed, worded)).rejects.toThrow('none of the records has kilometerPoint')
  })

  test('may grow by any number after an outage', async () => {
    const publication = await parse(dgtIncidentsFeed, situations)
    const many = { ...publication, rows: new Map(publication.rows).set('v16_beacons', Array(200).fill({ source: 'dgt' })) }
    const rows = { incidents: publication.rows.get('incidents')?.length, v16_beacons: 1 }
    const last = { data_time: '2026-10-01T00:00:00.000Z', rows, blocks: {} } as unknown as AcceptedFetch
    expect(judge(dgtIncidentsFeed, many, { last, missing: {} }).kind).toBe('accept')
  })
})

describe('incidents of Catalonia', () => {
  const features = fixture('sct_incidents/incidents.xml')

  test.each(['tipus', 'descripcio_tipus', 'causa', 'carretera', 'pk_inici', 'pk_fi', 'data', 'nivell', 'sentit'])(
    'without any <%s> are refused, and it is named',
    async (name) => {
      const renamed = changed(features, [new RegExp(`(</?cite:)${name}>`, 'g'), `$1${name}2>`])
      await expect(parse(sctIncidentsFeed, renamed)).rejects.toThrow(`none of the incidents has ${name}`)
    },
  )

  test('without any position are refused', async () => {
    const renamed = changed(features, [/gml:Point/g, 'gml:Place'])
    await expect(parse(sctIncidentsFeed, renamed)).rejects.toThrow('none of the incidents has a position')
  })

  test('may be whole again after the least that is taken', async () => {
    const publication = await parse(sctIncidentsFeed, features)
    const whole = { ...publication, rows: new Map([['incidents', Array(152).fill({})]]) }
    const last = { data_time: '2026-10-01T00:00:00.000Z', rows: { incidents: 10 }, blocks: {} } as unknown as AcceptedFetch
    expect(judge(sctIncidentsFeed, whole, { last, missing: {} }).kind).toBe('accept')
  })
})
