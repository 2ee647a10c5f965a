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

/** Writes what one process counts by the minute. */
export interface MinuteWriter<R> {
  /** What the names of this process's objects begin with; nobody else's ever do. */
  readonly mark: string
  readonly isClosed: boolean
  /** Ends the minute that is counted in where it is over; to be called before anything is counted. */
  advance(): void
  /** What is counted and not in the store yet. */
  pending(): Minute<R>[]
  /** Writes the minutes that are over, and gathers hours that are. Never rejects: what could not be written is tried again the next time. */
  flush(): Promise<void>
  /** Writes what there is, the minute that has begun included; nothing may be counted after. */
  close(): Promise<void>
}

/** What a writer works with. */
export interface MinuteWriterOptions<R> {
  readonly store: ObjectStore
  readonly record: MinuteRecord<R>
  /** The time in ms since the epoch. */
  readonly clock: () => number
  /** What was counted since the last `clear`. */
  readonly rows: () => R[]
  readonly clear: () => void
  /** True where a minute without rows is written too: that the process ran is what it says. */
  readonly evenEmpty?: boolean
  /** Told when something cannot be written; it is tried again. */
  readonly onError: (error: Error) => void
  /** Told of minutes that are given up. */
  readonly onLost: (minutes: readonly Minute<R>[]) => void
  /** Time between two flushes, in ms; none by itself where null. A minute unless told. */
  readonly every_ms?: number | null
  /** Most rows that wait to be written; the oldest minutes are given up where there are more. As many as there are unless told. */
  readonly mostRows?: number
}

const MINUTE_MS = MINUTE_S * 1000
/** A clock that goes back by more, in s, was wrong before: what is counted then is written under another name, at its own time. */
const BACK_S = 600

/** A minute that is to be written, and by which name. */
interface Waiting<R> {
  readonly line: string
  readonly minute: Minute<R>
}

/** An hour that minutes are written of. */
interface WrittenHour {
  readonly line: string
  readonly hour: number
  readonly minutes: number[]
  isGathered: boolean
}

/** Opens what writes a record for this process. Who opens it closes it. */
export function openMinuteWriter<R>(options: MinuteWriterOptions<R>): MinuteWriter<R> {
  const { store, record, clock, rows, clear, evenEmpty = false, onError, onLost, every_ms = MINUTE_MS } = options
  const { mostRows = Number.POSITIVE_INFINITY } = options
  // Not the process mark of this machine: several may run on one store, each with the same numbers.
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
  /** Ends the minute that is counted in. */
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
  /** Where the clock goes back a little, the latest minute goes on: one that was written is never again. */
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
  /** True for an hour that no minute of is still to be written. */
  const isOver = (kept: WrittenHour): boolean =>
    (kept.line !== line || kept.hour < hourOf(minute_s * 1000)) &&
    waiting.every((one) => one.line !== kept.line || hourOf(one.minute.minute_s * 1000) > kept.hour)
  const write = async (one: Waiting<R>): Promise<void> => {
    const { line: by, minute } = one
    // Nobody else writes an object of this name: where it is there, it is what an earlier try has written.
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
  // Soon after each minute, not at the same moment as every other process; and after each one, however long the store takes for the last.
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
