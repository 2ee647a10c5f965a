import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSeqs, countSeqs, formatSeqs, hasSeq, parseSeqs } from '../../lake/landed.ts'

test('a set of sequences holds what was added, in the shortest intervals, and survives its text', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 60 }))), (batches) => {
      let set = parseSeqs('')
      const model = new Set<number>()
      for (const batch of batches) {
        set = addSeqs(set, batch)
        for (const seq of batch) model.add(seq)
      }
      for (let seq = 0; seq <= 61; seq++) expect(hasSeq(set, seq)).toBe(model.has(seq))
      expect(countSeqs(set)).toBe(model.size)
      expect(parseSeqs(formatSeqs(set))).toEqual(set)
      for (let at = 1; at < set.length; at++)
        expect((set[at] as readonly [number, number])[0]).toBeGreaterThan((set[at - 1] as readonly [number, number])[1] + 1)
    }),
  )
})

test('a month of five-minute fetches is one interval', () => {
  expect(
    formatSeqs(
      addSeqs(
        [],
        Array.from({ length: 8640 }, (_, at) => at + 1),
      ),
    ),
  ).toBe('1-8640')
})

test('junk is refused', () => {
  for (const text of ['x', '1-', '5-1', '1,,2']) expect(() => parseSeqs(text)).toThrow('no set of sequences')
})
