import { foldName } from '../../../lake/places/names.ts'
import { type Param, textParam } from '../../define/params.ts'

/** `q`: words of what a list is searched by. */
export function searchParam(what: string): Param<string | null> {
  return textParam(`Words, or their beginnings, that ${what} has; accents, case and punctuation do not matter.`, {
    max: 80,
    example: 'chamartin',
  })
}

/**
 * Makes the search of records, by texts of theirs: it gives what tells whether a record has all words; every one has those of a search that
 * is not made. The words of a record are found once.
 */
export function searchBy<R extends object>(
  textsOf: (record: R) => readonly (string | null)[],
): (q: string | null) => (record: R) => boolean {
  const known = new WeakMap<R, readonly string[]>()
  const wordsOf = (record: R): readonly string[] => {
    const there = known.get(record)
    if (there) return there
    const words = textsOf(record).flatMap((text) => (text === null ? [] : foldName(text).split(' ')))
    known.set(record, words)
    return words
  }
  return (q) => {
    if (q === null) return () => true
    const wanted = foldName(q).split(' ')
    // A search of marks alone is for nothing that there is.
    if (wanted[0] === '') return () => false
    return (record) => {
      const words = wordsOf(record)
      return wanted.every((one) => words.some((word) => word.startsWith(one)))
    }
  }
}
