import { key } from '../key.ts'
import { textsIn } from './dom.ts'
import type { DataLayer, Plan, Properties } from './layers/layer.ts'
import { type Collection, collectionOf, pathsOf } from './requests.ts'

/** An answer of the API that is a problem (RFC 9457). */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** Seconds until a further request makes sense; null if unknown. */
  readonly retry_s: number | null
  constructor(status: number, problem: { readonly code?: string; readonly detail?: string }, retry_s: number | null) {
    super(problem.detail ?? `HTTP ${status}`)
    this.status = status
    this.code = problem.code ?? ''
    this.retry_s = retry_s
  }
}

/** The plans that the tab's key does not have, as far as the API has said so. */
let refused: { readonly by: string | null; readonly plans: Set<Plan> } = { by: null, plans: new Set() }
function refusedPlans(): Set<Plan> {
  if (refused.by !== key.get()) refused = { by: key.get(), plans: new Set() }
  return refused.plans
}

/** True if a layer needs no key, or there is one whose plan has it. */
export const isOpen = ({ plan }: Pick<DataLayer, 'plan'>): boolean => plan === 'FREE' || (key.get() !== null && !refusedPlans().has(plan))

/** The newest token of the page: it ends after a day, and with the address of the caller. */
let newest: string | null = null
async function renewed(): Promise<string> {
  const { token } = (await (await fetch('/map/token')).json()) as { readonly token: string }
  newest = token
  return token
}

/**
 * Requests a path of the API: as this page, whose limits are wider than those of a free key, or with the tab's key if it needs a
 * plan. Throws an `ApiProblem`.
 */
export async function ask<T>(
  path: string,
  token: string,
  { plan = 'FREE', signal }: { readonly plan?: Plan; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const own = plan === 'FREE' ? null : key.get()
  const send = (page: string): Promise<Response> =>
    fetch(path, { headers: own === null ? { 'X-Page-Token': page } : { 'X-API-Key': own }, ...(signal ? { signal } : {}) })
  let response = await send(newest ?? token)
  if (response.status === 429 && own === null) response = await send(await renewed())
  if (response.ok) return (await response.json()) as T
  const problem = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly detail?: string }
  if (problem.code === 'plan-required' && own !== null) refusedPlans().add(plan)
  const retry = response.headers.get('retry-after')
  throw new ApiProblem(response.status, problem, retry === null ? null : Number(retry))
}

/** Requests the list of a layer; `bbox` (degrees: west, south, east, north) for one of the visible area. */
export async function askLayer(
  layer: DataLayer,
  { token, bbox, signal }: { readonly token: string; readonly bbox: readonly number[]; readonly signal: AbortSignal },
): Promise<Collection> {
  const [first, ...others] = await Promise.allSettled(
    pathsOf(layer, { bbox, lang: textsIn }).map((path) => ask<Properties>(path, token, { plan: layer.plan, signal })),
  )
  const replies = [first, ...others].flatMap((one) => (one?.status === 'fulfilled' ? [one.value] : []))
  if (replies.length === 0) throw (first as PromiseRejectedResult).reason
  return collectionOf(layer, replies)
}
