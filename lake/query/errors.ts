import { StoreError } from '../store/errors.ts'

/**
 * Why a query gave no answer: `busy` (slots and queue are full), `timeout`, `aborted` (its signal), `too-many-rows`, `refused` (not a
 * single SELECT), `closed` (the engine is being shut), `cache-full` (its files do not fit the local cache), `no-snapshot` (the one asked for
 * is not in the table), `failed` (DuckDB's error).
 */
export type QueryFailure = 'busy' | 'timeout' | 'aborted' | 'too-many-rows' | 'refused' | 'closed' | 'cache-full' | 'no-snapshot' | 'failed'

/** A query that gave no answer; `code` says why, `cause` holds the engine's own error. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  readonly code: QueryFailure
  /** Seconds after which `busy` is probably over. */
  readonly retry_after_s: number | undefined

  constructor(code: QueryFailure, message: string, options: { cause?: unknown; retry_after_s?: number } = {}) {
    super(message, options)
    this.code = code
    this.retry_after_s = options.retry_after_s
  }
}

/** True where an error is a `QueryError`, of the code if one is given. */
export function isQueryError(error: unknown, code?: QueryFailure): error is QueryError {
  return error instanceof QueryError && (code === undefined || error.code === code)
}

/** True for a query that failed because its files could not be read: the store is away, or refuses. */
export function isStoreAway(error: unknown): boolean {
  if (!isQueryError(error, 'failed')) return false
  return error.cause instanceof StoreError || /\b(IO|HTTP) Error\b/.test(error.message)
}
