import type { Endpoint } from './endpoint.ts'

/** The endpoints of a folder of `api/endpoints`, and its name for people. */
export interface Domain {
  readonly id: string
  readonly title: { readonly es: string; readonly en: string }
  readonly endpoints: readonly Endpoint[]
}

/** Declares a domain; its endpoints then belong to it. Throws if one declares another. */
export function defineDomain({ endpoints, ...domain }: Domain): Domain {
  const own = endpoints.map((endpoint) => {
    if (![domain.id, ''].includes(endpoint.domain)) throw new Error(`${endpoint.path} belongs to ${endpoint.domain}, not to ${domain.id}`)
    return Object.freeze({ ...endpoint, domain: domain.id })
  })
  return Object.freeze({ ...domain, endpoints: own })
}
