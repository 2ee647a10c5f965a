import { randomBytes } from 'node:crypto'
import type { ObjectStore } from '../store/store.ts'
import {
  decodeMinutes,
  encodeMinutes,
  hourObject,
  hourOf,
  MINUTE_S,
  type Minute,
  type MinuteRecord,
  minuteObject,
  PATIENCE_S,
} from './objects.ts'

/** Writes one process's counts by the minute. */
export interface MinuteWriter<R> {
  /** Prefix of the names of this process's objects, unique to it. */
  readonly mark: string
  readonly isClosed: boolean
  /** Ends the current minute if it is over; call it before counting anything. */
  advance(): void
  /** Counts that are not in the store yet. */
  pending(): Minute<R>[]
  /** Writes finished minutes, and gathers finished hours. Never rejects: failed writes are retried the next time. */
  flush(): Promise<void>
  /** Writes everything, including the current minute; nothing may be counted afterwards. */
  close(): Promise<void>
}

/** Options of a writer. */
export interface MinuteWriterOptions<R> {
  readonly store: ObjectStore
  readonly record: MinuteRecord<R>
  /** Current time in ms since the epoch. */
  readonly clock: () => number
  /** Counts since the last `clear`. */
  readonly rows: () => R[]
  readonly clear: () => void
  /** True if minutes without rows are written too, to record that the process ran. */
  readonly evenEmpty?: boolean
  /** Called when a write fails; it is retried. */
  readonly onError: (error: Error) => void
  /** Called with dropped minutes. */
  readonly onLost: (minutes: readonly Minute<R>[]) => void
  /** Flush interval, in ms; null: no automatic flush. A minute by default. */
  readonly every_ms?: number | null
  /** Maximum rows waiting to be written; beyond it the oldest minutes are dropped. Unlimited by default. */
  readonly mostRows?: number
}

const MINUTE_MS = MINUTE_S * 1000
/**
 * A clock that goes back by more than this, in s, was wrong before: later counts are written under another name, at their own
 * time.
 */
const BACK_S = 600

/** A minute to write, and the name to use. */
interface Waiting<R> {
  readonly line: string
  readonly minute: Minute<R>
}

/** An hour with written minutes. */
interface WrittenHour {
  readonly line: string
  readonly hour: number
  readonly minutes: number[]
  isGathered: boolean
}

/** Opens a record's writer for this process. Whoever opens it closes it. */
export function openMinuteWriter<R>(options: MinuteWriterOptions<R>): MinuteWriter<R> {
  const { store, record, clock, rows, clear, evenEmpty = false, onError, onLost, every_ms = MINUTE_MS } = options
  const { mostRows = Number.POSITIVE_INFINITY } = options
  // Not this machine's process mark: several machines may share a store, each with the same process numbers.
  const mark = randomBytes(8).toString('hex')
  const waiting: Waiting<R>[] = []
  const written = new Map<string, WrittenHour>()
  let line = mark
  let lines = 1
  let minute_s = minuteOf(clock())
  let isClosed = false
  let flushing: Promise<void> | null = null

  const giveUp = (old: readonly Waiting<R>[]): void => {
    if (old.length > 0) onLost(old.map(({ minute }) => minute))
  }
  /** Ends the current minute. */
  const turn = (to_s: number): void => {
    const counted = rows()
    if (evenEmpty || counted.length > 0) waiting.push({ line, minute: { minute_s, rows: counted } })
    clear()
    minute_s = to_s
    let held = waiting.reduce((sum, { minute }) => sum + minute.rows.length, 0)
    let old = 0
    while (held > mostRows && old < waiting.length - 1) held -= (waiting[old++] as Waiting<R>).minute.rows.length
    giveUp(waiting.splice(0, old))
  }
  /** If the clock goes back a little, the latest minute continues: a written one is never written again. */
  const advance = (): void => {
    const now_s = minuteOf(clock())
    if (now_s > minute_s) turn(now_s)
    else if (now_s < minute_s - BACK_S) {
      turn(now_s)
      line = `${mark}-${++lines}`
    }
  }

  const done = (one: Waiting<R>): void => {
    const at = waiting.indexOf(one)
    if (at !== -1) waiting.splice(at, 1)
  }
  /** True for an hour without minutes left to write. */
  const isOver = (kept: WrittenHour): boolean =>
    (kept.line !== line || kept.hour < hourOf(minute_s * 1000)) &&
    waiting.every((one) => one.line !== kept.line || hourOf(one.minute.minute_s * 1000) > kept.hour)
  const write = async (one: Waiting<R>): Promise<void> => {
    const { line: by, minute } = one
    // Only this process writes an object of this name, so an existing one is from an earlier attempt.
    await store.putIfAbsent(minuteObject(record, by, minute.minute_s), encodeMinutes(record, [minute]))
    done(one)
    const hour = hourOf(minute.minute_s * 1000)
    const kept = written.get(`${by} ${hour}`) ?? { line: by, hour, minutes: [], isGathered: false }
    written.set(`${by} ${hour}`, kept)
    kept.minutes.push(minute.minute_s)
  }
  const gather = async (name: string, kept: WrittenHour): Promise<void> => {
    const names = kept.minutes.map((one) => minuteObject(record, kept.line, one))
    if (!kept.isGathered) {
      const minutes: Minute<R>[] = []
      for (const one of names) {
        const bytes = await store.get(one)
        if (bytes) minutes.push(...decodeMinutes(record, bytes))
      }
      await store.putIfAbsent(hourObject(record, kept.line, kept.hour), encodeMinutes(record, minutes))
      kept.isGathered = true
    }
    for (const one of names) await store.delete(one)
    written.delete(name)
  }
  const flushOnce = async (): Promise<void> => {
    const now_s = minuteOf(clock())
    const old = waiting.filter(({ minute }) => minute.minute_s < now_s - PATIENCE_S)
    giveUp(old)
    for (const one of old) done(one)
    try {
      for (const one of [...waiting]) await write(one)
      for (const [name, kept] of [...written]) if (isOver(kept)) await gather(name, kept)
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
    pending: () => {
      const counted = rows()
      const minutes = waiting.map(({ minute }) => minute)
      return counted.length > 0 ? [...minutes, { minute_s, rows: counted }] : minutes
    },
    flush,
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      await flushing
      turn(minute_s)
      await flush()
      if (waiting.length > 0) await flush()
      giveUp(waiting.splice(0))
    },
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_S
}
