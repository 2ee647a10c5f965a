import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, PATHS, standIn } from './helpers.ts'
import { type Structure, structureOf } from './structure.ts'

const shared = sharedFolder()
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Winter and summer, day and night, so that every kind of situation occurs. */
const MOMENTS = [
  '2026-01-02T12:23:00Z',
  '2026-01-20T07:30:00Z',
  '2026-02-05T18:00:00Z',
  '2026-03-11T02:30:00Z',
  '2026-07-15T11:00:00Z',
  '2026-12-04T08:00:00Z',
]

test('DGT: UTF-8 with LF, indented by four blanks, levelC namespaces, no byte order mark', async () => {
  await using publishers = await standIn()
  const bytes = await bytesOf(publishers, PATHS.incidents)
  const text = bytes.toString('utf8')
  expect(
    text.startsWith(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<d2:payload xsi:type="sit:SituationPublication" lang="es" modelBaseVersion="3" ',
    ),
  ).toBe(true)
  expect(text).not.toContain('\r')
  expect(text.endsWith('    </sit:situation>\n</d2:payload>\n')).toBe(true)
  expect(text).toContain('profileVersion="3.7_1.0"')
  expect(text).toContain('\n    <com:publicationTime>2026-03-11T08:29:2')
  expect(text).toMatch(/<com:publicationTime>2026-03-11T08:29:2\d\.\d{3}\+01:00</)
  expect(text).toContain('<lse:province>València/Valencia</lse:province>')
  expect(text).toContain('_extendedValue="rightHardShoulder">_extended</loc:laneUsage>')
})

test('SCT: one line of WFS without a line end, new ids each time, dates of RFC 822, km with two decimals', async () => {
  await using publishers = await standIn()
  const text = (await bytesOf(publishers, PATHS.catalonia)).toString('utf8')
  expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?><wfs:FeatureCollection xmlns="http://www.opengis.net/wfs" ')).toBe(true)
  expect(text.endsWith('<cite:font>SCT</cite:font></cite:mct2_v_afectacions_data></gml:featureMember></wfs:FeatureCollection>')).toBe(true)
  expect(text).not.toMatch(/[\r\n]/)
  expect(text).toMatch(/<gml:coordinates [^>]*decimal="\." cs="," ts=" ">[0-3]\.\d+,4\d\.\d+<\/gml:coordinates>/)
  expect(text).toMatch(/<cite:data>[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 202\d \d\d:\d\d:\d\d GMT<\/cite:data>/)
  expect(text).toMatch(/<cite:pk_inici>0\.00<.*<cite:pk_fi>\d+\.\d0</)
  const fids = [...text.matchAll(/ fid="([^"]+)"/g)].map(([, fid]) => fid)
  expect(new Set(fids).size).toBe(fids.length)
  publishers.advance(60_000)
  const later = (await bytesOf(publishers, PATHS.catalonia)).toString('utf8')
  expect(fids.filter((fid) => later.includes(`"${fid}"`))).toEqual([])
  expect([...text.matchAll(/<cite:cap_a>([^<]*)</g)].every(([, heading = '']) => heading.length <= 50)).toBe(true)
})

test('pm.xml: byte order mark, CRLF, two blanks, decimal comma, and no line end at the end', async () => {
  await using publishers = await standIn()
  const bytes = await bytesOf(publishers, PATHS.traffic)
  const text = bytes.toString('utf8')
  expect(bytes.subarray(0, 3).equals(BOM)).toBe(true)
  expect(text.slice(1)).toMatch(
    /^<pms>\r\n {2}<fecha_hora>11\/03\/2026 08:25:(0[5-9]|1[0-2])<\/fecha_hora>\r\n {2}<pm>\r\n {4}<idelem>\d+<\/idelem>\r\n/,
  )
  expect(text.endsWith('  </pm>\r\n</pms>')).toBe(true)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(text).toMatch(/<st_x>4\d{5},\d+<\/st_x>\r\n {4}<st_y>44\d{5},\d+<\/st_y>/)
  expect(text).toContain('<accesoAsociado />')
  expect(text).toContain('<error />')
  expect(text).toContain('<intensidad>-1</intensidad>')
})

test('points file: no byte order mark, LF, text quoted, numbers unquoted with a decimal point', async () => {
  await using publishers = await standIn()
  const lines = (await bytesOf(publishers, PATHS.sensors)).toString('utf8').split('\n')
  expect(lines[0]).toBe('"tipo_elem";"distrito";"id";"cod_cent";"nombre";"utm_x";"utm_y";"longitud";"latitud"')
  expect(lines.at(-1)).toBe('')
  const line = /^"(URB|M30|other)";\d*;\d+;"[^"]*";"[^"]*";\d+(\.\d+)?;\d+(\.\d+)?;-3\.\d+;40\.\d+$/
  expect(lines.slice(1, -1).filter((text) => !line.test(text))).toEqual([])
})

test('fuel: one line, slashes escaped, every value text, the hour without a leading zero', async () => {
  await using publishers = await standIn()
  const bytes = await bytesOf(publishers, PATHS.fuel)
  const text = bytes.toString('utf8')
  expect(text).toMatch(/^\{"Fecha":"11\\\/03\\\/2026 8:0\d:\d\d","ListaEESSPrecio":\[\{"C\.P\.":"/)
  expect(text.endsWith('"ResultadoConsulta":"OK"}')).toBe(true)
  expect(text).not.toMatch(/[\r\n]/)
  expect(text).not.toMatch(/[^\\]\//)
  const { ListaEESSPrecio: stations } = JSON.parse(text) as { ListaEESSPrecio: Record<string, unknown>[] }
  expect(new Set(stations.flatMap((station) => Object.values(station).map((value) => typeof value)))).toEqual(new Set(['string']))
  expect(stations.some((station) => station['Latitud'] === '0,000000' && station['Longitud (WGS84)'] === '0,000000')).toBe(true)
  expect(stations.some((station) => Number(String(station['Latitud']).replace(',', '.')) < 5 && station['Latitud'] !== '0,000000')).toBe(
    true,
  )
})

test.skipIf(!shared)('DGT: elements, attributes, namespaces and their order are those of the capture', async () => {
  const recorded = structureOf(capture('dgt-datex2', /^situation/))
  const paths = new Set<string>()
  for (const moment of MOMENTS) {
    await using publishers = await standIn({ at: Date.parse(moment) })
    const served = structureOf((await bytesOf(publishers, PATHS.incidents)).toString('utf8'))
    expectWithin(served, recorded)
    for (const path of served.paths) paths.add(path)
  }
  expect([...recorded.paths].filter((path) => !paths.has(path))).toEqual([])
})

test.skipIf(!shared).each([
  ['panelMessages', 'dgt-vms', /^vms_messages/],
  ['panelDevices', 'dgt-vms', /^vms_locations/],
  ['detectors', 'dgt-detectores', /^medidas/],
  ['detectorSites', 'dgt-detectores', /^ubicaciones/],
] as const)('DGT, %s: elements, attributes, namespaces and their order are those of the capture', async (path, folder, file) => {
  const recorded = structureOf(capture(folder, file))
  await using publishers = await standIn({ scale: 'small' })
  const served = structureOf((await bytesOf(publishers, PATHS[path])).toString('utf8'))
  expectWithin(served, recorded)
  expect([...recorded.paths].filter((one) => !served.paths.has(one))).toEqual([])
})

test.skipIf(!shared)('SCT: elements, attributes, namespaces and their order are those of the capture', async () => {
  const recorded = structureOf(capture('sct-incidencies', /^incidenciesGML/))
  await using publishers = await standIn()
  const served = structureOf((await bytesOf(publishers, PATHS.catalonia)).toString('utf8'))
  expectWithin(served, recorded)
  expect([...recorded.paths].filter((path) => !served.paths.has(path))).toEqual([])
  const head = (text: string): string => text.slice(0, text.indexOf('<gml:featureMember>'))
  expect(head((await bytesOf(publishers, PATHS.catalonia)).toString('utf8'))).toBe(head(capture('sct-incidencies', /^incidenciesGML/)))
})

test.skipIf(!shared)('pm.xml: both layouts of records are those of the captures, and the old layout is that of 2018', async () => {
  await using publishers = await standIn()
  const recorded = capture('madrid-intensidad', /^pm_20240225/)
  expect(layoutsOf((await bytesOf(publishers, PATHS.traffic)).toString('utf8'))).toEqual(layoutsOf(recorded))
  publishers.setFault({ feed: 'madrid_traffic', fault: 'old_layout' })
  const older = (await bytesOf(publishers, PATHS.traffic)).toString('utf8')
  const recordedOlder = capture('madrid-intensidad', /^pm_old/)
  expect(layoutsOf(older)).toEqual(layoutsOf(recordedOlder))
  expect([older.includes('\r'), older.slice(0, 14), older.slice(-14)]).toEqual([
    false,
    recordedOlder.slice(0, 14),
    recordedOlder.slice(-14),
  ])
})

test.skipIf(!shared)('points file and fuel: columns and fields in the order of the captures', async () => {
  await using publishers = await standIn()
  const points = (await bytesOf(publishers, PATHS.sensors)).toString('utf8')
  expect(points.split('\n')[0]).toBe(capture('madrid-puntos-medida', /^pmed_ubicacion_2023/).split('\n')[0])
  const recorded = JSON.parse(capture('miteco-eess', /FiltroProvincia_08/)) as { ListaEESSPrecio: object[]; Nota: string }
  const served = JSON.parse((await bytesOf(publishers, PATHS.fuel)).toString('utf8')) as typeof recorded
  expect(Object.keys(served)).toEqual(Object.keys(recorded))
  expect(served.Nota).toBe(recorded.Nota)
  const fields = Object.keys(recorded.ListaEESSPrecio[0] as object)
  expect(new Set(served.ListaEESSPrecio.map((station) => Object.keys(station).join()))).toEqual(new Set([fields.join()]))
})

function expectWithin(served: Structure, recorded: Structure): void {
  expect([...served.paths].filter((path) => !recorded.paths.has(path))).toEqual([])
  const reversed = [...served.orders].filter((order) => {
    const [parent, pair = ''] = order.split(': ')
    const [before, after] = pair.split(' < ')
    return !recorded.orders.has(order) && recorded.orders.has(`${parent}: ${after} < ${before}`)
  })
  expect(reversed).toEqual([])
  for (const [name, uri] of served.namespaces) expect([name, uri]).toEqual([name, recorded.namespaces.get(name)])
}

/** The sequences of elements in records. */
function layoutsOf(xml: string): string[] {
  const layouts = new Set<string>()
  for (const [, record = ''] of xml.matchAll(/<pm>(.*?)<\/pm>/gs))
    layouts.add([...record.matchAll(/<(\w+)/g)].map(([, name]) => name).join(' '))
  return [...layouts].sort()
}

function capture(folder: string, name: RegExp): string {
  const path = join(shared as string, 'feeds', folder)
  const file = readdirSync(path).find((candidate) => name.test(candidate)) as string
  const bytes = readFileSync(join(path, file))
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').replace('\uFEFF', '')
}
