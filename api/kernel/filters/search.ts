import { foldName } from '../../../lake/places/names.ts'
import { textParam } from '../params/params.ts'
import { defineMemoryFilter, type MemoryFilter } from '../reads/filter.ts'
import { memo } from '../reads/memo.ts'

/** `q`: words in the texts of a record; `what` describes the texts. The words of each record are computed once. */
export function searchFilter<R extends object>(
  what: string,
  textsOf: (record: R) => readonly (string | null)[],
  example = 'chamartin',
): MemoryFilter<'q', string | null, R> {
  const wordsOf = memo((record: R) => textsOf(record).flatMap((text) => (text === null ? [] : foldName(text).split(' '))))
  return defineMemoryFilter({
    name: 'q',
    param: textParam(`Words, or their beginnings, that ${what} has; accents, case and punctuation do not matter.`, {
      max: 80,
      example,
    }),
    matches: (q) => {
      const wanted = foldName(q).split(' ')
      // A search of punctuation alone finds nothing.
      if (wanted[0] === '') return () => false
      return (record) => {
        const words = wordsOf(record)
        return wanted.every((one) => words.some((word) => word.startsWith(one)))
      }
    },
  })
}
