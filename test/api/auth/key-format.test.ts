import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hintOf, isWellFormed, makeKey, withChecksum } from '../../../api/auth/keys/key-format.ts'

const VECTOR = 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD'

test('the checksum is the one that was published', () => {
  expect(withChecksum('tia_0123456789ABCDEFGHIJKLMNOPQRST')).toBe(VECTOR)
  expect(VECTOR).toHaveLength(40)
  expect(isWellFormed(VECTOR)).toBe(true)
})

test('keys that are made are well-formed, and no two are alike', () => {
  const keys = Array.from({ length: 2000 }, makeKey)
  expect(keys.every(isWellFormed)).toBe(true)
  expect(new Set(keys).size).toBe(keys.length)
  // Every character of the alphabet comes in every place, about as often as any other: 2,000 draws of 62.
  for (let at = 4; at < 34; at++) {
    const counts = Map.groupBy(keys, (key) => key[at])
    expect(counts.size).toBeGreaterThan(55)
    for (const [, found] of counts) expect(found.length).toBeLessThan(80)
  }
})

test('a key with any one character changed, left out, doubled or swapped with its neighbour is refused', () => {
  const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- ']
  fc.assert(
    fc.property(fc.nat(39), fc.constantFrom(...alphabet), (at, other) => {
      const key = makeKey()
      const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
      for (const wrong of [
        key.slice(0, at) + other + key.slice(at + 1),
        key.slice(0, at) + key.slice(at + 1),
        key.slice(0, at) + key[at] + key.slice(at),
        swapped,
      ])
        if (wrong !== key) expect(isWellFormed(wrong), wrong).toBe(false)
    }),
  )
})

test.each(['', 'tia_', `${VECTOR}\n`, ` ${VECTOR}`, VECTOR.toUpperCase(), VECTOR.replace('tia_', 'tib_'), VECTOR.repeat(2), 'tia_ä'])(
  '%j is no key',
  (text) => {
    expect(isWellFormed(text)).toBe(false)
  },
)

test('the hint shows twelve characters', () => {
  expect(hintOf(VECTOR)).toEqual({ first: 'tia_0123', last: '0YGD' })
})
