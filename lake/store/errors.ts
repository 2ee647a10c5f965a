/** An error of a store: its text has the store's URL and the key, its cause is the system's own error. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /**
   * System code (`ENOSPC`), S3 error name (`NoSuchBucket`), or `invalid-key`, `invalid-range`, `unknown-outcome`,
   * `no-conditional-put`.
   */
  readonly code: string

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
  }
}

/** The system code of a Node error (`ENOENT`), or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Codes of systems and S3 servers for a full disk or quota. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'XMinioStorageFull', 'InsufficientStorage', 'QuotaExceeded']

/** True for the error of a store without space; existing objects remain readable. */
export function isFull(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false
  return FULL.includes(error.code) || (error.cause as { readonly status?: unknown } | undefined)?.status === 507
}

/** Codes of systems for a server that does not answer. */
const SILENT = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE']

/** True for the error of a store whose server does not answer, or answers that it cannot serve yet (5xx): waiting may mend it. */
export function isUnreachable(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    const { code = '', status = 0 } = at as { readonly code?: string; readonly status?: number | null }
    if (SILENT.includes(code) || at.name === 'TimeoutError' || (status ?? 0) >= 500) return true
    at = at instanceof AggregateError ? at.errors.at(-1) : at.cause
  }
  return false
}
