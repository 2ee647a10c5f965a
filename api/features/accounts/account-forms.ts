import type { Language } from '../../kernel/language.ts'
import { dataTable, escaped } from '../site/html.ts'

/** Renders a one-button form that posts `values` to the account's page; `before` is HTML in front of the button. */
export function button(name: string, values: Readonly<Record<string, string>>, before = ''): string {
  const hidden = Object.entries(values).map(([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`)
  return `<form method="post">${hidden.join('')}${before}<button>${name}</button></form>`
}

/** Renders a table of the account; `name` is for screen readers, cells are HTML. */
export function scrollTable(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return dataTable({ name, heads, rows, classes: 'small' })
}

/** Formats a date such as 2026-01-02 as people write it. */
export function dayName(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  return `<time datetime="${date}">${format.format(new Date(date))}</time>`
}
