import { type MinuteWriter, openMinuteWriter } from '../../lake/minutes/writer.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { countReply, newUptimeCounts, UPTIME, type UptimeCounts, type UptimeRow } from '../../lake/uptime/objects.ts'
import { callerMark, MIN_CALLERS } from '../../lake/uptime/rule.ts'

/** Counts a reply of a group by its status, what it took (ms), and what its caller is charged by. */
export type CountReply = (status: number, took_ms: number, quotaKey: string) => void

/**
 * Counts replies by group, and writes every minute that this process runs in: that it ran, and what was counted. Nothing counts once it is
 * closed. The minutes of a process that stands still are missing: only one that it comes to is ever ended.
 */
export interface Uptime extends Pick<MinuteWriter<UptimeRow>, 'flush' | 'close'> {
  /** Gives what counts the replies of a group. */
  counter(group: string): CountReply
  /** Notes that this process's own probe of a group has failed. */
  probeFailed(group: string): void
}

/** What it works with. */
export interface UptimeOptions {
  readonly store: ObjectStore
  /** The time in ms since the epoch. */
  readonly clock: () => number
  /** Told when a minute cannot be written; it is tried again. */
  readonly onError: (error: Error) => void
  /** Told of so many minutes that are given up. */
  readonly onLost: (minutes: number) => void
  /** Time between two flushes, in ms; none by itself where null. A minute unless told. */
  readonly every_ms?: number | null
}

/** What is counted of a group in the minute that has begun. */
interface Tally {
  counts: UptimeCounts
  callers: Set<number>
  isProbeFailed: boolean
}

const newTally = (): Tally => ({ counts: newUptimeCounts(), callers: new Set(), isProbeFailed: false })

/** Opens the record of uptime of this process. Who opens it closes it. */
export function openUptime({ onLost, ...options }: UptimeOptions): Uptime {
  const tallies = new Map<string, Tally>()
  const tallyOf = (group: string): Tally => {
    const tally = tallies.get(group) ?? newTally()
    tallies.set(group, tally)
    return tally
  }
  const writer = openMinuteWriter<UptimeRow>({
    ...options,
    record: UPTIME,
    evenEmpty: true,
    rows: () =>
      [...tallies].flatMap(([group, { counts, callers, isProbeFailed }]) =>
        counts.requests > 0 || isProbeFailed ? [{ group, ...counts, callers: [...callers], isProbeFailed }] : [],
      ),
    clear: () => {
      for (const tally of tallies.values()) Object.assign(tally, newTally())
    },
    onLost: (minutes) => onLost(minutes.length),
  })
  const { flush, close } = writer
  return {
    ...{ flush, close },
    counter: (group) => {
      const tally = tallyOf(group)
      return (status, took_ms, quotaKey) => {
        if (writer.isClosed) return
        writer.advance()
        countReply(tally.counts, status, took_ms)
        const isRefused = status >= 400 && status < 500
        if (!isRefused && tally.callers.size < MIN_CALLERS) tally.callers.add(callerMark(quotaKey))
      }
    },
    probeFailed: (group) => {
      if (writer.isClosed) return
      writer.advance()
      tallyOf(group).isProbeFailed = true
    },
  }
}
