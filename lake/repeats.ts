import { StoreError } from './store/errors.ts'

/** Reports what repeats: the first of a kind at once, then at most once in `every_ms` how many more there were. */
export type Repeats = (kind: string, report: { readonly first: () => void; readonly more: (count: number) => void }) => void

const EVERY_MS = 60_000

/** Makes what reports repeated things. */
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

/** What Redis answers while it takes no writes or none at all. */
const REDIS_REFUSES = /^(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|CLUSTERDOWN|MASTERDOWN)\b/

/** The name of the outage of a store or of Redis that an error comes from; null for any other error. */
export function outageOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof StoreError) return `store ${at.code}`
    const [refusal] = REDIS_REFUSES.exec(at.message) ?? []
    if (refusal) return `redis ${refusal}`
  }
  return null
}
