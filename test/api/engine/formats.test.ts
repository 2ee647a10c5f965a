import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { exampleRecord } from '../../../api/engine/answers/shown-record.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { FORMAT_KINDS, isLocated, TABLE_FORMATS, type TableFormat } from '../../../api/kernel/formats.ts'
import { tableColumns } from '../../../api/kernel/reads/table.ts'
import { isGeometry } from '../../../lake/schema/columns.ts'
import { exampleService } from '../example-service.ts'
import { openapi } from '../openapi.ts'
import { representatives } from '../representatives.ts'
import type { Reply, TestService } from '../service.ts'
import {
  type FlatRow,
  flattened,
  recordsOfNdjson,
  rowsOfArrow,
  rowsOfCsv,
  rowsOfDuckdb,
  rowsOfHyparquet,
  rowsOfNdjson,
  rowsOfParquetjs,
} from './table-readers.ts'

const MINUTE_MS = 60_000

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

const description = openapi(endpoints, 'https://api.example.org') as Reply
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

async function bytesOf(path: string): Promise<Buffer> {
  const response = await service.get(path)
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.status, `${path} ${response.status === 200 ? '' : bytes}`).toBe(200)
  return bytes
}

async function rowsIn(endpoint: Endpoint, format: TableFormat, values: Record<string, string> = {}): Promise<FlatRow[]> {
  const { fields } = exampleRecord(endpoint)
  const bytes = await bytesOf(requestOf(endpoint, { ...values, format }))
  if (format === 'csv') return rowsOfCsv(fields, bytes.toString())
  if (format === 'ndjson') return rowsOfNdjson(fields, bytes.toString())
  return format === 'arrow' ? rowsOfArrow(fields, bytes).rows : (await rowsOfDuckdb(fields, bytes)).rows
}

describe.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const { returns } = endpoint
  const { fields } = exampleRecord(endpoint)

  test('a client without a preference gets the representation that is first in the description', async () => {
    const [preferred] = Object.keys(description.paths[endpoint.path].get.responses[200].content)
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'text/html, */*;q=0.8' }] as Record<string, string>[]) {
      const response = await service.get(requestOf(endpoint), headers)
      expect(response.headers.get('content-type'), JSON.stringify(headers)).toBe(preferred)
    }
    const response = await service.get(requestOf(endpoint), { Accept: 'application/json' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(allParams(endpoint).get('format')?.about).toContain(`\`${preferred === 'application/json' ? 'json' : 'geojson'}\` by default`)
  })

  test('has the same rows and exact values in every format', async () => {
    const reply = (await service.json(requestOf(endpoint))) as Reply
    const { meta, ...one } = reply
    const records: Reply[] = returns.kind === 'list' ? reply[returns.name] : [one]
    const expected = records.map((record) => flattened(fields, record))
    expect(expected.length).toBeGreaterThan(0)
    // Members that JSON omits, NDJSON omits, too.
    const asLines = rowsOfNdjson(fields, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    for (const format of TABLE_FORMATS) expect(await rowsIn(endpoint, format), format).toEqual(format === 'ndjson' ? asLines : expected)
    const lines = recordsOfNdjson((await bytesOf(requestOf(endpoint, { format: 'ndjson' }))).toString())
    expect(lines).toEqual(returns.kind === 'list' ? reply[returns.name] : [one])
    const snappy = await bytesOf(requestOf(endpoint, { format: 'parquet', codec: 'snappy' }))
    expect(await rowsOfHyparquet(fields, snappy)).toEqual(expected)
    expect(await rowsOfParquetjs(fields, snappy)).toEqual(expected)
    const { about } = await rowsOfDuckdb(fields, snappy)
    expect(JSON.parse(about.get('licence') as string)).toEqual(meta.sources)
    expect(JSON.parse(about.get('meta') as string)).toEqual(meta)
    // Whether any row has a place or not. A record inside the record may have a shape, too.
    const shapes = tableColumns(fields).flatMap(({ name, type }) => (isGeometry(type.kind) ? [name] : []))
    const places = [...new Set([...(isLocated(fields) ? ['geometry'] : []), ...shapes])]
    const columns = Object.fromEntries(places.map((name) => [name, { encoding: 'WKB', geometry_types: expect.any(Array) }]))
    const geo = about.get('geo')
    expect(geo && JSON.parse(geo)).toEqual(places.length === 0 ? undefined : { version: '1.0.0', primary_column: places[0], columns })
    const schema = (await service.json(`/schemas/${returns.record.name}`)) as Reply
    // Several paths show one kind of record.
    const check = ajv.getSchema(schema['$id']) ?? ajv.compile(schema)
    for (const row of expected) expect(check(row), JSON.stringify(check.errors)).toBe(true)
  })

  test('names columns once, upper and lower case being the same', () => {
    const names = tableColumns(fields).map(({ name }) => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
  })

  test.each(TABLE_FORMATS)('answers HEAD and 304 as %s', async (format) => {
    const path = requestOf(endpoint, { format })
    // A reply that follows the clock is another one in the next minute.
    const left_ms = MINUTE_MS - (Date.now() % MINUTE_MS)
    if (left_ms < 3000) await sleep(left_ms)
    const got = await service.get(path)
    await got.arrayBuffer()
    const { headers } = got
    expect(headers.get('content-type')).toBe(FORMAT_KINDS[format].type)
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="[a-z0-9_-]+\\.${FORMAT_KINDS[format].ending}"$`))
    expect(headers.get('vary')).toContain('Accept')
    expect(headers.get('link')).toContain(`</schemas/${returns.record.name}>; rel="describedby"`)
    // Those of the sources that the same answer names as JSON, and no others.
    const { sources } = ((await service.json(requestOf(endpoint))) as Reply).meta
    const licences = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="license"/g)].map(([, url]) => url)
    expect(licences).toEqual(sources.map(({ licence_url }: Reply) => new URL(licence_url).href))
    const etag = headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    const same = await service.get(path, { 'If-None-Match': etag })
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
    const head = await service.ask(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), head.headers.get('content-type')]).toEqual([200, etag, FORMAT_KINDS[format].type])
    const accepted = await service.get(requestOf(endpoint), { Accept: FORMAT_KINDS[format].type })
    expect(accepted.headers.get('etag')).toBe(etag)
    await accepted.arrayBuffer()
    expect(etag).not.toBe((await service.get(requestOf(endpoint))).headers.get('etag'))
  })
})
