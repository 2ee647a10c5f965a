import fc from 'fast-check'
import { expect, test } from 'vitest'
import { record } from '../../../api/kernel/fields.ts'
import { recordTextWriter, recordWriter } from '../../../api/kernel/reads/shape.ts'
import { col } from '../../../lake/schema/columns.ts'
import { isoInstant } from '../../../lake/schema/time.ts'

const shape = record('Thing', 'A thing.', {
  name: col.string(0, 'Name.', { nullable: true, example: 'a' }),
  at: col.instant(0, 'Time.', { example: '2026-01-02T00:00:00.000Z' }),
  count: col.integer(0, 'Number.', { unit: '1', nullable: true, long: true, example: 1 }),
  share: col.float(0, 'Share.', { unit: '1', nullable: true, example: 0.5 }),
  more: col.json(0, 'Anything.', { nullable: true, example: {} }),
  position: col.point([0, 0], 'Place.', { nullable: true, example: { lat: 40, lon: -3 } }),
})
/** Numbers of few decimals, and their neighbours. */
const decimals = fc
  .tuple(fc.integer({ min: -(2 ** 31), max: 2 ** 31 }), fc.constantFrom(1, 10, 100, 1000), fc.constantFrom(0, 0, 1, -1))
  .map(([digits, power, step]) => (digits / power) * (1 + step * Number.EPSILON))
const things = fc.record({
  name: fc.option(
    fc.oneof(
      fc.constantFrom('FLUID', '"quoted"\n', 'ñ\u2028\ud800', '\\', '\u001f', '\u007f', '\ud7ff\ue000\uffff', '🚗'),
      fc.string(),
      fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
    ),
  ),
  at: fc.integer({ min: -1e12, max: 4e12 }),
  count: fc.option(fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
  share: fc.option(fc.oneof(fc.double(), decimals)),
  more: fc.option(fc.jsonValue()),
  position: fc.option(
    fc.record({ lat: fc.double({ min: -90, max: 90, noNaN: true }), lon: fc.double({ min: -180, max: 180, noNaN: true }) }),
  ),
})

test('the text of a record is that of its object, whatever was written before', () => {
  const [object, text] = [recordWriter(shape), recordTextWriter(shape)]
  fc.assert(
    fc.property(fc.array(things), (records) => {
      for (const one of records) expect(text(one)).toBe(JSON.stringify(object(one)))
    }),
  )
})

test('an instant is written as Date does, whichever was written before', () => {
  const year_ms = 366 * 86_400_000
  fc.assert(
    fc.property(
      fc.integer({ min: -3000 * year_ms, max: 9000 * year_ms }),
      fc.integer({ min: -90_000_000, max: 90_000_000 }),
      (at, step) => {
        for (const instant of [at, at + step, at]) expect(isoInstant(instant)).toBe(new Date(instant).toISOString())
      },
    ),
  )
  expect(() => isoInstant(Number.NaN)).toThrow(RangeError)
})
