import { type Endpoint, pathParams } from '../define/endpoint.ts'
import { exampleTexts } from '../define/example.ts'

/**
 * The path and query of an endpoint's example, with other parameters where told (null leaves one out): as a document of an instant (ms) shows
 * it, or, without one, as example rows answer it.
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

/** The list that has the ids of an endpoint's things: that of the path up to the parameter; null where there is none. */
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
