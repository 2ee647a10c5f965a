import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import { currentSnapshot, metadataBytes, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { loadOrRefuse } from '../../../lake/iceberg/refusal.ts'
import type { Table, TableState } from '../../../lake/iceberg/table.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { takeBearer } from '../../auth/callers.ts'
import { FULL_COST, RequestContext } from '../../auth/request-context.ts'
import { countRequest } from '../../engine/replies/context-replies.ts'
import { problemOf } from '../../engine/replies/problem-replies.ts'
import { matchesTag, refuseLongUrl } from '../../kernel/http/headers.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { SAMPLE } from '../../kernel/sample.ts'
import { type Answer, type Answerer, type Asked, choiceOf, isHead, json, NO_CONTENT, pageOf } from './asked.ts'
import type { Catalogue } from './catalogue.ts'
import { answerErrors, asIceberg, icebergError, noTable } from './errors.ts'
import { OWN, type OwnTables } from './own-tables.ts'
import type { LakeParts } from './parts.ts'
import type { ServedFiles } from './served-files.ts'
import { type Access, GRANT_STEP_MS, type openStorage, type SignRequest, signRead } from './storage.ts'
import { writeAnswers } from './write-answers.ts'
import { exactJson } from './writes.ts'

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

/** Where clients exchange a `credential` for a token, before they have one. */
const OAUTH = `${CATALOGUE_PATH}/v1/oauth/tokens`

/** What is served to lake writers besides. */
export const WRITER_ENDPOINTS: readonly string[] = Object.freeze([
  'POST /v1/{prefix}/namespaces/{namespace}/tables',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}',
])

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

const REQUESTS = 16
/** Largest report of metrics, and largest commit, in bytes. */
const BODY_BYTES = 1024 ** 2

/** Registers the catalogue: of the Iceberg REST specification what reads, and for lake writers what changes tables. */
export function registerCatalogue(
  app: FastifyInstance,
  parts: LakeParts & {
    readonly catalogue: Catalogue
    readonly files: ServedFiles
    readonly own: OwnTables
    readonly storage: ReturnType<typeof openStorage>
  },
): void {
  const { catalogue, storage, lake, bucket, clock, own } = parts
  const tableOf = async ({ context, params: { namespace, table } }: Asked): Promise<{ table: Table; dataset: Dataset | null }> => {
    // Throws for a key that may not see the namespace.
    if (namespace === OWN && catalogue.tables(context, OWN)) return { table: await own.find(table), dataset: null }
    const dataset = catalogue.table(context, namespace, table)
    return { table: lake.table(dataset), dataset }
  }
  const stateOf = async (asked: Asked): Promise<TableState> => {
    const { namespace, table } = asked.params
    // A writer continues the newest version.
    const state = await (await tableOf(asked)).table.load({ isFresh: catalogue.writes(asked.context) })
    if (!state) throw noTable(namespace, table, 'There are no data yet in the table')
    return state
  }
  const accessOf = (state: TableState, { context, request: { raw } }: Asked, at = raw.url ?? ''): Access => {
    const delegation = new Set(
      String(raw.headers['x-iceberg-access-delegation'] ?? '')
        .split(',')
        .map((one) => one.trim()),
    )
    const [path = ''] = at.split(/(?:\/credentials)?(?:\?|$)/, 1)
    return storage(state, { delegation, readsAll: catalogue.readsAll(context), isWriter: catalogue.writes(context), path })
  }
  const loaded = async (access: Access, { refsOnly = false, headers = {} } = {}): Promise<Answer> => {
    const { location, metadata } = await access.describe()
    // The metadata as text: ids of 64 bits are no numbers of JavaScript.
    const text = metadataBytes(refsOnly ? referenced(metadata) : metadata).toString()
    const [before, after] = JSON.stringify({ 'metadata-location': location, metadata: 0, ...(await credentials(access)) }).split(
      '"metadata":0',
    )
    return { headers, body: `${before}"metadata":${text}${after}` }
  }
  const credentials = async (access: Access) => {
    const { prefix, config } = await access.grant(clock())
    return { config, 'storage-credentials': [{ prefix, config }] }
  }
  const written = writeAnswers(parts, { tableOf, loaded: (state, asked, at) => loaded(accessOf(state, asked, at)) })
  const existing = async (datasets: ReadonlyMap<string, Dataset>): Promise<string[]> => {
    const limit = pLimit(REQUESTS)
    const found = await Promise.all(
      Array.from(datasets, ([name, dataset]) => limit(async () => ((await loadOrRefuse(lake.table(dataset), dataset)) ? [name] : []))),
    )
    return found.flat()
  }
  const routes: readonly (readonly [methods: readonly string[], path: string, answer: Answerer])[] = [
    [
      ['GET'],
      PATHS.config,
      // Keys do not expire with a session: a client must not try to exchange them.
      ({ context }) =>
        json({
          ...{ defaults: { 'token-refresh-enabled': 'false' }, overrides: {} },
          endpoints: [...ENDPOINTS, ...(bucket ? [SIGN] : []), ...(catalogue.writes(context) ? WRITER_ENDPOINTS : [])],
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
        const datasets = catalogue.tables(context, namespace)
        const { page, next } = pageOf(namespace === OWN ? await own.names() : await existing(datasets), query)
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
        return loaded(access, { refsOnly, headers: { ETag: etag } })
      },
    ],
    [['POST'], PATHS.tables, written.create],
    [['POST'], PATHS.table, written.commit],
    [['DELETE'], PATHS.table, written.drop],
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
      async (asked) =>
        bucket
          ? json(await signRead(await stateOf(asked), (asked.request.body ?? {}) as SignRequest, { bucket, now: clock() }))
          : unsupported(asked),
    ],
  ]
  void app.register(async (scope) => {
    answerErrors(scope, parts.log, asIceberg)
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      try {
        done(null, exactJson(body as string))
      } catch (cause) {
        done(problem('malformed-request', 'The request body is not JSON.', { cause }))
      }
    })
    for (const [method, path, answer] of routes) {
      const counters = { count: parts.requests.usageOf(path), countReply: parts.groups.ofPath('export', path) }
      scope.route({
        ...{ method: [...method], url: path.replaceAll(/\{(\w+)\}/g, ':$1'), bodyLimit: BODY_BYTES },
        config: { counters },
        handler: (request, reply) => serve(request, reply, { parts, counters, answer }),
      })
    }
  })
  void app.register(async (scope) => {
    answerErrors(scope, parts.log, asIceberg)
    // What is not served is not read: a form of OAuth gets the same reply as JSON.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    const path = `${CATALOGUE_PATH}/{path}`
    const counters = { count: parts.requests.usageOf(path), countReply: parts.groups.ofPath('export', path) }
    scope.route({
      ...{ method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], url: `${CATALOGUE_PATH}/*` },
      config: { counters },
      handler: (request, reply) => serve(request, reply, { parts, counters, answer: unsupported }),
    })
  })
}

/** The reply to an operation that the catalogue does not have. */
function unsupported({ request: { method, url } }: Asked): Answer {
  const path = url.split('?', 1)[0]?.slice(0, 500)
  const instead = path === OAUTH ? 'the token is an API key.' : `GET ${PATHS.config} lists its endpoints.`
  return { status: 501, body: icebergError(501, `The catalogue does not have ${method} ${path}; ${instead}`) }
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
    readonly answer: Answerer
  },
): Promise<void> {
  const { raw } = request
  takeBearer(raw)
  const context = new RequestContext(parts, raw)
  try {
    refuseLongUrl(raw)
    await context.identify()
    if (!context.caller.key && answer !== unsupported) throw noKey()
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

function noKey(): Problem {
  return problem('key-required', 'The catalogue needs an API key as bearer token: POST /api/keys gives a free one.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="lake"' },
  })
}

function adviceOn({ code, options }: Problem): string {
  return code === 'plan-required' && !options.extensions?.['type'] ? ` Every key may read the namespace ${SAMPLE}.` : ''
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
