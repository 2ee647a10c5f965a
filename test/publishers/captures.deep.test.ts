import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { originOf } from '../../scripts/service/parts.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, standIn } from './helpers.ts'
import { type Structure, structureOf } from './structure.ts'

const shared = sharedFolder()

/** Documents with every element of the capture, in a small Spain. */
const DOCUMENTS = [
  ['dgt_vms', 'dgt-vms', /^vms_messages/],
  ['dgt_vms_devices', 'dgt-vms', /^vms_locations/],
  ['dgt_detectors', 'dgt-detectores', /^medidas/],
  ['dgt_detector_sites', 'dgt-detectores', /^ubicaciones/],
] as const

/** Tables whose first line is that of the capture. */
const TABLES = [
  ['madrid_sensors', 'madrid-puntos-medida', /^pmed_ubicacion_2023/],
  ['renfe_estaciones', 'renfe-estaciones', /^estaciones_2026-06-24/],
  ['renfe_material', 'renfe-material', /^2022-07-03/],
  ['madrid_count_stations', 'madrid-historico/permanentes', /^UbicacionEstaciones/],
] as const

describe.skipIf(!shared)('simulated documents and captures', () => {
  test('DGT: elements, attributes, namespaces and their order are the same, if all kinds of situations occur', async () => {
    const recorded = structureOf(capture('dgt-datex2', /^situation/))
    const paths = new Set<string>()
    for (const moment of ['2026-01-20T07:30:00Z', '2026-02-05T18:00:00Z', '2026-07-15T11:00:00Z']) {
      await using publishers = await standIn({ at: Date.parse(moment) })
      const served = structureOf(await textOf(publishers, 'dgt_incidents'))
      expectWithin(served, recorded)
      for (const path of served.paths) paths.add(path)
    }
    expect([...recorded.paths].filter((path) => !paths.has(path))).toEqual([])
  })

  test.each(DOCUMENTS)('%s: elements, attributes, namespaces and their order are the same', async (feed, folder, file) => {
    const recorded = structureOf(capture(folder, file))
    await using publishers = await standIn({ scale: 'small' })
    const served = structureOf(await textOf(publishers, feed))
    expectWithin(served, recorded)
    // A namespace that no element has may be declared or not.
    const isUnused = (path: string): boolean =>
      path.includes('@xmlns:') && ![...recorded.namespaces.values()].includes(path.split('=')[1] ?? '')
    expect([...recorded.paths].filter((path) => !served.paths.has(path) && !isUnused(path))).toEqual([])
  })

  test.each(TABLES)('%s: columns are the same', async (feed, folder, file) => {
    await using publishers = await standIn({ scale: 'small' })
    const header = (text: string): string => text.split('\n')[0] as string
    expect(header(await textOf(publishers, feed))).toBe(header(capture(folder, file)))
  })

  test('SCT, the traffic of Madrid in both layouts, and fuel: the same elements in the same order', async () => {
    await using publishers = await standIn()
    expectWithin(structureOf(await textOf(publishers, 'sct_incidents')), structureOf(capture('sct-incidencies', /^incidenciesGML/)))
    expect(layoutsOf(await textOf(publishers, 'madrid_traffic'))).toEqual(layoutsOf(capture('madrid-intensidad', /^pm_20240225/)))
    publishers.setFault({ feed: 'madrid_traffic', fault: 'old_layout' })
    expect(layoutsOf(await textOf(publishers, 'madrid_traffic'))).toEqual(layoutsOf(capture('madrid-intensidad', /^pm_old/)))
    const recorded = JSON.parse(capture('miteco-eess', /FiltroProvincia_08/)) as { ListaEESSPrecio: object[] }
    const served = JSON.parse(await textOf(publishers, 'fuel_stations')) as typeof recorded
    expect(Object.keys(served)).toEqual(Object.keys(recorded))
    const fields = Object.keys(recorded.ListaEESSPrecio[0] as object).join()
    expect(new Set(served.ListaEESSPrecio.map((station) => Object.keys(station).join()))).toEqual(new Set([fields]))
  })
})

async function textOf(publishers: Publishers, feed: string): Promise<string> {
  const url = feedById(feed).plans[0]?.requests[0]?.url as string
  return (await bytesOf(publishers, originOf('')(url))).toString().replace('\uFEFF', '')
}

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
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().replace('\uFEFF', '')
}
