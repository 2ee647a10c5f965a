import type { FastifyReply } from 'fastify'
import type { RequestContext } from '../../auth/request-context.ts'
import type { CountReply, CountUsage } from '../../auth/usage/request-log.ts'
import { problemOf } from './problem-replies.ts'

/** The counters of a path's replies: the usage of callers, and the uptime of the path. */
export interface PathCounters {
  readonly count: CountUsage
  readonly countReply: CountReply
}

/** Counts a reply. */
export function countRequest({ count, countReply }: PathCounters, context: RequestContext, status: number): void {
  count(context.caller.key, status, context.dayUnits)
  countReply(status, performance.now() - context.began, context.caller.slot)
}

/** Answers with the problem of an error, and charges and counts it. */
export async function sendProblem(
  reply: FastifyReply,
  counters: PathCounters,
  { context: context, error }: { readonly context: RequestContext; readonly error: unknown },
): Promise<void> {
  const problem = await context.chargeProblem(problemOf(error))
  countRequest(counters, context, problem.status)
  await reply.headers(context.limits(problem.status)).send(problem)
}
