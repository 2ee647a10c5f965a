import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bound } from '../../../lake/iceberg/types.ts'
import { compareValues, decodeValue, encodeLower, encodeUpper, encodeValue, MAX_BOUND_LENGTH } from '../../../lake/iceberg/values.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 3 * MAX_BOUND_LENGTH })
const bytes = fc.uint8Array({ maxLength: 3 * MAX_BOUND_LENGTH }).map((one) => Buffer.from(one))
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

const VALUES: Readonly<Record<string, fc.Arbitrary<Bound>>> = {
  boolean: fc.boolean(),
  int: fc.integer(),
  date: fc.integer(),
  long,
  timestamptz: long,
  double: fc.double({ noNaN: true }),
  string: anyText,
  binary: bytes,
  'decimal(15, 3)': fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
  'decimal(38, 10)': fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
}

describe('binary single-value serialisation', () => {
  test.each([
    ['boolean', true, '01'],
    ['boolean', false, '00'],
    ['int', 34, '22000000'],
    ['int', -2, 'feffffff'],
    ['long', 34n, '2200000000000000'],
    ['date', 17486, '4e440000'],
    ['timestamptz', -1n, 'ffffffffffffffff'],
    ['double', -0, '0000000000000080'],
    ['double', 1.5, '000000000000f83f'],
    ['string', 'ñ', 'c3b1'],
    ['decimal(9, 2)', 1420n, '058c'],
    ['decimal(9, 2)', 0n, '00'],
    ['decimal(9, 2)', 127n, '7f'],
    ['decimal(9, 2)', 128n, '0080'],
    ['decimal(9, 2)', -128n, '80'],
    ['decimal(9, 2)', -129n, 'ff7f'],
  ] as const)('%s %s is %s', (type, value, hex) => {
    expect(encodeValue(type, value).toString('hex')).toBe(hex)
    expect(decodeValue(type, Buffer.from(hex, 'hex'))).toStrictEqual(value)
  })

  test.each(Object.keys(VALUES))('%s comes back as it went', (type) => {
    fc.assert(
      fc.property(VALUES[type] as fc.Arbitrary<Bound>, (value) => {
        expect(decodeValue(type, encodeValue(type, value))).toStrictEqual(value)
      }),
    )
  })

  test('a long reads a bound from when it was an int', () => {
    expect(decodeValue('long', encodeValue('int', -7))).toBe(-7n)
  })

  test('a value of another type is refused by name', () => {
    expect(() => encodeValue('int', 1.5)).toThrow('1.5 cannot be stated as int')
    expect(() => encodeValue('long', 1)).toThrow('1 cannot be stated as long')
    expect(() => encodeValue('decimal(9, 3)', 1.5)).toThrow('1.5 cannot be stated as decimal(9, 3)')
    expect(() => encodeValue('uuid', 'x')).toThrow('"x" cannot be stated as uuid')
  })
})

describe('bounds', () => {
  test.each(Object.keys(VALUES))('of %s hold for their value and are short', (type) => {
    fc.assert(
      fc.property(VALUES[type] as fc.Arbitrary<Bound>, (value) => {
        const lower = encodeLower(type, value) as Buffer
        const upper = encodeUpper(type, value)
        expect(compareValues(decodeValue(type, lower), value)).toBeLessThanOrEqual(0)
        if (upper) expect(compareValues(decodeValue(type, upper), value)).toBeGreaterThanOrEqual(0)
        expect(Math.max(lower.length, upper?.length ?? 0)).toBeLessThanOrEqual(4 * MAX_BOUND_LENGTH)
      }),
    )
  })

  test('a long text is cut, and raised where it is the upper one, past what no character can be', () => {
    const last = String.fromCodePoint(0x10ffff)
    const text = (end: string): string => 'a'.repeat(MAX_BOUND_LENGTH - end.length) + end
    const upper = (value: string): string | undefined => encodeUpper('string', `${value}tail`)?.toString('utf8')
    expect(encodeLower('string', `${text('x')}tail`)?.toString('utf8')).toBe(text('x'))
    expect(upper(text('x'))).toBe(text('y'))
    expect(upper(text('\ud7ff'))).toBe(text('\ue000'))
    expect(upper('a'.repeat(MAX_BOUND_LENGTH - 1) + last)).toBe(`${'a'.repeat(MAX_BOUND_LENGTH - 2)}b`)
    expect(upper(last.repeat(MAX_BOUND_LENGTH))).toBeUndefined()
    expect(encodeUpper('string', text('x'))?.toString('utf8')).toBe(text('x'))
    expect(encodeUpper('binary', Buffer.alloc(MAX_BOUND_LENGTH + 1, 0xff))).toBeNull()
  })

  test('minus zero stands below and plus zero above; NaN is no bound', () => {
    expect(Object.is(decodeValue('double', encodeLower('double', 0) as Buffer), -0)).toBe(true)
    expect(Object.is(decodeValue('double', encodeUpper('double', -0) as Buffer), 0)).toBe(true)
    expect(encodeLower('double', Number.NaN)).toBeNull()
    expect(encodeUpper('double', null)).toBeNull()
  })

  test('texts are in the order of their UTF-8 bytes, not of their code units', () => {
    const [basic, beyond] = ['\uff5e', '😀']
    expect(basic > beyond).toBe(true)
    expect(compareValues(basic, beyond)).toBe(-1)
  })
})

test('texts are in the order of their bytes', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '\u007f', 'ñ', '\ud7ff', '\ue000', '\uffff', '\ud83d', '\ude97', '🚗', '\ud800'), {
    maxLength: 4,
  })
  const sign = (order: number): number => Math.sign(order)
  fc.assert(
    fc.property(text, text, text, (begin, one, other) => {
      const [first, second] = [[...begin, ...one].join(''), [...begin, ...other].join('')]
      expect(sign(compareValues(first, second))).toBe(sign(Buffer.compare(Buffer.from(first, 'utf8'), Buffer.from(second, 'utf8'))))
    }),
    { numRuns: 1000 },
  )
})
