import { geometrySchema, type JsonSchema } from '../../lake/schema/json.ts'
import { SOURCE_MODES } from '../../lake/system.ts'
import { essenceOf } from '../define/formats.ts'
import type { Param } from '../define/params.ts'
import { PROBLEMS, type ProblemCode } from '../define/problems.ts'

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

/** A response that is a problem of one of these codes, which share a status, with examples where there are any. */
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

/** The same of a path whose callers are told of their limits. */
export function limitedResponse(codes: readonly ProblemCode[], examples?: Part): Problems {
  const response = problemResponse(codes, examples)
  return { ...response, headers: { ...response.headers, ...LIMIT_HEADERS } }
}

/** What problems of a status say besides. */
const HEADERS_OF_STATUS: Readonly<Record<number, Part>> = {
  401: { 'WWW-Authenticate': ref('headers', 'WWWAuthenticate') },
  405: { Allow: ref('headers', 'Allow') },
  429: { 'Retry-After': ref('headers', 'RetryAfter') },
  503: { 'Retry-After': ref('headers', 'RetryAfter') },
}

/** How an operation lists a parameter. */
interface Listed {
  readonly inPath: boolean
  /** A value to send, which goes with those of the operation's other parameters. */
  readonly example: string | undefined
  /** A value that may not go with them: programs that send every `example` must not find it among those. */
  readonly other?: string | undefined
  /** The path of the list that has its values, where they come and go. */
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

/** A parameter in the path of an operation that is no endpoint; `values` are the allowed ones, if they are known. */
export function pathParameter(name: string, description: string, example: string | undefined, values?: readonly string[]): Part {
  return { name, in: 'path', required: true, description, schema: { type: 'string', ...(values ? { enum: values } : {}) }, example }
}

/** The header by which a POST is done once. */
export const IDEMPOTENCY_KEY: Part = Object.freeze({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A quoted string such as a UUID. The same key within 24 hours gets the same reply, and nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
})

/** The parameters of a path that is no endpoint, all in its query. */
export function parametersPart(params: Readonly<Record<string, Param>>): Part[] {
  return Object.entries(params).map(([name, one]) => parameterPart(name, one, { inPath: false, example: one.example }))
}

/** An operation that has nothing to do with data. */
export function operation(operationId: string, summary: string, responses: Part): Part {
  return {
    operationId,
    tags: ['platform'],
    summary,
    responses: { ...responses, 405: ref('responses', '405'), 429: ref('responses', '429') },
  }
}

/** A reply of it that is a JSON object with these members. */
export function json(description: string, example: Part, properties: Part): Part {
  const schema = { type: 'object', required: Object.keys(properties), properties }
  return { description, content: { [essenceOf('json')]: { schema, example } } }
}

/** Headers of what stays the same for a while. */
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
  return {
    Problem: {
      type: 'object',
      description: 'RFC 9457 problem.',
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
      properties: {
        type: { type: 'string', format: 'uri', description: 'Page that describes the problem.' },
        title: text,
        status: { type: 'integer', description: 'The HTTP status.' },
        detail: { type: 'string', description: 'What is wrong with this request.' },
        instance: { type: 'string', description: 'The request, as it was sent.' },
        code: { type: 'string', enum: Object.keys(PROBLEMS) },
        request_id: { type: 'string', description: 'Names this occurrence; tell it when you ask for help.' },
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['detail'],
            properties: { detail: text, parameter: text, pointer: text, value: text, allowed: { type: 'array', items: text } },
          },
        },
        missing: { type: 'array', items: text, description: 'Of no-data-yet: the datasets that have none.' },
        waits_for: {
          type: 'array',
          items: text,
          description: 'Of no-data-yet: what has to happen first, as ids of feeds or in words.',
        },
        nearest_snapshot: { ...text, description: 'Of snapshot-expired: the nearest snapshot that still exists.' },
        'violated-policies': { type: 'array', items: text, description: 'Of quota-exceeded: the limits that were reached.' },
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
            'True where any feed of the data is late by three times its cadence or down, of live states and of what they are joined with, of forecasts the data of those that are told; where its last publication lacks a block, such as a commuter network, that a list may be of; or where all forecasts that it tells are of hours that are over.',
        },
        cadence_s: { type: ['integer', 'null'], description: 'Expected time between two publications. Unit: s.' },
        timezone: { type: 'string', description: 'Zone of plain dates, days, weeks, months and years; instants are UTC.' },
        snapshot: { type: 'string', description: 'State of the lake that was read; pass it as `snapshot` to read it again.' },
        covered_from: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Oldest data that the lake holds: nothing is known of before; null where it has none.',
        },
        latest_row_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Time of the latest row that the lake holds; null where it has none.',
        },
        covered_until: {
          type: ['string', 'null'],
          format: 'date-time',
          description:
            'Up to when the lake has what was published. What is published late, such as archives by month or year, ends before: `latest_row_at` tells.',
        },
        period: {
          type: 'object',
          description: 'Of figures: the period that they are of, half-open, with its open ends closed and widened to whole steps.',
          required: ['from', 'to'],
          properties: { from: { type: 'string', format: 'date-time' }, to: { type: 'string', format: 'date-time' } },
        },
        grain: { type: 'string', description: 'Of figures: what each stands for.' },
        method: { type: 'string', description: 'Of figures: how each is made.' },
        missing: {
          type: 'array',
          description: 'Of answers that do without a source: the datasets that have nothing, and why.',
          items: {
            type: 'object',
            required: ['dataset', 'reason'],
            properties: { dataset: text, reason: { type: 'string', enum: ['NOT_ENABLED', 'NOT_ARRIVED'] } },
          },
        },
        no_match: {
          type: 'array',
          description:
            'Of empty lists: the parameters that no record matches, whatever the other parameters are, and the values that exist.',
          items: {
            type: 'object',
            required: ['parameter', 'near', 'available'],
            properties: {
              parameter: text,
              near: { type: ['string', 'null'], description: 'The value that was probably meant; null if none is similar.' },
              available: {
                type: 'array',
                items: text,
                description: 'At most 100 values in order, of roads the most similar; for `from` the first and the last instant there is.',
              },
            },
          },
        },
        coverage: {
          type: 'object',
          description: 'Where the sources of the reply have no data; an empty list of such a province does not mean that nothing is there.',
          required: ['provinces_without_data', 'note'],
          properties: {
            provinces_without_data: { type: 'array', description: 'INE codes of these provinces.', items: text },
            note: { type: ['string', 'null'], description: 'Set where the request is of one of them.' },
          },
        },
        unlocated: {
          type: 'integer',
          description:
            'Records that fit the request and cannot be located: without geometry, and left out where it selects by place. Unit: 1.',
        },
        missing_years: {
          type: 'array',
          description: 'Years that no source of the figures covers.',
          items: { type: 'integer' },
        },
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

/** The headers that replies of many endpoints share; those that are required are with every reply that tells of them. */
export const HEADERS: Part = Object.freeze({
  ETag: { description: 'Weak tag of the reply; send it as If-None-Match.', required: true, schema: { type: 'string' } },
  LastModified: {
    description: 'When the reply last changed, with its data or besides; absent where a part of the data cannot be read at the moment.',
    schema: { type: 'string' },
  },
  CacheControl: {
    description: 'How long the reply is fresh: until the next publication is expected.',
    required: true,
    schema: { type: 'string' },
  },
  DataAge: {
    required: true,
    description: 'Age of the data; negative where it is of a time to come, which is wrong. Unit: s.',
    schema: { type: 'integer' },
  },
  Link: {
    description:
      'The next page, rel="next" (of changes with `reset` and `more` where the reply is a table); of tables the schema of their rows, rel="describedby", and the licences of their sources with the attribution as title, rel="license"; of a path that goes what says why, rel="deprecation" and rel="sunset", and what takes its place, rel="successor-version".',
    schema: { type: 'string' },
  },
  RequestId: {
    description: 'Names this reply; tell it when you ask for help. With every problem, and every reply to a key.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'Every limit: its name, q requests in any w seconds. Limits are not told with data for everybody, which caches may keep.',
    schema: { type: 'string' },
    example: '"minute";q=30;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: 'Where the caller stands: r requests are left, t seconds until more are.',
    schema: { type: 'string' },
    example: '"minute";r=29;t=60, "day";r=999;t=86400',
  },
  XRateLimitLimit: { description: 'Requests that the limit with the least left admits.', schema: { type: 'integer' } },
  XRateLimitRemaining: { description: 'Requests that it has left.', schema: { type: 'integer', minimum: 0 } },
  XRateLimitReset: { description: 'Until it has more. Unit: s.', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'Methods that the path takes.', required: true, schema: { type: 'string' }, example: 'GET, HEAD, OPTIONS' },
  Location: { description: 'Where to go on.', required: true, schema: { type: 'string' } },
  SetCookie: { description: 'The session that was opened, or the end of one.', schema: { type: 'string' } },
  WWWAuthenticate: {
    required: true,
    description: 'How to show a key: in the header X-API-Key.',
    schema: { type: 'string' },
    example: 'ApiKey realm="api"',
  },
  AcceptRanges: { description: 'Ranges of bytes are taken.', schema: { type: 'string' } },
  ContentRange: { description: 'Which bytes of how many a reply has.', schema: { type: 'string' }, example: 'bytes 100-199/1311902' },
  ContentDisposition: { description: 'Name under which browsers save a file.', schema: { type: 'string' } },
  RetryAfterNoData: { description: 'Of `no-data-yet`: when to look again. Unit: s.', schema: { type: 'integer', minimum: 1 } },
  RetryAfter: { description: 'When to try again. Unit: s.', required: true, schema: { type: 'integer', minimum: 1 } },
})

/** What a path says that goes. */
export const DEPRECATION_HEADERS: Part = Object.freeze({
  Deprecation: {
    description: 'Since when the path should no longer be used, as @ and seconds since 1970 (RFC 9745); may lie ahead.',
    schema: { type: 'string' },
    example: '@1795305600',
  },
  Sunset: {
    description: 'When it answers no more (RFC 8594).',
    schema: { type: 'string' },
    example: 'Mon, 22 Nov 2027 23:59:59 GMT',
  },
  Link: ref('headers', 'Link'),
})

/** What replies of limited paths say of limits. */
export const LIMIT_HEADERS: Part = Object.freeze({
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
  'X-RateLimit-Limit': ref('headers', 'XRateLimitLimit'),
  'X-RateLimit-Remaining': ref('headers', 'XRateLimitRemaining'),
  'X-RateLimit-Reset': ref('headers', 'XRateLimitReset'),
})
