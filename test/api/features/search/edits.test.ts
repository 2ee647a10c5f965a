import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differingLetters, isExchanged, lettersOf } from '../../../../api/features/search/edits.ts'
import { editDistance } from '../../../../api/kernel/reads/suggest.ts'
import { byTier } from '../../../helpers/tier.ts'

/** Insertions, deletions, substitutions and adjacent swaps, by their definition. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  const swapped = one[0] === other[1] && one[1] === other[0] ? distance(one.slice(2), other.slice(2)) + 1 : Number.POSITIVE_INFINITY
  const kept = distance(one.slice(1), other.slice(1)) + (one[0] === other[0] ? 0 : 1)
  return Math.min(swapped, kept, distance(one, other.slice(1)) + 1, distance(one.slice(1), other) + 1)
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ñ', '7'), maxLength: 6 })

test('edits are those of the definition, and letters differ in at most twice as many', () => {
  const check = fc.property(word, word, fc.integer({ min: 0, max: 3 }), (one, other, most) => {
    const edits = distance(one, other)
    expect(editDistance(one, other)).toBe(edits)
    expect(editDistance(one, other, most)).toBe(Math.min(edits, most + 1))
    expect(differingLetters(lettersOf(one), lettersOf(other))).toBeLessThanOrEqual(2 * edits)
  })
  fc.assert(check, { numRuns: byTier(300, 10_000) })
})

test.each([
  ['bajaras', 'barajas', true],
  ['getafe', 'gefate', true],
  ['getafe', 'egtafe', false],
  ['getafe', 'getafe', false],
  ['abcd', 'dbca', false],
  ['abc', 'abcd', false],
])('%s and %s have two letters around a third exchanged: %s', (one, other, exchanged) => {
  expect(isExchanged(one, other)).toBe(exchanged)
})
