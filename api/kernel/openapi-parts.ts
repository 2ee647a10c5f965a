import { geometrySchema, INT32, type JsonSchema } from '../../lake/schema/json.ts'
import { SOURCE_MODES } from '../../lake/system.ts'
import { essenceOf } from './formats.ts'
import type { Param } from './params/params.ts'
import { PROBLEMS, type ProblemCode } from './problems.ts'

/** A piece of the description. */
export type Part = Record<string, unknown>

/** A response that is a problem. */
export interface Problems extends Part {
  readonly description: string
  readonly headers: Part
  readonly content: Part
}

/** A reference to a component. */
export const ref = (kind: string, name: string): Part => ({ $ref: `#/components/${kind}/${name}` })

/** The components that describe geometries, by their GeoJSON type. */
const GEOMETRIES = Object.freeze({
  Point: 'PointGeometry',
  LineString: 'LineGeometry',
  Polygon: 'PolygonGeometry',
  MultiPolygon: 'MultiPolygonGeometry',
})

/** A reference to the component of a geometry. */
export const geometryRef = (type: keyof typeof GEOMETRIES): Part => ref('schemas', GEOMETRIES[type])

/** A schema with references in place of the geometries in it. */
export function withGeometryRefs<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withGeometryRefs) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, required: _required, properties, ...about } = schema as Part
  const shape = (properties as { type?: { const?: string }; coordinates?: unknown } | undefined) ?? {}
  const kind = shape.coordinates ? shape.type?.const : undefined
  if (kind === undefined) return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withGeometryRefs(value)])) as T
  const reference = geometryRef(kind as keyof typeof GEOMETRIES)
  return (Array.isArray(type) ? { ...about, anyOf: [reference, { type: 'null' }] } : { ...about, ...reference }) as T
}

/** Returns a response that is a problem of one of these codes, which share a status, with optional examples. */
export function problemResponse(codes: readonly ProblemCode[], examples?: Part): Problems {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: {
      'X-Request-Id': ref('headers', 'RequestId'),
      ...HEADERS_OF_STATUS[PROBLEMS[codes[0] as ProblemCode].status],
      ...(codes.includes('no-data-yet') ? { 'Retry-After': ref('headers', 'RetryAfterNoData') } : {}),
    },
    content: { 'application/problem+json': { schema: ref('schemas', 'Problem'), ...(examples ? { examples } : {}) } },
  }
}

/** The same for a path with rate limits, whose responses have the limit headers. */
export function limitedResponse(codes: readonly ProblemCode[], examples?: Part): Problems {
  const response = problemResponse(codes, examples)
  return { ...response, headers: { ...response.headers, ...LIMIT_HEADERS } }
}

/** Additional headers of problems, by status. */
const HEADERS_OF_STATUS: Readonly<Record<number, Part>> = {
  401: { 'WWW-Authenticate': ref('headers', 'WWWAuthenticate') },
  405: { Allow: ref('headers', 'Allow') },
  429: { 'Retry-After': ref('headers', 'RetryAfter') },
  503: { 'Retry-After': ref('headers', 'RetryAfter') },
}

/** How an operation lists a parameter. */
interface Listed {
  readonly inPath: boolean
  /** A value to send, which fits the values of the operation's other parameters. */
  readonly example: string | undefined
  /** A value that may not fit them: programs that send every `example` must not find it among those. */
  readonly other?: string | undefined
  /** The path of the list with its values, for values that come and go. */
  readonly ids_from?: string | undefined
}

/** A parameter as an operation lists it. */
export function parameterPart(name: string, one: Param, { inPath, example, other, ids_from }: Listed): Part {
  return {
    name,
    in: inPath ? 'path' : 'query',
    required: inPath || one.required,
    description: ids_from === undefined ? one.about : `${one.about} They come and go: ${ids_from} has those of now.`,
    schema: one.list ? { type: 'array', minItems: 1, items: one.schema } : one.schema,
    ...(one.list ? { style: 'form', explode: false } : {}),
    ...(example === undefined ? {} : { example: typedExample(one, example) }),
    ...(other === undefined ? {} : { 'x-example': typedExample(one, other) }),
    ...(ids_from === undefined ? {} : { 'x-example-id-from': ids_from }),
  }
}

/** Describes a path parameter of an operation that is not an endpoint; `values` are the allowed ones, if known. */
export function pathParameter(name: string, description: string, example: string | undefined, values?: readonly string[]): Part {
  return { name, in: 'path', required: true, description, schema: { type: 'string', ...(values ? { enum: values } : {}) }, example }
}

/** The header that makes a POST happen once. */
export const IDEMPOTENCY_KEY: Part = Object.freeze({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A quoted string such as a UUID. The same key within 24 hours gets the same reply, and nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
})

/** Describes the query parameters of a path that is not an endpoint. */
export function parametersPart(params: Readonly<Record<string, Param>>): Part[] {
  return Object.entries(params).map(([name, one]) => parameterPart(name, one, { inPath: false, example: one.example }))
}

/** What an operation does, in at most 80 characters. */
export type Summary = readonly [en: string, es: string]

/** Describes an operation without data. */
export function operation(operationId: string, [en, es]: Summary, responses: Part): Part {
  return {
    operationId,
    tags: ['platform'],
    ...{ summary: en, summary_es: es },
    responses: { ...responses, 405: ref('responses', '405'), 429: ref('responses', '429') },
  }
}

/** Describes a reply that is a JSON object with these members. */
export function json(description: string, example: Part, properties: Part): Part {
  const schema = { type: 'object', required: Object.keys(properties), properties }
  return { description, content: { [essenceOf('json')]: { schema, example } } }
}

/** Headers of a document that stays the same for a while. */
export const LASTING: Part = Object.freeze({ ETag: ref('headers', 'ETag'), 'Cache-Control': ref('headers', 'CacheControl') })
export const NOT_MODIFIED: Part = Object.freeze({ description: 'The copy that If-None-Match names is still good.', headers: LASTING })

function typedExample(one: Param, text: string): unknown {
  const { type } = one.schema as { type?: string }
  const value = (part: string): unknown =>
    type === 'integer' || type === 'number' ? Number(part) : type === 'boolean' ? part === 'true' : part
  return one.list ? text.split(',').map(value) : value(text)
}

/** The schemas that replies of many endpoints share. */
export function commonSchemas(): Record<string, JsonSchema> {
  const text = { type: 'string' }
  const instantOrNull = (description: string) => ({ type: ['string', 'null'], format: 'date-time', description })
  return {
    Problem: {
      type: 'object',
      description: 'RFC 9457 problem.',
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
      properties: {
        type: { type: 'string', format: 'uri', description: 'Page that describes the problem.' },
        title: text,
        status: { ...INT32, description: 'The HTTP status.' },
        detail: { type: 'string', description: 'What is wrong with this request.' },
        instance: { type: 'string', description: 'The request, as it was sent.' },
        code: { type: 'string', enum: Object.keys(PROBLEMS) },
        request_id: { type: 'string', description: 'Identifies this occurrence; quote it when you ask for help.' },
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['detail'],
            properties: { detail: text, parameter: text, pointer: text, value: text, allowed: { type: 'array', items: text } },
          },
        },
        next_attempt_at: { type: 'string', format: 'date-time', description: 'With no-data-yet: when a failing feed is fetched again.' },
        missing: { type: 'array', items: text, description: 'With no-data-yet: the datasets without data.' },
        waits_for: { type: 'array', items: text, description: 'With no-data-yet: what must happen first, as ids of feeds or in words.' },
        nearest_snapshot: { ...text, description: 'With snapshot-expired: the nearest snapshot that still exists.' },
        'violated-policies': { type: 'array', items: text, description: 'With quota-exceeded: the limits that were reached.' },
      },
    },
    Meta: {
      type: 'object',
      description: 'Where the data comes from and how fresh it is.',
      required: ['stale', 'cadence_s', 'timezone', 'source_mode', 'sources'],
      properties: {
        stale: {
          type: 'boolean',
          description:
            'True if a feed of the data (of a forecast: of its input) is down or late by three times its cadence; if its last publication lacks a block, such as a commuter network, that the list may contain; or if all its forecasts are for past hours.',
        },
        cadence_s: { ...INT32, type: ['integer', 'null'], description: 'Expected time between two publications. Unit: s.' },
        timezone: { type: 'string', description: 'Zone of plain dates, days, weeks, months and years; instants are UTC.' },
        snapshot: { type: 'string', description: 'State of the lake that this reply read; pass it as `snapshot` to read it again.' },
        covered_from: instantOrNull('Time of the oldest data in the lake. Nothing is known before it; null if there is none.'),
        latest_row_at: instantOrNull('Time of the latest row in the lake; null if there is none.'),
        covered_until: instantOrNull(
          'Time up to which the lake has everything published. Data published late, such as monthly or yearly archives, ends earlier: see `latest_row_at`.',
        ),
        period: {
          type: 'object',
          description: 'For statistics: their period, half-open. Open ends are closed, and it is widened to whole steps.',
          required: ['from', 'to'],
          properties: { from: { type: 'string', format: 'date-time' }, to: { type: 'string', format: 'date-time' } },
        },
        grain: { type: 'string', description: 'For statistics: what each value describes.' },
        method: { type: 'string', description: 'For statistics: how each value is computed.' },
        missing: {
          type: 'array',
          description: 'If something is missing: datasets without data, or the part of one that comes from `feed`, and why.',
          items: {
            type: 'object',
            required: ['dataset', 'reason'],
            properties: { dataset: text, feed: text, reason: { type: 'string', enum: ['NOT_ENABLED', 'NOT_ARRIVED', 'STALE'] } },
          },
        },
        no_match: {
          type: 'array',
          description: 'For empty lists: the parameters that no record matches, whatever the others are, and the existing values.',
          items: {
            type: 'object',
            required: ['parameter', 'near', 'available'],
            properties: {
              parameter: text,
              near: { type: ['string', 'null'], description: 'The value that was probably meant; null if none is similar.' },
              available: {
                type: 'array',
                items: text,
                description: 'At most 100 values in order; for roads the most similar; for `from` the first and last instant.',
              },
            },
          },
        },
        coverage: {
          type: 'object',
          description: 'Where the sources have no data: an empty list for such a province does not mean that nothing happens there.',
          required: ['provinces_without_data', 'note'],
          properties: {
            provinces_without_data: { type: 'array', description: 'INE codes of these provinces.', items: text },
            note: { type: ['string', 'null'], description: 'Set if the request is about one of them.' },
          },
        },
        hint: {
          type: 'string',
          description:
            'Only if the requested area (`bbox`, or `lat` and `lon`) or `path` lies outside all data. It says so if swapped coordinates, or another precision, lie within.',
        },
        note: { type: 'string', description: 'What the request may ask for and no source has.' },
        unlocated: {
          ...INT32,
          description: 'Records that match the request but have no location: without geometry, and left out by filters of place. Unit: 1.',
        },
        missing_years: { type: 'array', items: INT32, description: 'Years that no source of the statistics covers.' },
        source_mode: {
          type: 'string',
          enum: SOURCE_MODES,
          description: 'The publishers themselves, recorded captures, or a stand-in.',
        },
        sources: { type: 'array', items: ref('schemas', 'MetaSource') },
      },
    },
    MetaSource: {
      type: 'object',
      required: ['id', 'name', 'licence', 'licence_url', 'attribution', 'commercial_use'],
      properties: {
        id: text,
        name: text,
        licence: text,
        licence_url: text,
        attribution: text,
        commercial_use: { type: 'string', enum: ['yes', 'no', 'unknown'] },
      },
    },
    ...Object.fromEntries(Object.entries(GEOMETRIES).map(([type, name]) => [name, geometrySchema(type as keyof typeof GEOMETRIES)])),
  }
}

/** Describes a header, a text by default. */
const header = (description: string, more: Part = {}): Part => ({ description, schema: { type: 'string' }, ...more })

/** The headers that replies of many endpoints share. A required one is in every reply that lists it. */
export const HEADERS: Part = Object.freeze({
  ETag: header('Weak tag of the reply; send it as If-None-Match.', { required: true }),
  LastModified: header('When the reply last changed, in its data or elsewhere; absent while a part of the data cannot be read.'),
  CacheControl: header('How long the reply is fresh: until the next publication is expected.', { required: true }),
  DataAge: header('Age of the data; negative if its time is in the future, which is an error of the source. Unit: s.', {
    required: true,
    schema: INT32,
  }),
  DataAgeOfRecords: header('Age of the data; not in documents such as JSON-LD. Unit: s.', { schema: INT32 }),
  Link: header(
    'rel="next": the next page (for changes as a table, with `reset` and `more`). rel="describedby": the schema of a table\'s rows. rel="license": the licence of a table\'s source, with the attribution as title. rel="deprecation" and rel="sunset": why a path goes. rel="successor-version": what replaces it.',
  ),
  NextCursor: header('The cursor of the next page, as in the `Link` header; absent on the last page.'),
  RequestId: header('Identifies this reply; quote it when you ask for help. In every problem, and in every reply to a key.'),
  RateLimitPolicy: header('Every limit: its name, and q requests in any w seconds. Absent from public data, which caches may keep.', {
    example: '"minute";q=30;w=60, "day";q=1000;w=86400',
  }),
  RateLimit: header(
    'The state of the limits: r requests are left, t seconds until there are more, at most the window. Retry-After may be longer.',
    { example: '"minute";r=29;t=60, "day";r=999;t=86400' },
  ),
  XRateLimitLimit: header('Requests that the tightest limit admits.', { schema: INT32 }),
  XRateLimitRemaining: header('Requests left in the tightest limit.', { schema: { ...INT32, minimum: 0 } }),
  XRateLimitReset: header('Time until the tightest limit admits more. Unit: s.', { schema: { ...INT32, minimum: 0 } }),
  Allow: header('Methods that the path takes.', { required: true, example: 'GET, HEAD, OPTIONS' }),
  Location: header('The URL to continue at.', { required: true }),
  WWWAuthenticate: header('How to send a key: in the header X-API-Key.', { required: true, example: 'ApiKey realm="api"' }),
  AcceptRanges: header('Byte ranges are supported.'),
  ContentRange: header('The bytes in the reply, and the size of the file.', { example: 'bytes 100-199/1311902' }),
  ContentDisposition: header(
    'Name under which browsers save a file: path or dataset, first and last day, and ending. Replies as JSON have none.',
    { example: 'attachment; filename="combustible-historico_2026-01-01_2026-01-07.csv"' },
  ),
  RetryAfterNoData: header('With `no-data-yet`: when to try again. Unit: s.', { schema: { ...INT32, minimum: 1 } }),
  RetryAfterUnfinished: header('While the job has not ended: when to ask again. Unit: s.', { schema: { ...INT32, minimum: 1 } }),
  RetryAfter: header('When to try again. Unit: s.', { required: true, schema: { ...INT32, minimum: 1 } }),
})

/** The headers with the limits of a path. */
export const LIMIT_HEADERS: Part = Object.freeze({
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
  'X-RateLimit-Limit': ref('headers', 'XRateLimitLimit'),
  'X-RateLimit-Remaining': ref('headers', 'XRateLimitRemaining'),
  'X-RateLimit-Reset': ref('headers', 'XRateLimitReset'),
})
