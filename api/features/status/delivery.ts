import { setTimeout as sleep } from 'node:timers/promises'
import { FOLLOW_MS } from '../../../lake/events/follow.ts'
import type { EventLog } from '../../../lake/events/log.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { StreamHub } from '../stream/hub.ts'
import { readCheckpoint } from '../webhooks/state.ts'

/** The lag of webhooks and streams behind the log of events; null if unknown. */
export interface DeliveryLag {
  /** Age of the oldest event that is not yet matched with webhooks, in s; 0 if there is none. */
  readonly webhooks_lag_s: number | null
  /** How long this process could not read the log to its end, in s. */
  readonly streams_lag_s: number | null
  /** Streams that are open in this process. */
  readonly streams_open: number
}

/** Greatest lag of punctual deliveries, in s: many times the usual lag, so that a restart does not count. */
export const LATE_S = 30
/** Greatest lag of late deliveries, in s. Beyond it, nothing has been delivered for a while. */
export const STUCK_S = 600

/** Measures the lag of webhooks and streams. */
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
  // An unresponsive store must not hold up the report about it.
  const given = await Promise.race([webhooks().catch(() => null), sleep(PATIENCE_MS, null, { ref: false })])
  return { webhooks_lag_s: given, ...streams }
}

/** The polling interval and the time of a read, in s: this much lag is normal. */
const POLLED_S = FOLLOW_MS / 1000 + 3
const PATIENCE_MS = 3000
