import { DEFAULT_PLANS, type PlanTable, planOfFormat } from '../../auth/plans.ts'
import type { Described } from '../../engine/feature.ts'
import { problemBody } from '../../engine/replies/problem-replies.ts'
import { listOfIds, requestOf } from '../../engine/request/example-request.ts'
import { allParams } from '../../engine/request/request.ts'
import { SECURITY_SCHEMES } from '../../features/accounts/account-openapi.ts'
import { DOCUMENTS } from '../../features/cards/documents.ts'
import { GUIDES } from '../../features/docs/documents.ts'
import { guidePath } from '../../features/docs/frame.ts'
import { groupText } from '../../features/docs/groups.ts'
import { OPEN_TO_PLAIN_HTTP } from '../../features/site/platform-openapi.ts'
import { type Endpoint, endpointId, lakeOf, pathParams } from '../../kernel/endpoint.ts'
import { exampleTexts, isListed } from '../../kernel/example.ts'
import { essenceOf, formatsOf } from '../../kernel/formats.ts'
import { methodPath } from '../../kernel/method-page.ts'
import { problemResponses } from '../../kernel/openapi-operation.ts'
import {
  commonSchemas,
  HEADERS,
  LIMIT_HEADERS,
  limitedResponse,
  NOT_MODIFIED,
  type Part,
  parameterPart,
  problemResponse,
  ref,
  withGeometryRefs,
} from '../../kernel/openapi-parts.ts'
import { PROBLEMS } from '../../kernel/problems.ts'
import { FEATURES } from '../features.ts'
import { exampleProblems } from './example-problems.ts'
import { contentOf, recordSchemas } from './openapi-replies.ts'

/**
 * Makes the OpenAPI 3.1 description from the running code. `baseUrl` is the address that clients use. `plans` limits the
 * representations. The days of example requests count from `now`; without it they are those of the example rows.
 * Operations have a member `summary_es`, for `inLanguage`.
 */
export function bilingual(
  endpoints: readonly Endpoint[],
  baseUrl: string,
  plans: PlanTable = DEFAULT_PLANS,
  now: number | null = null,
): Part {
  const about: About = { endpoints, baseUrl, plans, now }
  const features = FEATURES.map(({ describe }) => describe({ endpoints, baseUrl }))
  const joined = (part: keyof Described): Part => Object.assign({}, ...features.map((one: Described) => one[part]))
  const domains = [...new Set(endpoints.map((endpoint) => endpoint.domain))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Traffic Intelligence API',
      version: 'v1',
      summary: 'Transport data of Spain, live and historical.',
      description:
        'Instants are UTC (ISO 8601 with Z), positions are WGS84 in decimal degrees, numbers have their unit in name or schema, unknown values are null. ' +
        'Errors are application/problem+json (RFC 9457). Changes are additive: expect new members and new codes. ' +
        'Schemas require what replies without the parameter `fields` always have, as null or with a value; clients generated from them ' +
        `leave \`fields\` out. [/openapi.json?media=json](${baseUrl}/openapi.json?media=json) is this without the media types besides JSON, ` +
        'for generators that take one.\n\n' +
        'Paths of the plan FREE answer without a key, a few requests a minute. `POST /api/keys` gives a key at once; send it in the header ' +
        `\`X-API-Key\`; [/account](${baseUrl}/account) shows yours, [/plans](${baseUrl}/plans) what plans cost, contain and admit, and ` +
        `[/changelog](${baseUrl}/changelog) what changes, [/status](${baseUrl}/status) how the service is. ` +
        `Guides: ${[...GUIDES.values()].map(({ name, title }) => `[${title.en}](${baseUrl}${guidePath(name)})`).join(', ')}. ` +
        `For programs: [/openapi.json](${baseUrl}/openapi.json), [/llms.txt](${baseUrl}/llms.txt).`,
      license: { name: 'Data under the licences of its sources', url: `${baseUrl}/api/sources` },
    },
    externalDocs: { url: `${baseUrl}/docs`, description: 'Guides, and this as pages.' },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'data', description: 'All paths with data.' },
      ...domains.map((name) => ({ name, description: groupText(name).en })),
      { name: 'extra', description: 'Beyond the catalogue of the specification.' },
      { name: 'account', description: groupText('account').en },
      { name: 'webhooks', description: groupText('webhooks').en },
      { name: 'events', description: 'Events that are sent to your URL.' },
      { name: 'platform', description: groupText('platform').en },
    ],
    paths: withShared({
      ...Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, methodsOf(endpoint, about)])),
      ...joined('paths'),
    }),
    webhooks: joined('webhooks'),
    components: {
      schemas: {
        ...commonSchemas(),
        ...joined('schemas'),
        ...recordSchemas(endpoints),
      },
      responses: problemResponses(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** The headers of replies with data and of 304. */
const DATA_HEADERS: Part = Object.freeze({
  ETag: ref('headers', 'ETag'),
  'Last-Modified': ref('headers', 'LastModified'),
  'Cache-Control': ref('headers', 'CacheControl'),
  'X-Data-Age': ref('headers', 'DataAge'),
  Link: ref('headers', 'Link'),
  'X-Next-Cursor': ref('headers', 'NextCursor'),
  'Content-Disposition': ref('headers', 'ContentDisposition'),
  'X-Request-Id': ref('headers', 'RequestId'),
  ...LIMIT_HEADERS,
})

/** The responses that any request may get: for invalid HTTP, or for a fault of the service. */
const OF_ANY: Part = Object.freeze(
  Object.fromEntries(['408', '414', '417', '431', '500'].map((status) => [status, ref('responses', status)])),
)

/** Adds to every operation the shared responses, and that of plain HTTP except where plain HTTP is answered. */
function withShared(paths: Part): Part {
  const shared = ([path, methods]: [string, Record<string, Part>]): [string, Part] => {
    const more = OPEN_TO_PLAIN_HTTP.includes(path) ? OF_ANY : { ...OF_ANY, 403: ref('responses', '403PlainHttp') }
    const full = ([method, own]: [string, Part]) => [
      method,
      { description: `${own['summary']}.`, ...own, responses: { ...more, ...(own['responses'] as Part) } },
    ]
    return [path, Object.fromEntries(Object.entries(methods).map(full))]
  }
  return Object.fromEntries(Object.entries(paths as Record<string, Record<string, Part>>).map(shared))
}

const WITH_KEY = Object.freeze({ ApiKey: [] })

/** The subject of the whole description. */
interface About {
  readonly endpoints: readonly Endpoint[]
  readonly baseUrl: string
  readonly plans: PlanTable
  readonly now: number | null
}

/** The operations of an endpoint's path: GET, and POST for a parameter in the body. */
function methodsOf(endpoint: Endpoint, about: About): Part {
  const get = operation(endpoint, about)
  const { takesBody } = endpoint
  if (!takesBody) return { get }
  const { param, about: description, mediaTypes, schema, example } = takesBody
  const { 304: _unconditional, ...responses } = get['responses'] as Part
  const post = {
    ...get,
    operationId: `${endpointId(endpoint.path)}_by_body`,
    tags: [endpoint.domain, 'extra'],
    'x-example-request': requestOf(endpoint, { [param]: null }, about.now),
    parameters: (get['parameters'] as readonly Part[]).filter(({ name }) => name !== param),
    requestBody: {
      required: true,
      description,
      content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: withGeometryRefs(schema), example }])),
    },
    responses: { ...responses, 415: limitedResponse(['unsupported-media-type']) },
  }
  return { get, post }
}

function operation(endpoint: Endpoint, { endpoints, baseUrl, plans, now }: About): Part {
  const { path, domain, plan, recent, excerpts, summary, summary_es, about, explained, read, deprecated, isExtra } = endpoint
  const responses = responsesOf(endpoint, baseUrl, plans)
  return {
    operationId: endpointId(path),
    tags: [domain, 'data', ...(isExtra ? ['extra'] : [])],
    ...{ summary, summary_es },
    description: `Plan: ${plan}.${about ? ` ${about}` : ''}`,
    ...(explained ? { externalDocs: { url: `${baseUrl}${methodPath(explained)}`, description: 'How this data is made.' } } : {}),
    ...(deprecated ? { deprecated: true, 'x-sunset': deprecated.sunset } : {}),
    security: plan === 'FREE' ? [{}, WITH_KEY] : [WITH_KEY],
    'x-example-request': requestOf(endpoint, {}, now),
    'x-plan': plan,
    ...(recent ? { 'x-plan-wider': { beyond_hours: recent.hours, plan: recent.wider } } : {}),
    ...(excerpts ? { 'x-excerpts': excerpts.map(({ of, columns }) => ({ dataset: of.id, plan: of.plan.live, columns })) } : {}),
    parameters: parametersOf(endpoint, endpoints, now),
    responses: deprecated ? { ...responses, 410: problemResponse(['gone']) } : responses,
    ...(read.kind === 'lake' ? { 'x-reads': 'lake' } : {}),
  }
}

/** Describes the parameters of an endpoint. The values of its example request fit each other. */
function parametersOf(endpoint: Endpoint, endpoints: readonly Endpoint[], now: number | null): Part[] {
  const inPath = pathParams(endpoint.path)
  const asked = exampleTexts(endpoint.example, now)
  // Some lists need an area, which their own example has.
  const ids = listOfIds(endpoint, endpoints)
  return [...allParams(endpoint)].map(([name, one]) =>
    parameterPart(name, one, {
      inPath: inPath.includes(name),
      example: asked[name],
      // A parameter that the dated example leaves out refers to the past.
      other: Object.hasOwn(endpoint.example, name) ? undefined : one.example,
      ids_from: ids && isListed(endpoint.example[name]) ? requestOf(ids.list, {}, now) : undefined,
    }),
  )
}

/** Returns the responses to requests for data, by status. */
function responsesOf(endpoint: Endpoint, baseUrl: string, plans: PlanTable): Part {
  const { record } = endpoint.returns
  const content = formatsOf(endpoint.returns).map((format) => [
    essenceOf(format),
    { ...contentOf(endpoint, format), 'x-plan': planOfFormat(plans, format) },
  ])
  const documents = documentContents(endpoint)
  const isAged = Object.keys(documents).length === 0
  const headers = isAged ? DATA_HEADERS : { ...DATA_HEADERS, 'X-Data-Age': ref('headers', 'DataAgeOfRecords') }
  return {
    200: { description: record.about, headers, content: { ...Object.fromEntries(content), ...documents } },
    304: { ...NOT_MODIFIED, headers: DATA_HEADERS },
    ...ownProblems(endpoint, baseUrl),
    406: ref('responses', '406Limited'),
    429: ref('responses', isOfLake(endpoint) ? '429Lake' : '429'),
    ...Object.fromEntries(['401', '403', '408', '413', '414', '417', '431', '500'].map((status) => [status, ref('responses', status)])),
  }
}

/** Describes the documents that an endpoint returns to callers who prefer their media type. */
function documentContents({ path }: Endpoint): Part {
  const documents = DOCUMENTS.get(path) ?? []
  return Object.fromEntries(
    documents.map(({ type, about }) => [
      type,
      { schema: { type: type.startsWith('text/') ? 'string' : 'object', description: about }, 'x-plan': 'FREE' },
    ]),
  )
}

/** True if answers may cost a query of the lake, which is limited in number per caller. */
function isOfLake(endpoint: Endpoint): boolean {
  const { read } = endpoint
  return read.kind === 'lake' || lakeOf(endpoint).length > 0 || (read.kind === 'memory' && read.past !== undefined)
}

/** Returns the endpoint's specific problems by status, each with examples by code. */
function ownProblems(endpoint: Endpoint, baseUrl: string): Part {
  const byStatus = Map.groupBy(exampleProblems(endpoint), ({ problem }) => problem.status)
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => {
      const examples = list.map(({ problem, instance }) => {
        const { code } = problem
        return [code, { summary: PROBLEMS[code].title, value: problemBody(problem, { baseUrl, instance, request_id: REQUEST_ID }) }]
      })
      const codes = list.map(({ problem }) => problem.code)
      return [status, limitedResponse(codes, Object.fromEntries(examples))]
    }),
  )
}

const REQUEST_ID = 'req_0f8b1c52-6d0e-4c53-9a2b-7f0d7f0b8a11'
