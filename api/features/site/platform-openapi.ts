import { WORKER_PHASES } from '../../../lake/live/workers.ts'
import { SOURCE_MODES } from '../../../lake/system.ts'
import { EXAMPLE_PLANS, PLAN_PARAMS, PLANS_SCHEMA } from '../../auth/plan-list.ts'
import { rowDocument } from '../../engine/tables/openapi-tables.ts'
import type { RecordShape } from '../../kernel/fields.ts'
import {
  json,
  LASTING,
  NOT_MODIFIED,
  operation,
  type Part,
  parametersPart,
  pathParameter,
  problemResponse,
  ref,
} from '../../kernel/openapi-parts.ts'
import { oneOf, withDefault } from '../../kernel/params/params.ts'

/** Paths that also answer by plain HTTP: load balancers probe them, and they show no private data. */
export const OPEN_TO_PLAIN_HTTP: readonly string[] = ['/health', '/ready']

/** Parameters of the description. */
export const DESCRIPTION_PARAMS = Object.freeze({
  lang: withDefault(oneOf('Language of summaries; other texts are English.', ['en', 'es'], { example: 'es' }), 'en'),
  media: oneOf(
    '`json` leaves out the media types besides JSON (GeoJSON, CSV, Parquet and others), for generators of clients. All by default.',
    ['json'],
    { example: 'json' },
  ),
})

/** Describes the paths without data; `records` are the record shapes of endpoints. */
export function platformPaths(baseUrl: string, records: readonly RecordShape[]): Part {
  const [first] = records
  return {
    '/health': {
      get: operation('health', ['Whether the process runs', 'Si el proceso está en marcha'], {
        200: json('It runs.', { status: 'ok' }, HEALTH),
      }),
    },
    '/ready': {
      get: operation(
        'ready',
        ['Whether requests for data can be answered, and what is missing', 'Si se pueden responder peticiones de datos y qué falta'],
        {
          200: json('They can. `degraded`: Redis is away and the last good state is served.', readiness('ready'), READINESS),
          503: json('They cannot.', readiness('not ready'), READINESS),
        },
      ),
    },
    '/openapi.json': {
      get: {
        ...operation('openapi', ['This description', 'Esta descripción'], {
          200: { ...json('OpenAPI 3.1.', abridged(baseUrl), DESCRIPTION), headers: LASTING },
          304: NOT_MODIFIED,
          400: problemResponse(['unknown-parameter', 'invalid-parameter']),
        }),
        parameters: parametersPart(DESCRIPTION_PARAMS),
      },
    },
    '/api/plans': {
      get: {
        ...operation('plans', ['The plans: prices, limits and features', 'Los planes: qué cuestan, admiten y contienen'], {
          200: { ...json('All plans, the lowest first.', EXAMPLE_PLANS, PLANS_SCHEMA), headers: LASTING },
          304: NOT_MODIFIED,
          400: problemResponse(['unknown-parameter', 'invalid-parameter']),
        }),
        parameters: parametersPart(PLAN_PARAMS),
      },
    },
    '/schemas/{name}': {
      get: {
        ...operation('schema_by_name', ['The columns of a table', 'Las columnas de una tabla'], {
          200: {
            description: 'JSON Schema of a row in CSV, Parquet and Arrow.',
            content: { 'application/schema+json': { schema: { type: 'object' }, example: first ? rowDocument(first, baseUrl) : {} } },
          },
          400: problemResponse(['unknown-parameter', 'malformed-request']),
          404: ref('responses', '404'),
        }),
        parameters: [
          pathParameter(
            'name',
            'Name of the records.',
            first?.name,
            records.map(({ name }) => name),
          ),
        ],
      },
    },
  }
}

const HEALTH: Part = Object.freeze({ status: { type: 'string', const: 'ok', description: 'The process answers.' } })

const READINESS: Part = Object.freeze({
  status: { type: 'string', enum: ['ready', 'degraded', 'not ready'] },
  source_mode: { type: 'string', enum: SOURCE_MODES },
  redis: { type: 'boolean', description: 'True if Redis answers. If it does not, the last good state is served.' },
  lake: { type: 'boolean', description: 'True if the object store answers. If it does not, current data is served.' },
  store_full: { type: 'boolean', description: 'True if the object store has no room for new data.' },
  redis_read_only: { type: 'boolean', description: 'True if Redis refuses writes.' },
  waiting_for: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Enabled feeds that have not delivered yet; null while no feed is known.',
  },
  landing: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Before the phase STEADY: feeds that have delivered and are not in their tables yet. Their current state is served, lists of tables are not.',
  },
  phase: {
    type: 'string',
    enum: WORKER_PHASES,
    description:
      'LOADING until each feed has landed once since the start, with what is derived from it; BACKFILLING while archives from before are fetched; then STEADY.',
  },
})

const ARRIVED = { landing: [], phase: 'STEADY' } as const

function readiness(status: 'ready' | 'not ready'): Part {
  const [redis, waiting_for] = status === 'ready' ? [true, []] : [false, ['dgt_incidents']]
  return {
    status,
    source_mode: 'live',
    redis,
    lake: status === 'ready',
    store_full: false,
    redis_read_only: false,
    waiting_for,
    ...ARRIVED,
  }
}

const DESCRIPTION: Part = Object.freeze({
  openapi: { type: 'string', pattern: '^3[.]1[.]' },
  info: { type: 'object' },
  servers: { type: 'array', items: { type: 'object' } },
  paths: { type: 'object', description: 'The paths with data, of accounts, and of the service itself.' },
})

/** Returns this document without its paths. */
function abridged(baseUrl: string): Part {
  return { openapi: '3.1.1', info: { title: 'Traffic Intelligence API', version: 'v1' }, servers: [{ url: baseUrl }], paths: {} }
}
