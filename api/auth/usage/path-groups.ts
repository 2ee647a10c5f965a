import type { FastifyInstance } from 'fastify'
import type { Domain } from '../../kernel/domain.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { CallerOf } from '../limits/address.ts'
import type { CountReply, RequestLog } from './request-log.ts'

/** Groups of paths without data. */
export const OWN_GROUPS = Object.freeze({
  account: { es: 'Cuentas y claves', en: 'Accounts and keys' },
  platform: { es: 'Documentación y páginas', en: 'Documentation and pages' },
})
type OwnGroup = keyof typeof OWN_GROUPS

/** Paths that are up or down together: of a data domain, of accounts, or of descriptions. Each path is in one group. */
export interface PathGroup {
  readonly id: string
  readonly title: { readonly es: string; readonly en: string }
  /** The paths, with their parameters in braces; complete after the last route is registered. */
  readonly paths: ReadonlySet<string>
}

/** The groups of all served paths, and the counters of their replies. */
export interface PathGroups {
  readonly list: readonly PathGroup[]
  /** Returns the counter of an endpoint's replies. */
  ofEndpoint(endpoint: Endpoint): CountReply
  /** Adds a path that is not a declared endpoint to a domain's group, and returns the counter of its replies. */
  ofPath(domain: string, path: string): CountReply
  /** Adds every path that is registered in a scope from now on to an own group, and counts its replies. */
  take(scope: FastifyInstance, group: OwnGroup, callerOf: CallerOf): void
}

/** Makes the groups: one for each domain of the endpoints, and our own. */
export function pathGroups(
  endpoints: readonly Endpoint[],
  domains: readonly Domain[],
  { repliesOf }: Pick<RequestLog, 'repliesOf'>,
): PathGroups {
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
    ofEndpoint: ({ domain }) => repliesOf(domain),
    ofPath: (domain, path) => {
      groups.get(domain)?.paths.add(path)
      return repliesOf(domain)
    },
    take: (scope, group, callerOf) => {
      const count = repliesOf(group)
      scope.addHook('onRoute', (route) => {
        own[group].add(route.url.replaceAll(/:(\w+)/g, '{$1}'))
        route.config = { ...route.config, counters: { countReply: count } }
      })
      scope.addHook('onResponse', async ({ raw }, reply) => count(reply.raw.statusCode, reply.elapsedTime, callerOf(raw)))
    },
  }
}
