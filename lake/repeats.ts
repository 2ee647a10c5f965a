import { StoreError } from './store/errors.ts'

/** Reports repetition: the first of a kind at once, then at most once in `every_ms` the number of further ones. */
export type Repeats = (kind: string, report: { readonly first: () => void; readonly more: (count: number) => void }) => void

const EVERY_MS = 60_000

/** Creates a reporter of repetition. */
export function openRepeats(every_ms = EVERY_MS): Repeats {
  const counts = new Map<string, number>()
  return (kind, { first, more }) => {
    const count = counts.get(kind)
    if (count !== undefined) {
      counts.set(kind, count + 1)
      return
    }
    first()
    counts.set(kind, 0)
    const timer = setInterval(() => {
      const repeated = counts.get(kind) ?? 0
      if (repeated > 0) {
        counts.set(kind, 0)
        more(repeated)
        return
      }
      counts.delete(kind)
      clearInterval(timer)
    }, every_ms)
    timer.unref()
  }
}

/** Replies of Redis while it accepts no writes, or nothing at all. */
const REDIS_REFUSES = /^(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|CLUSTERDOWN|MASTERDOWN)\b/

/** The name of the store or Redis outage that caused an error; null for any other error. */
export function outageOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof StoreError) return `store ${at.code}`
    const [refusal] = REDIS_REFUSES.exec(at.message) ?? []
    if (refusal) return `redis ${refusal}`
  }
  return null
}
