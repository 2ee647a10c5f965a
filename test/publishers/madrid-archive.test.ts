import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Feed } from '../../jobs/feeds/define.ts'
import { madridCountStations } from '../../jobs/feeds/road/madrid-count-stations.ts'
import { madridCounts } from '../../jobs/feeds/road/madrid-counts.ts'
import { madridHistory } from '../../jobs/feeds/road/madrid-history.ts'
import { onlyCsv, openZip } from '../../jobs/formats/zip.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, standIn } from './helpers.ts'

const shared = sharedFolder()
const ALL = { from: '0001-01-01', to: '9999-12-31' }
const LIST = originOf('')(madridCounts.archive?.index[0]?.url as string)
const STATIONS = originOf('')(madridCountStations.plans[0]?.requests[0]?.url as string)

test('the list has the months of two years except for gaps, and the current one up to the last hour', async () => {
  await using publishers = await standIn({ at: Date.parse('2026-04-01T00:30:00Z'), scale: 'small' })
  const files = async (): Promise<readonly { period: string; url: string }[]> =>
    madridCounts.archive?.files([{ name: 'list', bytes: await bytesOf(publishers, LIST) }], ALL) ?? []
  const months = async (): Promise<readonly string[]> => (await files()).map(({ period }) => period)
  expect((await months())[0]).toBe('2026-03')
  publishers.advance(9 * 86_400_000 + 3_600_000)
  const listed = await months()
  expect([listed[0], listed.at(-1), listed.includes('2025-02'), listed.length]).toEqual(['2026-04', '2024-05', false, 23])
  // The months that models train on all exist.
  publishers.advance(200 * 86_400_000)
  expect((await months()).slice(0, 6)).toEqual(['2026-10', '2026-09', '2026-08', '2026-07', '2026-06', '2026-05'])
  expect((await fetch(`${publishers.url}/datos.madrid.es/egob/catalogo/300233-84-aforo-trafico-permanentes.csv`)).status).toBe(404)
})

test('the current month ends with the last completed hour, in counts and in quarters of an hour', async () => {
  // 14:40 in Madrid.
  await using publishers = await standIn({ at: Date.parse('2026-03-11T13:40:00Z'), scale: 'small' })
  const running = async (feed: Feed): Promise<Buffer> => {
    const list = await bytesOf(publishers, originOf('')(feed.archive?.index[0]?.url as string))
    const file = feed.archive?.files([{ name: 'list', bytes: list }], ALL).find(({ period }) => period === '2026-03')
    return bytesOf(publishers, originOf('')(file?.url as string))
  }
  const counts = (await running(madridCounts)).toString().split('\n')
  expect(
    counts.filter((line) => line.startsWith('11/03/2026;ES01;1')).map((line) => line.split(';').slice(3).filter(Boolean).length),
  ).toEqual([12, 2])
  expect(counts.some((line) => line.startsWith('12/03/2026'))).toBe(false)
  const zip = await openZip(await running(madridHistory), { maxBytes: 50_000_000 })
  let text = ''
  for await (const piece of zip.read(onlyCsv(zip))) text += piece.toString()
  expect(text.trimEnd().split('\n').at(-1)).toContain('"2026-03-11 13:45:00"')
})

test('a month has the layout of the captures: four lines per station and day, maximum counts, silent days, blank lines at the end', async () => {
  await using publishers = await standIn({ at: Date.parse('2026-03-31T22:00:00Z') })
  const files = madridCounts.archive?.files([{ name: 'list', bytes: await bytesOf(publishers, LIST) }], ALL) ?? []
  const texts = new Map<string, string>()
  for (const { period, url } of files.slice(0, 12)) texts.set(period, (await bytesOf(publishers, originOf('')(url))).toString())
  const widths = new Set<number>()
  for (const [period, text] of texts) {
    const [header = '', ...lines] = text.split('\n').slice(0, -1)
    expect([text.charCodeAt(0), text.includes('\r'), text.endsWith('\n')]).toEqual([0xfeff, false, true])
    widths.add(header.split(';').length)
    const days = new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)), 0)).getUTCDate()
    const counted = lines.filter((line) => !/^;+$/.test(line))
    expect([period, counted.length]).toEqual([period, 59 * 4 * days])
    const shape = period.endsWith('-12')
      ? /^\d\d\/12\/\d\d;ES\d\d;[12][-=](;\d{1,4}){12};?$/
      : /^\d\d\/\d\d\/\d{4};ES\d\d;[12][-=](;\d{1,4}){12};?$/
    expect(counted.filter((line) => !shape.test(line))).toEqual([])
    expect(counted.filter((line) => line.includes(';ES09;2') && !/(;0){12};?$/.test(line))).toEqual([])
    expect(counted.some((line) => line.includes(';ES20;') && line.includes(';9999;'))).toBe(true)
    expect(counted.filter((line) => !line.includes(';ES20;') && line.includes('9999'))).toEqual([])
  }
  expect([...widths].sort()).toEqual([15, 16])
  if (!shared) return
  const recorded = (file: string): string =>
    readFileSync(join(shared, 'feeds/madrid-historico/permanentes', file), 'utf8').split('\n')[0] as string
  const headers = [...texts.values()].map((text) => text.split('\n')[0])
  expect(new Set(headers)).toEqual(new Set([recorded('DatosEstacionesAgosto2023.csv'), recorded('DatosEstacionesJulio2023.csv')]))
  expect((await bytesOf(publishers, STATIONS)).toString().split('\n')[0]).toBe(recorded('UbicacionEstacionesPermanentesSentidos.csv'))
})
