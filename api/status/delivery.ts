import { setTimeout as sleep } from 'node:timers/promises'
import { FOLLOW_MS } from '../../lake/events/follow.ts'
import type { EventLog } from '../../lake/events/log.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { StreamHub } from '../stream/hub.ts'
import { readCheckpoint } from '../webhooks/state.ts'

/** How far webhooks and streams are behind the log of events; null for what is not known. */
export interface DeliveryLag {
  /** Age of the oldest event that webhooks were not matched with yet, in s; 0 if there is none. */
  readonly webhooks_lag_s: number | null
  /** Time for which this process could not read the log to its end, in s. */
  readonly streams_lag_s: number | null
  /** Streams that are open in this process. */
  readonly streams_open: number
}

/** Greatest lag of deliveries that are on time, in s: many times what one usually takes, so that a restart does not count. */
export const LATE_S = 30
/** Greatest lag of deliveries that are only late; beyond, nothing has been delivered for a while. */
export const STUCK_S = 600

/** Finds out how far webhooks and streams are behind. */
export async function deliveryLag(parts: {
  readonly store: ObjectStore
  readonly log: EventLog
  readonly hub: Pick<StreamHub, 'count' | 'lag_s'>
  readonly clock: () => number
}): Promise<DeliveryLag> {
  const { store, log, hub, clock } = parts
  const streams = { streams_lag_s: hub.lag_s() <= POLLED_S ? 0 : hub.lag_s(), streams_open: hub.count }
  const webhooks = async (): Promise<number | null> => {
    const checkpoint = await readCheckpoint(store)
    if (!checkpoint) return null
    const read = await log.read(checkpoint.position, 1)
    const [next] = read.reset ? [] : read.batches
    return next ? Math.max(0, Math.round((clock() - next.recorded_at) / 1000)) : 0
  }
  // A store that stands still must not hold up the report of just that.
  const given = await Promise.race([webhooks().catch(() => null), sleep(PATIENCE_MS, null, { ref: false })])
  return { webhooks_lag_s: given, ...streams }
}

/** Between two looks at the log nothing is late; a look takes some seconds at most. */
const POLLED_S = FOLLOW_MS / 1000 + 3
const PATIENCE_MS = 3000
