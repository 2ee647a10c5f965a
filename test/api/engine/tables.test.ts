import { get } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { type FileMetaData, parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dispositionOf } from '../../../api/engine/answers/response-plan.ts'
import type { RequestValues } from '../../../api/engine/request/request.ts'
import { arrowWriter } from '../../../api/engine/tables/arrow.ts'
import { stagedJson } from '../../../api/engine/tables/parquet.ts'
import { type Draft, Spool } from '../../../api/engine/tables/spool.ts'
import { stagedWriter } from '../../../api/engine/tables/text.ts'
import { defineEndpoint, type Endpoint } from '../../../api/kernel/endpoint.ts'
import { type Fields, nested, record } from '../../../api/kernel/fields.ts'
import { TABLE_FORMATS, type TableFormat } from '../../../api/kernel/formats.ts'
import { tableColumns } from '../../../api/kernel/reads/table.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { everything as plain, variant } from '../../lake/query/fixtures.ts'
import { type Reply, startService, type TestService } from '../service.ts'
import { type FlatRow, flattened, rowsOfArrow, rowsOfCsv, rowsOfDuckdb, rowsOfNdjson } from './table-readers.ts'

const ROWS = 1300
const BEGIN = Date.UTC(2026, 0, 5)
const TEXTS = [
  'plain',
  '',
  null,
  ' led ',
  'a,b',
  'say "no"',
  '""',
  'two\nlines',
  'two\r\nlines',
  '\r',
  '=1+1',
  '+34',
  '-5',
  '@SUM(A1)',
  '\tx',
  '\rx',
  "'x",
  '€ñ💥',
  'null',
  '0012',
  '3-5',
  '1E5',
  '7 a 15',
]

/** A ring of its own. */
const ringAt = (at: number): readonly (readonly [number, number])[] => [
  [0, 0],
  [1 + at / 1e7, 0],
  [1, 1],
  [0, 0],
]

/** A row with values of every kind; its texts are hard for CSV and spreadsheets. */
function rowAt(at: number): AnyRow {
  const isNull = at % 7 === 3
  return {
    id: at,
    observed_at: BEGIN + at * 1000 + (at % 3 === 0 ? 0.001 * (at % 1000) : 0),
    name: TEXTS[at % TEXTS.length],
    colour: isNull ? null : at % 2 === 0 ? 'RED' : 'OTHER',
    extra: isNull ? null : { b: [1, null, 'x,"y"'], a: at },
    small: isNull ? null : at % 2 === 0 ? -(2 ** 31) : 2 ** 31 - 1,
    big: isNull ? null : at % 2 === 0 ? 9_007_199_254_740_993n + BigInt(at) : -9_223_372_036_854_775_808n,
    tiny: isNull ? null : -0.1,
    price: isNull ? null : (at % 1000) / 1000,
    amount: isNull ? null : 123_456_789.123_456,
    ratio: isNull ? null : [0.1, 1e-9, 1e300, -2.5, 3][at % 5],
    is_open: isNull ? null : at % 2 === 0,
    seen_at: isNull ? null : -1000 * at,
    valid_on: isNull ? null : '1999-12-31',
    leaves_at: isNull ? null : 90_061,
    position: isNull ? null : { lat: 40.416_8 + at / 1e6, lon: -3.703_8 },
    path: isNull
      ? null
      : [
          [-3.7, 40.4],
          [-3.8 - at / 1e7, 40.5],
        ],
    area: isNull ? null : [ringAt(at)],
    regions: isNull ? null : [[ringAt(at), ringAt(-1)], [ringAt(at + 1)]],
    tags: isNull ? null : ['a,b', '', '"'],
    stops: isNull ? null : [BEGIN, BEGIN + 0.001],
    rates: isNull ? null : at % 2 === 0 ? [] : [0.01, 99.99],
    fetch_id: 'every.1',
  }
}

const observed_at = { ...plain.columns.observed_at, example: '2026-01-05T00:00:00.000Z' }
const columns = { ...plain.columns, observed_at }
const everything = variant({ columns })
const all = record('Everything', 'A value of every kind.', columns)
const {
  extra: _extra,
  path: _path,
  area: _area,
  regions: _regions,
  tags: _tags,
  stops: _stops,
  rates: _rates,
  leaves_at: _leaves,
  ...flatColumns
} = columns
const flat = record('Flat', 'What the engine writes by itself.', flatColumns)

function listed(path: string, shape: typeof flat | typeof all): Endpoint {
  return defineEndpoint({
    ...{ path, domain: 'test', plan: 'PRO', summary: path, summary_es: path, params: {}, example: {} },
    returns: {
      ...{ kind: 'list', name: 'things', record: shape as never, key: ['id'], sorts: ['id', 'observed_at', 'name'], order: 'observed_at' },
      limit: { default: 100, max: 1000 },
    },
    read: { kind: 'lake', from: [everything], query: () => sql`SELECT * FROM ${scan(everything)}` },
  })
}

let service: TestService
let small: TestService
beforeAll(async () => {
  const endpoints = [listed('/api/things', all), listed('/api/flat', flat)]
  service = await startService({ endpoints })
  small = await startService({ endpoints, spoolBytes: 100_000 })
  for (const one of [service, small])
    await one.land(
      everything,
      Array.from({ length: ROWS }, (_, at) => rowAt(at)),
      BEGIN + ROWS * 1000,
    )
})
afterAll(async () => {
  await service?.close()
  await small?.close()
})

interface Page {
  readonly rows: FlatRow[]
  readonly next: string | null
}

async function pageIn(path: string, fields: Fields, format: TableFormat): Promise<Page> {
  const response = await service.get(path)
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.status, `${path} ${response.status === 200 ? '' : bytes}`).toBe(200)
  const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null
  expect(response.headers.get('x-next-cursor')).toBe(next && new URL(next, 'http://x').searchParams.get('cursor'))
  if (format === 'csv') return { rows: rowsOfCsv(fields, bytes.toString()), next }
  if (format === 'ndjson') return { rows: rowsOfNdjson(fields, bytes.toString()), next }
  if (format === 'arrow') return { rows: rowsOfArrow(fields, bytes).rows, next }
  const { rows, about } = await rowsOfDuckdb(fields, bytes)
  expect(Object.keys(JSON.parse(about.get('page') as string))).toEqual(['total', 'updated_at'])
  return { rows, next }
}

async function allJson(path: string, fields: Fields, query: string): Promise<FlatRow[]> {
  const rows: FlatRow[] = []
  for (let next: string | null = `${path}?limit=1000${query}`; next; ) {
    const reply: Reply = await service.json(next)
    rows.push(...reply.things.map((one: Reply) => flattened(fields, one)))
    next = reply.next_cursor ? `${path}?limit=1000${query}&cursor=${reply.next_cursor}` : null
  }
  return rows
}

const SHEETS = [
  ['excel', ';', ','],
  ['excel-en', ',', '.'],
] as const

/** The metadata of a Parquet file. */
function metadataOf(bytes: Buffer): FileMetaData {
  return parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer)
}

const PATHS = [
  ['/api/things', all],
  ['/api/flat', flat],
] as const

/** What each path has as JSON, by path and order. */
const expectedRows = new Map<string, FlatRow[]>()

describe.each(byTier(PATHS.slice(0, 1), PATHS.slice()))('%s', (path, { fields }) => {
  describe.each(TABLE_FORMATS)('as %s', (format) => {
    test.each(byTier([''], ['', '&sort=-name']))('has all rows and exact values, page by page%s', async (sort) => {
      let expected = expectedRows.get(path + sort)
      expectedRows.set(path + sort, (expected ??= await allJson(path, fields, sort)))
      expect(expected.length).toBe(ROWS)
      for (const limit of byTier([1050, 100_000], [1050, 1300, 100_000])) {
        const rows: FlatRow[] = []
        let pages = 0
        for (let next: string | null = `${path}?limit=${limit}${sort}&format=${format}`; next; pages++) {
          const page: Page = await pageIn(next, fields, format)
          rows.push(...page.rows)
          next = page.next
        }
        expect(rows, String(limit)).toEqual(expected)
        expect(pages, String(limit)).toBe(limit < ROWS ? 2 : 1)
      }
    })

    test('has only the requested columns, in the order of the record', async () => {
      const { rows } = await pageIn(`${path}?limit=1200&fields=price,name,lat&format=${format}`, fields, format)
      expect(rows.length).toBe(1200)
      expect(Object.keys(rows[0] as FlatRow)).toEqual(['name', 'price', 'lat'])
    })
  })

  test.each(byTier(SHEETS.slice(0, 1), SHEETS.slice()))(
    'as CSV for %s, no text is a formula, a number or a date, and all else is as it is',
    async (dialect, separator, point) => {
      const begin = `\uFEFF${tableColumns(fields)
        .map(({ name }) => name)
        .join(separator)}\r\n`
      for (const limit of byTier([1300], [500, 1300])) {
        const { rows: exact } = await pageIn(`${path}?limit=${limit}&format=csv`, fields, 'csv')
        const text = await (await service.get(`${path}?limit=${limit}&format=csv&dialect=${dialect}`)).bytes()
        expect(Buffer.from(text.subarray(0, Buffer.byteLength(begin))).toString()).toBe(begin)
        const safe = rowsOfCsv(fields, Buffer.from(text).toString(), { separator, point })
        const changed = exact.flatMap((row, at) => (row['name'] === safe[at]?.['name'] ? [] : [[row['name'], safe[at]?.['name']]]))
        const formulas = ['=1+1', '+34', '-5', '@SUM(A1)', '\tx', '\r', '\rx'].map((name) => [name, `'${name}`] as const)
        const numbers = ['0012', '3-5', '1E5'].map((name) => [name, `="${name}"`] as const)
        expect(new Map(changed as [string, string][])).toEqual(new Map([...formulas, ...numbers]))
        expect(safe.map(({ name: _name, ...others }) => others)).toEqual(exact.map(({ name: _name, ...others }) => others))
      }
    },
  )

  test('decimals=double has the same numbers as 64-bit floating-point numbers', async () => {
    for (const limit of byTier([1300], [500, 1300])) {
      const of = async (query: string): Promise<Buffer> =>
        Buffer.from(await (await service.get(`${path}?limit=${limit}&${query}`)).arrayBuffer())
      const exact = rowsOfNdjson(fields, (await of('format=ndjson')).toString())
      const [parquet, arrow] = [await of('format=parquet&decimals=double'), await of('format=arrow&decimals=double')]
      expect((await rowsOfDuckdb(fields, parquet)).rows).toEqual(exact)
      expect(rowsOfArrow(fields, arrow).rows).toEqual(exact)
      const decimalsIn = async (bytes: Promise<Buffer> | Buffer): Promise<number> =>
        metadataOf(await bytes).schema.filter(({ converted_type }) => converted_type === 'DECIMAL').length
      expect(await decimalsIn(parquet)).toBe(0)
      expect(await decimalsIn(of('format=parquet'))).toBeGreaterThan(2)
      expect(String(tableFromIPC(arrow).schema)).not.toContain('Decimal')
      expect(String(tableFromIPC(await of('format=arrow')).schema)).toContain('Decimal')
    }
  })
})

test('CSV has a header, lines that end with CR LF, nothing for null and quotes around an empty text', async () => {
  for (const limit of [3, 1200]) {
    const text = await (await service.get(`/api/flat?fields=id,name&limit=${limit}&format=csv&sort=id`)).text()
    expect(text.startsWith('id,name\r\n0,plain\r\n1,""\r\n2,\r\n')).toBe(true)
    expect(text.endsWith('\r\n')).toBe(true)
  }
})

test.each([
  ['csv', '&fields=price,name'],
  ['csv', '&sort=-name&dialect=excel-en'],
  ['parquet', '&fields=price,name'],
] as const)('a page of %s goes on where it ends though that is not in it: %s', async (format, query) => {
  const { rows: all, next } = await pageIn(`/api/flat?limit=${ROWS}&format=${format}${query}`, flat.fields, format)
  expect([all.length, next]).toEqual([ROWS, null])
  for (const limit of [1001, 1111, ROWS - 1]) {
    const first = await pageIn(`/api/flat?limit=${limit}&format=${format}${query}`, flat.fields, format)
    expect(first.rows.length).toBe(limit)
    const second = await pageIn(first.next as string, flat.fields, format)
    expect([[...first.rows, ...second.rows], second.next], String(limit)).toEqual([all, null])
  }
})

test('more rows than JSON may have are for tables only, and options are for their own format', async () => {
  for (const [query, parameter] of [
    ['limit=1001', 'limit'],
    ['limit=1001&format=json', 'limit'],
    ['limit=100001&format=csv', 'limit'],
    ['dialect=excel', 'dialect'],
    ['codec=snappy&format=csv', 'codec'],
    ['decimals=double&format=csv', 'decimals'],
    ['decimals=exact&codec=snappy&format=parquet', 'decimals'],
  ]) {
    const problem = (await service.json(`/api/flat?${query}`)) as Reply
    expect(problem, query).toMatchObject({ status: 400, code: 'invalid-parameter', errors: [{ parameter }] })
  }
  expect((await service.get('/api/flat?limit=1001', { Accept: 'text/csv' })).status).toBe(200)
  expect((await service.get('/api/flat?limit=1001&format=geojson')).status).toBe(400)
})

test('the common media types are ranked by weight, and dialects have tags of their own', async () => {
  const typeOf = async (accept: string): Promise<string | null> => {
    const response = await service.get('/api/flat', { Accept: accept })
    await response.arrayBuffer()
    return response.headers.get('content-type')
  }
  expect(await typeOf('*/*')).toBe('application/json')
  expect(await typeOf('text/*')).toBe('text/csv; charset=utf-8')
  expect(await typeOf('application/x-ndjson;q=0.5, application/vnd.apache.parquet')).toBe('application/vnd.apache.parquet')
  const tags = await Promise.all(
    ['csv', 'csv&dialect=excel', 'csv&dialect=excel-en', 'parquet', 'parquet&codec=snappy', 'parquet&decimals=double'].map(async (format) =>
      (await service.get(`/api/flat?format=${format}`)).headers.get('etag'),
    ),
  )
  expect(new Set(tags).size).toBe(6)
})

test('files are saved under path, days and ending; browsers show JSON', async () => {
  const nameOf = async (query: string): Promise<string | null> =>
    (await service.get(`/api/flat?limit=1&${query}`)).headers.get('content-disposition')
  const names: (string | null)[] = []
  for (const format of ['csv', 'ndjson', 'parquet', 'arrow', 'geojson', 'json']) names.push(await nameOf(`format=${format}`))
  const files = ['csv', 'ndjson', 'parquet', 'arrows', 'geojson'].map((ending) => `attachment; filename="flat_2026-01-05.${ending}"`)
  expect(names).toEqual([...files, null])

  const of = (path: string, own: RequestValues['own'], data_time: number | null): string | null =>
    dispositionOf({ path, own }, { format: 'csv', data_time })
  const [first, end, data] = ['2025-12-31T23:00:00Z', '2026-02-01T00:00:00+01:00', '2026-03-01T12:00:00Z'].map((text) => Date.parse(text))
  const days = { from: first as number, to: end as number, interval: '1h' }
  const hard = `/api/trafico/ciudades/${encodeURIComponent('Sant Joan d\'Alacant"; ñ/..\r\nX: y')}`
  for (const [name, made] of [
    ['combustible-historico_2026-01-01_2026-01-31', of('/api/combustible/historico', { fuel: 'G95', days }, data as number)],
    ['combustible-historico_2026-01-01_2026-03-01', of('/api/combustible/historico', { days: { ...days, to: null } }, data as number)],
    ['combustible-historico_2026-01-31', of('/api/combustible/historico', { days: { ...days, from: null } }, data as number)],
    ['carreteras-a-6', of('/api/carreteras/A-6', { section: { from: 'a', to: 'b' } }, null)],
    ['trafico-ciudades-sant-joan-d-alacant-n-x-y', of(hard, {}, null)],
  ])
    expect(made).toBe(`attachment; filename="${name}.csv"`)
})

test('a value that its column cannot hold exactly is an error that names the column', async () => {
  const spool = new Spool({ folder: tempFolder(), bytes: 1_000_000 })
  const columns = tableColumns({
    parts: nested.objects('Parts.', { count: col.integer(0, 'Some.'), share: col.decimal(0, 'A share.', { scale: 3 }) }),
  })
  for (const writerOf of [
    (draft: Draft) => arrowWriter(draft, columns, new Map()),
    (draft: Draft) => stagedWriter(draft, columns, stagedJson),
  ])
    for (const [part, message] of [
      [{ count: 2 ** 31, share: null }, 'column parts.count cannot hold 2147483648'],
      [{ count: 1.5, share: null }, 'column parts.count cannot hold 1.5'],
      [{ count: 1, share: 1_234_567.8 }, 'column parts.share cannot hold 1234567.8'],
    ] as const) {
      const draft = await spool.begin()
      const writer = writerOf(draft)
      const written = writer.write([{ parts: [{ ...part }] }]).then(() => writer.end())
      await expect(written).rejects.toThrow(message)
      await draft.drop()
    }
})

test('GeoParquet names every geometry of a row', async () => {
  const bytes = Buffer.from(await (await service.get('/api/things?limit=10&format=parquet')).arrayBuffer())
  const { about } = await rowsOfDuckdb(all.fields, bytes)
  const typeOf = (name: string): object => ({ encoding: 'WKB', geometry_types: [name] })
  expect(JSON.parse(about.get('geo') as string)).toEqual({
    version: '1.0.0',
    primary_column: 'geometry',
    columns: { geometry: typeOf('Point'), path: typeOf('LineString'), area: typeOf('Polygon'), regions: typeOf('MultiPolygon') },
  })
})

test('text is compressed, Parquet and Arrow are not', async () => {
  for (const format of TABLE_FORMATS) {
    const key = { 'x-api-key': await service.key('PRO') }
    const response = await rawGet(`${service.url}/api/things?limit=1300&format=${format}`, { ...key, 'accept-encoding': 'br' })
    const isText = format === 'csv' || format === 'ndjson'
    expect(response.encoding, format).toBe(isText ? 'br' : undefined)
    if (!isText) continue
    const plain = await rawGet(`${service.url}/api/things?limit=1300&format=${format}`, key)
    expect(brotliDecompressSync(response.body).equals(plain.body), format).toBe(true)
  }
})

test('a table that does not fit the spool is a problem, and its room is free again', async () => {
  for (const path of ['/api/flat', '/api/things'])
    for (const format of ['csv', 'ndjson', 'arrow']) {
      const response = await small.get(`${path}?limit=1300&format=${format}`)
      expect([response.status, ((await response.json()) as Reply).code], `${path} ${format}`).toEqual([503, 'temporary-reduced-capacity'])
    }
  await until('there is room', async () => (await small.get('/api/flat?limit=1200&fields=id&format=csv')).status === 200)
})

function rawGet(url: string, headers: Record<string, string>): Promise<{ encoding: string | undefined; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(parts) }))
    }).on('error', reject)
  })
}
