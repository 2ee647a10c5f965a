import { type MinuteWriter, openMinuteWriter } from '../../lake/minutes/writer.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { countReply, newUptimeCounts, UPTIME, type UptimeCounts, type UptimeRow } from '../../lake/uptime/objects.ts'
import { callerHash, MIN_CALLERS } from '../../lake/uptime/rule.ts'

/** Counts a reply of a group by its status, its duration (ms), and its caller's quota key. */
export type CountReply = (status: number, took_ms: number, quotaKey: string) => void

/**
 * Counts replies by group, and records every minute of this process with its counts. Nothing is counted after it is closed. The
 * minutes of a blocked process are missing: a minute ends only while the process runs.
 */
export interface Uptime extends Pick<MinuteWriter<UptimeRow>, 'flush' | 'close'> {
  /** Returns the counter of a group's replies. */
  counter(group: string): CountReply
  /** Records that this process's own probe of a group has failed. */
  probeFailed(group: string): void
}

/** Options of the record. */
export interface UptimeOptions {
  readonly store: ObjectStore
  /** Returns the time in ms since the epoch. */
  readonly clock: () => number
  /** Gets the error if a minute cannot be written; the write is tried again. */
  readonly onError: (error: Error) => void
  /** Gets the number of lost minutes. */
  readonly onLost: (minutes: number) => void
  /** Time between two flushes, in ms; null: no automatic flush. A minute by default. */
  readonly every_ms?: number | null
}

/** The counts of a group in the current minute. */
interface Tally {
  counts: UptimeCounts
  callers: Set<number>
  isProbeFailed: boolean
}

const newTally = (): Tally => ({ counts: newUptimeCounts(), callers: new Set(), isProbeFailed: false })

/** Opens the record of this process's uptime. The caller closes it. */
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
        if (!isRefused && tally.callers.size < MIN_CALLERS) tally.callers.add(callerHash(quotaKey))
      }
    },
    probeFailed: (group) => {
      if (writer.isClosed) return
      writer.advance()
      tallyOf(group).isProbeFailed = true
    },
  }
}
