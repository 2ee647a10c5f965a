import type { Endpoint } from './endpoint.ts'

/** The endpoints of a folder of `api/endpoints`, and its name for people. */
export interface Domain {
  readonly id: string
  readonly title: { readonly es: string; readonly en: string }
  readonly endpoints: readonly Endpoint[]
}

/** Declares a domain. Throws if an endpoint declares another domain. */
export function defineDomain(domain: Domain): Domain {
  for (const { path, domain: id } of domain.endpoints)
    if (id !== domain.id) throw new Error(`${path} belongs to the domain ${id}, not to ${domain.id}`)
  return Object.freeze(domain)
}
