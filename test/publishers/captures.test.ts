import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Archive } from '../../jobs/feeds/define.ts'
import { mitmaOvernightStays } from '../../jobs/feeds/mobility/mitma-overnight-stays.ts'
import { madridCounts } from '../../jobs/feeds/road/madrid-counts.ts'
import { openZip } from '../../jobs/formats/zip.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import { startPublishers } from '../../scripts/stand-in/server.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { tempFolder } from '../helpers/temp.ts'
import { PATHS, replaying } from './helpers.ts'

const shared = sharedFolder()

test('captures are served in order of their times, unpacked, each with its time, and the last stays', async () => {
  await using publishers = await replaying(
    folderOf({
      'pm_20231022T172507.xml.gz': gzipSync('<pms>3</pms>'),
      'pm_old-format_201802.xml': '<pms>1</pms>',
      'pm_20230126T130143.xml': '<pms>2</pms>',
      'notes.txt': 'x',
    }),
  )
  const seen: unknown[] = []
  for (let nth = 0; nth < 4; nth++) {
    const response = await fetch(publishers.url + PATHS.traffic)
    seen.push([response.headers.get('x-captured-at'), await response.text(), response.headers.get('x-stand-in')])
  }
  expect(seen).toEqual([
    ['2018-02-24T00:00:00.000Z', '<pms>1</pms>', 'captures'],
    ['2023-01-26T12:01:43.000Z', '<pms>2</pms>', 'captures'],
    ['2023-10-22T15:25:07.000Z', '<pms>3</pms>', 'captures'],
    ['2023-10-22T15:25:07.000Z', '<pms>3</pms>', 'captures'],
  ])
})

test('a client with conditional requests gets each capture once, and 304 after the last', async () => {
  await using publishers = await replaying(folderOf({ 'pm_20230126T130143.xml': '<pms>2</pms>', 'pm_20231022T172507.xml': '<pms>3</pms>' }))
  let etag = '"none"'
  const statuses: number[] = []
  for (let nth = 0; nth < 4; nth++) {
    const response = await fetch(publishers.url + PATHS.traffic, { headers: { 'if-none-match': etag } })
    statuses.push(response.status)
    await response.arrayBuffer()
    etag = response.headers.get('etag') as string
  }
  expect(statuses).toEqual([200, 200, 304, 304])
})

test('a capture that was not served completely is served again', async () => {
  await using publishers = await replaying(
    folderOf({ 'pm_20230126T130143.xml': `<pms>${'2'.repeat(1000)}</pms>`, 'pm_20231022T172507.xml': '<pms>3</pms>' }),
  )
  const time = async (): Promise<string> => {
    const response = await fetch(publishers.url + PATHS.traffic)
    await response.arrayBuffer()
    return response.headers.get('x-captured-at') as string
  }
  for (const fault of ['cut', 'truncated', 'html', 'status', 'gzip_bomb'] as const)
    publishers.setFault({ feed: 'madrid_traffic', fault, count: 1 })
  await time().catch(() => null)
  publishers.clearFaults()
  await fetch(publishers.url + PATHS.traffic, { method: 'HEAD' })
  expect([await time(), await time()]).toEqual(['2023-01-26T12:01:43.000Z', '2023-10-22T15:25:07.000Z'])
})

test('faults of publications need the simulated source; the folder and its captures must exist', async () => {
  await using publishers = await replaying(folderOf({ 'pm_20230126T130143.xml': '<pms/>' }))
  expect(() => publishers.setFault({ feed: 'madrid_traffic', fault: 'stale' })).toThrow('simulated')
  expect(() => publishers.advance(1)).toThrow('their own times')
  expect((await fetch(publishers.url + PATHS.incidents)).status).toBe(404)
  await expect(startPublishers({ source: { kind: 'captures', dir: join(tempFolder(), 'none') } })).rejects.toThrow('no folder')
})

test('an archive is packed from the folder of its members; one without a required member is not a capture', async () => {
  const dir = tempFolder()
  const write = (folder: string, members: Readonly<Record<string, string | Buffer>>): void => {
    mkdirSync(join(dir, 'renfe-gtfs', folder), { recursive: true })
    for (const [name, content] of Object.entries(members)) writeFileSync(join(dir, 'renfe-gtfs', folder, name), content)
  }
  const long = 'x'.repeat(5_000_000)
  write('cercanias-2026-06-13', { 'stops.txt': 'half' })
  write('cercanias-2026-08-22', { 'stops.txt': 'stops', 'stop_times.txt.gz': gzipSync(long) })
  await using publishers = await replaying(dir)
  const fetched = async (): Promise<readonly [string | null, Buffer]> => {
    const response = await fetch(`${publishers.url}/ssl.renfe.com/ftransit/Fichero_CER_FOMENTO/fomento_transit.zip`)
    return [response.headers.get('x-captured-at'), Buffer.from(await response.arrayBuffer())]
  }
  const [time, bytes] = await fetched()
  const zip = await openZip(bytes, { maxBytes: 10_000_000 })
  const textOf = async (name: string): Promise<string> => {
    const pieces: Buffer[] = []
    for await (const piece of zip.read(name)) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  expect([time, zip.names]).toEqual(['2026-08-22T00:30:00.000Z', ['stop_times.txt', 'stops.txt']])
  expect([await textOf('stops.txt'), (await textOf('stop_times.txt')) === long]).toEqual(['stops', true])
  expect(await fetched()).toEqual([time, bytes])
})

test.skipIf(!shared)('the recorded captures of every feed, byte for byte', async () => {
  const feeds = join(shared as string, 'feeds')
  await using publishers = await replaying(feeds)
  const expected = [
    [PATHS.incidents, 'dgt-datex2', ['2026-01-02T12:23:28.000Z']],
    [PATHS.catalonia, 'sct-incidencies', ['2026-02-03T19:36:00.000Z']],
    [
      PATHS.traffic,
      'madrid-intensidad',
      [
        '2018-02-24T00:00:00.000Z',
        '2023-01-26T12:01:43.000Z',
        '2023-02-22T18:20:05.000Z',
        '2023-02-22T18:30:05.000Z',
        '2023-02-22T18:40:05.000Z',
        '2023-02-22T19:20:05.000Z',
        '2023-10-08T15:05:12.000Z',
        '2023-10-22T15:20:07.000Z',
        '2023-10-22T15:25:07.000Z',
        '2024-02-25T11:00:10.000Z',
      ],
    ],
    [PATHS.sensors, 'madrid-puntos-medida', ['2018-02-24T00:00:00.000Z', '2023-07-23T00:00:00.000Z']],
    [PATHS.fuel, 'miteco-eess', ['2024-08-19T12:36:51.000Z', '2025-09-27T16:05:47.000Z']],
    [PATHS.alerts, 'renfe-gtfsrt', ['2026-08-25T13:25:16.000Z']],
    [PATHS.tripUpdates, 'renfe-gtfsrt', ['2026-08-25T13:25:34.000Z']],
    [
      PATHS.positions,
      'renfe-gtfsrt',
      ['2026-05-02T11:24:16.000Z', '2026-05-26T09:36:03.000Z', '2026-05-26T09:36:44.000Z', '2026-06-13T08:08:42.000Z'],
    ],
    [
      PATHS.flotaLd,
      'renfe-flota',
      [
        '2026-03-11T15:14:29.000Z',
        '2026-03-11T15:18:13.000Z',
        '2026-03-11T18:07:36.000Z',
        '2026-03-11T21:52:00.000Z',
        '2026-03-11T23:45:30.000Z',
        '2026-03-12T00:55:27.000Z',
        '2026-03-12T05:01:24.000Z',
        '2026-03-12T07:15:57.000Z',
        '2026-03-12T11:57:15.000Z',
      ],
    ],
    [PATHS.observations, 'aemet-observacion', ['2025-12-06T09:30:00.000Z']],
    [PATHS.weatherStations, 'aemet-climatologia', ['2023-09-27T00:00:00.000Z']],
  ] as const
  for (const [path, folder, times] of expected) {
    const recorded = readdirSync(join(feeds, folder)).map((file) => {
      const bytes = readFileSync(join(feeds, folder, file))
      return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
    })
    for (const time of times) {
      const response = await fetch(publishers.url + path)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect([response.status, response.headers.get('x-captured-at')]).toEqual([200, time])
      expect(recorded.some((candidate) => candidate.equals(bytes))).toBe(true)
    }
  }
  // The older profile's path did not redirect at the time of the capture.
  expect((await fetch(publishers.url + PATHS.incidents, { redirect: 'manual' })).status).toBe(200)
})

/** A folder of captures of Madrid's traffic. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const dir = tempFolder()
  mkdirSync(join(dir, 'madrid-intensidad'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, 'madrid-intensidad', name), content)
  return dir
}

test('files of archives are listed and served for every request, dated by the time of the request', async () => {
  const dir = tempFolder()
  const write = (folder: string, files: Readonly<Record<string, string | Buffer>>): void => {
    mkdirSync(join(dir, folder), { recursive: true })
    for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, folder, name), content)
  }
  // The simulated publisher never listed May 2022.
  write('madrid-historico/permanentes', {
    'DatosEstacionesMayo2022.csv': 'may',
    'DatosEstacionesDiciembre2021.csv.gz': gzipSync('december'),
    'UbicacionEstacionesPermanentesSentidos.csv': 'places',
  })
  write('mitma-movilidad/v2', { '20220101_Pernoctaciones_municipios.csv.gz': gzipSync('day'), 'RSS_v2_2024-08-07.xml.gz': 'x' })
  await using publishers = await replaying(dir)
  const ask = (url: string): Promise<Response> => fetch(originOf(publishers.url)(url))
  for (const [feed, expected] of [
    [madridCounts, { '2021-12': 'december', '2022-05': 'may' }],
    [mitmaOvernightStays, { '2022-01-01': 'day' }],
  ] as const) {
    const { index, files } = feed.archive as Archive
    const list = await ask(index[0]?.url as string)
    const listed = files([{ name: 'list', bytes: Buffer.from(await list.arrayBuffer()) }], { from: '0001-01-01', to: '9999-12-31' })
    for (const _ of [1, 2]) {
      const served: [string, string][] = []
      for (const { period, url } of listed) {
        const response = await ask(url)
        expect(response.headers.get('x-captured-at')).toBeNull()
        served.push([period, await response.text()])
      }
      expect(Object.fromEntries(served)).toEqual(expected)
    }
  }
  expect((await ask('https://datos.madrid.es/egob/catalogo/300233-86-aforo-trafico-permanentes.csv')).status).toBe(404)
  const list = await ask('https://datos.madrid.es/api/3/action/package_show?id=208627-0-transporte-ptomedida-historico')
  expect(list.status).toBe(404)
})
