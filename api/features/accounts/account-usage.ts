import { type ReadUsageDays, requestsIn, type UsageDay } from '../../../lake/requests/usage.ts'
import { dateAfter, dayBounds, madridDate } from '../../../lake/schema/time.ts'
import type { ListedKey } from '../../auth/accounts.ts'
import { slotNames } from '../../auth/keys/slots.ts'
import { USUAL_DAYS } from './usage-report.ts'

/** Requests of a key on one day in Madrid. */
export interface UsedDay {
  readonly date: string
  readonly requests: number
  /** Requests refused as a caller's mistake or over a limit (4xx). */
  readonly refused: number
}

/** Requests of a key to one path. */
export interface UsedPath extends Omit<UsedDay, 'date'> {
  readonly path: string
}

/** The usage of a key in the last days, today included. */
export interface KeyUsage extends Omit<UsedDay, 'date'> {
  /** Every day, oldest first, including days without requests. */
  readonly days: readonly UsedDay[]
  /** The paths with most requests, most first. */
  readonly paths: readonly UsedPath[]
  /** Last of these days with a request; null without one. */
  readonly last_used: string | null
}

/** Paths that are listed of each key. */
const SHOWN_PATHS = 10

/** Adds up the requests of rows. */
function countsOf(rows: readonly UsageDay[]): Omit<UsedDay, 'date'> {
  const requests = rows.reduce((sum, row) => sum + requestsIn(row), 0)
  return { requests, refused: rows.reduce((sum, row) => sum + row.client_error + row.limited, 0) }
}

/** Returns the usage of an account's keys in the last 30 days, by their public names. */
export async function usageByKey(
  days: ReadUsageDays,
  { account, keys, now }: { readonly account: string; readonly keys: readonly ListedKey[]; readonly now: number },
): Promise<ReadonlyMap<string, KeyUsage>> {
  const to = dateAfter(madridDate(now))
  const from = madridDate(dayBounds(to).start, -USUAL_DAYS)
  const byKey = Map.groupBy(await days({ from, to, slots: slotNames(account) }), ({ key }) => key)
  return new Map(
    keys.map(({ id }) => {
      const all = byKey.get(id) ?? []
      const byDate = Map.groupBy(all, ({ date }) => date)
      const used: UsedDay[] = []
      for (let date = from; date < to; date = dateAfter(date)) used.push({ date, ...countsOf(byDate.get(date) ?? []) })
      const paths = [...Map.groupBy(all, ({ path }) => path)].map(([path, rows]) => ({ path, ...countsOf(rows) }))
      paths.sort((one, other) => other.requests - one.requests)
      const total = (of: 'requests' | 'refused'): number => used.reduce((sum, day) => sum + day[of], 0)
      const last = used.findLast(({ requests }) => requests > 0)
      return [
        id,
        {
          days: used,
          paths: paths.slice(0, SHOWN_PATHS),
          requests: total('requests'),
          refused: total('refused'),
          last_used: last?.date ?? null,
        },
      ]
    }),
  )
}
