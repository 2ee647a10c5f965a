import { Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dgtAccidents } from '../../jobs/feeds/safety/dgt-accidents.ts'
import { openXlsx } from '../../jobs/formats/xlsx.ts'
import { openZip } from '../../jobs/formats/zip.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import { type MobilityDay, mobilityTrips, overnightStays, zoneRelation, zonesAt } from '../../scripts/stand-in/formats/mitma.ts'
import { mobilityZones } from '../../scripts/stand-in/world/mobility-zones.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import { bytesOf, PATHS, standIn } from './helpers.ts'

const TRIPS =
  '/movilidad-opendata.mitma.es/estudios_basicos/por-municipios/viajes/ficheros-diarios/2026-01/20260105_Viajes_municipios.csv.gz'

const zonesOf = () => makeWorld(1, 'small', 'full').part(mobilityZones)
/** A day with trips of some of the zones. */
const dayOf = (included: number): MobilityDay => {
  const zones = zonesOf()
  return { seed: 1, day: '20260105', zones, archives: 'full', share: (included + 0.5) / zones.length, hasUnknownCodes: false }
}

function linesOf(text: Iterable<string>): number {
  let lines = 0
  for (const piece of text) lines += piece.split('\n').length - 1
  return lines
}

test('full archives have the zones of the study, with each municipality in exactly one', () => {
  const zones = zonesOf()
  expect(['municipios', 'distritos', 'gaus'].map((level) => zonesAt(zones, level as 'gaus').length)).toEqual([2617, 3791, 2082])
  const municipalities = zones.flatMap((zone) => zone.municipalities)
  expect(new Set(municipalities).size).toBe(municipalities.length)
  expect(municipalities.length).toBe(8131)
  expect(zones.filter(({ id, province }) => !id.startsWith(province))).toEqual([])
  for (const level of ['distritos', 'gaus'] as const) {
    const ids = zonesAt(zones, level).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  const relation = zoneRelation(zones, { publishedAt: 0, share: 1, hasUnknownCodes: false, archives: 'full' })
  expect(Math.abs(relation.split('\r\n').length / 36_382 - 1)).toBeLessThan(0.02)
})

test('a full day has ten million trips and half a million stays, estimated from some zones, and always the same', () => {
  const [included, zones] = [50, 2617]
  const trips = [...mobilityTrips(dayOf(included), 7)]
  expect((linesOf(trips) / included) * zones).toSatisfy((lines: number) => lines > 9_500_000 && lines < 10_500_000)
  expect((linesOf(overnightStays(dayOf(included))) / included) * zones).toSatisfy((lines: number) => lines > 450_000 && lines < 600_000)
  expect([...mobilityTrips(dayOf(included), 7)].join('') === trips.join('')).toBe(true)
  expect(Math.max(...trips.map(({ length }) => length))).toBeLessThan(2_000_000)
})

test('a full day is sent while it is written, without blocking other requests, and is always the same', {
  timeout: 60_000,
}, async () => {
  await using publishers = await standIn({ scale: 'small', archives: 'full' })
  const response = await fetch(publishers.url + TRIPS)
  expect([response.status, response.headers.get('content-length')]).toEqual([200, null])
  const etag = response.headers.get('etag') as string
  const body = Readable.fromWeb(response.body as never).on('error', () => undefined)
  let text = ''
  for await (const chunk of body.pipe(createGunzip())) {
    text += chunk
    if (text.length > 3_000_000) break
  }
  expect((await bytesOf(publishers, PATHS.catalonia)).length).toBeGreaterThan(0)
  body.destroy()
  const expected = [...mobilityTrips(dayOf(30), Date.parse('2026-02-28T23:00:00Z'))].join('')
  expect(expected.length).toBeGreaterThan(3_000_000)
  expect(text.slice(0, 3_000_000) === expected.slice(0, 3_000_000)).toBe(true)
  expect((await fetch(publishers.url + TRIPS, { method: 'HEAD' })).headers.get('etag')).toBe(etag)
  expect((await fetch(publishers.url + TRIPS, { headers: { 'If-None-Match': etag } })).status).toBe(304)
})

test('faults also affect a day that is sent while it is written', async () => {
  const faults = [
    { feed: 'mitma_trips', fault: 'half_empty', share: 0.004 },
    { feed: 'mitma_trips', fault: 'truncated', share: 0.5 },
  ] as const
  await using publishers = await standIn({ scale: 'small', archives: 'full', faults: [...faults] })
  const bytes = await bytesOf(publishers, TRIPS)
  expect(() => gunzipSync(bytes)).toThrow('unexpected end of file')
  publishers.clearFaults()
  publishers.setFault(faults[0])
  const whole = await bytesOf(publishers, TRIPS)
  expect(linesOf([gunzipSync(whole).toString()])).toBe(linesOf(mobilityTrips(dayOf(10), Date.parse('2026-02-28T23:00:00Z'))))
  expect(bytes.equals(whole.subarray(0, Math.floor(whole.length / 2)))).toBe(true)
})

test("a month of Madrid's sensors has eleven million readings, estimated from some hours, in a zip that is packed while it is sent", async () => {
  const faults = [{ feed: 'madrid_history', fault: 'half_empty', share: 8 / 2688 }] as const
  await using publishers = await standIn({ archives: 'full', faults: [...faults] })
  const zip = await openZip(await bytesOf(publishers, '/datos.madrid.es/egob/catalogo/208627-126-transporte-ptomedida-historico.zip'), {
    maxBytes: 100_000_000,
  })
  const [name = ''] = zip.names
  let text = ''
  for await (const chunk of zip.read(name)) text += chunk
  expect([zip.names.length, name]).toEqual([1, '02-2026.csv'])
  expect(((linesOf([text]) - 1) / 8) * 2976).toSatisfy((lines: number) => lines > 10_500_000 && lines < 11_500_000)
})

test("the national table of a full archive has the columns of 2024's and, estimated from a hundredth, its number of rows", async () => {
  const faults = [{ feed: 'dgt_accidents', fault: 'half_empty', share: 0.01 }] as const
  await using publishers = await standIn({ scale: 'small', archives: 'full', faults: [...faults] })
  const [file] = dgtAccidents.archive?.files([], { from: '2024-01-01', to: '2024-12-31' }) ?? []
  const workbook = await openXlsx(await bytesOf(publishers, originOf('')(file?.url as string)), { maxBytes: 1_000_000_000 })
  let rows = 0
  let columns = 0
  for await (const some of workbook.rows(workbook.sheets[0] as string)) {
    columns ||= some[0]?.length ?? 0
    rows += some.length
  }
  expect([rows, columns]).toEqual([1 + Math.floor(101_996 / 100), 73])
})
