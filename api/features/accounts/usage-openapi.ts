import { jsonReply, KEY_REFUSED, limitedOperation, OWNER, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { type Part, parametersPart, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf, wholeRecord } from '../../kernel/reads/shape.ts'
import { USAGE_FIELDS } from './account-records.ts'
import { USAGE_PARAMS } from './usage-report.ts'

/** The schema of the report of usage. */
export function usageSchemas(): Part {
  return { Usage: wholeRecord(USAGE_FIELDS) }
}

/** The path of the report. */
export function usagePaths(): Part {
  const about = 'By day, key and path: with a key its own usage, with a session that of all keys of the account.'
  return {
    '/api/usage': {
      get: limitedOperation('usage', ['Usage of the API', 'Lo que se ha usado'], {
        about: 'Days are days in Madrid, as all plain dates. A request is counted within two minutes of its end.',
        security: OWNER,
        parameters: parametersPart(USAGE_PARAMS),
        replies: { 200: jsonReply(about, ref('schemas', 'Usage'), exampleOf(USAGE_FIELDS)) },
        problems: [...VALUE_REFUSED, 'range-too-large', ...KEY_REFUSED, 'not-found', 'temporary-reduced-capacity', 'query-timeout'],
      }),
    },
  }
}
