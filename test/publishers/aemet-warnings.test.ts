import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { type CapMessage, readCap } from '../../jobs/formats/cap.ts'
import { readTar, type TarFile } from '../../jobs/formats/tar.ts'
import { aemetPackage } from '../../scripts/stand-in/formats/aemet-cap.ts'
import { ALERT_ZONES } from '../../scripts/stand-in/world/alert-zones.ts'
import { SHOWN_ZONE, type Warning, warningsAt } from '../../scripts/stand-in/world/warnings.ts'
import { makeWorld, type World } from '../../scripts/stand-in/world/world.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, RUSH_HOUR, standIn } from './helpers.ts'
import { structureOf } from './structure.ts'

const shared = sharedFolder()
const HOUR = 3_600_000
const RSS = '/www.aemet.es/documentos_d/eltiempo/prediccion/avisos/rss/CAP_AFAE_RSS.xml'
const SLIP = '/opendata.aemet.es/opendata/api/avisos_cap/ultimoelaborado/area/esp'

let world: World
beforeAll(() => {
  world = makeWorld(1, 'small')
  warningsAt(world, RUSH_HOUR)
})

/** The files of the package at an instant, and their messages. */
async function messagesAt(instant: number): Promise<{ readonly files: TarFile[]; readonly messages: CapMessage[] }> {
  const files = await readTar(aemetPackage(warningsAt(world, instant), { publishedAt: instant, shift_ms: 0, hasUnknownCodes: false }))
  return { files, messages: files.map(({ bytes }) => readCap(bytes, (text) => expect.unreachable(text))) }
}

test('the list links the package, gzipped; OpenData names the same one, plain', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const text = (await bytesOf(publishers, RSS)).toString()
  const [, link = ''] = /<link>(.*?_AFAE\.tar\.gz)<\/link>/.exec(text) ?? []
  expect(link).toBe('https://www.aemet.es/documentos_d/eltiempo/prediccion/avisos/cap/Z_CAP_C_LEMM_20260311073000_AFAE.tar.gz')
  const packed = await bytesOf(publishers, link.replace('https:/', ''))
  const { datos } = JSON.parse((await bytesOf(publishers, SLIP)).toString('latin1')) as { readonly datos: string }
  const response = await fetch(publishers.url + datos.replace('https:/', ''))
  expect(response.headers.get('content-type')).toBe('application/x-gtar;charset=ISO-8859-15')
  const plain = Buffer.from(await response.arrayBuffer())
  expect(gunzipSync(packed).equals(plain)).toBe(true)
  publishers.advance(HOUR / 4)
  expect((await bytesOf(publishers, RSS)).toString()).toBe(text)
  publishers.advance(HOUR / 4)
  expect((await bytesOf(publishers, RSS)).toString()).toContain('20260311080000_AFAE')
})

test('warnings begin, are updated, withdrawn and expire', () => {
  const seen = { begun: 0, updated: 0, withdrawn: 0, expired: 0 }
  const aboutOf = ({ zones, kind, onset }: Warning): string => `${zones[0]?.code} ${kind.phenomenon[0]} ${onset}`
  let before = new Map<string, Warning>()
  for (let at = RUSH_HOUR; at < RUSH_HOUR + 60 * HOUR; at += 2 * HOUR) {
    const warnings = warningsAt(world, at).filter(({ level }) => level > 0)
    const now = new Map(warnings.map((warning) => [aboutOf(warning), warning]))
    expect(now.size).toBe(warnings.length)
    for (const [about, { sentAt, updates, isWithdrawal }] of now) {
      const known = before.get(about)
      expect(sentAt).toBeLessThanOrEqual(at)
      if (before.size > 0 && !known) seen.begun++
      if (known && known.sentAt !== sentAt) {
        expect(updates).toBe(known.sentAt)
        seen[isWithdrawal ? 'withdrawn' : 'updated']++
      }
    }
    for (const [about, { expires }] of before) if (!now.has(about) && expires < at) seen.expired++
    before = now
  }
  for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true])
})

test('a withdrawal is an update that expires when it is sent', async () => {
  const isFound = (at: number): boolean => warningsAt(world, at).some(({ isWithdrawal }) => isWithdrawal)
  let at = RUSH_HOUR
  while (!isFound(at)) at += HOUR
  const withdrawn = warningsAt(world, at).filter(({ isWithdrawal }) => isWithdrawal)
  const files = await readTar(aemetPackage(withdrawn, { publishedAt: at, shift_ms: 0, hasUnknownCodes: false }))
  for (const { msgType, references, infos, sent } of files.map(({ bytes }) => readCap(bytes, (text) => expect.unreachable(text))))
    expect([msgType, references.length, infos.map(({ expires }) => expires?.at)]).toEqual(['Update', 1, [sent.at, sent.at]])
})

test("the zone in the API's examples always has a warning", () => {
  for (let at = RUSH_HOUR; at < RUSH_HOUR + 300 * 24 * HOUR; at += 121 * HOUR)
    expect(
      warningsAt(world, at).some(({ zones, level, isWithdrawal }) => zones[0]?.code === SHOWN_ZONE && level > 0 && !isWithdrawal),
    ).toBe(true)
})

test('the Canaries have their own clock', async () => {
  const { messages } = await messagesAt(Date.parse('2026-07-18T18:00:00Z'))
  const offsets = new Map(
    messages.map(({ infos }) => [infos[0]?.areas[0]?.geocodes.get('AEMET-Meteoalerta zona')?.slice(0, 2), infos[0]?.expires?.utcOffset]),
  )
  expect([offsets.get('65'), offsets.get('72')]).toEqual(['+01:00', '+02:00'])
})

test.skipIf(!shared)('zones have the codes and names of the catalogue', () => {
  const text = readFileSync(join(shared as string, 'feeds/aemet-avisos/zonas_meteoalerta.derived.json'), 'utf8')
  const zones = JSON.parse(text) as { readonly code: string; readonly zone: string }[]
  expect(new Map(ALERT_ZONES.map(([code, name]) => [code, name]))).toEqual(new Map(zones.map(({ code, zone }) => [code, zone])))
})

test.skipIf(!shared)('messages have the elements of the recorded ones, in the same order', async () => {
  const recorded = [
    'cap_2024-04-05_622201_VI_amarillo_update.complete.xml',
    'cap_2026-09-06_659004_AT_amarillo_alert_canarias.complete.xml',
  ].map((file) => readFileSync(join(shared as string, 'feeds/aemet-cap', file), 'utf8'))
  const wanted = recorded.map(structureOf)
  const { files } = await messagesAt(RUSH_HOUR)
  const paths = new Set(wanted.flatMap((one) => [...one.paths]))
  const orders = new Set(wanted.flatMap((one) => [...one.orders]))
  for (const { bytes, name } of files) {
    expect(name).toMatch(/^Z_CAP_C_LEMM_\d{14}_AFAZ/)
    const served = structureOf(bytes.toString())
    expect([...served.paths].filter((path) => !paths.has(path))).toEqual([])
    expect([...served.orders].filter((order) => !orders.has(order))).toEqual([])
  }
  const updates = files.filter(({ bytes }) => bytes.toString().includes('>Update<'))
  expect(updates.length).toBeGreaterThan(0)
  expect(structureOf((updates[0] as TarFile).bytes.toString()).paths).toEqual(wanted[0]?.paths)
  expect(recorded[0]?.split('\n')[1]).toBe((updates[0] as TarFile).bytes.toString().split('\n')[1])
})
