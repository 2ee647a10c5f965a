import type { FastifyBaseLogger } from 'fastify'
import type { Events } from '../../../lake/events/open.ts'
import { uptimeReader } from '../../../lake/requests/months.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { Access } from '../../auth/access.ts'
import { type AddressLimitParts, limitByAddress, PLATFORM_LIMIT } from '../../auth/address-limit.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Served } from '../../engine/answers/own-answers.ts'
import type { Feature } from '../../engine/feature.ts'
import type { StreamHub } from '../stream/hub.ts'
import { deliveryLag } from './delivery.ts'
import { groupProbes, openProbes } from './probes.ts'
import { type ReportParts, statusReports } from './report.ts'
import { statusPaths } from './status-openapi.ts'
import { registerStatus } from './status-routes.ts'

/** What the state of the service is made of. */
interface StatusParts extends Omit<ReportParts, 'groups' | 'read' | 'delivery' | 'limiter' | 'log'>, AddressLimitParts {
  readonly served: readonly Served[]
  readonly access: Pick<Access, 'keys'>
  readonly requests: RequestLog
  readonly groups: PathGroups
  readonly events: Events
  readonly hub: StreamHub
  readonly store: ObjectStore
  readonly log: FastifyBaseLogger
  readonly baseUrl: () => string
  /** Time between two probes of each group of paths, in ms. */
  readonly probe_ms: number
}

/** The state of the service, measured by its own requests and by probes. */
export const statusFeature: Feature<StatusParts> = {
  id: 'status',
  register(app, parts) {
    const { store, clock, requests, log, hub } = parts
    const probes = openProbes(groupProbes(parts.served, { keys: parts.access.keys, clock }), { requests, log, every_ms: parts.probe_ms })
    app.addHook('onClose', () => probes.close())
    const report = statusReports({
      ...parts,
      groups: parts.groups.list,
      read: uptimeReader(store, { since: parts.state.begun_at }),
      delivery: () => deliveryLag({ store, log: parts.events.log, hub, clock }),
    })
    void app.register(async (scope) => {
      limitByAddress(scope, parts, PLATFORM_LIMIT)
      parts.groups.take(scope, 'platform', parts.callerOf)
      registerStatus(scope, { report, clock, baseUrl: parts.baseUrl })
    })
  },
  describe: ({ endpoints }) => ({ paths: statusPaths(endpoints) }),
}
