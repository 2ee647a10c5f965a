import { foldName } from '../../../lake/places/names.ts'
import { textParam } from '../../define/params.ts'

/** `q`: words of a name. */
export const searchParam = textParam(
  'Words, or their beginnings, that the name or the id has; accents, case and punctuation do not matter.',
  {
    max: 80,
    example: 'chamartin',
  },
)

/** What tells whether texts have all words of a search; everything has those of a search that is not made. */
export function matcherOf(q: string | null): (...texts: readonly (string | null)[]) => boolean {
  const wanted = q === null ? [] : foldName(q).split(' ')
  // A search of marks alone is for nothing that there is.
  if (q !== null && wanted[0] === '') return () => false
  return (...texts) => {
    if (wanted.length === 0) return true
    const words = texts.flatMap((text) => (text === null ? [] : foldName(text).split(' ')))
    return wanted.every((one) => words.some((word) => word.startsWith(one)))
  }
}
