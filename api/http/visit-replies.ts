import type { FastifyReply } from 'fastify'
import type { CountUsage } from '../access/usage/recorder.ts'
import type { Visit } from '../access/visit.ts'
import type { CountReply } from '../status/uptime.ts'
import { problemOf } from './problem-replies.ts'

/** The counters of a path's replies: the usage of callers, and the uptime of the path. */
export interface PathCounters {
  readonly count: CountUsage
  readonly countReply: CountReply
}

/** Counts a reply. */
export function countVisit({ count, countReply }: PathCounters, visit: Visit, status: number): void {
  count(visit.caller.key, status, visit.dayUnits)
  countReply(status, performance.now() - visit.began, visit.caller.slot)
}

/** Answers with the problem of an error, and charges and counts it. */
export async function sendProblem(
  reply: FastifyReply,
  counters: PathCounters,
  { visit, error }: { readonly visit: Visit; readonly error: unknown },
): Promise<void> {
  const problem = await visit.settle(problemOf(error))
  countVisit(counters, visit, problem.status)
  await reply.headers(visit.limits(problem.status)).send(problem)
}
