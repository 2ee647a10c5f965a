import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Events } from '../lake/events/open.ts'
import type { LiveReader } from '../lake/live/read.ts'
import type { Lake } from '../lake/open.ts'
import { allMunicipalities } from '../lake/places/municipalities.ts'
import type { ObjectStore } from '../lake/store/store.ts'
import type { Access } from './access/access.ts'
import { httpsRule } from './access/https.ts'
import { callerReader, type TrustedProxies, trustedProxies } from './access/limits/address.ts'
import type { Limiter } from './access/limits/limiter.ts'
import { DEFAULT_PLANS, type PlanTable } from './access/plans.ts'
import type { Usage } from './access/usage/usage.ts'
import type { Endpoint } from './define/endpoint.ts'
import { endpoints as all } from './endpoints/catalog.ts'
import { buildApp, CLIENT_LIMITS, type ClientLimits } from './http/app.ts'
import { cursorSecret, cursors } from './http/cursor.ts'
import { type Describe, describeHere } from './http/descriptions.ts'
import { openState } from './http/state.ts'
import type { Uptime } from './status/uptime.ts'
import { openHub } from './stream/hub.ts'
import type { DestinationRules } from './webhooks/destination.ts'

/** What the API needs. Who opened it closes it. */
export interface ApiOptions {
  readonly store: ObjectStore
  readonly lake: Lake
  readonly live: LiveReader
  readonly events: Events
  /** What webhooks may be sent to; the public internet unless told. */
  readonly destinations?: DestinationRules
  readonly access: Access
  readonly limiter: Limiter
  readonly usage: Usage
  readonly uptime: Uptime
  readonly log: FastifyBaseLogger
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Whether other processes listen on the port as well, which then share its callers; not unless told. */
  readonly sharesPort?: boolean
  /** The address that clients use; the one listened on unless told. */
  readonly publicUrl?: string | null
  /** Proxies that are believed what they say of whom a request is from and how it came; none unless told. */
  readonly trusted?: TrustedProxies
  /** Whether plain HTTP is refused; null, which it is unless told, goes by proxies and `publicUrl`. */
  readonly requireHttps?: boolean | null
  /** The plans that are shown; those of the specification unless told. */
  readonly plans?: PlanTable
  /** Where people change their plan; our own page of plans by default. */
  readonly upgradeUrl?: string | null
  /** Where customers write, as a URI; nobody is named by default. */
  readonly supportContact?: string | null
  /** IRI of the publisher of the catalogue in DIR3; none by default. */
  readonly catalogPublisher?: string | null
  /** Whom to tell of weaknesses, as a URI; nobody unless told. */
  readonly securityContact?: string | null
  /** Bytes of replies kept in memory. */
  readonly cacheBytes?: number
  /** Disk that replies may take until they are sent, in bytes. */
  readonly spoolBytes?: number
  /** Time between two looks at the tables whose slices are kept in memory, in ms. */
  readonly lakePoll_ms?: number
  /** Makes the OpenAPI description; in this thread by default, which suits tests. */
  readonly describe?: Describe
  /** Whether the search index and the description are made at the start; on the first request by default. */
  readonly isWarmed?: boolean
  /** Time between two of our own probes of each group of paths, in ms; a minute unless told. */
  readonly probe_ms?: number
  /** Where requests and what they use are measured; nowhere unless told. */
  readonly metrics?: Registry | null
  /** What differs from how long clients may usually take. */
  readonly clients?: Partial<ClientLimits>
  readonly clock?: () => number
  /** The endpoints to serve; all unless told. */
  readonly endpoints?: readonly Endpoint[]
}

/** A running API. */
export interface Api {
  readonly url: string
  /** Takes no more requests, lets those under way end, and frees the port. */
  close(): Promise<void>
}

const CACHE_BYTES = 256 * 1024 ** 2
const SPOOL_BYTES = 2 * 1024 ** 3
const LAKE_POLL_MS = 5000
const PROBE_MS = 60_000

/** Passed on to Node's `server.listen`; Fastify's types do not know it. */
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
    usage,
    uptime,
    log,
    host,
    port,
    publicUrl = null,
    clock = Date.now,
    endpoints = all,
  } = options
  const { cacheBytes = CACHE_BYTES, spoolBytes = SPOOL_BYTES, lakePoll_ms = LAKE_POLL_MS, probe_ms = PROBE_MS } = options
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
  // The list of municipalities takes a fifth of a second to build: now, so that no request waits for it and those beside it.
  allMunicipalities()
  const secret = await cursorSecret(store)
  const state = await openState({ store, live, clock, onError: (err) => log.warn({ err }, 'the description of the lake cannot be read') })
  const hub = await openHub({
    log: events.log,
    redisUrl: events.redisUrl,
    clock,
    onError: (err) => log.warn({ err }, 'the log of events cannot be read'),
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
    usage,
    uptime,
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
