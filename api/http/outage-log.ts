import type { FastifyBaseLogger } from 'fastify'
import type { Problem } from '../define/problems.ts'

/** Logs problems that are to be expected now and then: the first of each kind and path in a line, and how many followed in another. */
export interface OutageLog {
  tell(outage: { readonly problem: Problem; readonly path: string; readonly request_id: string }): void
}

const EVERY_MS = 60_000

/** Makes a log that says of each kind of problem and path at most two things in `every_ms`. */
export function outageLog(log: Pick<FastifyBaseLogger, 'warn'>, { every_ms = EVERY_MS }: { readonly every_ms?: number } = {}): OutageLog {
  const told = new Map<string, { more: number }>()
  return {
    tell({ problem, path, request_id }) {
      const { code, status } = problem
      const kind = `${code} ${path}`
      const known = told.get(kind)
      if (known) {
        known.more++
        return
      }
      const { cause } = problem.options
      const reason = cause instanceof Error ? cause.message : undefined
      log.warn({ code, path, status, request_id, reason }, 'requests are refused')
      const entry = { more: 0 }
      told.set(kind, entry)
      setTimeout(() => {
        told.delete(kind)
        if (entry.more > 0) log.warn({ code, path, status, requests: entry.more }, 'more requests were refused')
      }, every_ms).unref()
    },
  }
}
