import type { Minute } from '../../../lake/minutes/objects.ts'
import { type MinuteWriter, openMinuteWriter } from '../../../lake/minutes/writer.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { addCounts, newUsageRow, OUTCOMES, USAGE, type UsageCounts, type UsageRow } from '../../../lake/usage/objects.ts'
import type { LiveKey } from '../key-index.ts'

/** Counts an ended request of one path: its key, the status of its reply, and the daily units charged. */
export type CountUsage = (key: LiveKey | null, status: number, day_units: number) => void

/** Records usage; nothing is counted after it is closed. */
export interface UsageRecorder extends Pick<MinuteWriter<UsageRow>, 'mark' | 'pending' | 'flush' | 'close'> {
  /** Returns the function that counts the requests of a path. */
  counter(path: string): CountUsage
}

/** What a recorder works with. */
export interface RecorderOptions {
  readonly store: ObjectStore
  /** Returns the time in ms since the epoch. */
  readonly clock: () => number
  /** Gets the error if usage cannot be written; the write is tried again. */
  readonly onError: (error: Error) => void
  /** Gets the number of requests whose usage is lost. */
  readonly onLost: (requests: number) => void
  /** Time between two flushes, in ms; null: no automatic flush. A minute by default. */
  readonly every_ms?: number | null
  /** Most rows that wait to be written; beyond that the oldest minutes are dropped. */
  readonly mostRows?: number
}

/** Most rows that wait: some hundreds of keys for hours without a store. */
const ROWS_MOST = 200_000

/** The counts of one path in the current minute, by the index's key object: a key with a new plan is a new object. */
interface Tally {
  readonly path: string
  readonly rows: Map<LiveKey | null, UsageRow>
}

/** Opens the record of usage. The caller closes it. */
export function openRecorder({ onLost, mostRows = ROWS_MOST, ...options }: RecorderOptions): UsageRecorder {
  const tallies: Tally[] = []
  const writer = openMinuteWriter<UsageRow>({
    ...options,
    mostRows,
    record: USAGE,
    rows: () => rowsOf(tallies),
    clear: () => {
      for (const tally of tallies) tally.rows.clear()
    },
    onLost: (minutes) => onLost(requestsIn(minutes)),
  })
  const { mark, pending, flush, close } = writer
  return {
    ...{ mark, pending, flush, close },
    counter: (path) => {
      const { rows } = tallyOf(tallies, path)
      return (key, status, day_units) => {
        if (writer.isClosed) return
        writer.advance()
        let row = rows.get(key)
        if (!row) {
          row = newUsageRow(path, { key: key?.id ?? null, slot: key?.slot ?? null, plan: key?.plan ?? null })
          rows.set(key, row)
        }
        row[outcomeOf(status)]++
        row.day_units += day_units
      }
    },
  }
}

function tallyOf(tallies: Tally[], path: string): Tally {
  const known = tallies.find((tally) => tally.path === path)
  if (known) return known
  const made: Tally = { path, rows: new Map() }
  tallies.push(made)
  return made
}

/** Returns the rows of the current minute, one per path, key and plan: a key may have several objects. */
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

function requestsIn(minutes: readonly Minute<UsageRow>[]): number {
  let sum = 0
  for (const { rows } of minutes) for (const row of rows) for (const outcome of OUTCOMES) sum += row[outcome]
  return sum
}
