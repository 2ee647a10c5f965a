import { beginsAnew, saidIn } from './api-answers.ts'
import type { Answer } from './api-client.ts'
import type { Shot } from './api-lanes.ts'
import type { Script } from './api-shots.ts'

/** What decides which answers are right at the moment of a request. */
export interface Circumstances {
  /** True where Redis was away at some moment of it. */
  readonly isAway: boolean
  /** True where Redis came back without what it held before. */
  readonly isEmptied: boolean
  /** Until when (ms by `performance.now()`) requests of a key that was revoked may be taken, by its id. */
  readonly endsBy: ReadonlyMap<string, number>
}

/** What is wrong with the answer to a request of a lane; null where nothing is. */
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

/** The problem that each request of a lane is answered with, whatever else happens. */
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
    // The log of changes is in Redis alone: while that is away it is refused, and one that is gone begins anew, without what it told before.
    if (at.isAway && answer.status === 503)
      return answer.headers['retry-after'] ? isProblem(answer, [503, 'temporary-reduced-capacity']) : '503 without Retry-After'
    if (at.isEmptied && answer.status === 200 && returns.kind === 'list' && beginsAnew(answer, returns.name)) return null
  }
  // Half of the places for queries of history, too, is what a process grants alone.
  if (at.isAway && answer.status === 429 && (read.kind === 'lake' || (read.kind === 'memory' && read.past)))
    return isProblem(answer, [429, 'concurrency'])
  const { method = 'GET', headers } = request
  return reference.wrongIn(answer, { method, hasIt, named: headers?.['If-None-Match'], keepsTag: keepsTag(ask, at) })
}

/**
 * True where an answer has the tag that it had before: one that does not follow the clock, of tables or of a state whose version Redis still
 * holds. Another process gives it the same; one that was filled anew counts its versions anew.
 */
function keepsTag({ endpoint: { read } }: Shot['ask'], { isAway, isEmptied }: Circumstances): boolean {
  if ('clock_s' in read && read.clock_s !== undefined) return false
  return read.kind === 'system' || read.kind === 'lake' || !(isAway || isEmptied)
}

function isProblem(answer: Answer, [status, code]: readonly [status: number, code: string]): string | null {
  if (answer.status !== status) return `${answer.status} in place of ${status} ${code}: ${answer.body.toString('utf8', 0, 300)}`
  if (status === 429 && !answer.headers['retry-after']) return '429 without Retry-After'
  // A HEAD says it by its status.
  if (answer.body.length === 0) return null
  const said = saidIn(answer)
  return said.code === code ? null : `${said.code} in place of ${code}`
}
