import { type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { exampleTexts } from '../../kernel/example.ts'

/**
 * Returns the path and query of an endpoint's example. `values` replaces parameters; null removes one. With `now` (ms), days
 * count from that instant, for documents. Without it, the example rows match the request.
 */
export function requestOf(endpoint: Endpoint, values: Readonly<Record<string, string | null>> = {}, now: number | null = null): string {
  const given: Record<string, string | null> = { ...exampleTexts(endpoint.example, now), ...values }
  let path = endpoint.path
  for (const name of pathParams(path)) {
    path = path.replace(`{${name}}`, encodeURIComponent(given[name] ?? ''))
    delete given[name]
  }
  const query = new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null))
  return query.size === 0 ? path : `${path}?${query}`
}

/** Returns the list with the ids that an endpoint's path needs: the path before the parameter; null if there is none. */
export function listOfIds(
  endpoint: Endpoint,
  endpoints: readonly Endpoint[],
): { readonly parameter: string; readonly list: Endpoint } | null {
  const [parameter] = pathParams(endpoint.path)
  if (parameter === undefined) return null
  const before = endpoint.path.slice(0, endpoint.path.indexOf(`/{${parameter}}`))
  const list = endpoints.find(({ path, returns }) => path === before && returns.kind === 'list' && returns.id === parameter)
  return list ? { parameter, list } : null
}
