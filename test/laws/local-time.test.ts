import { expect, test } from 'vitest'
import { sourceFiles } from './sources.ts'

/** Ways to read or write a time in the zone of the machine. */
const LOCAL = [
  /\.[gs]et(FullYear|Year|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)\(/,
  /\.to(DateString|TimeString)\(/,
  // Date and time without a zone, as a text or a template: the engine takes it for local time. A date alone is UTC.
  /(?:Date\.parse|new Date)\(\s*(['"`])[^'"`]*T[\d:.]+(?:\$\{[^}]*\})?[\d:.]*\1\s*\)/,
  /new Date\([^()'"`]+,[^()]+\)/,
]
/** Formats that need a zone. */
const FORMATS = /(?:toLocale(?:Date|Time)String\(|Intl\.DateTimeFormat\()([^)]*)/g

function localTimes(text: string): string[] {
  const lines = text.split('\n').filter((line) => LOCAL.some((pattern) => pattern.test(line)))
  const formats = [...text.matchAll(FORMATS)].filter(([, options]) => !options?.includes('timeZone')).map(([found]) => found)
  return [...lines, ...formats]
}

test('no code of the product reads the local time of the machine', () => {
  const product = [...sourceFiles().values()].filter(({ room }) => room !== 'test')
  expect(product.length).toBeGreaterThan(500)
  expect(product.flatMap(({ path, text }) => localTimes(text).map((line) => `${path}: ${line.trim()}`))).toEqual([])
})

test.each([
  'date.getHours()',
  'date.setMonth(3)',
  'date.toDateString()',
  "Date.parse('2026-01-01T00:00')",
  'new Date(`${day}T00:00:00`)',
  'new Date(year, month, 1)',
  "new Intl.DateTimeFormat('es', { hour: '2-digit' })",
])('%s is local time', (code) => {
  expect(localTimes(code)).toHaveLength(1)
})

test.each([
  'date.getUTCHours()',
  "Date.parse('2026-01-01T00:00Z')",
  'new Date(`${day}T00:00:00Z`)',
  "new Date('2026-01-01')",
  'new Date(Date.UTC(2026, 1, 1))',
  "new Intl.DateTimeFormat('es', { timeZone: 'UTC', hour: '2-digit' })",
])('%s is not', (code) => {
  expect(localTimes(code)).toEqual([])
})
