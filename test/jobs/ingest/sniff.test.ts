import { expect, test } from 'vitest'
import type { FeedRequest } from '../../../jobs/feeds/define.ts'
import { FetchError, sniff } from '../../../jobs/ingest/http.ts'
import { dbfTable, shapePoints } from '../../../scripts/stand-in/formats/shapefile.ts'
import { packTar } from '../../../scripts/stand-in/formats/tar.ts'
import { zipOf } from '../../helpers/zip.ts'

const PAGE = '<!DOCTYPE html><html><body>Servicio no disponible</body></html>'
const WHOLE: Readonly<Record<Exclude<FeedRequest['expects'], 'html'>, Buffer>> = {
  xml: Buffer.from('\ufeff<?xml version="1.0"?><pms/>'),
  json: Buffer.from(' {"Fecha":""}'),
  csv: Buffer.from('"tipo_elem";"id"\r\n'),
  zip: zipOf({ name: 'stops.txt', bytes: Buffer.from('stop_id\n') }, { name: 'trips.txt', bytes: Buffer.alloc(5000) }),
  tar: packTar([{ name: 'Z_CAP.xml', bytes: Buffer.from('<alert/>') }], 0),
  protobuf: Buffer.from([0x0a, 0x05, 0x0a, 0x03, 0x32, 0x2e, 0x30]),
  shp: shapePoints([{ x: 1, y: 2 }]),
  dbf: dbfTable(['ID'], [['01001']]),
}
/** Binary kinds, which may begin like the first line of a CSV. */
const BINARY: readonly FeedRequest['expects'][] = ['zip', 'tar', 'protobuf', 'shp', 'dbf']
const KINDS = Object.keys(WHOLE) as (keyof typeof WHOLE)[]

function request(expects: FeedRequest['expects'], maxDecodedBytes = 10_000): FeedRequest {
  return { name: 'document', url: 'https://example.org/', accept: '*/*', maxBytes: 1000, maxDecodedBytes, timeout_ms: 1000, expects }
}

async function refusal(expects: FeedRequest['expects'], bytes: Buffer, most?: number): Promise<FetchError> {
  const error = await sniff(request(expects, most), bytes).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FetchError)
  return error as FetchError
}

test.each(KINDS)('a document of kind %s is taken as that and as nothing else, a page and nothing never', async (kind) => {
  await expect(sniff(request(kind), WHOLE[kind])).resolves.toBeUndefined()
  const others = KINDS.filter((other) => other !== kind && !(kind === 'csv' && BINARY.includes(other)))
  for (const other of others)
    expect((await refusal(kind, WHOLE[other])).message).toMatch(/^request document expects .* and got something that begins/)
  expect((await refusal(kind, Buffer.from(PAGE))).message).toContain('got an HTML page')
  expect((await refusal(kind, Buffer.alloc(0))).message).toContain('got nothing')
})

test('only a request for a page takes one', async () => {
  await expect(sniff(request('html'), Buffer.from(PAGE))).resolves.toBeUndefined()
  expect((await refusal('html', WHOLE.xml)).message).toContain('got something that begins with')
})

test('a zip, a tar or a message that was cut is requested again', async () => {
  for (const kind of ['zip', 'tar', 'protobuf'] as const)
    expect(await refusal(kind, WHOLE[kind].subarray(0, -1))).toMatchObject({ retryable: true })
})

test('a zip may unpack to as much as its request allows', async () => {
  await expect(sniff(request('zip', 5008), WHOLE.zip)).resolves.toBeUndefined()
  expect((await refusal('zip', WHOLE.zip, 5007)).message).toBe(
    'request document expects zip and got another: the zip unpacks to more than 5007 bytes',
  )
})
