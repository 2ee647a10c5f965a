import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renfeEstaciones } from '../../jobs/feeds/rail/renfe-estaciones.ts'
import { renfeMaterial } from '../../jobs/feeds/rail/renfe-material.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, replaying, standIn } from './helpers.ts'

const shared = sharedFolder()
const STATIONS = '/ssl.renfe.com/ftransit/Fichero_estaciones/estaciones.csv'
const MODELS = originOf('')(renfeMaterial.plans[0]?.requests[0]?.url as string)
const WEEK = 7 * 86_400_000

test('stations: ISO 8859-1 with LF, every field quoted, coordinates padded to ten characters, some characters lost', async () => {
  await using publishers = await standIn()
  const bytes = await bytesOf(publishers, STATIONS)
  const text = bytes.toString('latin1')
  expect([text.includes('\r'), text.endsWith('"\n'), bytes.includes(0x1a), bytes.includes(0xa0), bytes.includes(0xd1)]).toEqual([
    false,
    true,
    true,
    true,
    true,
  ])
  const lines = text.split('\n').slice(1, -1)
  expect(lines.filter((line) => !/^"\d{5}"(;"[^"]*"){11}$/.test(line))).toEqual([])
  const coordinates = lines.map((line) => line.split(';').slice(2, 4))
  expect(coordinates.filter(([lat]) => lat === '""')).toHaveLength(2)
  expect(coordinates.flat().filter((field) => field !== '""' && field.length !== 12)).toEqual([])
  expect(coordinates.flat().some((field) => field.endsWith(' "'))).toBe(true)
  expect(lines.filter((line) => /;"(FRANCIA|PORTUGAL)";/.test(line))).toHaveLength(3)
  const { counts } = await parsePublication(renfeEstaciones, [{ name: 'stations', bytes }], publishers.now())
  expect(counts.get('rail_station_register')).toBe(lines.length)
  expect(lines.length).toSatisfy((count: number) => count > 900 && count < 2000)
})

test('models: ISO 8859-1 with CRLF, text quoted, whole numbers unquoted, units inside values', async () => {
  await using publishers = await standIn()
  const text = (await bytesOf(publishers, MODELS)).toString('latin1')
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(text.endsWith('\r\n')).toBe(true)
  const lines = text.split('\r\n').slice(1, -1)
  expect(lines.filter((line) => !/^("[^"]*"|\d*)(;("[^"]*"|\d*)){16}$/.test(line))).toEqual([])
  expect(text).toMatch(/;"123\/105";/)
  expect(text).toMatch(/;"Variable";/)
  expect(text).toMatch(/;"\d+, \d+ m";\d+;/)
  expect(lines.filter((line) => line.startsWith('"Media Distancia R-592"'))).toHaveLength(2)
})

test('both are constant for a week, and then change', async () => {
  await using publishers = await standIn({ scale: 'small' })
  for (const path of [STATIONS, MODELS]) {
    const first = await bytesOf(publishers, path)
    expect((await bytesOf(publishers, path)).equals(first)).toBe(true)
    publishers.advance(WEEK)
    expect((await bytesOf(publishers, path)).equals(first)).toBe(false)
  }
})

test.skipIf(!shared)('columns are those of the captures, which are served unchanged', async () => {
  const feeds = join(shared as string, 'feeds')
  await using publishers = await standIn({ scale: 'small' })
  await using recorded = await replaying(feeds)
  for (const [path, file, at] of [
    [STATIONS, 'renfe-estaciones/estaciones_2026-06-24.csv', '2026-06-24T00:00:00.000Z'],
    [MODELS, 'renfe-material/2022-07-03_informacion-trenes.csv', '2022-07-03T00:00:00.000Z'],
  ] as const) {
    const capture = readFileSync(join(feeds, file))
    const header = (bytes: Buffer): string => bytes.subarray(0, bytes.indexOf('\n')).toString('latin1')
    expect(header(await bytesOf(publishers, path))).toBe(header(capture))
    const response = await fetch(recorded.url + path)
    expect(response.headers.get('x-captured-at')).toBe(at)
    expect(Buffer.from(await response.arrayBuffer()).equals(capture)).toBe(true)
  }
})
