import { accountOperation, json, KEY_REFUSED, OWNER } from '../../auth/account-operation.ts'
import { type Part, parametersPart, problemResponse, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf } from '../../kernel/reads/shape.ts'
import { USAGE_FIELDS, wholeRecord } from './account-records.ts'
import { USAGE_PARAMS } from './usage-report.ts'

/** The schema of the report of usage. */
export function usageSchemas(): Part {
  return { Usage: wholeRecord(USAGE_FIELDS) }
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
            exampleOf(USAGE_FIELDS),
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
