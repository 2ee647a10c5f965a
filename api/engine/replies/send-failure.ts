import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { isQueryError } from '../../../lake/query/errors.ts'
import type { RequestContext } from '../../auth/request-context.ts'
import { problemOf } from './problem-replies.ts'
import { CallerGone } from './responses.ts'

/** Status that counts a request whose caller left before the response was sent; nginx uses the same. */
const GONE = 499

/** The caller of a failed request, and the log for its error. */
interface Failing {
  readonly log: Pick<FastifyBaseLogger, 'error'>
  readonly context: RequestContext
}

/** Answers with a problem and charges its caller, unless the caller has left. Returns the status. */
export async function sendFailure(reply: FastifyReply, error: unknown, { context, log }: Failing): Promise<number> {
  if (isGone(error)) {
    // Not a fault of the service, and charged: the work was done.
    reply.hijack()
    return GONE
  }
  const settled = await context.chargeProblem(problemOf(error))
  const { url } = reply.request.raw
  // The head is sent, so the rest of the body is cut off.
  if (reply.raw.headersSent) log.error({ path: url?.slice(0, 500), status: settled.status, err: error }, 'reply cut off')
  else if (reply.raw.destroyed) reply.hijack()
  else reply.headers(context.limits(settled.status)).send(settled)
  return settled.status
}

function isGone(error: unknown): boolean {
  return error instanceof CallerGone || (isQueryError(error, 'aborted') && error.cause instanceof CallerGone)
}
