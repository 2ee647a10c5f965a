import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, PATHS, RUSH_HOUR, standIn } from './helpers.ts'

const shared = sharedFolder()
const HOUR = 3_600_000
const SLIP = '/opendata.aemet.es/opendata/api/observacion/convencional/todas'

type Observation = Readonly<Record<string, number | string>>

test("two steps: an answer with the URL, then text in ISO 8859-15, in the publisher's format", async () => {
  await using publishers = await standIn({ scale: 'small' })
  const slip = await fetch(publishers.url + SLIP)
  expect(slip.headers.get('content-type')).toBe('application/json;charset=ISO-8859-15')
  expect(await slip.json()).toEqual({
    descripcion: 'exito',
    estado: 200,
    datos: 'https://opendata.aemet.es/opendata/sh/0b5e7a1c',
    metadatos: expect.stringMatching(/^https:\/\/opendata\.aemet\.es\/opendata\/sh\//),
  })
  const response = await fetch(publishers.url + PATHS.observations)
  expect(response.headers.get('content-type')).toBe('text/plain;charset=ISO-8859-15')
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  expect(text).toMatch(/^\[ \{\n {2}"idema" : "\w{4,5}",\n {2}"lon" : -?\d+\.\d+,\n {2}"fint" : "2026-03-10T20:00:00\+0000",\n/)
  expect(text.endsWith('\n} ]')).toBe(true)
  expect(text).toMatch(/[ÁÉÍÓÚÑÜÇ]/)
  expect(text).not.toContain('Ã')
  expect(text).not.toContain('null')
  const inventory = await bytesOf(publishers, PATHS.weatherStations)
  expect(inventory.toString('latin1')).toMatch(/"latitud" : "\d{6}N",\n {2}"provincia" : "[A-ZÑ ./]+",\n {2}"altitud" : "\d+"/)
  expect(inventory.toString('latin1')).toContain('"indicativo" : "3195",\n  "nombre" : "MADRID, RETIRO')
})

test('the last 12 hours, by hour; the newest are incomplete at first, and reported values never change', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const read = async (): Promise<Map<string, Observation>> => {
    const records = JSON.parse((await bytesOf(publishers, PATHS.observations)).toString('latin1')) as Observation[]
    const hours = records.map(({ fint }) => String(fint))
    expect(hours).toEqual([...hours].sort())
    return new Map(records.map((record) => [`${record['idema']} ${record['fint']}`, record]))
  }
  const before = await read()
  const at = (hours: number): string => `${new Date(RUSH_HOUR - (RUSH_HOUR % HOUR) - hours * HOUR).toISOString().slice(0, 19)}+0000`
  const counts = (records: Map<string, Observation>, fint: string): number => [...records.keys()].filter((key) => key.endsWith(fint)).length
  expect([counts(before, at(11)), counts(before, at(12)), counts(before, at(-1))]).toEqual([120, 0, 0])
  expect(counts(before, at(0))).toBeGreaterThan(20)
  expect(counts(before, at(0))).toBeLessThan(120)
  publishers.advance(3 * HOUR)
  const after = await read()
  expect([counts(after, at(0)), counts(after, at(11))]).toEqual([120, 0])
  for (const [key, record] of before) if (after.has(key)) expect(after.get(key)).toEqual(record)
  // Sums of doubles, like the publisher's.
  const isNoise = ({ prec }: Observation): boolean => String(prec).length > 6
  let found = [...after.values()].some(isNoise)
  for (let days = 0; !found && days < 20; days++) {
    publishers.advance(24 * HOUR)
    found = [...(await read()).values()].some(isNoise)
  }
  expect(found).toBe(true)
})

test('in the old layout times have no offset', async () => {
  await using publishers = await standIn({ scale: 'small' })
  publishers.setFault({ feed: 'aemet_observation', fault: 'old_layout' })
  expect((await bytesOf(publishers, PATHS.observations)).toString('latin1')).toMatch(/"fint" : "2026-03-10T20:00:00",/)
})

test('a day of the climatology is the sum of its hours, and is published some days later', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const slipOf = async (day: string): Promise<Record<string, unknown>> => {
    const path = `/valores/climatologicos/diarios/datos/fechaini/${day}T00:00:00UTC/fechafin/${day}T23:59:59UTC/todasestaciones`
    return (await (await fetch(`${publishers.url}/opendata.aemet.es/opendata/api${path}`)).json()) as Record<string, unknown>
  }
  expect(await slipOf('2026-03-10')).toEqual({ descripcion: 'No hay datos que satisfagan esos criterios', estado: 404 })
  // The second half of the day, and its hours.
  const hours = (JSON.parse((await bytesOf(publishers, PATHS.observations)).toString('latin1')) as Observation[]).filter(
    ({ idema, fint }) => idema === '3195' && String(fint).startsWith('2026-03-10T2'),
  )
  publishers.advance(5 * 24 * HOUR)
  const slip = await slipOf('2026-03-10')
  expect(slip['estado']).toBe(200)
  const bytes = await bytesOf(publishers, String(slip['datos']).replace('https:/', ''))
  const text = bytes.toString('latin1')
  expect(text).toMatch(/^\[ \{\n {2}"fecha" : "2026-03-10",\n {2}"indicativo" : "/)
  const days = JSON.parse(text) as Readonly<Record<string, string>>[]
  expect(new Set(days.flatMap((day) => Object.values(day).map((value) => typeof value)))).toEqual(new Set(['string']))
  const retiro = days.find((day) => day['indicativo'] === '3195') as Readonly<Record<string, string>>
  const number = (key: string): number => Number(retiro[key]?.replace(',', '.'))
  expect(hours.length).toBeGreaterThan(2)
  for (const hour of hours) {
    expect(hour['tamin']).toBeGreaterThanOrEqual(number('tmin'))
    expect(hour['tamax']).toBeLessThanOrEqual(number('tmax'))
    expect(hour['vmax']).toBeLessThanOrEqual(number('racha'))
  }
})

test.skipIf(!shared)('keys, their order and the full size are those of the recorded publication', async () => {
  const file = join(shared as string, 'feeds/aemet-observacion/observacion_convencional_todas_20251205T22-20251206T09.json.gz')
  const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Observation[]
  await using publishers = await standIn({ at: Date.parse('2026-01-14T09:20:00Z') })
  const served = JSON.parse((await bytesOf(publishers, PATHS.observations)).toString('latin1')) as Observation[]
  expect(Object.keys(Object.assign({}, ...served)).filter((key) => !recorded.some((record) => key in record))).toEqual([])
  const follows = new Set(recorded.flatMap((record) => pairs(Object.keys(record), (one, later) => `${later} < ${one}`)))
  const reversed = served
    .flatMap((record) => pairs(Object.keys(record), (one, later) => `${one} < ${later}`))
    .filter((pair) => follows.has(pair))
  expect(new Set(reversed)).toEqual(new Set())
  expect(served.length / recorded.length).toBeGreaterThan(0.9)
  expect(served.length / recorded.length).toBeLessThan(1.1)
  const sets = new Set(served.map((record) => Object.keys(record).join()))
  expect(sets.size).toBeGreaterThan(8)
})

/** Each pair of an earlier and a later key, as text. */
function pairs(keys: readonly string[], words: (one: string, later: string) => string): string[] {
  return keys.flatMap((key, at) => keys.slice(at + 1).map((later) => words(key, later)))
}
