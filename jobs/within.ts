import { setTimeout as delay } from 'node:timers/promises'

/** The result of some work; undefined if it fails or takes longer, ms. The work goes on. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController()
  const done = await Promise.race([work.catch(() => undefined), delay(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  return done
}
