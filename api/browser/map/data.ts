import { key } from '../key.ts'
import type { DataLayer, Properties } from './layer.ts'
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

/** True if a layer needs no key, or there is one. */
export const isOpen = ({ plan }: DataLayer): boolean => plan === 'FREE' || key.get() !== null

/** Requests a path of the API with the tab's key, or as this page. Throws an `ApiProblem`. */
export async function ask<T>(path: string, token: string, signal?: AbortSignal): Promise<T> {
  const own = key.get()
  const response = await fetch(path, {
    headers: own === null ? { 'X-Page-Token': token } : { 'X-API-Key': own },
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return (await response.json()) as T
  const problem = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly detail?: string }
  const retry = response.headers.get('retry-after')
  throw new ApiProblem(response.status, problem, retry === null ? null : Number(retry))
}

/** Requests the list of a layer; `bbox` (degrees: west, south, east, north) for one of the visible area. */
export async function askLayer(
  layer: DataLayer,
  { token, bbox, signal }: { readonly token: string; readonly bbox: readonly number[]; readonly signal: AbortSignal },
): Promise<Collection> {
  const [first, ...others] = await Promise.allSettled(pathsOf(layer, bbox).map((path) => ask<Properties>(path, token, signal)))
  const replies = [first, ...others].flatMap((one) => (one?.status === 'fulfilled' ? [one.value] : []))
  if (replies.length === 0) throw (first as PromiseRejectedResult).reason
  return collectionOf(layer, replies)
}
