import { type ReadUsageDays, requestsIn } from '../../../lake/requests/usage.ts'
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

/** The usage of a key in the last days, today included. */
export interface KeyUsage extends Omit<UsedDay, 'date'> {
  /** Every day, oldest first, including days without requests. */
  readonly days: readonly UsedDay[]
  /** Last of these days with a request; null without one. */
  readonly last_used: string | null
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
      const byDate = Map.groupBy(byKey.get(id) ?? [], ({ date }) => date)
      const used: UsedDay[] = []
      for (let date = from; date < to; date = dateAfter(date)) {
        const rows = byDate.get(date) ?? []
        const requests = rows.reduce((sum, row) => sum + requestsIn(row), 0)
        used.push({ date, requests, refused: rows.reduce((sum, row) => sum + row.client_error + row.limited, 0) })
      }
      const total = (of: 'requests' | 'refused'): number => used.reduce((sum, day) => sum + day[of], 0)
      const last = used.findLast(({ requests }) => requests > 0)
      return [id, { days: used, requests: total('requests'), refused: total('refused'), last_used: last?.date ?? null }]
    }),
  )
}
