import fc from 'fast-check'
import { INSTANT_PATTERN } from '../../../api/kernel/params/params-time.ts'

/** An operation of the API's description, with the members that requests need. */
export interface FuzzOperation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly FuzzParameter[]
  /** Media type, schema and example of its body; null without one. */
  readonly body: { readonly type: string; readonly members: readonly string[]; readonly example: object } | null
}

/** A parameter of an operation. */
export interface FuzzParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: ParameterSchema
  readonly example?: unknown
}

interface ParameterSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly items?: ParameterSchema
}

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string
  /** Path and query, possibly percent-encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Whether the query names an unknown parameter. */
  readonly isUnknown: boolean
}

/** Values that break unprepared code, not encoded. */
const NASTY = [
  ...[
    '',
    ' ',
    '\0',
    '\r\nX-Injected: y',
    '\t',
    '💥',
    'ñ',
    '\u202e',
    '\ufffe',
    "' OR 1=1 --",
    '"; DROP TABLE incidents; --',
    '<script>alert(1)</script>',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '[object Object]',
    '{"$gt":""}',
    '[]',
    '{}',
    '$' + '{7*7}',
  ],
  ...['../../etc/passwd', '..', '.', '/', '\\', '%', '%00', '*', '?', '#', '&', '=', ';', ',', ',,,', '|', '\u2028'],
  ...['NaN', 'Infinity', '-Infinity', '1e999', '-0', '0x10', '1_000', '9'.repeat(400), 'null', 'undefined', 'true', 'TRUE', '1,2,3,4'],
  ...['2026-02-30', '0000-00-00', '9999-12-31T23:59:60Z', '2026-01-01T00:00:00', '-271821-04-20', '2026-01-01T00:00:00+99:99'],
  ...['x'.repeat(80), 'x'.repeat(3000), 'ñ'.repeat(2000), 'W/"x"', 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD'],
] as const

/** Pieces of a URL that are invalid encodings. */
const BROKEN = ['%', '%z', '%zz', '%E0%A4', '%C0%80', '%ED%A0%80', '%u0041', '%FF', '%F5%80%80%80', '+%', '%2']

const nasty = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }))

/** A text percent-encoded; halves of characters as their bytes. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** A value that the schema allows, most of the time. */
function plain(schema: ParameterSchema, example: unknown): fc.Arbitrary<string> {
  const { type, minimum = 0, maximum = 1000, maxLength = 100, format } = schema
  if (schema.items) return fc.array(plain(schema.items, undefined), { minLength: 1, maxLength: 4 }).map((values) => values.join(','))
  const examples = example === undefined ? [] : [fc.constant(String(example))]
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  const edges = [minimum, maximum, minimum - 1, maximum + 1].map(String)
  if (type === 'integer') return fc.oneof(...examples, fc.integer({ min: minimum, max: maximum }).map(String), fc.constantFrom(...edges))
  if (type === 'number')
    return fc.oneof(
      ...examples,
      fc.double({ min: minimum, max: maximum, noNaN: true }).map((value) => value.toFixed(6)),
      fc.constantFrom(...edges),
    )
  const dates = fc.date({ min: new Date('2025-12-01'), max: new Date('2026-12-31'), noInvalidDate: true }).map((date) => date.toISOString())
  const texts = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1)))
  if (format === 'date' || schema.pattern === INSTANT_PATTERN)
    return fc.oneof(
      ...examples,
      dates,
      dates.map((date) => date.slice(0, 10)),
    )
  return fc.oneof({ weight: 3, arbitrary: fc.oneof(...examples, texts) }, { weight: 1, arbitrary: texts })
}

/** The parts of a query for one parameter: none, one, or several in shapes that other services accept. */
function queryParts({ name, required, schema, example }: FuzzParameter): fc.Arbitrary<readonly string[]> {
  const value = plain(schema, example).map(encoded)
  const odd = fc.oneof(nasty.map(encoded), fc.constantFrom(...BROKEN))
  const one = value.map((text) => [`${name}=${text}`])
  return fc.oneof(
    { weight: required ? 1 : 100, arbitrary: fc.constant([]) },
    { weight: required ? 100 : 16, arbitrary: one },
    { weight: 2, arbitrary: odd.map((text) => [`${name}=${text}`]) },
    { weight: 1, arbitrary: fc.tuple(value, value).map((two) => two.map((text) => `${name}=${text}`)) },
    { weight: 1, arbitrary: fc.constant([name]) },
  )
}

/** Parameter names that every path refuses. */
const UNKNOWN = [
  'nonsense',
  '__proto__',
  'constructor',
  'toString',
  'limit[]',
  'lang[0]',
  'fields.x',
  'LIMIT',
  'Lang',
  '',
  '%00',
  'api_key',
  'token2',
  '💥',
]

const unknownParts = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN).map((name) => [`${encoded(name)}=1`]) },
)

function pathOf({ path, parameters }: FuzzOperation): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const parameter = parameters.find((one) => part === `{${one.name}}` && one.in === 'path')
    if (!parameter) return fc.constant(part)
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(encoded(String(parameter.example))) },
      { weight: 1, arbitrary: plain(parameter.schema, parameter.example).map(encoded) },
      { weight: 2, arbitrary: nasty.map(encoded) },
      { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
    )
  })
  return fc.tuple(...parts).map((made) => made.join(''))
}

/** Headers that change the reply, with valid values and with invalid ones. */
function headersOf(key: string): fc.Arbitrary<Record<string, string>> {
  const rarely = (...values: readonly string[]): fc.Arbitrary<string | null> =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...values) })
  const some = fc.record({
    'X-API-Key': fc.oneof(
      { weight: 12, arbitrary: fc.constant<string | null>(key) },
      { weight: 1, arbitrary: fc.constantFrom(null, '', 'x', `${key.slice(0, -1)}!`, 'tia_') },
    ),
    Accept: rarely(
      '*/*',
      '',
      'text/html',
      'application/json;q=0',
      'text/csv',
      'application/geo+json, */*;q=0.1',
      'a/b/c',
      ',;,',
      'x'.repeat(2000),
      'application/json; q=abc',
    ),
    'Accept-Encoding': rarely('gzip', 'br', 'zstd', 'identity;q=0', '*;q=0', 'nonsense', 'gzip;q=2, br;q=-1'),
    'Accept-Language': rarely('en', 'ca-ES, eu;q=0.5', '*', ';;;', '__proto__'),
    'If-None-Match': rarely('*', 'W/"x"', '"', 'x'.repeat(1000), ',,,'),
    'If-Modified-Since': rarely('yesterday', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT', '0'),
    Range: rarely('bytes=0-1', 'bytes=-1', 'lines=1', 'bytes=999999999999-'),
    'Content-Type': rarely(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'nonsense',
      'a/b; charset="',
      'multipart/form-data',
    ),
    Origin: rarely('https://a.example', 'null', '\u00ff'),
    Cookie: rarely('session=x', '=', 'session=%', 'session=a.b.c', ';;'),
    'X-Forwarded-For': fc.integer({ min: 1, max: 2 ** 24 - 1 }).map((n): string | null => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
  })
  return some.map((all) => Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)))
}

function bodyOf({ body }: FuzzOperation): fc.Arbitrary<{ readonly type: string | null; readonly text: string } | null> {
  const others = fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '1',
    '{"__proto__":{"a":1}}',
    '{"constructor":1}',
    '\0',
    '['.repeat(3000),
    'x'.repeat(5000),
    'a=b&a=c&__proto__=1',
    '%',
  )
  if (!body)
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: others.map((text) => ({ type: 'application/json', text })) },
    )
  const { type, members, example } = body
  const value = fc.oneof(
    nasty.map((text): unknown => text),
    fc.constantFrom<unknown>(null, 0, -1, 1.5, 1e300, true, [], {}, ['a'], { a: 1 }),
  )
  const changed = fc.dictionary(fc.constantFrom(...members, 'nonsense', '__proto__'), value, { maxKeys: 3 })
  const written = changed.map((more): string => {
    const all: Record<string, unknown> = { ...example, ...more }
    return type.endsWith('json')
      ? JSON.stringify(all)
      : new URLSearchParams(Object.entries(all).map(([name, one]): [string, string] => [name, String(one)])).toString()
  })
  return fc.oneof(
    { weight: 8, arbitrary: written.map((text) => ({ type, text })) },
    { weight: 2, arbitrary: others.map((text) => ({ type, text })) },
    { weight: 1, arbitrary: written.map((text) => ({ type: 'text/plain', text })) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

/** Requests to an operation, most of them nearly right; `key` is a valid one. */
export function requestsTo(operation: FuzzOperation, key: string): fc.Arbitrary<FuzzRequest> {
  const { method, parameters } = operation
  const queries = fc.tuple(...parameters.filter((one) => one.in === 'query').map(queryParts)).map((parts) => parts.flat())
  const methods = fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND') },
  )
  return fc
    .tuple(methods, pathOf(operation), queries, unknownParts, headersOf(key), bodyOf(operation))
    .map(([used, path, parts, unknown, headers, body]) => {
      const query = [...parts, ...unknown].join('&')
      return {
        method: used,
        target: query === '' ? path : `${path}?${query}`,
        headers: body?.type ? { ...headers, 'Content-Type': body.type } : headers,
        body: body?.text ?? null,
        isUnknown: unknown.length > 0,
      }
    })
}
