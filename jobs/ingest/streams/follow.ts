import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { Feed, Stream } from '../../feeds/define.ts'
import { countsLine, minuteLine } from '../../feeds/minute-file.ts'
import type { StreamIntake, StreamSetting } from '../../feeds/stream-intake.ts'
import type { Collected } from '../collect.ts'
import type { IngestContext } from '../context.ts'
import { FetchError } from '../http.ts'
import type { FetchOutcome } from '../pipeline.ts'
import { holdConnection } from './connection.ts'

/** Name of the body that a stream's file is. */
export const STREAM_BODY = 'minute'

/** The minute file being received. Its size is limited: further lines are counted and dropped. */
export class MinuteBuffer {
  readonly #maxBytes: number
  #lines: Buffer[] = []
  #shown = 0
  #bytes = 0
  #lost = 0
  /** When its first line came, ms; null while it is empty. */
  since: number | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** True if it is so full that it should be accepted early. */
  get isFilling(): boolean {
    return this.#bytes > this.#maxBytes / 2
  }

  /** Adds a message. */
  add(at: number, text: string): void {
    const line = Buffer.from(minuteLine(at, text))
    if (this.#bytes + line.length > this.#maxBytes) {
      this.#lost++
      return
    }
    this.since ??= at
    this.#lines.push(line)
    this.#bytes += line.length
  }

  /** The lines since the last call; null if none. */
  takeNew(): Buffer | null {
    if (this.#shown === this.#lines.length) return null
    const bytes = Buffer.concat(this.#lines.slice(this.#shown))
    this.#shown = this.#lines.length
    return bytes
  }

  /** Returns the file with the counts of dropped frames, and starts the next. Null if no line came. */
  cut(counts: Readonly<Record<string, number>>): Buffer | null {
    if (this.#lines.length === 0) return null
    const all = this.#lost > 0 ? { ...counts, lost_for_want_of_room: this.#lost } : counts
    const lines = Object.keys(all).length > 0 ? [...this.#lines, Buffer.from(countsLine(all))] : this.#lines
    const file = Buffer.concat(lines)
    this.#lines = []
    this.#shown = 0
    this.#bytes = 0
    this.#lost = 0
    this.since = null
    return file
  }
}

/** A stream's file, and the end of its time span, ms. */
export interface StreamFile {
  readonly bytes: Buffer
  readonly received_at: number
}

/** How a stream is at an instant, for its freshness. */
export interface StreamHealth {
  /** When the last frame came, ms; null before the first. */
  readonly heard_at: number | null
  /** Why no frames come; null while they do. */
  readonly problem: string | null
}

/** Callbacks that a stream needs from the runner. */
export interface StreamHooks {
  /** The current state of the feed's datasets, and whether a file was ever accepted. */
  readonly known: () => Promise<{ readonly rows: ReadonlyMap<string, readonly AnyRow[]>; readonly isNew: boolean }>
  /** Accepts a file. Throws if it could not be stored; it is then retried. */
  readonly accept: (file: StreamFile) => Promise<unknown>
  /** Shows lines that are not accepted yet. */
  readonly show: (bytes: Buffer) => Promise<void>
  readonly report: (health: StreamHealth) => Promise<void>
}

/**
 * Times of a stream, ms: how often new lines are shown, the age of the very first file, and when a connection counts as
 * silent.
 */
export interface StreamTimes {
  readonly show: number
  readonly firstFile: number
  readonly silence: number
}

/** How a stream is followed. */
export interface FollowOptions {
  readonly times?: Partial<StreamTimes>
  /** Set to end after the first file. */
  readonly onlyOne?: true
  /** Runs the acceptance of a file, so that it can be measured. */
  readonly onFile?: (run: () => Promise<FetchOutcome>) => Promise<unknown>
}

const TIMES: StreamTimes = { show: 4000, firstFile: 8000, silence: 60_000 }
/** Most files that wait while they cannot be accepted; beyond it the oldest are dropped. */
const MAX_WAITING = 10

/**
 * Keeps a stream connected until the signal fires, or for one file: accepts its files as fetches and shows frames in between.
 * The current file is accepted before this resolves.
 */
export async function followStream(
  context: IngestContext,
  feed: Feed,
  options: StreamHooks & Omit<FollowOptions, 'onFile'> & { readonly signal: AbortSignal },
): Promise<void> {
  const stream = feed.stream as Stream
  const times = { ...TIMES, ...options.times }
  const { rows, isNew } = await options.known()
  const following = new Following(context, stream, { hooks: options, times, rows, isNew })
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const held = addressesOf(context, stream).map((address) =>
    holdConnection(address, {
      ...{ signal, silence_ms: times.silence },
      ...(context.patience === undefined ? {} : { patience: context.patience }),
      greeting: stream.greeting?.(stream.secretEnv ? (context.secret?.(stream.secretEnv) ?? null) : null) ?? null,
      onFrame: (frame, from) => following.take(frame, from),
      onEnd: (from, reason) => {
        following.problem = reason
        context.log.warn({ feed: feed.id, from: shownAddress(from), reason }, 'stream ended; it is connected again')
      },
    }),
  )
  try {
    while (!options.signal.aborted) {
      await sleep(times.show, undefined, { signal: options.signal }).catch(() => undefined)
      await following
        .tick()
        .catch((err: unknown) => context.log.warn({ feed: feed.id, err }, 'stream file not accepted; it is retried with the next lines'))
      if (options.onlyOne && following.accepted > 0) return
    }
  } finally {
    stop.abort()
    await Promise.all(held)
    await following.finish()
  }
}

/** A stream file in the form of a collected fetch. */
export function streamReply({ bytes, received_at }: StreamFile): Extract<Collected, { readonly kind: 'bodies' }> {
  return {
    kind: 'bodies',
    fetched_at: received_at,
    received: [{ name: STREAM_BODY, url: 'stream:', status: 200, headers: {}, received: bytes }],
    decoded: [{ name: STREAM_BODY, bytes }],
  }
}

/** The addresses of a stream. Throws `FetchError` if the operator has configured no receiver. */
export function addressesOf({ setting, origin }: Pick<IngestContext, 'setting' | 'origin'>, { connect }: Stream): readonly string[] {
  if ('url' in connect) return [origin(connect.url.replace(/^ws/, 'http')).replace(/^http/, 'ws')]
  const addresses = setting?.(connect.env) ?? null
  if (addresses === null) throw new FetchError(`${connect.env} is not set: there is no receiver to connect to`, { retryable: false })
  return addresses.split(',')
}

/** An address without its possibly secret parts. */
const shownAddress = (address: string): string => address.split(':', 1)[0] as string

/** A stream while it is followed. */
class Following {
  accepted = 0
  problem: string | null = null
  readonly #context: IngestContext
  readonly #stream: Stream
  readonly #hooks: StreamHooks
  readonly #times: StreamTimes
  readonly #intake: StreamIntake
  readonly #buffer: MinuteBuffer
  readonly #waiting: StreamFile[] = []
  readonly #began: number
  #heard: number | null = null
  #isNew: boolean

  constructor(
    context: IngestContext,
    stream: Stream,
    given: { hooks: StreamHooks; times: StreamTimes; rows: ReadonlyMap<string, readonly AnyRow[]>; isNew: boolean },
  ) {
    this.#context = context
    this.#stream = stream
    this.#hooks = given.hooks
    this.#times = given.times
    this.#isNew = given.isNew
    this.#began = context.now()
    this.#buffer = new MinuteBuffer(stream.maxFileBytes)
    const setting = (env: StreamSetting): string | null => context.setting?.(env) ?? null
    this.#intake = stream.intake({ rows: given.rows, setting })
  }

  take(frame: string, from: string): void {
    const at = this.#context.now()
    const text = this.#intake.take(frame, at, from)
    this.#heard = at
    this.problem = null
    if (text !== null) this.#buffer.add(at, text)
  }

  /** Accepts a due file, shows new frames, and reports the stream's status. */
  async tick(): Promise<void> {
    const now = this.#context.now()
    const silent_ms = now - (this.#heard ?? this.#began)
    const problem = silent_ms > this.#times.silence ? (this.problem ?? `no message for ${Math.round(silent_ms / 1000)} s`) : this.problem
    const age_ms = now - (this.#buffer.since ?? now)
    if (this.#buffer.isFilling || age_ms >= (this.#isNew ? this.#times.firstFile : 1000 * this.#stream.file_s)) this.#cut()
    try {
      await this.#keepOrShow()
    } finally {
      // Last: a Redis that takes no report must not keep lines from the store.
      await this.#hooks.report({ heard_at: this.#heard, problem })
    }
  }

  async #keepOrShow(): Promise<void> {
    if (this.#waiting.length > 0) return this.#accept()
    const bytes = this.#buffer.takeNew()
    if (bytes) await this.#hooks.show(bytes)
  }

  /** Accepts the remaining frames. */
  async finish(): Promise<void> {
    this.#cut()
    await this.#accept()
  }

  /** Closes the current file, which then waits to be accepted. */
  #cut(): void {
    const bytes = this.#buffer.cut(this.#intake.counts())
    if (bytes) this.#waiting.push({ bytes, received_at: this.#context.now() })
    if (this.#waiting.length > MAX_WAITING) {
      const lost = this.#waiting.splice(0, this.#waiting.length - MAX_WAITING)
      this.#context.log.error({ files: lost.length }, 'dropped files of a stream: they could not be stored for ten minutes')
    }
  }

  async #accept(): Promise<void> {
    for (let file = this.#waiting[0]; file; file = this.#waiting[0]) {
      await this.#hooks.accept(file)
      this.#waiting.shift()
      this.#isNew = false
      this.accepted++
    }
  }
}
