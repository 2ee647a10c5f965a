import type { FastifyBaseLogger } from 'fastify'
import { openRepeats } from '../../../lake/repeats.ts'
import type { Problem } from '../problems.ts'

/** Logs expected outages: one line for the first problem of each kind and path, and another with the number that followed. */
export interface OutageLog {
  add(outage: { readonly problem: Problem; readonly path: string; readonly request_id: string }): void
}

const EVERY_MS = 60_000

/** Makes a log with one line per `every_ms` for each kind of problem and path. */
export function outageLog(log: Pick<FastifyBaseLogger, 'warn'>, { every_ms = EVERY_MS }: { readonly every_ms?: number } = {}): OutageLog {
  const repeats = openRepeats(every_ms)
  return {
    add({ problem, path, request_id }) {
      const { code, status } = problem
      const { cause } = problem.options
      const reason = cause instanceof Error ? cause.message : undefined
      repeats(`${code} ${path}`, {
        first: () => log.warn({ code, path, status, request_id, reason }, 'requests are refused'),
        more: (requests) => log.warn({ code, path, status, requests }, 'more requests were refused'),
      })
    },
  }
}
