import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import { currentSnapshot, metadataBytes, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { loadOrRefuse } from '../../../lake/iceberg/refusal.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { FULL_COST, RequestContext } from '../../auth/request-context.ts'
import { countRequest } from '../../engine/replies/context-replies.ts'
import { problemOf } from '../../engine/replies/problem-replies.ts'
import { matchesTag, refuseLongUrl } from '../../kernel/http/headers.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { SAMPLE } from '../../kernel/sample.ts'
import type { Catalogue } from './catalogue.ts'
import { answerErrors, asIceberg, icebergError, noTable } from './errors.ts'
import type { LakeParts } from './parts.ts'
import { type Access, GRANT_STEP_MS, type openStorage, type SignRequest, signRead } from './storage.ts'

/** The root of the catalogue: the `uri` of clients. */
export const CATALOGUE_PATH = '/lake/iceberg'
const NAMESPACES = `${CATALOGUE_PATH}/v1/namespaces`
const NAMESPACE = `${NAMESPACES}/{namespace}`
const TABLES = `${NAMESPACE}/tables`
const TABLE = `${TABLES}/{table}`

/** The paths of the catalogue. */
export const PATHS = Object.freeze({
  config: `${CATALOGUE_PATH}/v1/config`,
  namespaces: NAMESPACES,
  namespace: NAMESPACE,
  tables: TABLES,
  table: TABLE,
  credentials: `${TABLE}/credentials`,
  metrics: `${TABLE}/metrics`,
  sign: `${TABLE}/sign`,
})

/** What is served, as `config` lists it. The prefix is the specification's; ours is empty. */
export const ENDPOINTS: readonly string[] = Object.freeze([
  'GET /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
])

/** Only where the lake is in a bucket. */
const SIGN = 'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign'

/** Results of a page if the client does not say how many it takes. */
const PAGE_SIZE = 100
const REQUESTS = 16
/** Largest report of metrics, in bytes. */
const REPORT_BYTES = 1024 ** 2

/** A reply: null for one without a body. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A request to the catalogue, by a caller with a key. */
interface Asked {
  readonly context: RequestContext
  readonly params: { readonly namespace: string; readonly table: string }
  readonly query: URLSearchParams
  readonly request: FastifyRequest
}

/** Registers the catalogue: the reading part of the Iceberg REST specification. */
export function registerCatalogue(
  app: FastifyInstance,
  parts: LakeParts & { readonly catalogue: Catalogue; readonly storage: ReturnType<typeof openStorage> },
): void {
  const { catalogue, storage, lake, bucket, clock } = parts
  const stateOf = async ({ context, params: { namespace, table } }: Asked): Promise<TableState> => {
    const state = await lake.table(catalogue.table(context, namespace, table)).load()
    if (!state) throw noTable(namespace, table, 'There are no data yet in the table')
    return state
  }
  const accessOf = (state: TableState, { context, request: { raw } }: Asked): Access => {
    const delegation = new Set(
      String(raw.headers['x-iceberg-access-delegation'] ?? '')
        .split(',')
        .map((one) => one.trim()),
    )
    const [path = ''] = (raw.url ?? '').split(/\/credentials$|\?/, 1)
    return storage(state, { delegation, readsAll: catalogue.readsAll(context), path })
  }
  const credentials = async (access: Access) => {
    const { prefix, config } = await access.grant(clock())
    return { config, 'storage-credentials': [{ prefix, config }] }
  }
  const existing = async (datasets: ReadonlyMap<string, Dataset>): Promise<string[]> => {
    const limit = pLimit(REQUESTS)
    const found = await Promise.all(
      Array.from(datasets, ([name, dataset]) => limit(async () => ((await loadOrRefuse(lake.table(dataset), dataset)) ? [name] : []))),
    )
    return found.flat()
  }
  const routes: readonly (readonly [methods: readonly string[], path: string, answer: (asked: Asked) => Answer | Promise<Answer>])[] = [
    [
      ['GET'],
      PATHS.config,
      // Keys do not expire with a session: a client must not try to exchange them.
      () =>
        json({
          ...{ defaults: { 'token-refresh-enabled': 'false' }, overrides: {} },
          endpoints: bucket ? [...ENDPOINTS, SIGN] : ENDPOINTS,
        }),
    ],
    [
      ['GET'],
      PATHS.namespaces,
      ({ context, query }) => {
        const parent = query.get('parent') ?? ''
        if (parent !== '') catalogue.tables(context, parent)
        const { page, next } = pageOf(parent === '' ? catalogue.namespaces(context) : [], query)
        return json({ namespaces: page.map((name) => [name]), 'next-page-token': next })
      },
    ],
    [
      ['GET', 'HEAD'],
      PATHS.namespace,
      ({ context, params: { namespace }, request }) => {
        catalogue.tables(context, namespace)
        return isHead(request) ? NO_CONTENT : json({ namespace: [namespace], properties: {} })
      },
    ],
    [
      ['GET'],
      PATHS.tables,
      async ({ context, params: { namespace }, query }) => {
        const { page, next } = pageOf(await existing(catalogue.tables(context, namespace)), query)
        return json({ identifiers: page.map((name) => ({ namespace: [namespace], name })), 'next-page-token': next })
      },
    ],
    [
      ['GET', 'HEAD'],
      PATHS.table,
      async (asked) => {
        const state = await stateOf(asked)
        if (isHead(asked.request)) return NO_CONTENT
        const refsOnly = choiceOf('snapshots', asked.query, ['all', 'refs']) === 'refs'
        const access = accessOf(state, asked)
        const etag = tagOf(state, [refsOnly, access.kind, Math.floor(clock() / GRANT_STEP_MS)])
        const { 'if-none-match': noneMatch } = asked.request.raw.headers
        if (noneMatch !== undefined && matchesTag(noneMatch, etag)) return { status: 304, headers: { ETag: etag }, body: null }
        const { location, metadata } = await access.describe()
        // The metadata as text: ids of 64 bits are no numbers of JavaScript.
        const text = metadataBytes(refsOnly ? referenced(metadata) : metadata).toString()
        const [before, after] = JSON.stringify({ 'metadata-location': location, metadata: 0, ...(await credentials(access)) }).split(
          '"metadata":0',
        )
        return { headers: { ETag: etag }, body: `${before}"metadata":${text}${after}` }
      },
    ],
    [
      ['GET'],
      PATHS.credentials,
      async (asked) => {
        const { 'storage-credentials': given } = await credentials(accessOf(await stateOf(asked), asked))
        return json({ 'storage-credentials': given })
      },
    ],
    [['POST'], PATHS.metrics, async (asked) => stateOf(asked).then(() => NO_CONTENT)],
    [
      ['POST'],
      PATHS.sign,
      async (asked) => {
        const state = await stateOf(asked)
        return bucket
          ? json(await signRead(state, (asked.request.body ?? {}) as SignRequest, { bucket, now: clock() }))
          : unsupported(asked)
      },
    ],
  ]
  void app.register(async (scope) => {
    answerErrors(scope, parts.log, asIceberg)
    for (const [method, path, answer] of routes) {
      const counters = { count: parts.requests.usageOf(path), countReply: parts.groups.ofPath('export', path) }
      scope.route({
        ...{ method: [...method], url: path.replaceAll(/\{(\w+)\}/g, ':$1'), bodyLimit: REPORT_BYTES },
        config: { counters },
        handler: (request, reply) => serve(request, reply, { parts, counters, answer }),
      })
    }
    const path = `${CATALOGUE_PATH}/{path}`
    const counters = { count: parts.requests.usageOf(path), countReply: parts.groups.ofPath('export', path) }
    scope.route({
      ...{ method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], url: `${CATALOGUE_PATH}/*`, bodyLimit: REPORT_BYTES },
      config: { counters },
      handler: (request, reply) => serve(request, reply, { parts, counters, answer: unsupported }),
    })
  })
}

/** The reply to an operation that the catalogue does not have. */
function unsupported({ request: { method, url } }: Asked): Answer {
  const path = url.split('?', 1)[0]?.slice(0, 500)
  return { status: 501, body: icebergError(501, `The catalogue does not have ${method} ${path}; GET ${PATHS.config} lists its endpoints.`) }
}

/** Answers a request by a key, and charges and counts it. Signing one is free, as reading a file is. */
async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    parts,
    counters,
    answer,
  }: {
    readonly parts: LakeParts
    readonly counters: Parameters<typeof countRequest>[0]
    readonly answer: (asked: Asked) => Answer | Promise<Answer>
  },
): Promise<void> {
  const { raw } = request
  takeBearer(request)
  const context = new RequestContext(parts, raw)
  try {
    refuseLongUrl(raw)
    await context.identify()
    if (!context.caller.key) throw noKey()
    if (!request.routeOptions.url?.endsWith('/sign')) await context.charge(FULL_COST)
    const query = new URL(raw.url ?? '/', 'http://localhost').searchParams
    const { status = 200, headers, body } = await answer({ context, params: request.params as Asked['params'], query, request })
    // An operation that we do not have is no outage of ours, although the protocol has a 5xx for it.
    countRequest(counters, context, status === 501 ? 404 : status)
    await reply
      .code(status)
      .headers({ ...context.headers(status), 'Cache-Control': 'private, no-cache', ...headers, ...(body === null ? {} : JSON_TYPE) })
      .send(body === null || isHead(request) ? undefined : Buffer.from(body))
  } catch (error) {
    const refused = await context.chargeProblem(problemOf(error))
    countRequest(counters, context, refused.status)
    throw problem(refused.code, `${refused.message}${adviceOn(refused)}`, {
      ...refused.options,
      headers: { ...context.limits(refused.status), ...refused.options.headers },
    })
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const NO_CONTENT: Answer = { status: 204, body: null }

const json = (body: object): Answer => ({ body: JSON.stringify(body) })
const isHead = ({ raw }: FastifyRequest): boolean => raw.method === 'HEAD'

/** Takes a key that came as a bearer token, which is how clients of catalogues send one, as if it were in X-API-Key. */
function takeBearer({ raw: { headers } }: FastifyRequest): void {
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined || headers['x-api-key'] !== undefined) return
  headers['x-api-key'] = token
  delete headers.authorization
}

function noKey(): Problem {
  return problem('key-required', 'The catalogue needs an API key as bearer token: POST /api/keys gives a free one.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="lake"' },
  })
}

function adviceOn({ code }: Problem): string {
  return code === 'plan-required' ? ` Every key may read the namespace ${SAMPLE}.` : ''
}

/** A page of names in order, and the token of the next one; all of them if the client does not ask for pages. */
function pageOf(names: readonly string[], query: URLSearchParams): { readonly page: readonly string[]; readonly next?: string } {
  const token = query.get('pageToken')
  if (token === null) return { page: names }
  const asked = query.get('pageSize') ?? String(PAGE_SIZE)
  const size = Number(asked)
  if (!Number.isSafeInteger(size) || size < 1)
    throw problem('invalid-parameter', `pageSize=${asked.slice(0, 40)}: expected a whole number from 1 on.`)
  const last = Buffer.from(token, 'base64url').toString()
  const left = names.filter((name) => name > last)
  const page = left.slice(0, size)
  return { page, ...(left.length > size ? { next: Buffer.from(page.at(-1) as string).toString('base64url') } : {}) }
}

/** The value of a parameter; the first one by default. Throws for any other. */
function choiceOf(name: string, query: URLSearchParams, allowed: readonly [string, ...string[]]): string {
  const value = query.get(name) ?? allowed[0]
  if (!allowed.includes(value)) throw problem('invalid-parameter', `${name}=${value.slice(0, 40)}: expected ${allowed.join(' or ')}.`)
  return value
}

/** A strong tag of a table's state, and of what else its reply depends on. */
function tagOf({ version, metadata }: TableState, more: readonly unknown[]): string {
  const text = JSON.stringify([metadata['table-uuid'], version, ...more])
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** Metadata with the snapshots of branches and tags only. */
function referenced(metadata: TableMetadata): TableMetadata {
  const ids = new Set(Object.values(metadata.refs ?? {}).map((ref) => String(ref['snapshot-id'])))
  const current = currentSnapshot(metadata)
  if (current) ids.add(String(current['snapshot-id']))
  return { ...metadata, snapshots: metadata.snapshots.filter((snapshot) => ids.has(String(snapshot['snapshot-id']))) }
}
