import { REQUIREMENT_FIELDS, UPDATE_ACTIONS } from '../../../lake/iceberg/rest/updates.ts'
import { LIMIT_HEADERS, type Part, pathParameter, ref, type Summary } from '../../kernel/openapi-parts.ts'
import { NAME, OWN } from './own-tables.ts'
import { ENDPOINTS, PATHS } from './routes.ts'
import { MAX_CHANGES } from './writes.ts'

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
const COMMIT = {
  requirements: [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 42 }],
  updates: [{ action: 'set-snapshot-ref', 'ref-name': 'checked', type: 'tag', 'snapshot-id': 42 }],
}
const SCHEMA = { type: 'struct', fields: [{ id: 1, name: 'id', type: 'string', required: false }] }
/** Statuses of changes of tables. */
const CHANGES = ['400', '404', '409', '413', '415', '500', '503']
const GIVEN = [
  { prefix: 's3://lake/files/road/incidents', config: { 's3.endpoint': 'https://api.example.org', 's3.access-key-id': 'tia-lake' } },
]
/** Replies with a table: its schema and an example. */
const LOADED = (namespace: string, name: string): readonly [schema: Part, example: unknown] => [
  object({
    'metadata-location': TEXT,
    metadata: { type: 'object', description: 'Table metadata, format version 2.' },
    config: TEXTS,
    ...CREDENTIALS,
  }),
  {
    'metadata-location': `s3://lake/files/${namespace}/${name}/metadata/v7.metadata.json`,
    metadata: { 'format-version': 2, location: `s3://lake/files/${namespace}/${name}` },
    config: GIVEN[0]?.config,
    'storage-credentials': GIVEN,
  },
]
const WRITERS = 'Needs a key of the operator for lake writers.'
const REQUEST_ID = { 'X-Request-Id': ref('headers', 'RequestId') }

/** Describes the catalogue. Its errors have the form of the Iceberg REST specification, not of RFC 9457. */
export function lakePaths(): Part {
  return {
    [PATHS.config]: {
      get: operation('lake_config', ['Iceberg catalogue: what it serves', 'Catálogo Iceberg: qué sirve'], {
        about:
          'The tables of the lake as an Iceberg REST catalogue, for DuckDB, PyIceberg, Spark and others: their address is `/lake/iceberg`, their ' +
          'token an API key. ENTERPRISE reads all tables, other plans the namespace `sample`; keys of the operator write. What is not listed ' +
          'answers 501.',
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
      post: operation('lake_create_table', ['Iceberg catalogue: make a table', 'Catálogo Iceberg: crear una tabla'], {
        about: `Makes a table of format version 2 in the namespace \`${OWN}\`, or plans it for a commit with \`assert-create\`. ${WRITERS}`,
        parameters: [pathParameter('namespace', `Namespace: \`${OWN}\` alone.`, OWN)],
        body: ['IcebergCreateTable', { name: 'checked', schema: SCHEMA }],
        reply: LOADED(OWN, 'checked-9f3a5c7e1b2d4f60'),
        statuses: CHANGES,
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
        reply: LOADED(TABLE.namespace, TABLE.name),
        headers: { ETag: ref('headers', 'ETag') },
        statuses: ['304', '400', '404', '503'],
      }),
      post: operation('lake_commit', ['Iceberg catalogue: commit to a table', 'Catálogo Iceberg: confirmar cambios en una tabla'], {
        about:
          'Makes all updates if all requirements are met. 409: another commit came first, load the table and try again. 500 with the type ' +
          `\`CommitStateUnknownException\`: it may have been made. What would break a table is refused by its name. ${WRITERS}`,
        parameters: [NAMESPACE_PARAMETER, TABLE_PARAMETER],
        body: ['IcebergCommit', COMMIT],
        reply: LOADED(TABLE.namespace, TABLE.name),
        statuses: CHANGES,
      }),
      delete: operation('lake_drop_table', ['Iceberg catalogue: drop a table', 'Catálogo Iceberg: eliminar una tabla'], {
        about: `Drops a table of the namespace \`${OWN}\`. Its files go a week later. ${WRITERS}`,
        parameters: [
          pathParameter('namespace', `Namespace: \`${OWN}\` alone.`, OWN),
          pathParameter('table', 'Table.', 'checked'),
          query('purgeRequested', 'Whether its files go at once.', { type: 'boolean', default: false }),
        ],
        reply: null,
        statuses: ['404', '409', '415', '503'],
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
      post: operation(
        'lake_metrics',
        ['Iceberg catalogue: take a report of a query', 'Catálogo Iceberg: recibir el informe de una consulta'],
        {
          about: 'Clients report what a query read. The report is dropped.',
          parameters: [NAMESPACE_PARAMETER, TABLE_PARAMETER],
          body: ['IcebergReport', {}],
          reply: null,
          statuses: ['400', '404', '413', '415'],
        },
      ),
    },
  }
}

/** The schemas of bodies and errors. */
export function lakeSchemas(): Part {
  const error = object({
    message: { type: 'string', description: 'What is wrong with this request.' },
    type: { type: 'string', description: 'Kind of error, as the Iceberg REST specification names them.' },
    code: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
  })
  const stated = Object.entries(REQUIREMENT_FIELDS).flatMap(([type, field]) => (field === null ? [] : [[field, type] as const]))
  return {
    IcebergError: { ...object({ error }), description: 'Error of the Iceberg REST catalogue.' },
    IcebergReport: { type: 'object', description: 'Report of metrics of the Iceberg REST specification.' },
    IcebergCreateTable: {
      ...object(
        {
          name: { type: 'string', pattern: NAME.source },
          schema: described('Columns with ids, in types of format version 2.'),
          'partition-spec': described('Partitions; none by default.'),
          'write-order': described('Order of rows; none by default.'),
          properties: { ...TEXTS, description: 'Properties of the table.' },
          'stage-create': { type: 'boolean', description: 'Plans the table only: its first commit makes it.' },
        },
        ['name', 'schema'],
      ),
      description: 'Request for a new table ("CreateTableRequest" of the Iceberg REST specification).',
    },
    IcebergCommit: {
      ...object(
        {
          requirements: changes(
            object(
              {
                type: { type: 'string', enum: Object.keys(REQUIREMENT_FIELDS) },
                ref: { type: 'string', description: 'Branch or tag of `assert-ref-snapshot-id`.' },
                ...Object.fromEntries(stated.map(([field, type]) => [field, { description: `What \`${type}\` expects.` }])),
              },
              ['type'],
            ),
          ),
          updates: changes({
            ...object({ action: { type: 'string', enum: UPDATE_ACTIONS } }),
            additionalProperties: true,
            description: 'An update; its other members are those of the specification.',
          }),
        },
        [],
      ),
      description: 'A commit ("CommitTableRequest" of the Iceberg REST specification).',
    },
  }
}

const described = (description: string): Part => ({ type: 'object', description })
const changes = (items: Part): Part => ({ ...listOf(items), maxItems: MAX_CHANGES })

function query(name: string, description: string, schema: Part): Part {
  return { name, in: 'query', required: false, description, schema }
}

/** Titles of errors, by status. */
const ERRORS: Readonly<Record<string, string>> = {
  400: 'A parameter or the body is not valid.',
  401: 'There is no valid key.',
  403: 'The plan of the key does not contain this, or the request came by plain HTTP (`https-required`).',
  404: 'There is no such namespace or table, or the table has no data yet.',
  409: 'Another change came first, or the name is taken.',
  413: 'The body is too large.',
  414: 'The URL is too long.',
  415: 'The body is not JSON.',
  429: 'A limit was reached.',
  500: 'It is not known whether the change was made.',
  501: 'The catalogue does not have this operation.',
  503: 'The table cannot be read at the moment.',
}
const ERROR_HEADERS: Readonly<Record<string, Part>> = {
  401: { 'WWW-Authenticate': ref('headers', 'WWWAuthenticate') },
  429: { 'Retry-After': ref('headers', 'RetryAfter') },
  501: REQUEST_ID,
  503: { 'Retry-After': ref('headers', 'RetryAfter') },
}

function operation(
  operationId: string,
  [en, es]: Summary,
  one: {
    readonly about: string
    readonly parameters: readonly Part[]
    /** Name of the schema of the request's body, and an example. */
    readonly body?: readonly [schema: string, example: unknown]
    /** Schema and example of the reply; null for one without a body. */
    readonly reply: readonly [schema: Part, example: unknown] | null
    readonly headers?: Part
    readonly statuses?: readonly string[]
  },
): Part {
  const { about, parameters, body, reply, headers = {}, statuses = [] } = one
  const sent = { ...REQUEST_ID, ...LIMIT_HEADERS, ...headers }
  const [schema, example] = reply ?? []
  const failures = [...new Set(['400', ...statuses, '401', '403', '414', '429', '501'])].filter((status) => status !== '304')
  return {
    ...{ operationId, tags: ['export'], summary: en, summary_es: es, description: about, security: [{ ApiKey: [] }], parameters },
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: ref('schemas', body[0]), example: body[1] } } },
    }),
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
