import { PLANS } from '../../../lake/schema/dataset.ts'
import { type Part, parametersPart, problemResponse, ref } from '../../http/openapi-parts.ts'
import { accountOperation, EXAMPLE_ID, json, KEY_REFUSED, OWNER } from '../account-openapi.ts'
import { USAGE_PARAMS } from './usage-report.ts'

const EXAMPLE_COUNTS = Object.freeze({
  ...{ requests: 152, answered: 120, not_modified: 30, client_error: 2, limited: 0, server_error: 0, day_units: 122 },
})
const NO_COUNTS = Object.freeze({
  ...{ requests: 0, answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0 },
})
const EXAMPLE = Object.freeze({
  as_of: '2026-01-02T12:23:00.000Z',
  timezone: 'Europe/Madrid',
  from: '2026-01-01',
  to: '2026-01-03',
  keys: [{ id: EXAMPLE_ID, label: 'My car', plan: 'FREE', status: 'ACTIVE', day_quota: 1000, day_units_24h: 122 }],
  days: [
    { date: '2026-01-01', ...NO_COUNTS },
    { date: '2026-01-02', ...EXAMPLE_COUNTS },
  ],
  usage: [{ date: '2026-01-02', key: EXAMPLE_ID, plan: 'FREE', path: '/api/incidents', ...EXAMPLE_COUNTS }],
})

/** The schema of the report of usage. */
export function usageSchemas(): Part {
  const number = (description: string): Part => ({ type: 'integer', minimum: 0, description: `${description} Unit: 1.` })
  const date = (description: string): Part => ({ type: 'string', format: 'date', description })
  const id = { type: 'string', description: 'Public name of the key.' }
  const plan = { type: 'string', enum: PLANS, description: 'Plan of the key.' }
  const counts = {
    requests: number('All requests, whatever their outcome.'),
    answered: number('Requests answered with data (2xx).'),
    not_modified: number('Requests whose caller already had the answer (304).'),
    client_error: number('Requests refused as mistakes (4xx other than 429).'),
    limited: number('Requests over a limit (429).'),
    server_error: number('Requests that failed by our fault (5xx).'),
    day_units: number('Requests that count for the daily limit: all but 304, 429 and 5xx.'),
  }
  const object = (properties: Part): Part => ({ type: 'object', required: Object.keys(properties), properties })
  const list = (description: string, properties: Part): Part => ({ type: 'array', description, items: object(properties) })
  return {
    Usage: object({
      as_of: { type: 'string', format: 'date-time', description: 'Time up to which requests are counted.' },
      timezone: { const: 'Europe/Madrid', description: 'Time zone of the days.' },
      from: date('First day that is shown.'),
      to: date('First day that is not shown.'),
      keys: list('The keys.', {
        id,
        label: { type: ['string', 'null'], description: 'Name given by its owner.' },
        plan,
        status: { type: 'string', enum: ['ACTIVE', 'ROTATING', 'REVOKED', 'EXPIRED'], description: 'Current status of the key.' },
        day_quota: number('Requests that the plan admits in any 24 hours.'),
        day_units_24h: number('Requests of the last 24 hours that count for it, including keys that it was rotated from or to.'),
      }),
      days: list('Totals of each day up to today.', { date: date('The day.'), ...counts }),
      usage: list('By day, key, plan and path.', {
        date: date('The day.'),
        key: id,
        plan: { ...plan, description: 'Plan of the key at the time.' },
        path: { type: 'string', description: 'The path, with its parameters in braces.' },
        ...counts,
      }),
    }),
  }
}

/** The path of the report. */
export function usagePaths(): Part {
  return {
    '/api/usage': {
      get: {
        ...accountOperation('usage', 'Usage of the API', {
          200: json(
            'By day, key and path: with a key its own usage, with a session that of all keys of the account.',
            ref('schemas', 'Usage'),
            EXAMPLE,
          ),
          400: problemResponse(['unknown-parameter', 'invalid-parameter', 'range-too-large']),
          401: problemResponse(KEY_REFUSED),
          404: ref('responses', '404Limited'),
          503: problemResponse(['temporary-reduced-capacity', 'query-timeout']),
        }),
        description: 'Days are days in Madrid, as all plain dates. A request is counted within two minutes of its end.',
        security: OWNER,
        parameters: parametersPart(USAGE_PARAMS),
      },
    },
  }
}
