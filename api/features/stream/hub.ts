import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type EventFollower, followEvents } from '../../../lake/events/follow.ts'
import type { EventLog } from '../../../lake/events/log.ts'
import { type Place, type ShownBatch, ShownBatches, type ShownEvent } from '../../events/shown.ts'

/** The filter of a stream, and the response that it is sent on. */
export interface StreamOptions {
  readonly response: ServerResponse
  readonly isWanted: (event: ShownEvent) => boolean
  /** The position where it continues; null to begin with the next event. */
  readonly from: Place | null
}

/** The open streams of a process. */
export interface StreamHub {
  /** Opens a stream on a response whose head has been sent. `ended` resolves when either side has ended it. */
  open(options: StreamOptions): Stream
  /** Open streams. */
  readonly count: number
  /** Streams that were closed because their reader was too slow. */
  readonly slow: number
  /** Returns the seconds for which the log could not be read to its end. */
  lag_s(): number
  close(): Promise<void>
}

/** An open stream. */
export interface Stream {
  /** Ends it, after an event with the reason. */
  end(reason: StreamEnd): void
  readonly ended: Promise<void>
}

/** Why the service ends a stream. */
export type StreamEnd = 'key-changed' | 'closing'

/** Options of streams; other values are for tests. */
export interface HubOptions {
  readonly log: EventLog
  readonly redisUrl: string
  /** Called if the log cannot be read, or some of its events cannot be shown. */
  readonly onError: (error: Error) => void
  readonly clock?: () => number
  readonly heartbeat_ms?: number
  /** How long a reader may read nothing before it is closed, in ms. */
  readonly stuck_ms?: number
}

const HEARTBEAT_MS = 15_000
const STUCK_MS = 30_000
/** How far back a stream can continue, in ms. */
const REPLAY_MS = 86_400_000
/** When a client reconnects after a lost connection, in ms. */
const RETRY_MS = 5000
/** Memory for texts of the newest batches, in characters. */
const MAX_SHOWN = 32 * 1024 ** 2

/** Follows the log of events for all streams of this process. */
export async function openHub(options: HubOptions): Promise<StreamHub> {
  const { log, redisUrl, onError, clock = Date.now, heartbeat_ms = HEARTBEAT_MS, stuck_ms = STUCK_MS } = options
  const live = new Set<OpenStream>()
  const open = new Set<OpenStream>()
  const shown = new ShownBatches({ maxSize: MAX_SHOWN, onError })
  let slow = 0
  /** The newest batch that was passed to live streams. */
  let newest = await log.head()

  class OpenStream implements Stream {
    readonly ended: Promise<void>
    readonly #response: ServerResponse
    readonly #isWanted: StreamOptions['isWanted']
    readonly #over = new AbortController()
    /** The position after the last event that was sent or skipped. */
    #place: Place

    constructor({ response, isWanted }: StreamOptions, place: Place) {
      this.#response = response
      this.#isWanted = isWanted
      this.#place = place
      open.add(this)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.ended = promise
      const close = (): void => {
        this.#over.abort()
        open.delete(this)
        live.delete(this)
        resolve()
      }
      // A client may be gone before its stream is open.
      if (response.closed) close()
      else response.once('close', close)
    }

    end(reason: StreamEnd): void {
      if (this.#response.writableEnded) return
      live.delete(this)
      this.#over.abort()
      this.#response.end(`event: ${reason}\ndata: {}\n\n`)
      // A reader that reads nothing does not read this either.
      setTimeout(() => this.#response.destroy(), END_MS).unref()
    }

    /** A line that keeps the connection open. It contains the position, so that a client without events can also continue. */
    beat(): void {
      if (!this.#response.writableNeedDrain && !this.#response.writableEnded)
        this.#response.write(`: ${new Date(clock()).toISOString()}\n${idOf(this.#place)}\n\n`)
    }

    /** Sends a new batch. A reader that cannot take it at once gets the rest from the log. */
    take(batch: number, events: ShownBatch): void {
      this.#send(batch, events)
      if (!this.#response.writableNeedDrain) return
      live.delete(this)
      void this.catchUp()
    }

    /** Sends what the log has after the stream's position, as fast as the reader takes it, and then joins the live streams. */
    async catchUp(): Promise<void> {
      try {
        for (;;) {
          if (this.#response.writableNeedDrain) await this.#drained()
          if (this.#over.signal.aborted) return
          // The follower passes on the next batches, without a gap.
          if (this.#place.batch > newest) return void live.add(this)
          const { batch } = this.#place
          const known = shown.known(batch)
          if (known) this.#send(batch, known)
          else await this.#readOn()
        }
      } catch (error) {
        if (!this.#over.signal.aborted) onError(error as Error)
        this.#response.destroy()
      }
    }

    /** Sends what the log has after the stream's position, at most one page of batches, and keeps the rest of the page. */
    async #readOn(): Promise<void> {
      const read = await log.read(this.#place.batch - 1, PAGE)
      if (this.#over.signal.aborted) return
      if (read.reset) return this.reset(read.first)
      for (const batch of read.batches) {
        if (batch.offset > newest) return
        const events = shown.of(batch)
        if (!this.#response.writableNeedDrain) this.#send(batch.offset, events)
      }
    }

    /** Reports that events are missing: the client reloads the lists and continues from a batch. */
    reset(batch: number): void {
      if (this.#over.signal.aborted) return
      this.#place = { batch, number: 0 }
      this.#response.write(`${idOf(this.#place)}\nevent: reset\ndata: {"reason":"Events before this are no longer kept for streams."}\n\n`)
    }

    #send(batch: number, events: ShownBatch): void {
      const begin = batch === this.#place.batch ? this.#place.number : 0
      for (let at = begin; at < events.length; at++) {
        const event = events[at]
        this.#place = { batch, number: at + 1 }
        if (!event || !this.#isWanted(event)) continue
        // Below the high-water mark the connection takes it at once; above it the rest waits in the log, not in memory.
        if (!this.#response.write(`id: ${event.offset}\nevent: ${event.type}\ndata: ${event.body}\n\n`)) return
      }
      this.#place = { batch: batch + 1, number: 0 }
    }

    async #drained(): Promise<void> {
      const stuck = setTimeout(() => {
        slow++
        this.#response.destroy()
      }, stuck_ms)
      await once(this.#response, 'drain', { signal: this.#over.signal }).catch(() => undefined)
      clearTimeout(stuck)
    }
  }

  const follower: EventFollower = followEvents({
    log,
    redisUrl,
    after: newest,
    onError,
    onBatch: (batch) => {
      newest = batch.offset
      if (live.size === 0) return
      const events = shown.of(batch)
      for (const stream of live) stream.take(batch.offset, events)
    },
  })
  const timer = setInterval(() => {
    for (const stream of open) stream.beat()
  }, heartbeat_ms)

  /** True if the log has everything after a position, and that is not too long ago. */
  const isKept = async ({ batch }: Place): Promise<boolean> => {
    if (batch > newest) return batch === newest + 1
    const read = await log.read(batch - 1, 1)
    const [first] = read.reset ? [] : read.batches
    return first !== undefined && first.recorded_at >= clock() - REPLAY_MS
  }

  const begin = async (stream: OpenStream, from: Place | null): Promise<void> => {
    if (from !== null && !(await isKept(from))) stream.reset(newest + 1)
    await stream.catchUp()
  }

  return {
    open: (wanted) => {
      const next = { batch: newest + 1, number: 0 }
      const stream = new OpenStream(wanted, wanted.from ?? next)
      wanted.response.write(`retry: ${RETRY_MS}\n${wanted.from ? '' : `${idOf(next)}\n`}\n`)
      begin(stream, wanted.from).catch((error: Error) => {
        onError(error)
        wanted.response.destroy()
      })
      return stream
    },
    get count() {
      return open.size
    },
    get slow() {
      return slow
    },
    lag_s: () => Math.max(0, Math.round((clock() - follower.caughtUpAt) / 1000)),
    close: async () => {
      clearInterval(timer)
      for (const stream of open) stream.end('closing')
      await follower.close()
    },
  }
}

/** How long the end of a stream may take to be read, in ms. */
const END_MS = 3000
/** Batches of one read when a stream catches up. */
const PAGE = 20

/** Returns the `id` line of a position. */
function idOf({ batch, number }: Place): string {
  return `id: ${batch}-${number}`
}
