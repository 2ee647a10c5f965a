import type { SearchHighlight } from '../../kernel/reads/search-view.ts'
import { editDistance } from '../../kernel/reads/suggest.ts'
import { soundOf, typosOf, wordsOf } from './fold.ts'

/** The words of a text that match words of a query. */
export function highlightsOf(field: SearchHighlight['field'], text: string | null, words: readonly string[]): SearchHighlight[] {
  if (text === null || words.length === 0) return []
  return [...text.matchAll(/[\p{L}\p{N}·-]+/gu)].flatMap((match) =>
    partsOf(match[0], match.index, words).map((part) => ({ field, ...part })),
  )
}

/** A whole word, including a road designation, or its parts between hyphens. */
function partsOf(text: string, start: number, words: readonly string[]): { start: number; length: number }[] {
  const whole = wordsOf(text)
  if (whole.length === 1) return isMeant(whole[0] as string, words) ? [{ start, length: text.length }] : []
  return [...text.matchAll(/[^-]+/g)].flatMap((part) => {
    const [word] = wordsOf(part[0])
    return word !== undefined && isMeant(word, words) ? [{ start: start + part.index, length: part[0].length }] : []
  })
}

function isMeant(word: string, words: readonly string[]): boolean {
  return words.some((one) => {
    if (word.startsWith(one) || soundOf(word) === soundOf(one)) return true
    const typos = typosOf(one)
    return typos > 0 && Math.abs(word.length - one.length) <= typos && editDistance(word, one) <= typos
  })
}
