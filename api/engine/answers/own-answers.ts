import type { Endpoint } from '../../kernel/endpoint.ts'
import { requestReader } from '../request/request.ts'
import type { Handler } from './response-plan.ts'

/** An endpoint with what answers it. */
export interface Served {
  readonly endpoint: Endpoint
  readonly handler: Handler
}

/**
 * Answers requests of our own pages to our own endpoints: the same JSON as for anybody, charged to nobody. Throws their problems.
 */
export type OwnAnswers = (url: string, inPath?: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, unknown>>>

/** A signal that is never aborted. */
const NEVER = new AbortController().signal

/** Makes the function that answers for these endpoints, by the declared path (`/api/datasets/{id}`) and its parameters. */
export function ownAnswers(served: readonly Served[], clock: () => number): OwnAnswers {
  const byPath = new Map(served.map(({ endpoint, handler }) => [endpoint.path, { read: requestReader(endpoint), handler }] as const))
  return async (url, inPath = {}) => {
    const { read, handler } = byPath.get(url.split('?')[0] as string) ?? {}
    if (!read || !handler) throw new Error(`${url}: no endpoint has this path`)
    const prepared = await handler(read(url, inPath), { format: 'json', now: clock(), plan: 'FREE', lease: (work) => work() })
    const { pieces } = await prepared.answer(NEVER)
    return JSON.parse(pieces.join('')) as Readonly<Record<string, unknown>>
  }
}
