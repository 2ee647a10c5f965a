import { QueryError } from '../../../lake/query/errors.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { neverDelivered, stateUnreadable, tablesUnreadable } from '../../engine/answers/absent-data.ts'
import { logUnreadable } from '../../engine/answers/change-log.ts'
import { QUERY_TIMEOUT_MS } from '../../engine/answers/lake-answers.ts'
import { unknownThing } from '../../engine/answers/response-plan.ts'
import { problemOf, undecodable } from '../../engine/replies/problem-replies.ts'
import { cursors } from '../../engine/request/cursor.ts'
import { requestOf } from '../../engine/request/example-request.ts'
import { snapshotExpired } from '../../engine/request/lake-state.ts'
import { allParams, requestReader } from '../../engine/request/request.ts'
import { type Endpoint, lakeOf, pathParams } from '../../kernel/endpoint.ts'
import { exampleTexts } from '../../kernel/example.ts'
import { WIDEST_DAYS } from '../../kernel/params/params-time.ts'
import { Problem } from '../../kernel/problems.ts'

/** A problem, and the request that causes it. */
export interface ExampleProblem {
  readonly problem: Problem
  readonly instance: string
}

/** Returns the problems specific to an endpoint. Those of bad requests are the real replies to such a request. */
export function exampleProblems(endpoint: Endpoint): ExampleProblem[] {
  return [...refusals(endpoint), ...notFound(endpoint), ...unavailable(endpoint)]
}

function refusals(endpoint: Endpoint): ExampleProblem[] {
  const params = allParams(endpoint)
  const read = requestReader(endpoint)
  const texts = exampleTexts(endpoint.example, null)
  const inPath = Object.fromEntries(pathParams(endpoint.path).map((name) => [name, texts[name] ?? '']))
  const refused = (values: Record<string, string>, then: () => unknown = () => null): ExampleProblem => {
    const instance = requestOf(endpoint, values)
    return { instance, problem: thrownBy(() => [read(instance, inPath), then()]) }
  }
  const examples = [refused({ lang: 'xx' }), refused({ feilds: 'id' })]
  if (pathParams(endpoint.path).length > 0) {
    const instance = endpoint.path.replaceAll(/\{\w+\}/g, '%')
    examples.push({ instance, problem: undecodable() })
  }
  if (params.has('cursor')) examples.push(refused({ cursor: 'xyz' }, () => cursors(Buffer.alloc(32)).open('xyz', { bind: '', now: 0 })))
  // A manifest calls the snapshot of the last one `updated_since`.
  const snapshot =
    endpoint.read.kind === 'lake' ? 'snapshot' : params.has('updated_since') && endpoint.read.kind === 'system' && 'updated_since'
  if (snapshot) examples.push({ instance: requestOf(endpoint, { [snapshot]: 'expired' }), problem: snapshotExpired(snapshot, 'nearest') })
  const intervals = (params.get('interval')?.schema['enum'] ?? []) as (keyof typeof WIDEST_DAYS)[]
  const interval = intervals.find((one) => WIDEST_DAYS[one] !== undefined)
  const wide = { from: '2020-01-01', to: '2026-01-01' }
  if (interval) examples.push(refused({ ...wide, interval }))
  else if (params.get('from')?.widest_days) examples.push(refused(wide))
  return examples
}

function thrownBy(work: () => unknown): Problem {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('the example of a problem succeeded')
}

function notFound(endpoint: Endpoint): ExampleProblem[] {
  const names = pathParams(endpoint.path)
  if (names.length === 0) return []
  const instance = requestOf(endpoint, Object.fromEntries(names.map((name) => [name, 'unknown'])))
  return [{ instance, problem: unknownThing(instance.split('?')[0] as string) }]
}

/** The feed that examples wait for. */
export const EXAMPLE_FEED = 'example_feed'

/** Returns the tables that the example is read from, the most needed first. */
function tablesOf(endpoint: Endpoint): readonly Dataset[] {
  const { read, path } = endpoint
  if (read.kind === 'memory') return read.lake ?? []
  if (read.kind !== 'lake') return []
  const texts = exampleTexts(endpoint.example, null)
  const inPath = Object.fromEntries(pathParams(path).map((name) => [name, texts[name] ?? '']))
  return read.fromOf?.(requestReader(endpoint)(requestOf(endpoint), inPath).own) ?? read.from
}

function unavailable(endpoint: Endpoint): ExampleProblem[] {
  const { read } = endpoint
  const problems: Problem[] = []
  const isOfState = read.kind === 'changes' || (read.kind === 'memory' && (read.needs ?? read.lake ?? []).length === 0)
  const [first] = isOfState ? (read.from as readonly Dataset[]) : tablesOf(endpoint)
  if (first)
    problems.push(
      neverDelivered(first, [{ id: EXAMPLE_FEED, datasets: [first.id], enabled: true }]),
      isOfState ? stateUnreadable(first) : tablesUnreadable(),
    )
  if (read.kind === 'lake' || lakeOf(endpoint).length > 0 || (read.kind === 'memory' && read.past))
    problems.push(
      ...(['timeout', 'busy'] as const).map((code) => problemOf(new QueryError(code, 'as an example', { timeout_ms: QUERY_TIMEOUT_MS }))),
    )
  if (read.kind === 'changes') problems.push(logUnreadable())
  return problems.map((problem) => ({ problem, instance: requestOf(endpoint) }))
}
