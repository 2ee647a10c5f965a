import type { Minute } from '../../../lake/minutes/objects.ts'
import { type MinuteWriter, openMinuteWriter } from '../../../lake/minutes/writer.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { addCounts, newUsageRow, OUTCOMES, USAGE, type UsageCounts, type UsageRow } from '../../../lake/usage/objects.ts'
import type { LiveKey } from '../key-index.ts'

/** Counts a request of one path that has ended: its key, the status of its reply, and the units of the day that it was charged. */
export type CountUsage = (key: LiveKey | null, status: number, day_units: number) => void

/** Records what is used; nothing counts once it is closed. */
export interface UsageRecorder extends Pick<MinuteWriter<UsageRow>, 'mark' | 'pending' | 'flush' | 'close'> {
  /** Gives what counts the requests of a path. */
  counter(path: string): CountUsage
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

/** Rows that may wait: what some hundreds of keys use in hours of a store that is away. */
const ROWS_MOST = 200_000

/** The counts of one path in the present minute, by key: objects of the index, so that a key of which the plan changes is another. */
interface Tally {
  readonly path: string
  readonly rows: Map<LiveKey | null, UsageRow>
}

/** Opens the record of usage. Who opens it closes it. */
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

function requestsIn(minutes: readonly Minute<UsageRow>[]): number {
  let sum = 0
  for (const { rows } of minutes) for (const row of rows) for (const outcome of OUTCOMES) sum += row[outcome]
  return sum
}
