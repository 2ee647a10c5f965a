import { countReply, type GroupCounts, newGroupCounts } from '../../../lake/requests/durations.ts'
import type { UsageCounts, UsageRow } from '../../../lake/requests/log.ts'
import { callerHash, MIN_CALLERS } from '../../../lake/requests/uptime.ts'
import { newUsageCounts, requestsIn, summed } from '../../../lake/requests/usage.ts'
import { type LogWriter, type LogWriterOptions, openLogWriter } from '../../../lake/requests/writer.ts'
import type { LiveKey } from '../keys/key-index.ts'

/** Counts an ended request of one path: its key, the status of its reply, and the daily units charged. */
export type CountUsage = (key: LiveKey | null, status: number, day_units: number) => void

/** Counts a reply of a group by its status, its duration (ms), and its caller's quota key. */
export type CountReply = (status: number, took_ms: number, quotaKey: string) => void

/**
 * Counts requests by path and key, and replies by group, and records every minute of this process with its counts. Nothing is
 * counted after it is closed. The minutes of a blocked process are missing: a minute ends only while the process runs.
 */
export interface RequestLog extends Pick<LogWriter, 'mark' | 'pending' | 'flush' | 'close'> {
  /** Returns the function that counts the requests of a path. */
  usageOf(path: string): CountUsage
  /** Returns the function that counts the replies of a group. */
  repliesOf(group: string): CountReply
  /** Records that this process's own probe of a group has failed. */
  probeFailed(group: string): void
}

/** What the log works with. `onLost` gets the number of lost minutes, and of requests in them whose usage is lost. */
export interface RequestLogOptions extends Omit<LogWriterOptions, 'rows' | 'clear' | 'onLost'> {
  readonly onLost: (minutes: number, requests: number) => void
}

/** The counts of a group in the current minute. */
interface GroupTally {
  counts: GroupCounts
  callers: Set<string>
  isProbeFailed: boolean
}

const newTally = (): GroupTally => ({ counts: newGroupCounts(), callers: new Set(), isProbeFailed: false })

/** Opens the log of this process's requests. The caller closes it. */
export function openRequestLog({ onLost, ...options }: RequestLogOptions): RequestLog {
  /** By path, then by the index's key object: a key with a new plan is a new object. */
  const paths = new Map<string, Map<LiveKey | null, UsageRow>>()
  const groups = new Map<string, GroupTally>()
  const tallyOf = (group: string): GroupTally => {
    const tally = groups.get(group) ?? newTally()
    groups.set(group, tally)
    return tally
  }
  const writer = openLogWriter({
    ...options,
    rows: () => ({
      usage: summed([...paths.values()].flatMap((rows) => [...rows.values()])),
      groups: [...groups].flatMap(([group, { counts, callers, isProbeFailed }]) =>
        counts.requests > 0 || isProbeFailed
          ? [{ group, ...counts, callers: [...new Set([...callers].map(callerHash))], isProbeFailed }]
          : [],
      ),
    }),
    clear: () => {
      for (const rows of paths.values()) rows.clear()
      for (const tally of groups.values()) Object.assign(tally, newTally())
    },
    onLost: (minutes) => {
      const rows = minutes.flatMap(({ usage }) => usage)
      onLost(
        minutes.length,
        rows.reduce((sum, row) => sum + requestsIn(row), 0),
      )
    },
  })
  const { mark, pending, flush, close } = writer
  return {
    ...{ mark, pending, flush, close },
    usageOf: (path) => {
      const rows = paths.get(path) ?? new Map<LiveKey | null, UsageRow>()
      paths.set(path, rows)
      return (key, status, day_units) => {
        if (writer.isClosed) return
        writer.advance()
        let row = rows.get(key)
        if (!row) {
          row = { key: key?.id ?? null, slot: key?.slot ?? null, plan: key?.plan ?? null, path, ...newUsageCounts() }
          rows.set(key, row)
        }
        row[outcomeOf(status)]++
        row.day_units += day_units
      }
    },
    repliesOf: (group) => {
      const tally = tallyOf(group)
      return (status, took_ms, quotaKey) => {
        if (writer.isClosed) return
        writer.advance()
        countReply(tally.counts, status, took_ms)
        const isRefused = status >= 400 && status < 500
        if (!isRefused && tally.callers.size < MIN_CALLERS) tally.callers.add(quotaKey)
      }
    },
    probeFailed: (group) => {
      if (writer.isClosed) return
      writer.advance()
      tallyOf(group).isProbeFailed = true
    },
  }
}

function outcomeOf(status: number): Exclude<keyof UsageCounts, 'day_units'> {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'limited'
  if (status >= 400) return 'client_error'
  return status === 304 ? 'not_modified' : 'answered'
}
