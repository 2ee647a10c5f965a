import { openRedis } from '../live/connect.ts'
import { EVENTS_CHANNEL, type EventBatch, type EventLog } from './log.ts'

/** What follows the log of events. */
export interface EventFollower {
  /** The last batch that was handed on. */
  readonly position: number
  /** When the log was last read without finding more, ms since the epoch. */
  readonly caughtUpAt: number
  close(): Promise<void>
}

/** How the log is followed. */
export interface FollowOptions {
  readonly log: EventLog
  readonly redisUrl: string
  /** Batches after this offset are handed on, in order. */
  readonly after: number
  /** Called with one batch at a time; the next waits for it. */
  readonly onBatch: (batch: EventBatch) => void | Promise<void>
  /** Called if the log cannot be read; reading goes on. */
  readonly onError: (error: Error) => void
  /** Time between two looks without a message, in ms. */
  readonly poll_ms?: number
}

const POLL_MS = 2000

/** Follows the log: woken by messages of Redis, and by a look now and then that makes good for lost messages. */
export function followEvents({ log, redisUrl, after, onBatch, onError, poll_ms = POLL_MS }: FollowOptions): EventFollower {
  const messages = openRedis(redisUrl)
  let position = after
  let caughtUpAt = Date.now()
  let closed = false
  let reading: Promise<void> | null = null
  let isWoken = false

  const readAll = async (): Promise<void> => {
    while (!closed) {
      isWoken = false
      const read = await log.read(position)
      if (read.reset) {
        // Deleted or lost: there is nothing to wait for.
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
  const wake = (): void => {
    isWoken = true
    reading ??= readAll()
      .catch((error: Error) => {
        if (!closed) onError(error)
      })
      .finally(() => {
        reading = null
      })
  }
  messages.on('message', wake)
  messages.subscribe(EVENTS_CHANNEL).catch(onError)
  const timer = setInterval(wake, poll_ms)
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
      messages.disconnect()
      await reading
    },
  }
}
