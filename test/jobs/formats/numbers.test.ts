import { describe, expect, test } from 'vitest'
import { commaNumber, decimalNumber, eitherNumber, numberIn, pointNumber, wholeNumber } from '../../../jobs/formats/numbers.ts'

describe.each([
  ['commaNumber', commaNumber],
  ['pointNumber', pointNumber],
  ['wholeNumber', wholeNumber],
])('%s', (_name, read) => {
  test.each(['', ' ', '-', 'N.A', 'N.A.', 'NaN'])('takes %j for no number', (text) => expect(read(text)).toBeNull())
  test.each(['Error', '1,2,3', '1.2.3', '0x10', '1e', 'e3', 'Infinity', 'INF', '1e999', ',', '--1', '1 2', '٣'])(
    'takes %j for junk',
    (text) => expect(read(text)).toBeNaN(),
  )
  test.each([
    ['0', 0],
    ['-1', -1],
    ['+7', 7],
    [' 42 ', 42],
    ['007', 7],
  ])('reads %j', (text, value) => expect(read(text)).toBe(value))
})

describe('a decimal', () => {
  test('has a comma in Spanish', () => {
    expect(commaNumber('1,419')).toBe(1.419)
    expect(commaNumber('-3,418167')).toBe(-3.418167)
    expect(commaNumber('436004,103195086')).toBe(436004.103195086)
    expect(commaNumber('1.816,15')).toBe(1816.15)
    expect(commaNumber('1.419')).toBe(1419)
    expect(commaNumber('1.41')).toBeNaN()
    expect(commaNumber('438.963.314.634.858')).toBe(438963314634858)
  })

  test('has a point in English', () => {
    expect(pointNumber('441615.343346657')).toBe(441615.343346657)
    expect(pointNumber('1,816.15')).toBe(1816.15)
    expect(pointNumber('1,41')).toBeNaN()
  })

  test('is the nearest double, however it is read', () => {
    for (const text of [
      '0,1',
      '1,005',
      '9,900',
      '2,675',
      '123456789,12345',
      '4472588,47356732',
      '4481823,61652291',
      '0,30000000000000004',
    ]) {
      const value = Number(text.replace(',', '.'))
      expect(commaNumber(text)).toBe(value)
      expect(commaNumber(`-${text}`)).toBe(-value)
      expect(pointNumber(text.replace(',', '.'))).toBe(value)
    }
  })

  test('is no whole number', () => {
    expect(wholeNumber('1,5')).toBeNaN()
    expect(wholeNumber('1.5')).toBeNaN()
  })

  test('has no exponent if it is whole', () => expect(wholeNumber('1e3')).toBeNaN())
})

describe('every float of XML Schema, GTFS and CSV', () => {
  const DIGITS = ['0', '7', '00', '42', '9007199254740993']
  const forms = DIGITS.flatMap((digits) => [digits, `${digits}.`, `.${digits}`, `${digits}.${digits}`])
  const texts = ['', '+', '-'].flatMap((sign) =>
    ['', 'E-5', 'e4', 'E+3', 'e0'].flatMap((exponent) => forms.map((form) => `${sign}${form}${exponent}`)),
  )

  test('is the nearest double, with its own decimal mark', () => {
    for (const text of texts) {
      const value = Number(text)
      expect(decimalNumber(text), text).toBe(value)
      expect(decimalNumber(` ${text.replace('.', ';')}\n`, ';'), text).toBe(value)
      expect([pointNumber(text), numberIn(text)], text).toEqual([value, value])
      const comma = text.replace('.', ',')
      expect([commaNumber(comma), eitherNumber(comma)], comma).toEqual([value, value])
    }
  })

  test('is no number with another mark than the declared one', () => {
    for (const text of texts.filter((one) => one.includes('.'))) {
      expect(decimalNumber(text, ','), text).toBeNaN()
      expect(decimalNumber(text.replace('.', ',')), text).toBeNaN()
    }
  })

  test.each(['', ' ', 'INF', '-INF', 'NaN', 'Infinity', '1e999', '0x1F', '1_000', '1.2.3', '.', 'E5', '1E', '1,816.15', '-', '1 2'])(
    'is not %j',
    (text) => expect(decimalNumber(text)).toBeNaN(),
  )
})

test('a JSON value is a number or its text', () => {
  expect([numberIn(2.5), numberIn('2.5'), numberIn(' '), numberIn(null), numberIn(undefined)]).toEqual([2.5, 2.5, null, null, null])
  for (const value of [true, [1], { value: 1 }, 'x']) expect(numberIn(value)).toBeNaN()
})
