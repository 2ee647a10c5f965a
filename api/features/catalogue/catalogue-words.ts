import { provinceByCode } from '../../../lake/places/provinces.ts'
import { domains } from '../../endpoints/catalog.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { DATASETS_ES } from '../cards/datasets-es.ts'
import { escaped, moment } from '../site/html.ts'
import type { DatasetEntry } from './catalogue-reads.ts'

const WORDS = inBoth({
  use: [
    { yes: 'Uso comercial permitido', no: 'Sin uso comercial', unknown: 'Uso comercial no aclarado' },
    { yes: 'Commercial use allowed', no: 'No commercial use', unknown: 'Commercial use not stated' },
  ],
  none: ['sin datos todavía', 'no data yet'],
})

/** Returns the title and description of a dataset; those without a Spanish text are English. */
export function datasetTexts({ id, title, about }: DatasetEntry, language: Language): { readonly title: string; readonly about: string } {
  const spanish = language === 'es' ? DATASETS_ES[id] : undefined
  return spanish ? { title: spanish[0], about: spanish[1] } : { title, about }
}

/** Returns the name of a domain for people. */
export function domainName(id: string, language: Language): string {
  return domains.find((domain) => domain.id === id)?.title[language] ?? id
}

/** Renders whether commercial use is allowed, as a tag; only what restricts it stands out. */
export function useTag(use: 'yes' | 'no' | 'unknown', language: Language): string {
  return `<span class="tag${use === 'yes' ? '' : ' signal'}">${WORDS[language].use[use]}</span>`
}

/** Renders an instant of the API as time in Madrid, or a note that data has not arrived if it is null. */
export function momentOrNone(at: string | null, language: Language): string {
  return at === null ? `<small>${WORDS[language].none}</small>` : moment(Date.parse(at), language)
}

/** Formats a number in a language, with grouped digits. */
export function number(value: number, language: Language, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(language, { useGrouping: 'always', ...options }).format(value)
}

/** Formats a size in bytes as kB, MB or GB. */
export function size(bytes: number, language: Language): string {
  const [divisor, unit] = bytes >= 1e9 ? [1e9, 'GB'] : bytes >= 1e6 ? [1e6, 'MB'] : [1e3, 'kB']
  return `${number(bytes / divisor, language, { maximumSignificantDigits: 3 })} ${unit}`
}

/** Formats a share, 0 to 1, as percentage; a share that is not 0 is never shown as 0. */
export function percentage(share: number, language: Language): string {
  if (share > 0 && share < 0.001) return `&lt; ${number(0.001, language, { style: 'percent', maximumFractionDigits: 1 })}`
  return number(share, language, { style: 'percent', maximumFractionDigits: 1 })
}

/** Returns the names of provinces by their INE codes. */
export function provinceNames(codes: readonly string[]): string {
  return codes.map((code) => provinceByCode(code)?.name ?? code).join(', ')
}

/** Renders an English text on a page of either language. */
export function english(text: string, language: Language): string {
  const html = escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
  return language === 'en' ? html : `<span lang="en">${html}</span>`
}

/** Formats a time between two fetches, in s. */
export function duration(seconds: number, language: Language): string {
  const [value, unit] =
    seconds % 86_400 === 0
      ? [seconds / 86_400, 'day']
      : seconds % 3600 === 0
        ? [seconds / 3600, 'hour']
        : seconds % 60 === 0
          ? [seconds / 60, 'minute']
          : [seconds, 'second']
  return number(value, language, { style: 'unit', unit, unitDisplay: 'short' })
}
