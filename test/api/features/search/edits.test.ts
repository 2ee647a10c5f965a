import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differingLetters, editsBetween, isExchanged, lettersOf } from '../../../../api/features/search/edits.ts'
import { byTier } from '../../../helpers/tier.ts'

/** Levenshtein's distance by its definition. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  const rest = distance(one.slice(1), other.slice(1))
  return one[0] === other[0] ? rest : 1 + Math.min(rest, distance(one, other.slice(1)), distance(one.slice(1), other))
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ñ', '7'), maxLength: 6 })

test('edits are those of the definition, and letters differ in at most twice as many', () => {
  const check = fc.property(word, word, fc.integer({ min: 0, max: 3 }), (one, other, most) => {
    const edits = distance(one, other)
    expect(editsBetween(one, other, most)).toBe(Math.min(edits, most + 1))
    expect(differingLetters(lettersOf(one), lettersOf(other))).toBeLessThanOrEqual(2 * edits)
  })
  fc.assert(check, { numRuns: byTier(300, 10_000) })
})

test.each([
  ['bajaras', 'barajas', true],
  ['getafe', 'egtafe', true],
  ['getafe', 'gteafe', true],
  ['getafe', 'getafe', false],
  ['abcd', 'dbca', false],
  ['abc', 'abcd', false],
])('%s and %s have two letters exchanged: %s', (one, other, exchanged) => {
  expect(isExchanged(one, other)).toBe(exchanged)
})
