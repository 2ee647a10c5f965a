import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { DownloadStep, FeedRequest } from '../../../jobs/feeds/define.ts'
import { aemetWarnings } from '../../../jobs/feeds/weather/aemet-warnings.ts'
import { decodeReply, sniff } from '../../../jobs/ingest/http.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { tryFeed } from '../../../jobs/ingest/try.ts'
import { alertZone } from '../../../lake/datasets/weather/weather-alerts.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import type { MultiPolygon } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { packTar } from '../../../scripts/stand-in/formats/tar.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { membersOf } from '../../helpers/zip.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 11, 30, 18)
const FOLDER = join(PROJECT, 'test/fixtures/aemet_warnings/package.tar')
const [rss, openData] = aemetWarnings.plans.map(({ requests }) => requests[0]) as [FeedRequest, FeedRequest]

const message = (name: string): string => readFileSync(join(FOLDER, `${name}.xml`), 'utf8')

/** Parses a package of messages. */
async function parse(...messages: readonly (string | Buffer)[]): Promise<Publication> {
  const bytes = packTar(
    messages.map((text, nth) => ({ name: `Z_CAP_C_LEMM_${nth}.xml`, bytes: Buffer.from(text) })),
    AT,
  )
  return parsePublication(aemetWarnings, [{ name: 'rss', bytes }], AT, { keeps: () => true })
}

async function rowsOf(...messages: readonly (string | Buffer)[]): Promise<AnyRow[]> {
  const { rows, report } = await parse(...messages)
  expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
  return rows.get('weather_alerts') as AnyRow[]
}

/** The row of a message with some of its text replaced. */
async function rowOf(name: string, ...changes: readonly (readonly [string | RegExp, string])[]): Promise<AnyRow> {
  for (const [from] of changes) expect(message(name).search(typeof from === 'string' ? from.replace(/[+]/g, '[+]') : from)).not.toBe(-1)
  const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, to), message(name))
  const [row] = await rowsOf(changed)
  return row as AnyRow
}

const WIND = message('wind_update')

describe('the package', () => {
  const tar = packTar(membersOf(FOLDER), AT)
  const reply = (received: Buffer) => ({ url: 'https://www.aemet.es/', headers: {}, received })

  test('is taken plain or packed, by its first bytes, by either plan', async () => {
    for (const request of [rss, openData])
      for (const received of [tar, gzipSync(tar)]) {
        const bytes = await decodeReply(request, reply(received))
        expect(bytes.equals(tar)).toBe(true)
        await expect(sniff(request, bytes)).resolves.toBeUndefined()
      }
    const { trial } = await tryFeed(aemetWarnings, { files: [{ name: 'a.tar.gz', bytes: gzipSync(tar) }], at: AT })
    expect(trial).toMatchObject({ accepted: true, datasets: { weather_alerts: { rows: 4 } } })
  })

  test('that is cut, or would unpack to more than the limit, is no package', async () => {
    const packed = gzipSync(tar)
    await expect(decodeReply(rss, reply(packed.subarray(0, packed.length / 2)))).rejects.toThrow('damaged gzip')
    await expect(sniff(rss, tar.subarray(0, tar.length / 2))).rejects.toThrow('not a whole tar')
    const bomb = gzipSync(Buffer.alloc(rss.maxDecodedBytes + 1), { level: 9 })
    expect(bomb.length).toBeLessThan(rss.maxBytes)
    await expect(decodeReply(rss, reply(bomb))).rejects.toThrow(`unpacks to more than ${rss.maxDecodedBytes} bytes`)
    await expect(sniff(rss, Buffer.from('<rss/>'))).rejects.toThrow('expects tar')
  })

  test('without messages is refused; one that cannot be read is counted and left out', async () => {
    await expect(parse()).rejects.toThrow('the tar has no files')
    await expect(sniff(rss, Buffer.alloc(10_240))).rejects.toThrow('expects tar and got another: the tar has no files')
    const { counts, report } = await parse(WIND, message('coast'), '<alert><identifier>', '<rss/>', Buffer.from([0xff, 0xfe, 0x3c]))
    expect(counts.get('weather_alerts')).toBe(2)
    expect(Object.values(report.quarantined['weather_alerts'] ?? {}).reduce((sum, count) => sum + count)).toBe(3)
  })

  test('is linked by the first item of the list that is one, by HTTPS', () => {
    const follow = (text: string): DownloadStep => (rss.twoStep as NonNullable<FeedRequest['twoStep']>).to(Buffer.from(text))
    const list = (...links: readonly string[]): string =>
      `<?xml version="1.0"?><rss version="2.0"><channel>${links.map((link) => `<item><link>${link}</link></item>`).join('')}</channel></rss>`
    const path = '/documentos_d/eltiempo/prediccion/avisos/cap/Z_CAP_C_LEMM_20260906215001_AFAE.tar.gz'
    const other = path.replace('215001', '205001')
    for (const link of [path, `https://www.aemet.es${path}`, `http://www.aemet.es${path}`])
      expect(follow(list('https://www.aemet.es/', link, other))).toEqual({ url: `https://www.aemet.es${path}` })
    expect(rss.twoStep?.hosts).toEqual(['www.aemet.es'])
    expect(follow(list(path.replace('AFAE', 'AFAC61')))).toMatchObject({
      refused: expect.stringContaining('without a link'),
      retryable: true,
    })
    expect(follow('<html></html>')).toMatchObject({ refused: expect.stringContaining('the root is <html>'), retryable: true })
  })

  test('is as new as its newest message that is no test', async () => {
    const { report } = await parse(message('rain'), WIND, message('test'), message('green').replace('12:00:00-00:00', '12:05:00-00:00'))
    expect(report.publishedAt).toBe(Date.UTC(2026, 11, 30, 12, 5))
    expect((await parse(message('test'))).report.publishedAt).toBeNull()
  })

  test('needs no key on the website and one in OpenData', () => {
    expect([rss.secret, openData.secret?.env, openData.url]).toEqual([
      undefined,
      'AEMET_API_KEY',
      'https://opendata.aemet.es/opendata/api/avisos_cap/ultimoelaborado/area/esp',
    ])
  })
})

describe('which messages are warnings', () => {
  const events = async (...names: readonly string[]): Promise<unknown[]> => (await rowsOf(...names.map(message))).map((row) => row['event'])

  test('green is no warning, by its level or its severity', async () => {
    expect(await events('green')).toEqual([])
    expect(await rowsOf(message('green').replace('verde', 'nada'))).toEqual([])
    expect(await rowsOf(message('coast').replace('amarillo</value>', 'Verde</value>'))).toEqual([])
  })

  test('a test is no warning, and is counted', async () => {
    const { counts, report } = await parse(message('test'))
    expect([counts.get('weather_alerts'), [...report.warnings]]).toEqual([0, [['a message with status Test is left out', 1]]])
  })

  test('an update that expires as it is sent withdraws its references, as does a cancellation', async () => {
    expect(await events('rain')).toHaveLength(1)
    expect(await events('rain', 'rain_withdrawn')).toEqual([])
    expect(await events('rain_withdrawn')).toEqual([])
    const cancelled = message('rain_withdrawn')
      .replace('>Update<', '>Cancel<')
      .replace('2026-12-30T16:00:00+01:00', '2026-12-31T16:00:00+01:00')
    expect(await rowsOf(message('rain'), cancelled)).toEqual([])
  })

  test('a test withdraws nothing', async () => {
    expect(await parse(message('rain'), message('rain_withdrawn').replace('Actual', 'Test'))).toMatchObject({
      counts: new Map([['weather_alerts', 1]]),
    })
  })

  test('an update replaces its references, and is the same thing', async () => {
    const [before] = await rowsOf(message('wind_before'))
    const [after, ...others] = await rowsOf(message('wind_before'), WIND)
    expect(others).toEqual([])
    expect([before?.['source_id'], after?.['source_id']]).toEqual(['722802VIRM3123', '722802VIRM3123'])
    expect([before?.['level'], after?.['level'], after?.['message_type']]).toEqual(['YELLOW', 'ORANGE', 'UPDATE'])
    expect(after?.['updates']).toEqual([before?.['identifier']])
  })

  test('two with similar identifiers stay two, and neither is lost', async () => {
    const later = message('rain').replaceAll('1798614000', '1798614060')
    const ids = (await rowsOf(later, message('rain'))).map((row) => row['source_id'])
    expect(ids).toEqual(['722803PRP13118', '2.49.0.0.724.0.ES.20261230070000.722803PRP131181798614060'])
    const [odd] = await rowsOf(message('rain').replace(/<identifier>.*<\/identifier>/, '<identifier>aviso-1</identifier>'))
    expect(odd?.['source_id']).toBe('aviso-1')
  })
})

describe('a message', () => {
  test('is in UTF-8, whatever it declares', async () => {
    expect(message('heat_canaries')).toContain('encoding="ISO-8859-15"')
    expect(await rowOf('heat_canaries')).toMatchObject({
      event: 'Aviso de temperaturas máximas de nivel amarillo',
      parameter_text: '34 ºC',
    })
  })

  test('has local times with their offsets, an hour less in the Canaries', async () => {
    expect(await rowOf('heat_canaries')).toMatchObject({
      ...{ onset_at: Date.UTC(2026, 6, 14, 10), onset_utc_offset: '+01:00' },
      ...{ expires_at: Date.UTC(2026, 6, 14, 17, 59, 59), expires_utc_offset: '+01:00', sent_at: Date.UTC(2026, 6, 12, 9) },
    })
    expect(await rowOf('wind_update', ['2026-12-31T00:00:00+01:00', '2026-10-24T23:00:00+02:00'])).toMatchObject({
      ...{ onset_at: Date.UTC(2026, 9, 24, 21), onset_utc_offset: '+02:00', expires_utc_offset: '+01:00' },
    })
    // CAP lets the onset be left out: then it is as soon as it is sent.
    expect(await rowOf('wind_update', [/ *<onset>.*<\/onset>\n/g, ''])).toMatchObject({ onset_at: Date.UTC(2026, 11, 30, 9) })
  })

  test('is in two languages with the same numbers; the English one may lack parts, or be absent', async () => {
    const row = await rowOf('heat_canaries')
    expect(row).toMatchObject({
      ...{ event_en: 'Moderate high-temperature warning', description_en: 'Maximum temperature: 34 ºC.', instruction_en: 'Be aware.' },
      ...{ parameter: 'TEMPERATURE_MAX', parameter_value: 34, probability_min_pct: 70, probability_max_pct: 100 },
    })
    expect(row['area']).toHaveLength(2)
    expect(await rowOf('coast')).toMatchObject({ event_en: null, headline_en: null, description_en: null, instruction_en: null })
  })

  test('VI is wind as a phenomenon and visibility as a parameter', async () => {
    expect(await rowOf('wind_update')).toMatchObject({ phenomenon: 'WIND', parameter: 'GUST', parameter_value: 95, parameter_unit: 'km/h' })
    expect(await rowOf('fog_visibility')).toMatchObject({
      ...{ phenomenon: 'FOG', parameter: 'VISIBILITY', parameter_value: 50, parameter_unit: 'm' },
    })
  })

  test.each([
    ['P1;Precipitación;15,5 mm', ['PRECIPITATION_1H', 15.5, 'mm', '15,5 mm']],
    ['P2;Precipitación;40 mm', ['PRECIPITATION_12H', 40, 'mm', '40 mm']],
    ['NV;Nieve;5 cm', ['SNOW_24H', 5, 'cm', '5 cm']],
    ['TI;Temperatura mínima;-6 ºC', ['TEMPERATURE_MIN', -6, 'Cel', '-6 ºC']],
    ['AL;Aludes;2200 m', ['AVALANCHE', 2200, 'm', '2200 m']],
    ['TO;Tormentas;', ['THUNDERSTORM', null, null, null]],
    ['TO;Tormentas', ['THUNDERSTORM', null, null, null]],
    ['CO;Costeros;Fuerza 7; olas de 4 m', ['COASTAL', null, null, 'Fuerza 7;olas de 4 m']],
    ['RM;Rachas;de 70 a 90 km/h', ['GUST', null, null, 'de 70 a 90 km/h']],
  ])('the parameter %s', async (text, [parameter, parameter_value, parameter_unit, parameter_text]) => {
    const row = await rowOf('coast', [/CO;Costeros;Viento[^<]*/g, text])
    expect(row).toMatchObject({ parameter, parameter_value, parameter_unit, parameter_text })
  })

  test.each([
    ['10%-40%', 10, 40],
    ['40%-70%', 40, 70],
    ['mayor 70%', 70, 100],
    ['mayor del 70 %', 70, 100],
  ])('the probability %s', async (text, min, max) => {
    expect(await rowOf('heat_canaries', ['mayor 70%', text])).toMatchObject({ probability_min_pct: min, probability_max_pct: max })
  })

  test.each([
    ['amarillo', 'YELLOW'],
    ['naranja', 'ORANGE'],
    ['ROJO', 'RED'],
  ])('the level %s', async (text, level) => {
    expect(await rowOf('coast', ['amarillo</value>', `${text}</value>`])).toMatchObject({ level })
  })

  test('the level is that of the severity where it is not named', async () => {
    for (const [severity, level] of [
      ['Moderate', 'YELLOW'],
      ['Severe', 'ORANGE'],
      ['Extreme', 'RED'],
    ] as const)
      expect(await rowOf('coast', ['Meteoalerta nivel', 'Meteoalerta grado'], ['Moderate', severity])).toMatchObject({ level })
  })

  test('unknown codes are kept and counted', async () => {
    const text = message('coast')
      .replace('CO;Costeros<', 'XX;Nuevo<')
      .replace('CO;Costeros;Viento del oeste de 50 a 60 km/h (fuerza 7)', 'YY;Nuevo;3 kn')
    const odd = text.replace('amarillo</value>', 'azul</value>').replace('40%-70%', 'quizá').replace('>611804C<', '>999999<')
    const { rows, report } = await parse(odd)
    expect(rows.get('weather_alerts')?.[0]).toMatchObject({
      ...{ phenomenon: 'XX', level: 'azul', parameter: 'YY', parameter_value: null, parameter_unit: null, parameter_text: '3 kn' },
      ...{ probability_min_pct: null, zone_codes: ['999999'], province_codes: [] },
    })
    expect(report.unknownCodes).toEqual({
      ...{ weather_alert_phenomenon: { XX: 1 }, weather_alert_level: { azul: 1 }, weather_alert_parameter: { YY: 1 } },
      ...{ aemet_unit: { kn: 1 }, aemet_probability: { quizá: 1 }, aemet_zone: { '999999': 1 } },
    })
  })

  test('a message without a field that a warning needs is bad, and the field is named', async () => {
    const reason = async (from: string | RegExp, to = ''): Promise<string[]> => {
      const { counts, report } = await parse(message('coast').replaceAll(from, to))
      expect(counts.get('weather_alerts')).toBe(0)
      return Object.keys(report.quarantined['weather_alerts'] ?? {})
    }
    expect(await reason(/<expires>.*<\/expires>/g)).toEqual(['no expires'])
    expect(await reason(/<event>.*<\/event>/g)).toEqual(['no event'])
    expect(await reason(/<polygon>.*<\/polygon>/g)).toEqual(['no polygon'])
    expect(await reason('Meteoalerta zona', 'zona')).toEqual(['no AEMET-Meteoalerta zona'])
    expect(await reason(/<info>[^]*<\/info>/g)).toEqual(['no info'])
    expect(await reason(/<sent>.*<\/sent>/g)).toEqual(['no sent'])
    expect(await reason('2026-12-31T23:59:59+01:00', 'mañana')).toEqual(['expires is no time: mañana'])
    expect(await reason(/<polygon>.*<\/polygon>/g, '<polygon>36.5,-3.7 36.7,-3.7</polygon>')).toEqual(['no polygon'])
  })

  test('an unreadable corner is left out and counted, never the area', async () => {
    const { rows, report } = await parse(message('coast').replace('36.5,-3.7 36.7,-3.7', 'x,-3.7 36.7,-3.7,0 0,0 36.7,-3.7'))
    const [south, north, west, east] = [36.5, 36.7, -3.7, -3.2]
    const ring = [
      [west, north],
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ]
    expect(rows.get('weather_alerts')?.[0]?.['area']).toEqual([[ring]])
    expect([...report.warnings]).toEqual([['a point of a line or area is unreadable or out of range: left out', 3]])
  })
})

describe('zones', () => {
  test('have polygons that are closed and run counter-clockwise, whichever way they came', async () => {
    for (const name of ['wind_update', 'heat_canaries', 'fog_visibility'])
      for (const [ring = []] of (await rowOf(name))['area'] as MultiPolygon) {
        expect(ringArea(ring)).toBeGreaterThan(0)
        expect(ring.at(-1)).toEqual(ring[0])
      }
  })

  test('identify provinces by their codes, also of islands, and coastal waters', async () => {
    expect(await rowOf('fog_visibility')).toMatchObject({ zone_codes: ['622202', '625002'], province_codes: ['22', '50'] })
    expect((await rowOf('coast'))['zones']).toEqual([{ code: '611804C', name: 'Costa granadina', province_code: '18', is_coastal: true }])
    expect(['645301', '645401C', '659004', '659304', '785101', '722802'].map((code) => alertZone(code)?.province_code)).toEqual([
      ...['07', '07', '35', '38', '51', '28'],
    ])
    for (const code of ['61VV61', '7228', '729902', '720002', '722802X']) expect(alertZone(code)).toBeNull()
  })
})

test.skipIf(!shared)('the recorded messages: two whole ones and two excerpts are warnings, one is cut', async () => {
  const files = ['aemet-cap', 'aemet-avisos'].flatMap((folder) =>
    readdirSync(join(shared as string, 'feeds', folder))
      .filter((file) => file.endsWith('.xml'))
      .map((file) => ({ name: file, bytes: readFileSync(join(shared as string, 'feeds', folder, file)) })),
  )
  expect(files).toHaveLength(5)
  const { trial, rows } = await tryFeed(aemetWarnings, {
    ...{ files: [{ name: 'cap.tar', bytes: packTar(files, AT) }], at: AT },
    rowsOf: aemetWarnings.into[0] ?? null,
  })
  expect(trial).toMatchObject({
    accepted: true,
    datasets: {
      weather_alerts: { rows: 4, quarantined: { 'XML ends early: line 39, column 0: unclosed tag: info': 1 }, unknown_codes: {} },
    },
    warnings: [],
  })
  const shown = rows.map((row) => [row['source_id'], row['level'], row['message_type'], row['onset_utc_offset'], row['parameter_text']])
  expect(shown).toEqual([
    ['622201VIRM0622', 'YELLOW', 'UPDATE', '+02:00', '80 km/h'],
    ['774602ATTA1519', 'RED', 'UPDATE', '+02:00', null],
    ['659004ATTA0919', 'YELLOW', 'ALERT', '+01:00', '34 ºC'],
    ['659101ATTA1418', 'YELLOW', 'ALERT', '+01:00', '34 ºC'],
  ])
  expect(rows.map(({ area }) => (area as MultiPolygon).length)).toEqual([1, 1, 1, 2])
  // Day and hour (UTC) of the end are in the identifier, rounded up.
  for (const { source_id, expires_at } of rows)
    expect(String(source_id).slice(-4)).toBe(new Date((expires_at as number) + 1000).toISOString().slice(8, 13).replace('T', ''))
})

test.skipIf(!shared)('the catalogue of zones: 233, 51 of them coastal waters, each in the province that it names', () => {
  const text = readFileSync(join(shared as string, 'feeds/aemet-avisos/zonas_meteoalerta.derived.json'), 'utf8')
  const zones = JSON.parse(text) as { readonly code: string; readonly prov: string }[]
  expect([zones.length, zones.filter(({ code }) => alertZone(code)?.is_coastal).length]).toEqual([233, 51])
  const islands = ['Ibiza y Formentera', 'Mallorca', 'Menorca', 'Gran Canaria', 'Lanzarote', 'Fuerteventura']
  const others = ['La Palma', 'La Gomera', 'El Hierro', 'Tenerife']
  const parts = (name: string): string => name.split('/').sort().join('/')
  for (const { code, prov } of zones) {
    if ([...islands, ...others].includes(prov)) continue
    expect([code, parts(provinceByCode(alertZone(code)?.province_code ?? '')?.name ?? '')]).toEqual([code, parts(prov)])
  }
  expect(new Set(zones.filter(({ prov }) => others.includes(prov)).map(({ code }) => alertZone(code)?.province_code))).toEqual(
    new Set(['38']),
  )
})
