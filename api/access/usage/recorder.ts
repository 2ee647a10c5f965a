import { randomBytes } from 'node:crypto'
import type { ObjectStore } from '../../../lake/store/store.ts'
import {
  addCounts,
  decodeUsage,
  encodeUsage,
  hourObject,
  hourOf,
  MINUTE_S,
  minuteObject,
  newUsageRow,
  OUTCOMES,
  type UsageCounts,
  type UsageMinute,
  type UsageRow,
} from '../../../lake/usage/objects.ts'
import type { LiveKey } from '../key-index.ts'

/** Counts a request of one path that has ended: its key, the status of its reply, and the units of the day that it was charged. */
export type CountUsage = (key: LiveKey | null, status: number, day_units: number) => void

/** Records what is used. */
export interface UsageRecorder {
  /** What this process calls itself in the names of objects; nobody else is ever called so. */
  readonly mark: string
  /** Gives what counts the requests of a path. */
  counter(path: string): CountUsage
  /** What is counted and not in the store yet. */
  pending(): UsageMinute[]
  /** Writes the minutes that are over, and gathers hours that are. Never rejects: what could not be written is tried again the next time. */
  flush(): Promise<void>
  /** Writes what there is, the minute that has begun included; nothing counts after. */
  close(): Promise<void>
}

/** What a recorder works with. */
export interface RecorderOptions {
  readonly store: ObjectStore
  /** The time in ms since the epoch. */
  readonly clock: () => number
  /** Told when usage cannot be written; it is tried again. */
  readonly onError: (error: Error) => void
  /** Told of so many requests whose usage is given up. */
  readonly onLost: (requests: number) => void
  /** Time between two flushes, in ms; none by itself where null. A minute unless told. */
  readonly every_ms?: number | null
  /** Most rows that wait to be written; the oldest minutes are given up where there are more. */
  readonly mostRows?: number
}

/** A minute that cannot be written for so long is given up, in s: days are closed an hour later (`CLOSED_AFTER_MS`). */
const PATIENCE_S = 3 * 3600
const MINUTE_MS = MINUTE_S * 1000
/** Rows that may wait: what some hundreds of keys use in hours of a store that is away. */
const ROWS_MOST = 200_000

/** An hour that this process has written minutes of. */
interface WrittenHour {
  readonly minutes: number[]
  isGathered: boolean
}

/** The counts of one path in the present minute, by key: objects of the index, so that a key of which the plan changes is another. */
interface Tally {
  readonly path: string
  readonly rows: Map<LiveKey | null, UsageRow>
}

/** Opens the record of usage. Who opens it closes it. */
export function openRecorder(options: RecorderOptions): UsageRecorder {
  const { store, clock, onError, onLost, every_ms = MINUTE_MS, mostRows = ROWS_MOST } = options
  // Not the process mark of this machine: several may run on one store, each with the same numbers.
  const mark = randomBytes(8).toString('hex')
  const tallies: Tally[] = []
  const waiting: UsageMinute[] = []
  const written = new Map<number, WrittenHour>()
  let minute_s = minuteOf(clock())
  let isClosed = false
  let flushing: Promise<void> | null = null

  const giveUp = (minutes: readonly UsageMinute[]): void => {
    if (minutes.length > 0) onLost(requestsIn(minutes))
  }
  /** Ends the minute that is counted in. Where the clock goes back, the latest minute goes on: one that was written is never again. */
  const turn = (to_s: number): void => {
    const rows = rowsOf(tallies)
    if (rows.length > 0) waiting.push({ minute_s, rows })
    for (const tally of tallies) tally.rows.clear()
    minute_s = to_s
    let held = waiting.reduce((sum, minute) => sum + minute.rows.length, 0)
    let old = 0
    while (held > mostRows && old < waiting.length - 1) held -= (waiting[old++] as UsageMinute).rows.length
    giveUp(waiting.splice(0, old))
  }
  const turnIfOver = (): void => {
    const now_s = minuteOf(clock())
    if (now_s > minute_s) turn(now_s)
  }

  const done = (minute: UsageMinute): void => {
    const at = waiting.indexOf(minute)
    if (at !== -1) waiting.splice(at, 1)
  }
  /** True for an hour (ms) that no minute of is still to be written. */
  const isOver = (hour: number): boolean => hour < hourOf(minute_s * 1000) && waiting.every((one) => hourOf(one.minute_s * 1000) > hour)
  const write = async (minute: UsageMinute): Promise<void> => {
    // Nobody else writes an object of this name: where it is there, it is what an earlier try has written.
    await store.putIfAbsent(minuteObject(mark, minute.minute_s), encodeUsage([minute]))
    done(minute)
    const hour = hourOf(minute.minute_s * 1000)
    const kept = written.get(hour) ?? { minutes: [], isGathered: false }
    written.set(hour, kept)
    kept.minutes.push(minute.minute_s)
  }
  const gather = async (hour: number, kept: WrittenHour): Promise<void> => {
    const names = kept.minutes.map((one) => minuteObject(mark, one))
    if (!kept.isGathered) {
      const minutes: UsageMinute[] = []
      for (const name of names) {
        const bytes = await store.get(name)
        if (bytes) minutes.push(...decodeUsage(bytes))
      }
      await store.putIfAbsent(hourObject(mark, hour), encodeUsage(minutes))
      kept.isGathered = true
    }
    for (const name of names) await store.delete(name)
    written.delete(hour)
  }
  const flushOnce = async (): Promise<void> => {
    const now_s = minuteOf(clock())
    const old = waiting.filter((minute) => minute.minute_s < now_s - PATIENCE_S)
    giveUp(old)
    for (const minute of old) done(minute)
    try {
      for (const minute of [...waiting]) await write(minute)
      for (const [hour, kept] of [...written]) if (isOver(hour)) await gather(hour, kept)
    } catch (error) {
      onError(error as Error)
    }
  }
  const flush = (): Promise<void> => {
    turnIfOver()
    flushing ??= flushOnce().finally(() => {
      flushing = null
    })
    return flushing
  }

  let timer: NodeJS.Timeout | undefined
  // Soon after each minute, not at the same moment as every other process.
  const flushLater = (): void => {
    if (every_ms === null || isClosed) return
    const wait_ms = every_ms - (clock() % every_ms) + Math.random() * Math.min(1000, every_ms)
    timer = setTimeout(() => void flush().finally(flushLater), wait_ms)
    timer.unref()
  }
  flushLater()

  return {
    mark,
    counter: (path) => {
      const { rows } = tallyOf(tallies, path)
      return (key, status, day_units) => {
        if (isClosed) return
        const now_s = minuteOf(clock())
        if (now_s > minute_s) turn(now_s)
        let row = rows.get(key)
        if (!row) {
          row = newUsageRow(path, { key: key?.id ?? null, slot: key?.slot ?? null, plan: key?.plan ?? null })
          rows.set(key, row)
        }
        row[outcomeOf(status)]++
        row.day_units += day_units
      }
    },
    pending: () => {
      const rows = rowsOf(tallies)
      return rows.length > 0 ? [...waiting, { minute_s, rows }] : [...waiting]
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

function tallyOf(tallies: Tally[], path: string): Tally {
  const known = tallies.find((tally) => tally.path === path)
  if (known) return known
  const made: Tally = { path, rows: new Map() }
  tallies.push(made)
  return made
}

/** What the present minute has, one row for each path, key and plan: of a key there may be several objects. */
function rowsOf(tallies: readonly Tally[]): UsageRow[] {
  return tallies.flatMap(({ rows }) => {
    const sums = new Map<string, UsageRow>()
    for (const row of rows.values()) {
      const name = `${row.key} ${row.plan}`
      const sum = sums.get(name)
      if (sum) addCounts(sum, row)
      else sums.set(name, { ...row })
    }
    return [...sums.values()]
  })
}

function outcomeOf(status: number): Exclude<keyof UsageCounts, 'day_units'> {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'limited'
  if (status >= 400) return 'client_error'
  return status === 304 ? 'not_modified' : 'answered'
}

function requestsIn(minutes: readonly UsageMinute[]): number {
  let sum = 0
  for (const { rows } of minutes) for (const row of rows) for (const outcome of OUTCOMES) sum += row[outcome]
  return sum
}
