import { describe, expect, test } from 'vitest'
import { languageFor } from '../../../api/kernel/language.ts'

const TWO = ['es', 'en'] as const
const FIVE = ['es', 'en', 'ca', 'eu', 'gl'] as const

describe('the language that is preferred', () => {
  test.each([
    ['the only one named', 'en', 'en'],
    ['of equals the first named', 'en, es', 'en'],
    ['of equals the first named, among others', 'fr, de, en, es', 'en'],
    ['the one with the greater weight, wherever it stands', 'es;q=0.8, en;q=0.9', 'en'],
    ['the one without a weight, which is 1', 'es;q=0.999, en', 'en'],
    ['that of a region', 'en-GB', 'en'],
    ['that of a script and a region', 'en-Latn-GB, es;q=0.9', 'en'],
    ['that of its best region', 'en-US;q=0.2, es;q=0.5, en-GB;q=0.7', 'en'],
    ['whatever the case', 'EN-gb', 'en'],
    ['whatever spaces and tabs there are', ' \t en \t ; \t q=0.9 , es;q=0.8 ', 'en'],
    ['whatever the case of the weight', 'es;Q=0.1, en;Q=0.2', 'en'],
    ['with a parameter that nobody knows', 'es;q=0.5, en;level=1;q=0.6', 'en'],
  ])('is %s', (_what, header, expected) => {
    expect(languageFor(header, TWO)).toBe(expected)
  })

  test.each([
    ['there is no header', undefined],
    ['it is empty', ''],
    ['it names no available language', 'fr, de;q=0.5'],
    ['any will do', '*'],
    ['none will do', '*;q=0'],
    ['every available language is excluded', 'es;q=0, en;q=0'],
    ['a language only begins like an available one', 'enm, en_GB, est'],
    ['a language only ends like an available one', 'x-en, fr-en'],
  ])('is the first there is where %s', (_what, header) => {
    for (const languages of [TWO, FIVE, ['en', 'es']] as const) expect(languageFor(header, languages)).toBe(languages[0])
  })

  test.each([
    ['a language that is refused, for any other', 'es;q=0, *', 'en'],
    ['the rest, where one that is named is liked better than any', 'en, *;q=0.5', 'en'],
    ['the rest, where one that is named is liked less than any', 'es;q=0.1, *;q=0.5', 'en'],
    ['all the rest alike: the first of them', 'gl;q=0.3, *;q=0.8', 'es'],
    ['a region that is named apart from its language', 'es;q=0, es-MX;q=0.4, *;q=0.1', 'es'],
  ])('weighs %s', (_what, header, expected) => {
    expect(languageFor(header, FIVE)).toBe(expected)
  })
})

describe('an invalid weight', () => {
  test.each(['q=2', 'q=-1', 'q=1.001', 'q=many', 'q=', 'q=NaN', 'q=Infinity', 'q=0.5.1', 'q=0,9'])('%s counts for nothing', (weight) => {
    expect(languageFor(`en;${weight}`, TWO)).toBe('es')
    expect(languageFor(`en;${weight}, es;q=0.001`, TWO)).toBe('es')
  })
})

describe('an invalid list of languages', () => {
  test.each([
    ...[',', ',,,;;;', ';q=1', 'q=1', '=', '*-*', '-', 'en-', ' ', '\t', '💥', '%00', 'null', '__proto__', 'constructor;q=1'],
    ...["' OR 1=1 --", '../en', '"en"', '[object Object]', '{"en":1}'],
  ])('%j is answered in an available language', (header) => {
    expect(TWO).toContain(languageFor(header, TWO))
  })

  test('does not hide a valid one', () => {
    expect(languageFor(',,;q=1,💥,__proto__,en;q=0.1,;;', TWO)).toBe('en')
  })
})

test('a header as long as Node lets one be is read in no time', () => {
  for (const piece of ['en-', 'en,', ',', 'en;', ';q=', 'fr;q=0.5,', '*,', ' ']) {
    const header = `${piece.repeat(Math.floor(32_000 / piece.length))},en;q=0.7`
    const began = performance.now()
    expect(FIVE, piece).toContain(languageFor(header, FIVE))
    expect(performance.now() - began, piece).toBeLessThan(200)
  }
})
