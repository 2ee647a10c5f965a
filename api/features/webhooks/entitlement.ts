import { LRUCache } from 'lru-cache'

/** How long an account keeps its webhooks after a failed check of its plan, in ms. */
const FAILED_MS = 5000
const MAX_ACCOUNTS = 10_000

/** Caches for `ttl_ms` that an account may have webhooks. If that cannot be read, it may, until the next check. */
export function cachedEntitlement(
  isEntitled: (account: string) => Promise<boolean>,
  { ttl_ms, onError }: { readonly ttl_ms: number; readonly onError: (error: unknown, account: string) => void },
): (account: string) => Promise<boolean> {
  const cache = new LRUCache<string, Promise<boolean>>({ max: MAX_ACCOUNTS, ttl: ttl_ms })
  return (account) => {
    const cached = cache.get(account)
    if (cached) return cached
    const read = isEntitled(account).then(
      (may) => {
        // Its webhooks are disabled now. If they are enabled again, the plan is checked again.
        if (!may) cache.delete(account)
        return may
      },
      (error: unknown) => {
        onError(error, account)
        cache.set(account, Promise.resolve(true), { ttl: Math.min(ttl_ms, FAILED_MS) })
        return true
      },
    )
    // Only on a miss: setting an entry again restarts its lifetime.
    cache.set(account, read)
    return read
  }
}
