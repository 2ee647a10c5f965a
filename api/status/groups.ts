import type { FastifyInstance } from 'fastify'
import type { CallerOf } from '../access/limits/address.ts'
import type { Endpoint } from '../define/endpoint.ts'
import { domains } from '../endpoints/catalog.ts'
import type { CountReply, Uptime } from './uptime.ts'

/** Groups of paths that are no data. */
export const OWN_GROUPS = Object.freeze({
  account: { es: 'Cuentas y claves', en: 'Accounts and keys' },
  platform: { es: 'Documentación y páginas', en: 'Documentation and pages' },
})
type OwnGroup = keyof typeof OWN_GROUPS

/** Paths that are up or down together: those of a domain of data, of accounts, or what describes the service. Each path is in one. */
export interface PathGroup {
  readonly id: string
  readonly title: { readonly es: string; readonly en: string }
  /** The paths, with their parameters in braces; complete once all routes are there. */
  readonly paths: ReadonlySet<string>
}

/** The groups of all paths that are served, and what counts their replies. */
export interface PathGroups {
  readonly list: readonly PathGroup[]
  /** Gives what counts the replies of an endpoint. */
  ofEndpoint(endpoint: Endpoint): CountReply
  /** Puts a path that is no declared endpoint into the group of a domain, and gives what counts its replies. */
  ofPath(domain: string, path: string): CountReply
  /** Puts every path that is registered in a scope from now on into a group of ours, and counts its replies. */
  take(scope: FastifyInstance, group: OwnGroup, callerOf: CallerOf): void
}

/** Makes the groups: one for each domain of the endpoints, and our own. */
export function pathGroups(endpoints: readonly Endpoint[], { counter }: Pick<Uptime, 'counter'>): PathGroups {
  const groups = new Map<string, PathGroup & { readonly paths: Set<string> }>()
  const titles = new Map(domains.map(({ id, title }) => [id, title]))
  for (const { domain, path } of endpoints) {
    const title = titles.get(domain) ?? { es: domain, en: domain }
    const group = groups.get(domain) ?? { id: domain, title, paths: new Set<string>() }
    groups.set(domain, group)
    group.paths.add(path)
  }
  const own = { account: new Set<string>(), platform: new Set<string>() }
  for (const id of Object.keys(own) as OwnGroup[]) groups.set(id, { id, title: OWN_GROUPS[id], paths: own[id] })
  return {
    list: [...groups.values()],
    ofEndpoint: ({ domain }) => counter(domain),
    ofPath: (domain, path) => {
      groups.get(domain)?.paths.add(path)
      return counter(domain)
    },
    take: (scope, group, callerOf) => {
      const count = counter(group)
      scope.addHook('onRoute', ({ url }) => void own[group].add(url.replaceAll(/:(\w+)/g, '{$1}')))
      scope.addHook('onResponse', async ({ method, raw }, reply) => {
        if (method !== 'OPTIONS') count(reply.raw.statusCode, reply.elapsedTime, callerOf(raw))
      })
    },
  }
}
