import { listen } from '../live/connect.ts'
import { EVENTS_CHANNEL, type EventBatch, type EventLog } from './log.ts'

/** A follower of the event log. */
export interface EventFollower {
  /** Offset of the last delivered batch. */
  readonly position: number
  /** When the log was last read to its end, ms since the epoch. */
  readonly caughtUpAt: number
  close(): Promise<void>
}

/** How to follow the log. */
export interface FollowOptions {
  readonly log: EventLog
  readonly redisUrl: string
  /** Batches after this offset are delivered, in order. */
  readonly after: number
  /** Called with one batch at a time; the next waits for it. */
  readonly onBatch: (batch: EventBatch) => void | Promise<void>
  /** Called if the log cannot be read; reading goes on. */
  readonly onError: (error: Error) => void
}

/** Poll interval while Redis is away, ms. */
const POLL_MS = 2000
/** While messages arrive, the poll interval is this many times longer: each poll is a request to the store. */
const CONNECTED_TIMES = 60
/** Every so many of these polls also look for batches after a lost one, which is a list. */
const AHEAD_TIMES = 5
/** Longest poll interval, ms. */
export const FOLLOW_MS = CONNECTED_TIMES * POLL_MS

/** Follows the log: reads it at each Redis message and by polling, since messages may be lost. */
export function followEvents({ log, redisUrl, after, onBatch, onError }: FollowOptions): EventFollower {
  let position = after
  let caughtUpAt = Date.now()
  let closed = false
  let reading: Promise<void> | null = null
  let isWoken = false
  let looksAhead = true

  const readAll = async (): Promise<void> => {
    while (!closed) {
      isWoken = false
      const read = await log.read(position, undefined, { looksAhead })
      if (read.reset) {
        // Deleted or lost.
        position = read.first - 1
        continue
      }
      for (const batch of read.batches) {
        if (closed) return
        await onBatch(batch)
        position = batch.offset
      }
      if (read.batches.length > 0) continue
      caughtUpAt = Date.now()
      if (!isWoken) return
    }
  }
  const report = (error: Error): void => {
    if (!closed) onError(error)
  }
  const wake = (ahead = true): void => {
    isWoken = true
    looksAhead = ahead
    reading ??= readAll()
      .catch(report)
      .finally(() => {
        reading = null
      })
  }
  const messages = listen(redisUrl, EVENTS_CHANNEL, { onMessage: () => wake(), onListening: () => wake(), onError: report })
  let looks = 0
  const timer = setInterval(() => {
    if (!messages.isListening || ++looks % CONNECTED_TIMES === 0) wake(looks % (AHEAD_TIMES * CONNECTED_TIMES) === 0)
  }, POLL_MS)
  wake()
  return {
    get position() {
      return position
    },
    get caughtUpAt() {
      return caughtUpAt
    },
    close: async () => {
      closed = true
      clearInterval(timer)
      messages.close()
      await reading
    },
  }
}
