import type { JsonSchema } from '../../lake/schema/json.ts'
import { type Endpoint, pathParams } from '../define/endpoint.ts'
import type { Param } from '../define/params.ts'
import { FORMATS, isLocated } from '../define/params-page.ts'
import { PROBLEMS, type ProblemCode } from '../define/problems.ts'
import { membersOf, recordSchema } from '../define/shape.ts'
import { MEDIA_TYPES } from './answer.ts'
import { allParams } from './request.ts'

type Part = Record<string, unknown>

const ref = (kind: string, name: string): Part => ({ $ref: `#/components/${kind}/${name}` })
const essence = (type: string): string => type.split(';')[0] as string

/** The OpenAPI 3.1 description of the service, made from what runs. `baseUrl` is the address that clients use. */
export function openapi(endpoints: readonly Endpoint[], baseUrl: string): Part {
  const domains = [...new Set(endpoints.map((endpoint) => endpoint.domain))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Traffic Intelligence API',
      version: 'v1',
      summary: 'Transport data of Spain, live and historical.',
      description:
        'Instants are UTC (ISO 8601 with Z), positions WGS84 decimal degrees, numbers carry their unit in name or schema, what is not known is null. ' +
        'Errors are application/problem+json (RFC 9457). Changes are additive: expect new members and new codes.',
      license: { name: 'Data under the licences of its sources', url: `${baseUrl}/api/sources` },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'data', description: 'Everything that answers with data.' },
      ...domains.map((name) => ({ name, description: `Data of the domain ${name}.` })),
      { name: 'platform', description: 'What runs the service.' },
    ],
    paths: {
      ...Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: operation(endpoint) }])),
      ...platformPaths(),
    },
    components: {
      schemas: { ...commonSchemas(), ...Object.fromEntries(endpoints.flatMap(recordSchemas)) },
      responses: problemResponses(),
      headers: HEADERS,
    },
  }
}

/** One problem of each status that any request for data may end in. */
const ANY_TIME: readonly ProblemCode[] = [
  'invalid-parameter',
  'not-acceptable',
  'request-timeout',
  'payload-too-large',
  'uri-too-long',
  'headers-too-large',
  'internal',
  'feed-unavailable',
]

function operation(endpoint: Endpoint): Part {
  const { path, domain, plan, summary, about, returns, read } = endpoint
  const inPath = pathParams(path)
  const problems: ProblemCode[] = inPath.length > 0 ? ['not-found', ...ANY_TIME] : [...ANY_TIME]
  return {
    operationId: operationId(path),
    tags: ['data', domain],
    summary,
    ...(about ? { description: about } : {}),
    'x-plan': plan,
    parameters: [...allParams(endpoint)].map(([name, one]) =>
      parameter(name, one, { inPath: inPath.includes(name), example: endpoint.example[name] }),
    ),
    responses: {
      200: {
        description: returns.record.about,
        headers: {
          ETag: ref('headers', 'ETag'),
          'Last-Modified': ref('headers', 'LastModified'),
          'Cache-Control': ref('headers', 'CacheControl'),
          'X-Data-Age': ref('headers', 'DataAge'),
          ...(returns.kind === 'list' ? { Link: ref('headers', 'Link') } : {}),
        },
        content: Object.fromEntries(
          (isLocated(returns.record.fields) ? FORMATS : (['json'] as const)).map((format) => [
            essence(MEDIA_TYPES[format]),
            { schema: format === 'json' ? replySchema(endpoint) : featureSchema(endpoint) },
          ]),
        ),
      },
      304: { description: 'The copy that If-None-Match names is still good.' },
      ...Object.fromEntries(problems.map((code) => [PROBLEMS[code].status, ref('responses', String(PROBLEMS[code].status))])),
    },
    ...(read.kind === 'lake' ? { 'x-reads': 'lake' } : {}),
  }
}

/** A path as a name: `/api/incidents/{id}/history` gives `incidents_by_id_history`. */
function operationId(path: string): string {
  return path
    .split('/')
    .slice(2)
    .map((part) => part.replace(/^\{(\w+)\}$/, 'by_$1').replaceAll('-', '_'))
    .join('_')
}

function parameter(name: string, one: Param, options: { readonly inPath: boolean; readonly example: string | undefined }): Part {
  const example = options.example ?? one.example
  const typed = example === undefined ? undefined : typedExample(one, example)
  return {
    name,
    in: options.inPath ? 'path' : 'query',
    required: options.inPath || one.required,
    description: one.about,
    schema: one.list ? { type: 'array', items: one.schema } : one.schema,
    ...(one.list ? { style: 'form', explode: false } : {}),
    ...(typed === undefined ? {} : { example: typed }),
  }
}

function typedExample(one: Param, text: string): unknown {
  const { type } = one.schema as { type?: string }
  const value = (part: string): unknown =>
    type === 'integer' || type === 'number' ? Number(part) : type === 'boolean' ? part === 'true' : part
  return one.list ? text.split(',').map(value) : value(text)
}

/** The schema of an endpoint's JSON reply. */
function replySchema({ returns, read }: Endpoint): JsonSchema {
  const record = ref('schemas', returns.record.name)
  if (returns.kind === 'one')
    return { allOf: [record, { type: 'object', required: ['meta'], properties: { meta: ref('schemas', 'Meta') } }] }
  const counted = read.kind === 'live' || read.kind === 'system'
  return {
    type: 'object',
    required: ['total', 'updated_at', returns.name, ...(read.kind === 'changes' ? ['reset', 'more', 'next_cursor'] : []), 'meta'],
    properties: { ...listMembers(counted), [returns.name]: { type: 'array', items: record }, ...tailMembers(read.kind === 'changes') },
  }
}

/** The schema of an endpoint's GeoJSON reply. */
function featureSchema({ returns, read }: Endpoint): JsonSchema {
  const properties = Object.fromEntries(
    membersOf(returns.record.fields)
      .filter(({ name }) => name !== 'lat' && name !== 'lon')
      .map(({ name, schema }) => [name, schema]),
  )
  const feature = {
    type: 'object',
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { const: 'Feature' },
      id: { type: 'string' },
      geometry: { anyOf: [ref('schemas', 'PointGeometry'), { type: 'null' }] },
      properties: { type: 'object', properties },
    },
  }
  if (returns.kind === 'one') return { ...feature, properties: { ...feature.properties, meta: ref('schemas', 'Meta') } }
  return {
    type: 'object',
    required: ['type', 'features', 'total', 'updated_at', 'meta'],
    properties: {
      type: { const: 'FeatureCollection' },
      bbox: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4, description: 'West, south, east, north.' },
      ...listMembers(read.kind === 'live' || read.kind === 'system'),
      features: { type: 'array', items: feature },
      ...tailMembers(read.kind === 'changes'),
    },
  }
}

function listMembers(counted: boolean): Part {
  return {
    total: counted
      ? { type: 'integer', minimum: 0, description: 'Records that the request chooses, on this page and others.' }
      : { type: ['integer', 'null'], minimum: 0, description: 'Records that the request chooses; null unless they were counted.' },
    updated_at: { type: ['string', 'null'], format: 'date-time', description: 'Time of the data; null where there is none yet.' },
  }
}

function tailMembers(changes: boolean): Part {
  return {
    ...(changes
      ? {
          reset: { type: 'boolean', description: 'True where the log cannot say what came after the cursor: read the list anew.' },
          more: { type: 'boolean', description: 'True where there are more changes already.' },
        }
      : {}),
    next_cursor: { type: 'string', description: changes ? 'Cursor of the next look.' : 'Cursor of the next page; absent on the last.' },
    meta: ref('schemas', 'Meta'),
  }
}

function recordSchemas({ returns }: Endpoint): [string, JsonSchema][] {
  return [[returns.record.name, recordSchema(returns.record, { strict: false })]]
}

function commonSchemas(): Record<string, JsonSchema> {
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
            properties: { detail: text, parameter: text, value: text, allowed: { type: 'array', items: text } },
          },
        },
      },
    },
    Meta: {
      type: 'object',
      description: 'Where the data comes from and how fresh it is.',
      required: ['stale', 'cadence_s', 'timezone', 'source_mode', 'sources'],
      properties: {
        stale: { type: 'boolean', description: 'True where a feed of the data is late by three times its cadence or down.' },
        cadence_s: { type: ['integer', 'null'], description: 'Expected time between two publications. Unit: s.' },
        timezone: { type: 'string', description: 'Zone of plain dates, days, weeks, months and years; instants are UTC.' },
        snapshot: { type: 'string', description: 'State of the lake that was read; pass it as `snapshot` to read it again.' },
        covered_until: { type: ['string', 'null'], format: 'date-time', description: 'Newest data that the lake holds.' },
        source_mode: {
          type: 'string',
          enum: ['live', 'replay', 'simulated'],
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
    PointGeometry: {
      type: 'object',
      required: ['type', 'coordinates'],
      properties: { type: { const: 'Point' }, coordinates: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } },
    },
  }
}

const HEADERS: Part = Object.freeze({
  ETag: { description: 'Weak tag of the reply; send it as If-None-Match.', schema: { type: 'string' } },
  LastModified: { description: 'Time of the data.', schema: { type: 'string' } },
  CacheControl: { description: 'How long the reply is fresh: until the next publication is expected.', schema: { type: 'string' } },
  DataAge: { description: 'Age of the data. Unit: s.', schema: { type: 'integer', minimum: 0 } },
  Link: { description: 'The next page, rel="next".', schema: { type: 'string' } },
})

/** One response per status, for all problems that share it. */
function problemResponses(): Part {
  const used = new Set<number>([404, 405, ...ANY_TIME.map((code) => PROBLEMS[code].status)])
  const byStatus = Map.groupBy(
    Object.entries(PROBLEMS).filter(([, { status }]) => used.has(status)),
    ([, { status }]) => status,
  )
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [
      String(status),
      {
        description: kinds.map(([code, { title }]) => `\`${code}\`: ${title}.`).join(' '),
        content: { 'application/problem+json': { schema: ref('schemas', 'Problem') } },
      },
    ]),
  )
}

/** Paths that are no data. */
function platformPaths(): Part {
  const json = (description: string): Part => ({ description, content: { 'application/json': { schema: { type: 'object' } } } })
  const get = (operationId: string, summary: string, responses: Part): Part => ({
    get: { operationId, tags: ['platform'], summary, responses: { ...responses, 405: ref('responses', '405') } },
  })
  return {
    '/health': get('health', 'Whether the process runs', { 200: json('It does.') }),
    '/ready': get('ready', 'Whether Redis and the lake answer', { 200: json('They do.'), 503: json('One of them does not.') }),
    '/openapi.json': get('openapi', 'This description', { 200: json('OpenAPI 3.1.') }),
    '/problems/{code}': {
      get: {
        operationId: 'problem_by_code',
        tags: ['platform'],
        summary: 'What a problem means, for people',
        parameters: [
          {
            name: 'code',
            in: 'path',
            required: true,
            description: 'Code of the problem.',
            schema: { type: 'string', enum: Object.keys(PROBLEMS) },
          },
        ],
        responses: {
          200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
          404: ref('responses', '404'),
        },
      },
    },
  }
}
