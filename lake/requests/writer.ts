import { randomBytes } from 'node:crypto'
import type { ObjectStore } from '../store/store.ts'
import { decodeMinute, encodeMinute, hourOf, logObject, MINUTE_S, PATIENCE_S, type RequestMinute } from './log.ts'

/** Writes one process's requests by the minute: each of its minutes is recorded, with requests or without. */
export interface LogWriter {
  /** Beginning of the names of this process's objects. */
  readonly mark: string
  readonly isClosed: boolean
  /** Ends the current minute if it is over; call it before counting anything. */
  advance(): void
  /** Minutes that are not in the store yet, with the current one. */
  pending(): RequestMinute[]
  /** Writes finished minutes. Never rejects: failed writes are retried the next time. */
  flush(): Promise<void>
  /** Writes everything, including the current minute; nothing may be counted afterwards. */
  close(): Promise<void>
}

/** Options of a writer. */
export interface LogWriterOptions {
  readonly store: ObjectStore
  /** Current time in ms since the epoch. */
  readonly clock: () => number
  /** Counts since the last `clear`. */
  readonly rows: () => Omit<RequestMinute, 'minute_s'>
  readonly clear: () => void
  /** Called when a write fails; it is retried. */
  readonly onError: (error: Error) => void
  /** Called with dropped minutes. */
  readonly onLost: (minutes: readonly RequestMinute[]) => void
  /** Flush interval, in ms; null: no automatic flush. A minute by default. */
  readonly every_ms?: number | null
  /** Maximum characters of minutes in memory; beyond it the oldest objects are dropped. 64 million by default. */
  readonly mostChars?: number
}

const MINUTE_MS = MINUTE_S * 1000
/** A clock that goes back by more than this, in s, was wrong before. */
const BACK_S = 600
/** A new object begins once one has this many characters: each minute rewrites its whole object. */
const OBJECT_CHARS = 500_000
const MOST_CHARS = 64_000_000

/** An object that gets a line for each minute of its hour. It is replaced as a whole while it grows. */
interface Growing {
  readonly name: string
  readonly hour: number
  lines: Line[]
  chars: number
  /** Number of lines in the store. */
  written: number
}

interface Line {
  readonly minute_s: number
  readonly text: string
}

/** Opens the writer of this process. Whoever opens it closes it. */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  const { store, clock, rows, clear, onError, onLost, every_ms = MINUTE_MS, mostChars = MOST_CHARS } = options
  // Not this machine's process mark: several machines may share a store, each with the same process numbers.
  const mark = randomBytes(8).toString('hex')
  const objects: Growing[] = []
  let count = 0
  let minute_s = minuteOf(clock())
  let isClosed = false
  let flushing: Promise<void> | null = null

  const giveUp = (minutes: readonly RequestMinute[]): void => {
    if (minutes.length > 0) onLost(minutes)
  }
  const growing = (hour: number): Growing => {
    const known = objects.find((one) => one.hour === hour && one.chars < OBJECT_CHARS)
    if (known) return known
    const made = { name: logObject(mark, ++count, hour), hour, lines: [], chars: 0, written: 0 }
    objects.push(made)
    return made
  }
  /** Ends the current minute. */
  const turn = (to_s: number): void => {
    const text = encodeMinute({ minute_s, ...rows() })
    const object = growing(hourOf(minute_s * 1000))
    object.lines.push({ minute_s, text })
    object.chars += text.length
    clear()
    minute_s = to_s
    let chars = objects.reduce((sum, one) => sum + one.chars, 0)
    while (chars > mostChars && objects.length > 1) {
      const oldest = objects.shift() as Growing
      chars -= oldest.chars
      giveUp(unwritten(oldest))
    }
  }
  /** If the clock goes back a little, the latest minute continues. */
  const advance = (): void => {
    const now_s = minuteOf(clock())
    if (now_s > minute_s || now_s < minute_s - BACK_S) turn(now_s)
  }

  const write = async (object: Growing): Promise<void> => {
    const { length } = object.lines
    if (length > object.written) {
      await store.put(object.name, Buffer.from(object.lines.map(({ text }) => text).join('\n')))
      object.written = length
    }
    const isOver = object.chars >= OBJECT_CHARS || object.hour < hourOf(minute_s * 1000)
    if (isOver && object.written === object.lines.length && objects.includes(object)) objects.splice(objects.indexOf(object), 1)
  }
  const flushOnce = async (): Promise<void> => {
    const oldest_s = minuteOf(clock()) - PATIENCE_S
    for (const object of objects) {
      const isLate = (line: Line, at: number): boolean => at >= object.written && line.minute_s < oldest_s
      giveUp(decoded(object.lines.filter(isLate)))
      object.lines = object.lines.filter((line, at) => !isLate(line, at))
    }
    try {
      for (const object of [...objects]) await write(object)
    } catch (error) {
      onError(error as Error)
    }
  }
  const flush = (): Promise<void> => {
    if (!isClosed) advance()
    flushing ??= flushOnce().finally(() => {
      flushing = null
    })
    return flushing
  }

  let timer: NodeJS.Timeout | undefined
  // Soon after each minute, but not at the same moment as other processes; and after each one, however long the last write took.
  const flushLater = (): void => {
    if (every_ms === null || isClosed) return
    const wait_ms = every_ms - (clock() % every_ms) + Math.random() * Math.min(1000, every_ms)
    timer = setTimeout(() => {
      void flush()
      flushLater()
    }, wait_ms)
    timer.unref()
  }
  flushLater()

  return {
    mark,
    get isClosed() {
      return isClosed
    },
    advance,
    pending: () => [...objects.flatMap(unwritten), { minute_s, ...rows() }],
    flush,
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      await flushing
      turn(minute_s)
      await flush()
      if (objects.some(({ lines, written }) => lines.length > written)) await flush()
      giveUp(objects.splice(0).flatMap(unwritten))
    },
  }
}

function unwritten({ lines, written }: Growing): RequestMinute[] {
  return decoded(lines.slice(written))
}

function decoded(lines: readonly Line[]): RequestMinute[] {
  return lines.map(({ text }) => decodeMinute(text))
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_S
}
