import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Events } from '../../lake/events/open.ts'
import type { LiveReader } from '../../lake/live/read.ts'
import type { Lake } from '../../lake/open.ts'
import { allMunicipalities } from '../../lake/places/municipalities.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Access } from '../auth/access.ts'
import { httpsRule } from '../auth/https.ts'
import { callerReader, type TrustedProxies, trustedProxies } from '../auth/limits/address.ts'
import type { Limiter } from '../auth/limits/limiter.ts'
import { DEFAULT_PLANS, type PlanTable } from '../auth/plans.ts'
import type { RequestLog } from '../auth/usage/request-log.ts'
import { endpoints as all } from '../endpoints/catalog.ts'
import { cursorSecret, cursors } from '../engine/request/cursor.ts'
import { openState } from '../engine/state/state.ts'
import { openHub } from '../features/stream/hub.ts'
import type { DestinationRules } from '../features/webhooks/destination.ts'
import type { Endpoint } from '../kernel/endpoint.ts'
import { buildApp, CLIENT_LIMITS, type ClientLimits } from './app.ts'
import { type Describe, describeHere } from './describe/descriptions.ts'

/** What the API needs. The caller opens and closes it. */
export interface ApiOptions {
  readonly store: ObjectStore
  readonly lake: Lake
  readonly live: LiveReader
  readonly events: Events
  /** The destinations that webhooks may be sent to; the public internet by default. */
  readonly destinations?: DestinationRules
  readonly access: Access
  readonly limiter: Limiter
  readonly requests: RequestLog
  readonly log: FastifyBaseLogger
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** True if other processes also listen on the port and share its callers; false by default. */
  readonly sharesPort?: boolean
  /** The address that clients use; by default the listening address. */
  readonly publicUrl?: string | null
  /** Proxies whose reports of a request's client and scheme are trusted; none by default. */
  readonly trusted?: TrustedProxies
  /** Whether plain HTTP is refused; null, the default, derives it from proxies and `publicUrl`. */
  readonly requireHttps?: boolean | null
  /** The plans; by default those of the specification. */
  readonly plans?: PlanTable
  /** Where people change their plan; our own page of plans by default. */
  readonly upgradeUrl?: string | null
  /** The address for support, as a URI; none by default. */
  readonly supportContact?: string | null
  /** IRI of the publisher of the catalogue in DIR3; none by default. */
  readonly catalogPublisher?: string | null
  /** The address for reports of vulnerabilities, as a URI; none by default. */
  readonly securityContact?: string | null
  /** Bytes of replies in memory. */
  readonly cacheBytes?: number
  /** Disk space for replies that are not sent yet, in bytes. */
  readonly spoolBytes?: number
  /** Time between two polls of the tables of cached queries, in ms. */
  readonly lakePoll_ms?: number
  /** See `openState`. */
  readonly describe_ms?: number
  /** Makes the OpenAPI description; in this thread by default, which suits tests. */
  readonly describe?: Describe
  /** True if the search index and the description are made at the start; by default on the first request. */
  readonly isWarmed?: boolean
  /** Time between two of our own probes of each group of paths, in ms; a minute by default. */
  readonly probe_ms?: number
  /** The registry for metrics; none by default. */
  readonly metrics?: Registry | null
  /** Limits for clients that differ from the defaults. */
  readonly clients?: Partial<ClientLimits>
  readonly clock?: () => number
  /** The endpoints to serve; all by default. */
  readonly endpoints?: readonly Endpoint[]
}

/** A running API. */
export interface Api {
  readonly url: string
  /** Stops taking requests, finishes those under way, and frees the port. */
  close(): Promise<void>
}

const CACHE_BYTES = 256 * 1024 ** 2
const SPOOL_BYTES = 2 * 1024 ** 3
const LAKE_POLL_MS = 5000
const PROBE_MS = 60_000

/** An option of Node's `server.listen` that Fastify's types lack. */
const SHARED = Object.freeze({ reusePort: true })

/** Starts the API on a port. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const {
    store,
    lake,
    live,
    events,
    access,
    limiter,
    requests,
    log,
    host,
    port,
    publicUrl = null,
    clock = Date.now,
    endpoints = all,
  } = options
  const { cacheBytes = CACHE_BYTES, spoolBytes = SPOOL_BYTES, lakePoll_ms = LAKE_POLL_MS, probe_ms = PROBE_MS, describe_ms } = options
  const {
    sharesPort = false,
    trusted = trustedProxies(''),
    plans = DEFAULT_PLANS,
    upgradeUrl = null,
    supportContact = null,
    securityContact = null,
    catalogPublisher = null,
    metrics = null,
    describe = describeHere(endpoints),
    isWarmed = false,
    requireHttps = null,
  } = options
  // The list of municipalities takes 0.2 s to build. It is built now, so that no request waits for it.
  allMunicipalities()
  const secret = await cursorSecret(store)
  const state = await openState({
    store,
    live,
    clock,
    ...(describe_ms === undefined ? {} : { describe_ms }),
    onError: (err) => log.warn({ err }, 'the description of the lake cannot be read'),
  })
  const hub = await openHub({
    log: events.log,
    redisUrl: events.redisUrl,
    clock,
    onError: (err) => log.warn({ err }, 'the event stream has a fault'),
  })
  let listening = `http://${host}:${port}`
  const app = buildApp({
    endpoints,
    state,
    lake,
    events,
    destinations: options.destinations ?? { loopback: false },
    hub,
    access,
    limiter,
    requests,
    callerOf: callerReader(trusted),
    https: httpsRule({ trusted, required: requireHttps, publicUrl }),
    plans,
    upgradeUrl,
    supportContact,
    securityContact,
    catalogPublisher,
    cursors: cursors(secret),
    clients: { ...CLIENT_LIMITS, ...options.clients },
    log,
    clock,
    baseUrl: () => publicUrl ?? listening,
    cacheBytes,
    spoolBytes,
    metrics,
    lakePoll_ms,
    describe,
    isWarmed,
    probe_ms,
  })
  try {
    await app.listen({ host, port, ...(sharesPort ? SHARED : {}) })
  } catch (error) {
    state.close()
    throw error
  }
  listening = `http://${host.includes(':') ? `[${host}]` : host}:${(app.server.address() as AddressInfo).port}`
  return {
    url: listening,
    close: async () => {
      await app.close()
      state.close()
    },
  }
}
