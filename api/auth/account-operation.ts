import { LIMIT_HEADERS, type Part, problemResponse, ref } from '../kernel/openapi-parts.ts'
import type { ProblemCode } from '../kernel/problems.ts'

/** Who may see and change an account. */
export const OWNER = [{ ApiKey: [] }, { Session: [] }]
/** Problems of a request with an invalid key. */
export const KEY_REFUSED: readonly ProblemCode[] = ['key-required', 'invalid-key', 'revoked-key', 'expired-key']

/** The response to a request over the limits of its address. */
const LIMITED = Object.freeze(problemResponse(['quota-exceeded']))

/** Describes an operation on an account with the responses that all share. */
export function accountOperation(operationId: string, summary: string, responses: Part): Part {
  const limited = Object.entries({ 429: LIMITED, ...responses }).map(([status, response]): [string, Part] => {
    const part = response as Part
    return [status, '$ref' in part ? part : { ...part, headers: { ...LIMIT_HEADERS, ...(part['headers'] as Part | undefined) } }]
  })
  return { operationId, tags: ['account'], summary, responses: { ...Object.fromEntries(limited), 405: ref('responses', '405Limited') } }
}

/** A response in JSON. */
export function json(description: string, schema: Part, example: Part): Part {
  return { description, content: { 'application/json': { schema, example } } }
}
