import { beginsAnew, saidIn } from './api-answers.ts'
import type { Answer } from './api-client.ts'
import type { Shot } from './api-lanes.ts'
import type { Script } from './api-shots.ts'

/** The conditions that decide which answers are right at the moment of a request. */
export interface Circumstances {
  /** True if Redis was away at any time during the request. */
  readonly isAway: boolean
  /** True if Redis was restarted empty. */
  readonly isEmptied: boolean
  /** Until when (ms by `performance.now()`) requests of a revoked key may be accepted, by key id. */
  readonly endsBy: ReadonlyMap<string, number>
}

/** Describes the error in the answer to a request of a lane; null if it is right. */
export function wrongWith(name: string, shot: Shot, answer: Answer, at: Circumstances & Pick<Script, 'references'>): string | null {
  const { status } = answer
  if (status === 0) return 'no answer'
  const refused = REFUSED[name]
  if (refused) return isProblem(answer, refused)
  if (name.startsWith('greedy') && status === 429) return isProblem(answer, [429, 'quota-exceeded'])
  if (status === 401 && shot.caller.id !== null && at.endsBy.has(shot.caller.id)) return isProblem(answer, [401, 'revoked-key'])
  const end = shot.caller.id === null ? undefined : at.endsBy.get(shot.caller.id)
  if (end !== undefined && answer.sent > end) return `taken ${Math.round(answer.sent - end)} ms after the last moment that it may be`
  return wrongData(shot, answer, at)
}

/** The problem with which each request of a lane is always answered. */
const REFUSED: Readonly<Record<string, readonly [status: number, code: string]>> = {
  'made-up key': [401, 'invalid-key'],
  'malformed key': [401, 'invalid-key'],
  'revoked key': [401, 'revoked-key'],
  'plan too low': [403, 'plan-required'],
  'no key': [401, 'key-required'],
}

function wrongData({ ask, request, hasIt }: Shot, answer: Answer, at: Circumstances & Pick<Script, 'references'>): string | null {
  const reference = at.references.get(ask)
  if (!reference) return 'no reference'
  const { read, returns } = ask.endpoint
  if (read.kind === 'changes') {
    // The log of changes exists in Redis only: while Redis is away it is refused, and after a loss it restarts without the
    // earlier changes.
    if (at.isAway && answer.status === 503)
      return answer.headers['retry-after'] ? isProblem(answer, [503, 'temporary-reduced-capacity']) : '503 without Retry-After'
    if (at.isEmptied && answer.status === 200 && returns.kind === 'list' && beginsAnew(answer, returns.name)) return null
  }
  // A process by itself grants half of the places for history queries too.
  if (at.isAway && answer.status === 429 && (read.kind === 'lake' || (read.kind === 'memory' && read.past)))
    return isProblem(answer, [429, 'concurrency'])
  const { method = 'GET', headers } = request
  return reference.wrongIn(answer, { method, hasIt, named: headers?.['If-None-Match'], keepsTag: keepsTag(ask, at) })
}

/**
 * True if an answer must have its previous tag: it does not depend on the clock and comes from tables, or from state whose
 * version Redis still has. All processes give it the same tag; a restored state counts its versions from the start.
 */
function keepsTag({ endpoint: { read } }: Shot['ask'], { isAway, isEmptied }: Circumstances): boolean {
  if ('clockGranularity_s' in read && read.clockGranularity_s !== undefined) return false
  return read.kind === 'system' || read.kind === 'lake' || !(isAway || isEmptied)
}

function isProblem(answer: Answer, [status, code]: readonly [status: number, code: string]): string | null {
  if (answer.status !== status) return `${answer.status} in place of ${status} ${code}: ${answer.body.toString('utf8', 0, 300)}`
  if (status === 429 && !answer.headers['retry-after']) return '429 without Retry-After'
  // A HEAD request is judged by its status.
  if (answer.body.length === 0) return null
  const said = saidIn(answer)
  return said.code === code ? null : `${said.code} in place of ${code}`
}
