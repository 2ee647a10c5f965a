import { openRedis } from '../live/connect.ts'
import type { ObjectStore } from '../store/store.ts'
import { EventLog } from './log.ts'

/** The event log of a following process. Whoever opens it closes it. */
export interface Events {
  readonly log: EventLog
  readonly redisUrl: string
  close(): void
}

const COMMAND_TIMEOUT_MS = 4000

/** Opens the event log with its own Redis connection, which may be down: the store is complete. */
export function openEvents({ store, redisUrl }: { readonly store: ObjectStore; readonly redisUrl: string }): Events {
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS })
  return { log: new EventLog({ store, redis }), redisUrl, close: () => redis.disconnect() }
}
