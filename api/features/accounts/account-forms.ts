import { isoInstant, MADRID } from '../../../lake/schema/time.ts'
import type { Language } from '../../kernel/language.ts'
import { escaped } from '../site/html.ts'

/** Renders a one-button form that posts `values` to the account's page; `before` is HTML in front of the button. */
export function button(name: string, values: Readonly<Record<string, string>>, before = ''): string {
  const hidden = Object.entries(values).map(([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`)
  return `<form method="post" action="/account">${hidden.join('')}${before}<button>${name}</button></form>`
}

/** Renders a table that scrolls on narrow screens; `name` is for screen readers, cells are HTML. */
export function scrollTable(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((one) => `<th scope="col">${one}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<div class="scroll" role="region" aria-label="${escaped(name)}" tabindex="0"><table class="small" aria-label="${escaped(name)}"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** Formats an instant (ms) as date and time in Madrid. */
export function moment(at: number, language: Language): string {
  const format = new Intl.DateTimeFormat(language, {
    ...{ timeZone: MADRID, day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  return `<time datetime="${isoInstant(at)}">${format.format(at)}</time>`
}

/** Formats a date such as 2026-01-02 as people write it. */
export function dayName(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  return `<time datetime="${date}">${format.format(new Date(date))}</time>`
}
