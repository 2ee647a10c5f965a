import type { AddressInfo } from 'node:net'
import type { LiveReader } from '../../lake/live/read.ts'
import { allMunicipalities } from '../../lake/places/municipalities.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { httpsRule } from '../auth/https.ts'
import { callerReader, type TrustedProxies, trustedProxies } from '../auth/limits/address.ts'
import { DEFAULT_PLANS } from '../auth/plans.ts'
import { endpoints as all } from '../endpoints/catalog.ts'
import { cursorSecret, cursors } from '../engine/request/cursor.ts'
import { openState } from '../engine/state/state.ts'
import { openHub } from '../features/stream/hub.ts'
import { type AppParts, buildApp, CLIENT_LIMITS, type ClientLimits } from './app.ts'
import { describeHere } from './describe/descriptions.ts'

/** What an API has unless its options differ. */
const DEFAULTS = Object.freeze({
  endpoints: all,
  plans: DEFAULT_PLANS,
  destinations: { loopback: false },
  ...{ upgradeUrl: null, supportContact: null, catalogPublisher: null, securityContact: null, metrics: null, bucket: null },
  cacheBytes: 256 * 1024 ** 2,
  spoolBytes: 2 * 1024 ** 3,
  lakePoll_ms: 5000,
  probe_ms: 60_000,
  isWarmed: false,
  clock: Date.now,
}) satisfies Partial<AppParts>

/** What the API needs. The caller opens and closes it. */
export interface ApiOptions
  extends Pick<AppParts, 'lake' | 'events' | 'access' | 'limiter' | 'requests' | 'log'>,
    Partial<Pick<AppParts, keyof typeof DEFAULTS | 'describe'>> {
  readonly store: ObjectStore
  readonly live: LiveReader
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
  /** See `openState`. */
  readonly describe_ms?: number
  /** Limits for clients that differ from the defaults. */
  readonly clients?: Partial<ClientLimits>
}

/** A running API. */
export interface Api {
  readonly url: string
  /** Stops taking requests, finishes those under way, and frees the port. */
  close(): Promise<void>
}

/** An option of Node's `server.listen` that Fastify's types lack. */
const SHARED = Object.freeze({ reusePort: true })

/** Starts the API on a port. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { store, live, host, port, sharesPort = false, publicUrl = null, trusted = trustedProxies(''), requireHttps = null } = options
  const parts = { ...DEFAULTS, ...options }
  const { events, log, clock, endpoints, describe = describeHere(endpoints), describe_ms } = parts
  // The list of municipalities takes 0.2 s to build. It is built now, so that no request waits for it.
  allMunicipalities()
  const secret = await cursorSecret(store)
  const state = await openState({
    ...{ store, live, clock, ...(describe_ms === undefined ? {} : { describe_ms }) },
    onError: (err) => log.warn({ err }, 'the description of the lake cannot be read'),
  })
  const hub = await openHub({
    ...{ log: events.log, redisUrl: events.redisUrl, clock },
    onError: (err) => log.warn({ err }, 'the event stream has a fault'),
  })
  let listening = `http://${host}:${port}`
  const app = buildApp({
    ...parts,
    ...{ state, hub, describe },
    callerOf: callerReader(trusted),
    https: httpsRule({ trusted, required: requireHttps, publicUrl }),
    cursors: cursors(secret),
    clients: { ...CLIENT_LIMITS, ...options.clients },
    baseUrl: () => publicUrl ?? listening,
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
