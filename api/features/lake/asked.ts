import type { FastifyRequest } from 'fastify'
import type { RequestContext } from '../../auth/request-context.ts'
import { problem } from '../../kernel/problems.ts'

/** A reply: null for one without a body. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A request to the catalogue, by a caller with a key. */
export interface Asked {
  readonly context: RequestContext
  readonly params: { readonly namespace: string; readonly table: string }
  readonly query: URLSearchParams
  readonly request: FastifyRequest
}

/** What answers a request to the catalogue. */
export type Answerer = (asked: Asked) => Answer | Promise<Answer>

/** The reply to a request that needs no body. */
export const NO_CONTENT: Answer = { status: 204, body: null }

/** Results of a page if the client does not say how many it takes. */
const PAGE_SIZE = 100

/** Returns the reply with a body of JSON. */
export const json = (body: object): Answer => ({ body: JSON.stringify(body) })

/** True for a request of the head alone. */
export const isHead = ({ raw }: FastifyRequest): boolean => raw.method === 'HEAD'

/** A page of names in order, and the token of the next one; all of them if the client does not ask for pages. */
export function pageOf(names: readonly string[], query: URLSearchParams): { readonly page: readonly string[]; readonly next?: string } {
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
export function choiceOf(name: string, query: URLSearchParams, allowed: readonly [string, ...string[]]): string {
  const value = query.get(name) ?? allowed[0]
  if (!allowed.includes(value)) throw problem('invalid-parameter', `${name}=${value.slice(0, 40)}: expected ${allowed.join(' or ')}.`)
  return value
}
