import type { Language } from '../../kernel/language.ts'

/** Level of a state, shown as a sign beside words with the same meaning. */
export type Level = 'ok' | 'warn' | 'bad'
const SIGNS: Readonly<Record<Level, string>> = { ok: '●', warn: '▲', bad: '■' }

/** The parts of instants of this year. */
export const OF_YEAR = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const

/** Renders words (HTML) after the sign of a level. */
export function marked(level: Level, html: string): string {
  return `<span class="${level}" aria-hidden="true">${SIGNS[level]}</span> ${html}`
}

/** Formats seconds in the largest unit with a value of at least two. */
export function span(seconds: number): string {
  const whole = Math.abs(seconds)
  const sign = seconds < 0 ? '−' : ''
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const)
    if (whole >= 2 * size || (whole >= size && whole % size === 0)) return `${sign}${Math.floor(whole / size)} ${unit}`
  return `${sign}${whole} s`
}

/** Formats a share in percent, to thousandths. */
export function percent(value: number, language: Language): string {
  return `${new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 3 }).format(value)} %`
}
