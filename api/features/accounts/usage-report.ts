import type { UsageCounts } from '../../../lake/requests/log.ts'
import { newUsageCounts, type ReadUnits, type ReadUsageDays, requestsIn, summed, type UsageDay } from '../../../lake/requests/usage.ts'
import { dateAfter, dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import type { Accounts } from '../../auth/accounts.ts'
import type { Authority } from '../../auth/authority.ts'
import { slotNames } from '../../auth/keys/slots.ts'
import { perDay } from '../../auth/limits/policy.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { invalidParamProblem } from '../../kernel/http/validation-errors.ts'
import { param } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { InvalidParam, problem } from '../../kernel/problems.ts'

/** What reports are made from. */
export interface ReportParts {
  readonly days: ReadUsageDays
  readonly accounts: Pick<Accounts, 'list'>
  readonly units: ReadUnits
  readonly plans: PlanTable
  readonly clock: () => number
}

/** The requested days, `from` included and `to` excluded, and the only key if given. */
interface UsageQuery {
  readonly from: string | null
  readonly to: string | null
  readonly key: string | null
}

/** Days that are shown by default, and at most. */
export const USUAL_DAYS = 30
export const MOST_DAYS = 92
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const BUCKET_MS = perDay(1).bucket_s * 1000

/** The parameters of a report. */
export const USAGE_PARAMS = Object.freeze({
  from: dateParam(`First day, in Madrid; by default ${USUAL_DAYS} days before the end. At most ${MOST_DAYS} days are shown.`, '2026-01-02'),
  to: dateParam('First day that is not shown; by default tomorrow.', '2026-01-03'),
  key: param({
    about: 'Only this key, by its public name.',
    schema: { type: 'string', pattern: '^key_[0-9a-f]{20}$' },
    parse: (text) => {
      if (!/^key_[0-9a-f]{20}$/.test(text)) throw new InvalidParam('expected the public name of a key, such as key_1f0c44a9b7d25e83c6aa')
      return text
    },
  }),
})

/** Returns the usage of the API: of a key itself, or in a session of all keys of the account. */
export async function usageReport(parts: ReportParts, { account, only }: Authority, asked: UsageQuery): Promise<object> {
  const { days, units, accounts, plans, clock } = parts
  if (only !== null && asked.key !== null && asked.key !== only)
    throw problem('not-found', 'A key may see its own usage only. For the other keys of your account, use the link that is mailed to you.')
  const now = clock()
  const { from, to } = periodOf(asked, madridDate(now))
  const key = only ?? asked.key
  const listed = (await accounts.list(account)).filter(({ id }) => key === null || id === key)
  const found = await days({ from, to, slots: slotNames(account), ...(key === null ? {} : { key }) })
  if (key !== null && listed.length === 0 && found.length === 0) throw problem('not-found', 'This account has no such key.')
  // In the buckets of the daily limit.
  const lastDay = await units(Math.floor(now / BUCKET_MS) * BUCKET_MS - DAY_MS)
  return {
    as_of: isoInstant(Math.floor(now / MINUTE_MS) * MINUTE_MS - MINUTE_MS),
    timezone: 'Europe/Madrid',
    from,
    to,
    keys: listed.map(({ id, label, plan, status, slot }) => ({
      ...{ id, label, plan, status, day_quota: plans[plan].day, day_units_24h: lastDay.get(slot) ?? 0 },
    })),
    days: daysOf(found, { from, to, today: madridDate(now) }),
    usage: found.map((day) => ({ date: day.date, key: day.key, plan: day.plan, path: day.path, ...countsOf(day) })),
  }
}

/** Returns the requested period. Throws the problem of one that is impossible or too long. */
function periodOf({ from, to }: UsageQuery, today: string): { readonly from: string; readonly to: string } {
  const end = to ?? (from !== null && from > today ? dateAfter(from) : dateAfter(today))
  const begin = from ?? daysBefore(end, USUAL_DAYS)
  if (begin >= end) throw invalidParamProblem(new InvalidParam('expected a date before `to`', { parameter: 'from', value: begin }))
  if (begin < daysBefore(end, MOST_DAYS))
    throw invalidParamProblem(
      new InvalidParam(`at most ${MOST_DAYS} days are shown; ask for one period after the other`, {
        ...{ code: 'range-too-large', parameter: 'from', value: begin },
      }),
    )
  return { from: begin, to: end }
}

/** Returns the totals of each day up to today, including days without use. */
function daysOf(found: readonly UsageDay[], period: { readonly from: string; readonly to: string; readonly today: string }): object[] {
  const totals = new Map(
    summed(found.map((day) => ({ ...day, key: null, slot: null, plan: null, path: '' }))).map((day) => [day.date, day]),
  )
  const days: object[] = []
  for (let date = period.from; date < period.to && date <= period.today; date = dateAfter(date))
    days.push({ date, ...countsOf(totals.get(date) ?? newUsageCounts()) })
  return days
}

function countsOf(counts: Readonly<UsageCounts>): object {
  const { answered, not_modified, client_error, limited, server_error, day_units } = counts
  return { requests: requestsIn(counts), answered, not_modified, client_error, limited, server_error, day_units }
}

function daysBefore(date: string, days: number): string {
  return madridDate(dayBounds(date).start, -days)
}
