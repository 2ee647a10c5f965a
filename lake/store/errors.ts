/** What went wrong in a store, with the store's url and the key in its text and the system's own error as its cause. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** Code of the system (`ENOSPC`), name of the S3 error (`NoSuchBucket`), or `invalid-key`, `invalid-range`, `unknown-outcome`, `no-conditional-put`. */
  readonly code: string

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
  }
}

/** The system code of an error of Node's (`ENOENT`), or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Codes of systems and S3 servers for a disk or quota without room. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'XMinioStorageFull', 'InsufficientStorage', 'QuotaExceeded']

/** True for the error of a store that has no room left; what is there can still be read. */
export function isFull(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false
  return FULL.includes(error.code) || (error.cause as { readonly status?: unknown } | undefined)?.status === 507
}
