import type { Endpoint } from './endpoint.ts'

/** The endpoints of a folder of `api/endpoints`, and what people call them. */
export interface Domain {
  readonly id: string
  readonly title: { readonly es: string; readonly en: string }
  readonly endpoints: readonly Endpoint[]
}

/** Declares a domain. Throws if one of its endpoints says that it belongs to another. */
export function defineDomain(domain: Domain): Domain {
  for (const { path, domain: id } of domain.endpoints)
    if (id !== domain.id) throw new Error(`${path} belongs to the domain ${id}, not to ${domain.id}`)
  return Object.freeze(domain)
}
