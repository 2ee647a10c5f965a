import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { commit } from '../../../../lake/iceberg/commit.ts'
import { type Mirrored, mirror } from '../../../../scripts/commands/mirror/mirror.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { deepTest } from '../../../helpers/tier.ts'
import { landRows } from '../../../lake/query/fixtures.ts'
import { exampleTableRow, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const MINUTE = 60_000
let now = T0
let service: TestService
let key: string
let folder: string
const rowAt = (id: string, at: number) => exampleTableRow(incidents, { source_id: id, observed_at: at, updated_at: at })
const land = (id: string, at: number): Promise<void> => service.land(incidents, [rowAt(id, at)], at + MINUTE)
beforeAll(async () => {
  service = await startService({ clock: () => now })
  key = await service.key('ENTERPRISE')
  await land('a', T0)
  await land('b', T0 + MINUTE)
  folder = tempFolder()
})
afterAll(() => service?.close())

const run = (more: { url?: string; verify?: boolean; onBytes?: (bytes: number) => void } = {}): Promise<Mirrored> => {
  const { url = service.url, verify = false, onBytes } = more
  const remote = { url, key, attempts: 4, pause_ms: 5 }
  return mirror({ remote, dataset: 'incidents', folder, jobs: 2, verify, ...(onBytes ? { onBytes } : {}) })
}
const there = (): string[] => readdirSync(join(folder, 'data')).sort()
/** Runs until the API has noticed the table's change. */
const runUntil = async (isDone: (result: Mirrored) => boolean): Promise<Mirrored> => {
  for (;;) {
    now += 300_000
    const result = await run()
    if (isDone(result)) return result
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('a mirror equals the snapshot, and a second run downloads nothing', async () => {
  let bytes = 0
  const first = await run({ onBytes: (more) => (bytes += more) })
  expect(first).toMatchObject({ files: 2, downloaded: 2, kept: 0, removed: 0 })
  expect(bytes).toBe(first.downloaded_bytes)
  for (const name of there())
    expect(readFileSync(join(folder, 'data', name))).toEqual(await service.lake.store.get(`lake/road/incidents/data/${name}`))
  expect(readFileSync(join(folder, 'ATTRIBUTION.md'), 'utf8')).toContain('Dirección General de Tráfico')
  expect(JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8'))).toHaveProperty('columns')
  expect(JSON.parse(readFileSync(join(folder, 'croissant.json'), 'utf8'))).toMatchObject({ name: 'incidents', isLiveDataset: true })
  expect(await run()).toMatchObject({ downloaded: 0, kept: 2 })
})

test('files that are damaged, half-done or no longer in the snapshot are repaired', async () => {
  const [one, other] = there().map((name) => join(folder, 'data', name)) as [string, string]
  const [whole, second] = [readFileSync(one), readFileSync(other)]
  const changed = Buffer.from(whole)
  changed[100] = (changed[100] as number) ^ 1
  writeFileSync(one, changed)
  // A correct half is continued; a wrong half is fetched again.
  truncateSync(other, 10)
  writeFileSync(`${other}.part`, second.subarray(0, 500))
  writeFileSync(join(folder, 'data', 'gone.parquet'), 'x')
  expect(await run({ verify: true })).toMatchObject({ downloaded: 2, kept: 0, removed: 1 })
  expect([readFileSync(one), readFileSync(other)]).toEqual([whole, second])
  truncateSync(one, 10)
  writeFileSync(`${one}.part`, Buffer.alloc(500))
  expect(await run()).toMatchObject({ downloaded: 1, kept: 1 })
  expect(readFileSync(one)).toEqual(whole)
})

deepTest('a later snapshot brings the new files and removes the old ones', async () => {
  const before = there()
  await land('c', Date.UTC(2026, 1, 3))
  expect(await runUntil(({ files }) => files === 3)).toMatchObject({ downloaded: 1, kept: 2, removed: 0 })
  const gone = before[0] as string
  await commit({ table: service.lake.table(incidents), operation: 'delete', remove: [`lake/road/incidents/data/${gone}`] })
  expect(await runUntil(({ files }) => files === 2)).toMatchObject({ downloaded: 0, removed: 1 })
  expect(there()).not.toContain(gone)
})

test('connections that break are gone on with', async () => {
  await landRows(
    service.lake,
    incidents,
    Array.from({ length: 3000 }, (_, n) => rowAt(`many-${n}`, Date.UTC(2026, 2, 1) + n * 1000)),
  )
  await runUntil(({ files }) => files === 3)
  const largest = there()
    .map((name) => join(folder, 'data', name))
    .toSorted((a, b) => readFileSync(b).length - readFileSync(a).length)[0] as string
  const whole = readFileSync(largest)
  truncateSync(largest, 0)
  let broken = 0
  const ranges: string[] = []
  // Sends a third of the requested bytes, then breaks the connection.
  const proxy: Server = createServer(async (request, response) => {
    const { range } = request.headers
    const headers = { ...(range ? { Range: range } : {}), 'X-API-Key': key }
    const reply = await fetch(`${service.url}${request.url}`, { headers })
    const body = Buffer.from(await reply.arrayBuffer())
    const isFile = request.url?.includes('.parquet')
    const text = isFile ? body : Buffer.from(body.toString().replaceAll(service.url, proxyUrl))
    if (isFile) ranges.push(range ?? '')
    const isCut = isFile && broken < 3
    response.writeHead(reply.status, { 'Content-Length': text.length })
    response.write(isCut ? text.subarray(0, Math.ceil(text.length / 3)) : text, () => {
      if (isCut) response.destroy()
      else response.end()
    })
    if (isCut) broken++
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    expect(await run({ url: proxyUrl })).toMatchObject({ downloaded: 1 })
    expect(broken).toBe(3)
    expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range))).toBe(true)
    expect(readFileSync(largest)).toEqual(whole)
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

test('a key that does not work, or has too low a plan, is named', async () => {
  const low = { url: service.url, key: await service.key('PRO'), attempts: 1 }
  await expect(mirror({ remote: low, dataset: 'incidents', folder, jobs: 1, verify: false })).rejects.toThrow(/HTTP 403/)
  const remote = { url: service.url, key, attempts: 1 }
  await expect(mirror({ remote, dataset: 'incident', folder, jobs: 1, verify: false })).rejects.toThrow(/did you mean incidents/)
})
