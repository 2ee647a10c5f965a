/** A language range of an Accept-Language header, with its weight from 0 to 1. */
interface Range {
  readonly tag: string
  readonly weight: number
}

/**
 * The language of some, in small letters, that an Accept-Language header prefers (RFC 9110 §12.5.4, by lookup as in RFC 4647 §3.4: `en-GB` asks
 * for `en`): the one with the greatest weight, of equals the first named. The first of them where there is no header, or it takes none.
 */
export function languageFor<L extends string>(header: string | undefined, languages: readonly [L, ...L[]]): L {
  if (!header) return languages[0]
  const ranges = header.split(',').map(readRange)
  const places = new Map(languages.map((language) => [language, placeOf(language, ranges)]))
  const chosen = [...places].filter(([, at]) => ((ranges[at] as Range | undefined)?.weight ?? 0) > 0)
  const [best] = chosen.sort(([, one], [, other]) => (ranges[other] as Range).weight - (ranges[one] as Range).weight || one - other)
  return best ? best[0] : languages[0]
}

/** Where the ranges speak of a language: the weightiest that names it, else `*`; -1 where they do not. */
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
