import type { DataLayer } from './layers.ts'

/** A list of the API as GeoJSON. */
export interface Collection {
  readonly type: 'FeatureCollection'
  readonly features: readonly GeoJSON.Feature[]
  /** Time of the data, ISO 8601; null if it has none. */
  readonly updated_at?: string | null
  readonly meta?: { readonly stale?: boolean }
}

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

const KEY = 'key'
/** The key of this tab, kept until it is closed; null if there is none. */
export const key = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (text: string): void => (text === '' ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, text)),
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
export function askLayer(
  layer: DataLayer,
  { token, bbox, signal }: { readonly token: string; readonly bbox: readonly number[]; readonly signal: AbortSignal },
): Promise<Collection> {
  const area = layer.isByArea ? `&bbox=${bbox.map((one) => one.toFixed(3)).join(',')}` : ''
  return ask<Collection>(`${layer.path}${layer.path.includes('?') ? '&' : '?'}format=geojson${area}`, token, signal)
}
