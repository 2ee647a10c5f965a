import { get } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { startServer } from '../../../scripts/checks/benches/services.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** Most memory that a process takes beyond its start, for a reply of 100,000 rows; MB. */
const EXTRA_MB = 150
const TABLE_ROWS = 100_000
const TABLES = new URL('./tables-service.ts', import.meta.url)
const home = tempFolder()
/** A key of the server under test. */
let key = ''
// The first process fills the lake, whose memory is not measured.
beforeAll(async () => (await startServer(TABLES, home)).close())

interface Got {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly bytes: number
  readonly body: Buffer
}

/** A reply; its body is kept on request only. */
function fetched(url: string, { headers = {}, isKept = false }: { headers?: Record<string, string>; isKept?: boolean } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'X-API-Key': key, ...headers }, agent: false }, (response) => {
      const parts: Buffer[] = []
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (isKept) parts.push(part)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: Buffer.concat(parts) }))
      response.on('error', reject)
    }).on('error', reject)
  })
}

test.each([
  ['csv', 'readings'],
  ['ndjson', 'readings'],
  ['parquet', 'readings'],
  ['arrow', 'readings'],
  ['csv', 'nested-readings'],
  ['ndjson', 'nested-readings'],
  ['parquet', 'nested-readings'],
  ['arrow', 'nested-readings'],
])('100,000 rows of the lake as %s take little memory: %s', async (format, path) => {
  const server = await startServer(TABLES, home)
  key = server.key
  try {
    const url = `${server.url}/api/${path}`
    await fetched(url)
    const before = await server.memory()
    const { status, bytes } = await fetched(`${url}?limit=${TABLE_ROWS}&format=${format}`)
    expect([status, bytes > TABLE_ROWS]).toEqual([200, true])
    expect((await server.memory()) - before).toBeLessThan(EXTRA_MB)
  } finally {
    await server.close()
  }
})

test('a reply that is sent from disk is the same packed, and has its length where it is not', async () => {
  const server = await startServer(TABLES, home)
  key = server.key
  try {
    const url = `${server.url}/api/readings?limit=${TABLE_ROWS}&format=csv`
    const plain = await fetched(url, { isKept: true })
    expect(plain.headers['content-length']).toBe(String(plain.bytes))
    expect(plain.body.toString().split('\r\n').length).toBe(TABLE_ROWS + 2)
    const packed = await fetched(url, { headers: { 'accept-encoding': 'br' }, isKept: true })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(packed.bytes).toBeLessThan(plain.bytes / 2)
    expect(brotliDecompressSync(packed.body).equals(plain.body)).toBe(true)
    const same = await fetched(url, { headers: { 'if-none-match': plain.headers['etag'] as string } })
    expect([same.status, same.bytes]).toEqual([304, 0])
    // A disconnect in the middle does no harm.
    await new Promise<void>((resolve) => {
      get(url, { agent: false, headers: { 'X-API-Key': key } }, (response) =>
        response.once('data', () => response.destroy()).once('close', resolve),
      ).on('error', () => {})
    })
    expect((await fetched(url)).bytes).toBe(plain.bytes)
  } finally {
    await server.close()
  }
})
