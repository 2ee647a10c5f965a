import { type MinuteWriter, openMinuteWriter } from '../../lake/minutes/writer.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { countReply, newUptimeCounts, UPTIME, type UptimeCounts, type UptimeRow } from '../../lake/uptime/objects.ts'

/** Counts a reply of a group by its status and what it took, in ms. */
export type CountReply = (status: number, took_ms: number) => void

/**
 * Counts replies by group, and writes every minute that this process runs in: that it ran, and what was counted. Nothing counts once it is
 * closed. The minutes of a process that stands still are missing: only one that it comes to is ever ended.
 */
export interface Uptime extends Pick<MinuteWriter<UptimeRow>, 'flush' | 'close'> {
  /** Gives what counts the replies of a group. */
  counter(group: string): CountReply
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

/** Opens the record of uptime of this process. Who opens it closes it. */
export function openUptime({ onLost, ...options }: UptimeOptions): Uptime {
  const tallies = new Map<string, { counts: UptimeCounts }>()
  const writer = openMinuteWriter<UptimeRow>({
    ...options,
    record: UPTIME,
    evenEmpty: true,
    rows: () => [...tallies].flatMap(([group, { counts }]) => (counts.requests > 0 ? [{ group, ...counts }] : [])),
    clear: () => {
      for (const tally of tallies.values()) tally.counts = newUptimeCounts()
    },
    onLost: (minutes) => onLost(minutes.length),
  })
  const { flush, close } = writer
  return {
    ...{ flush, close },
    counter: (group) => {
      const tally = tallies.get(group) ?? { counts: newUptimeCounts() }
      tallies.set(group, tally)
      return (status, took_ms) => {
        if (writer.isClosed) return
        writer.advance()
        countReply(tally.counts, status, took_ms)
      }
    },
  }
}
