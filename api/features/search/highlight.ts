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
  return (field, text) => {
    const found: SearchHighlight[] = []
    if (text === null || sought.length === 0) return found
    /** Adds a whole word, including a road designation, or its parts between hyphens. */
    const add = (start: number, end: number): void => {
      const own = soundingIn(text.slice(start, end))
      if (own.length === 1) {
        if (isMeant(own[0] as Sounding)) found.push({ field, start, length: end - start })
        return
      }
      for (let from = start; from < end; ) {
        const hyphen = text.indexOf('-', from)
        const to = hyphen < 0 ? end : Math.min(hyphen, end)
        const [word] = to > from ? soundingIn(text.slice(from, to)) : []
        if (word && isMeant(word)) found.push({ field, start: from, length: to - from })
        from = to + 1
      }
    }
    // Without matches of a pattern as objects: they were a third of what a search allocated.
    for (let at = 0, start = -1; at <= text.length; at++) {
      const isInside = at < text.length && isOfWord(text, at)
      if (isInside && start < 0) start = at
      else if (!isInside && start >= 0) {
        add(start, at)
        start = -1
      }
    }
    return found
  }
}

const OF_WORD = /[\p{L}\p{N}·-]/u
const ASCII_OF_WORD = Uint8Array.from({ length: 128 }, (_, code) => (OF_WORD.test(String.fromCharCode(code)) ? 1 : 0))

function isOfWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < ASCII_OF_WORD.length ? ASCII_OF_WORD[code] === 1 : OF_WORD.test(text[at] as string)
}
