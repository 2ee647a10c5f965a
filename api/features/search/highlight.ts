import type { SearchHighlight } from '../../kernel/reads/search-view.ts'
import { editDistance } from '../../kernel/reads/suggest.ts'
import { soundOf, typosOf, wordsOf } from './fold.ts'

/** A word, and how it sounds. */
interface Sounding {
  readonly word: string
  readonly sound: string
}

/** Words of texts by their spelling: texts repeat them, and their normal form is costly. At most so many. */
const known = new Map<string, readonly Sounding[]>()
const MAX_KNOWN = 10_000

function soundingIn(text: string): readonly Sounding[] {
  const there = known.get(text)
  if (there) return there
  if (known.size === MAX_KNOWN) known.clear()
  const words = wordsOf(text).map((word) => ({ word, sound: soundOf(word) }))
  known.set(text, words)
  return words
}

/** Returns what finds the words of texts that match words of a query. */
export function highlighter(words: readonly string[]): (field: SearchHighlight['field'], text: string | null) => SearchHighlight[] {
  const sought = words.map((word) => ({ word, sound: soundOf(word), typos: typosOf(word) }))
  const isMeant = ({ word, sound }: Sounding): boolean =>
    sought.some((one) => {
      if (word.startsWith(one.word) || sound === one.sound) return true
      return one.typos > 0 && Math.abs(word.length - one.word.length) <= one.typos && editDistance(word, one.word, one.typos) <= one.typos
    })
  /** A whole word, including a road designation, or its parts between hyphens. */
  const partsOf = (text: string, start: number): { start: number; length: number }[] => {
    const [whole, ...more] = soundingIn(text)
    if (whole && more.length === 0) return isMeant(whole) ? [{ start, length: text.length }] : []
    return [...text.matchAll(/[^-]+/g)].flatMap((part) => {
      const [word] = soundingIn(part[0])
      return word && isMeant(word) ? [{ start: start + part.index, length: part[0].length }] : []
    })
  }
  return (field, text) => {
    if (text === null || sought.length === 0) return []
    return [...text.matchAll(/[\p{L}\p{N}·-]+/gu)].flatMap((match) => partsOf(match[0], match.index).map((part) => ({ field, ...part })))
  }
}
