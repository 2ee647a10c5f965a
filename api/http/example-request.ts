import { type Endpoint, pathParams } from '../define/endpoint.ts'

/** The path and query of an endpoint's example, with other parameters where told (null leaves one out). */
export function requestOf(endpoint: Endpoint, values: Readonly<Record<string, string | null>> = {}): string {
  const given: Record<string, string | null> = { ...endpoint.example, ...values }
  let path = endpoint.path
  for (const name of pathParams(path)) {
    path = path.replace(`{${name}}`, encodeURIComponent(given[name] ?? ''))
    delete given[name]
  }
  const query = new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null))
  return query.size === 0 ? path : `${path}?${query}`
}
