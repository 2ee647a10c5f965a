import type { IncomingMessage } from 'node:http'

/** Languages that we write to people in. */
export const LANGUAGES = ['es', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** A text in every language that we write in. */
export type LocalText = Readonly<Record<Language, string>>

/** A language range of an Accept-Language header, with its weight from 0 to 1. */
interface Range {
  readonly tag: string
  readonly weight: number
}

/**
 * Picks the language that an Accept-Language header prefers (RFC 9110 §12.5.4, RFC 4647 §3.4 lookup: `en-GB` matches `en`):
 * greatest weight, then first named. The first of `languages` (lower case) without a header or match.
 */
export function languageFor<L extends string>(header: string | undefined, languages: readonly [L, ...L[]]): L {
  if (!header) return languages[0]
  const ranges = header.split(',').map(readRange)
  const places = new Map(languages.map((language) => [language, placeOf(language, ranges)]))
  const chosen = [...places].filter(([, at]) => ((ranges[at] as Range | undefined)?.weight ?? 0) > 0)
  const [best] = chosen.sort(([, one], [, other]) => (ranges[other] as Range).weight - (ranges[one] as Range).weight || one - other)
  return best ? best[0] : languages[0]
}

/** Rank of a language in the ranges: the highest weight that names it, else `*`; -1 without a match. */
function placeOf(language: string, ranges: readonly Range[]): number {
  let best = -1
  for (const [at, { tag, weight }] of ranges.entries())
    if ((tag === language || tag.startsWith(`${language}-`)) && weight > (ranges[best]?.weight ?? -1)) best = at
  return best === -1 ? ranges.findIndex(({ tag }) => tag === '*') : best
}

function readRange(text: string): Range {
  const [tag = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase())
  const stated = params.find((part) => part.startsWith('q='))
  const weight = stated === undefined ? 1 : Number(stated.slice(2))
  return { tag, weight: weight >= 0 && weight <= 1 ? weight : 0 }
}

/** Returns the preferred language among those that we write in: the greatest weight, then the first named, otherwise Spanish. */
export function languageOf({ headers }: Pick<IncomingMessage, 'headers'>): Language {
  return languageFor(headers['accept-language'], LANGUAGES)
}

/** Returns the texts of a page by language, from pairs of a Spanish and an English text. */
export function inBoth<const P extends Readonly<Record<string, readonly [es: unknown, en: unknown]>>>(
  pairs: P,
): Readonly<Record<Language, { readonly [K in keyof P]: P[K][number] }>> {
  const texts = (at: 0 | 1) => Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, pair[at]]))
  return { es: texts(0), en: texts(1) } as Readonly<Record<Language, { readonly [K in keyof P]: P[K][number] }>>
}
