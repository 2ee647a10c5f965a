import { StoreError } from '../store/errors.ts'

/**
 * Why a query failed: `busy` (slots and queue are full), `timeout`, `aborted` (its signal), `too-many-rows`, `refused` (not a
 * single SELECT), `closed` (engine shutdown), `cache-full` (its files exceed the local cache), `no-snapshot` (not in the table),
 * `failed` (DuckDB's error), `broke-off` (DuckDB ended the rows early and does not tell why).
 */
export type QueryFailure =
  | 'busy'
  | 'timeout'
  | 'aborted'
  | 'too-many-rows'
  | 'refused'
  | 'closed'
  | 'cache-full'
  | 'no-snapshot'
  | 'failed'
  | 'broke-off'

/** A failed query; `code` is the reason, `cause` the engine's own error. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  readonly code: QueryFailure
  /** Seconds after which `busy` has probably ended. */
  readonly retry_after_s: number | undefined
  /** The time limit that `timeout` means, ms. */
  readonly timeout_ms: number | undefined

  constructor(code: QueryFailure, message: string, options: { cause?: unknown; retry_after_s?: number; timeout_ms?: number } = {}) {
    super(message, options)
    this.code = code
    this.retry_after_s = options.retry_after_s
    this.timeout_ms = options.timeout_ms
  }
}

/** True for a `QueryError`, with the given code if any. */
export function isQueryError(error: unknown, code?: QueryFailure): error is QueryError {
  return error instanceof QueryError && (code === undefined || error.code === code)
}

/** Errors of DuckDB after which the database usually refuses every other statement. */
const INVALIDATES = /^(?:FATAL|INTERNAL) Error/

/** True for an error after which DuckDB may have invalidated the database: the next session then has a new one. */
export function isInvalidDatabase(error: unknown): boolean {
  return error instanceof Error && INVALIDATES.test(error.message)
}

/** True for an error that says nothing about the query: run again, it may succeed. */
export function isRepeatable(error: unknown): boolean {
  return isInvalidDatabase(error) || isQueryError(error, 'broke-off')
}

/** True for a query that failed because its files were unreadable: the store is unavailable or rejects access. */
export function isStoreAway(error: unknown): boolean {
  if (!isQueryError(error, 'failed')) return false
  return error.cause instanceof StoreError || /\b(IO|HTTP) Error\b/.test(error.message)
}
