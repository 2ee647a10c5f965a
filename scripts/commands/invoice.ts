import { slotNames } from '../../api/auth/keys/slots.ts'
import { type PlanTable, TIERS } from '../../api/auth/plans.ts'
import { escaped, htmlPage } from '../../api/features/site/html.ts'
import type { Lake } from '../../lake/open.ts'
import { CLOSED_AFTER_MS } from '../../lake/requests/log.ts'
import { requestsIn, type UsageDay, usageDaysReader } from '../../lake/requests/usage.ts'
import type { Plan } from '../../lake/schema/dataset.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import { nextMonth } from './usage.ts'

/** The use and cost of one key, and of the keys that replaced it in rotations, in a month. */
interface InvoiceLine {
  readonly keys: readonly string[]
  /** The highest plan under which it was used; its price is that of a whole month. */
  readonly plan: Plan
  readonly requests: number
  readonly day_units: number
  readonly days: number
  readonly price_eur: number
}

/**
 * Makes the invoice of an account for a month of Madrid as a page to print: each used key under its highest plan, with the plan's
 * price and the use by path. A rotated key and its successor cost one price. Throws if the numbers may still change.
 */
export async function monthlyInvoice(
  lake: Lake,
  asked: { readonly account: string; readonly month: string; readonly plans: PlanTable; readonly now: number; readonly email: string },
): Promise<string> {
  const { account, month, plans, now, email } = asked
  const [from, to] = [`${month}-01`, nextMonth(`${month}-01`)]
  if (now < dayBounds(to).start + CLOSED_AFTER_MS)
    throw new Error(`--month ${month}: the numbers may still change until four hours after its end`)
  const days = await usageDaysReader(lake)({ from, to, slots: slotNames(account) })
  const lines = [...Map.groupBy(days, ({ slot }) => slot)].map(([, used]) => lineOf(used, plans))
  const total = lines.reduce((sum, { price_eur }) => sum + price_eur, 0)
  const keys = table(
    ['Key', 'Plan', 'Days used', 'Requests', 'Units', 'Price, EUR'],
    lines.map(({ keys: ids, plan, days: count, requests, day_units, price_eur }) => [
      ids.join(', '),
      plan,
      count,
      requests,
      day_units,
      price_eur.toFixed(2),
    ]),
    `<tfoot><tr><th colspan="5">Total without VAT</th><td class="num">${total.toFixed(2)}</td></tr></tfoot>`,
  )
  const paths = [...Map.groupBy(days, ({ path }) => path)]
    .map(([path, used]): [string, number, number] => [path, sumOf(used, requestsIn), sumOf(used, ({ day_units }) => day_units)])
    .sort(([, one], [, other]) => other - one)
  const body = `<p>${escaped(email)}<br>Account ${account.slice(0, 12)}<br>Period ${from} to ${lastDay(to)}, days of Madrid</p>
<h2>Keys</h2>
${keys}
<p>A key costs the month of the highest plan under which it was used, once even if it was rotated. Units are requests that counted for the day: all but 304, 429 and 5xx.</p>
<h2>Use by path</h2>
${table(['Path', 'Requests', 'Units'], paths)}`
  const title = `Traffic Intelligence: invoice ${month}`
  return htmlPage('en', { title, about: title, body })
}

function lineOf(used: readonly UsageDay[], plans: PlanTable): InvoiceLine {
  const ranks = used.map(({ plan }) => TIERS.indexOf(plan ?? 'FREE'))
  const plan = TIERS[Math.max(...ranks)] as Plan
  return {
    keys: [...new Set(used.map(({ key }) => key ?? ''))],
    plan,
    requests: sumOf(used, requestsIn),
    day_units: sumOf(used, ({ day_units }) => day_units),
    days: new Set(used.map(({ date }) => date)).size,
    price_eur: plans[plan].price_eur_month ?? 0,
  }
}

function sumOf(days: readonly UsageDay[], of: (day: UsageDay) => number): number {
  return days.reduce((sum, day) => sum + of(day), 0)
}

/** Returns the day before a date. */
function lastDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[], foot = ''): string {
  const cell = (value: string | number): string =>
    typeof value === 'number' || /^\d+\.\d\d$/.test(value) ? `<td class="num">${value}</td>` : `<td>${escaped(value)}</td>`
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n')
  return `<table><thead><tr>${head.map((name) => `<th>${name}</th>`).join('')}</tr></thead>\n<tbody>${body}</tbody>${foot}</table>`
}
