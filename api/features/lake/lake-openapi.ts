import { LIMIT_HEADERS, type Part, pathParameter, ref, type Summary } from '../../kernel/openapi-parts.ts'
import { ENDPOINTS, PATHS } from './routes.ts'

const TABLE = { namespace: 'road', name: 'incidents' }
const NAMESPACE_PARAMETER = pathParameter('namespace', 'Namespace: a domain, or `sample`.', TABLE.namespace)
const TABLE_PARAMETER = pathParameter('table', 'Table: the id of a dataset.', TABLE.name)
const PAGES: readonly Part[] = [
  query('pageToken', 'Token of the next page; empty for the first. Without it, the reply has everything.', { type: 'string' }),
  query('pageSize', 'Results in a page, 100 by default. Unit: results.', { type: 'integer', format: 'int32', minimum: 1 }),
]

const TEXT = { type: 'string' }
const TEXTS = { type: 'object', additionalProperties: TEXT }
const listOf = (items: Part): Part => ({ type: 'array', items })
const object = (properties: Part, required: readonly string[] = Object.keys(properties)): Part => ({ type: 'object', required, properties })
const NEXT = { 'next-page-token': { type: 'string', description: 'Absent on the last page.' } }
const CREDENTIALS = { 'storage-credentials': listOf(object({ prefix: TEXT, config: TEXTS })) }
const GIVEN = [
  { prefix: 's3://lake/files/road/incidents', config: { 's3.endpoint': 'https://api.example.org', 's3.access-key-id': 'tia-lake' } },
]
const REQUEST_ID = { 'X-Request-Id': ref('headers', 'RequestId') }

/** Describes the catalogue. Its errors have the form of the Iceberg REST specification, not of RFC 9457. */
export function lakePaths(): Part {
  return {
    [PATHS.config]: {
      get: operation('lake_config', ['Iceberg catalogue: what it serves', 'Catálogo Iceberg: qué sirve'], {
        about:
          'The tables of the lake as an Iceberg REST catalogue, for DuckDB, PyIceberg, Spark and others: their address is `/lake/iceberg`, their ' +
          'token an API key. ENTERPRISE reads all tables, other plans the namespace `sample`. What is not listed answers 501.',
        parameters: [query('warehouse', 'Ignored: there is one.', TEXT)],
        reply: [
          object({ defaults: TEXTS, overrides: TEXTS, endpoints: listOf(TEXT) }),
          { defaults: { 'token-refresh-enabled': 'false' }, overrides: {}, endpoints: ENDPOINTS },
        ],
      }),
    },
    [PATHS.namespaces]: {
      get: operation('lake_namespaces', ['Iceberg catalogue: namespaces', 'Catálogo Iceberg: espacios de nombres'], {
        about: 'The namespaces that the plan of the key may read.',
        parameters: [query('parent', 'A namespace: none has others below it.', TEXT), ...PAGES],
        reply: [object({ namespaces: listOf(listOf(TEXT)), ...NEXT }, ['namespaces']), { namespaces: [['road'], ['sample']] }],
        statuses: ['400', '404'],
      }),
    },
    [PATHS.namespace]: {
      get: operation('lake_namespace', ['Iceberg catalogue: one namespace', 'Catálogo Iceberg: un espacio de nombres'], {
        about: 'HEAD answers 204 if it exists.',
        parameters: [NAMESPACE_PARAMETER],
        reply: [object({ namespace: listOf(TEXT), properties: TEXTS }), { namespace: ['road'], properties: {} }],
        statuses: ['404'],
      }),
    },
    [PATHS.tables]: {
      get: operation('lake_tables', ['Iceberg catalogue: tables of a namespace', 'Catálogo Iceberg: tablas de un espacio de nombres'], {
        about: 'The tables that have data.',
        parameters: [NAMESPACE_PARAMETER, ...PAGES],
        reply: [
          object({ identifiers: listOf(object({ namespace: listOf(TEXT), name: TEXT })), ...NEXT }, ['identifiers']),
          { identifiers: [{ namespace: ['road'], name: 'incidents' }] },
        ],
        statuses: ['400', '404'],
      }),
    },
    [PATHS.table]: {
      get: operation('lake_table', ['Iceberg catalogue: load a table', 'Catálogo Iceberg: cargar una tabla'], {
        about:
          'Metadata of the table as Iceberg defines it, with settings and credentials to read its files, valid for at least half an hour. ' +
          'HEAD answers 204 if it exists.',
        parameters: [
          NAMESPACE_PARAMETER,
          TABLE_PARAMETER,
          query('snapshots', '`refs` leaves out snapshots that no branch or tag names.', {
            type: 'string',
            enum: ['all', 'refs'],
            default: 'all',
          }),
        ],
        reply: [
          object({
            'metadata-location': TEXT,
            metadata: { type: 'object', description: 'Table metadata, format version 2.' },
            config: TEXTS,
            ...CREDENTIALS,
          }),
          {
            'metadata-location': 's3://lake/files/road/incidents/metadata/v7.metadata.json',
            metadata: { 'format-version': 2, location: 's3://lake/files/road/incidents' },
            config: GIVEN[0]?.config,
            'storage-credentials': GIVEN,
          },
        ],
        headers: { ETag: ref('headers', 'ETag') },
        statuses: ['304', '400', '404', '503'],
      }),
    },
    [PATHS.credentials]: {
      get: operation('lake_credentials', ['Iceberg catalogue: credentials of a table', 'Catálogo Iceberg: credenciales de una tabla'], {
        about: 'New credentials for the files of a table, for queries that take longer than the first ones work.',
        parameters: [NAMESPACE_PARAMETER, TABLE_PARAMETER],
        reply: [object(CREDENTIALS), { 'storage-credentials': GIVEN }],
        statuses: ['404', '503'],
      }),
    },
    [PATHS.metrics]: {
      post: {
        ...operation(
          'lake_metrics',
          ['Iceberg catalogue: take a report of a query', 'Catálogo Iceberg: recibir el informe de una consulta'],
          {
            about: 'Clients report what a query read. The report is dropped.',
            parameters: [NAMESPACE_PARAMETER, TABLE_PARAMETER],
            reply: null,
            statuses: ['400', '404', '413', '415'],
          },
        ),
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' }, example: {} } } },
      },
    },
  }
}

/** The schema of errors. */
export function lakeSchemas(): Part {
  const error = object({
    message: { type: 'string', description: 'What is wrong with this request.' },
    type: { type: 'string', description: 'Kind of error, as the Iceberg REST specification names them.' },
    code: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
  })
  return { IcebergError: { ...object({ error }), description: 'Error of the Iceberg REST catalogue.' } }
}

function query(name: string, description: string, schema: Part): Part {
  return { name, in: 'query', required: false, description, schema }
}

/** Titles of errors, by status. */
const ERRORS: Readonly<Record<string, string>> = {
  400: 'A parameter or the body is not valid.',
  401: 'There is no valid key.',
  403: 'The plan of the key does not contain this, or the request came by plain HTTP (`https-required`).',
  404: 'There is no such namespace or table, or the table has no data yet.',
  413: 'The body is too large.',
  414: 'The URL is too long.',
  415: 'The body is not JSON.',
  429: 'A limit was reached.',
  501: 'The catalogue does not have this operation.',
  503: 'The table cannot be read at the moment.',
}
const ERROR_HEADERS: Readonly<Record<string, Part>> = {
  401: { 'WWW-Authenticate': ref('headers', 'WWWAuthenticate') },
  429: { 'Retry-After': ref('headers', 'RetryAfter') },
  503: { 'Retry-After': ref('headers', 'RetryAfter') },
}

function operation(
  operationId: string,
  [en, es]: Summary,
  one: {
    readonly about: string
    readonly parameters: readonly Part[]
    /** Schema and example of the reply; null for one without a body. */
    readonly reply: readonly [schema: Part, example: unknown] | null
    readonly headers?: Part
    readonly statuses?: readonly string[]
  },
): Part {
  const { about, parameters, reply, headers = {}, statuses = [] } = one
  const sent = { ...REQUEST_ID, ...LIMIT_HEADERS, ...headers }
  const [schema, example] = reply ?? []
  const failures = [...new Set(['400', ...statuses, '401', '403', '414', '429', '501'])].filter((status) => status !== '304')
  return {
    ...{ operationId, tags: ['export'], summary: en, summary_es: es, description: about, security: [{ ApiKey: [] }], parameters },
    responses: {
      ...(reply
        ? { 200: { description: 'The reply.', headers: sent, content: { 'application/json': { schema, example } } } }
        : { 204: { description: 'Taken.', headers: sent } }),
      ...(statuses.includes('304') ? { 304: { description: 'The copy that If-None-Match names is current.', headers: sent } } : {}),
      ...Object.fromEntries(
        failures.map((status) => [
          status,
          {
            description: ERRORS[status],
            headers: { ...LIMIT_HEADERS, ...ERROR_HEADERS[status] },
            content: { 'application/json': { schema: ref('schemas', 'IcebergError') } },
          },
        ]),
      ),
    },
  }
}
