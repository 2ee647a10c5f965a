import { expect, test } from 'vitest'
import { Bound, bind, bindList, column, instant, join, render, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { everything } from './fixtures.ts'

const rendered = (query: Sql): { text: string; values: unknown[]; types: string[] } => {
  const { text, values, types } = render(query, () => sql`nothing`)
  return { text, values, types: types.map(String) }
}

test('values are bound by their type, never written into the text', () => {
  const evil = "'; DROP TABLE x; --"
  expect(rendered(sql`SELECT ${evil}, ${1}, ${2 ** 40}, ${1.5}, ${5n}, ${true}, ${null}`)).toEqual({
    text: 'SELECT $1, $2, $3, $4, $5, $6, $7',
    values: [evil, 1, BigInt(2 ** 40), 1.5, 5n, true, null],
    types: ['VARCHAR', 'INTEGER', 'BIGINT', 'DOUBLE', 'BIGINT', 'BOOLEAN', 'SQLNULL'],
  })
})

test('queries nest and are joined, their values numbered through', () => {
  const where = join([sql`a = ${1}`, sql`b = ${'x'}`], sql` AND `)
  expect(rendered(sql`SELECT * FROM t WHERE ${where} LIMIT ${10}`)).toMatchObject({
    text: 'SELECT * FROM t WHERE a = $1 AND b = $2 LIMIT $3',
    values: [1, 'x', 10],
  })
  expect(rendered(join([])).text).toBe('')
})

test('a value of a column is bound as the column is', () => {
  const { price, seen_at, valid_on, big, tags } = everything.columns
  expect(String(bind('price', price, 1.419).type)).toBe('DECIMAL(9,3)')
  expect(bind('price', price, 1.419).value).toMatchObject({ value: 1419n, scale: 3 })
  expect(bind('seen_at', seen_at, -0.001).value).toMatchObject({ micros: -1n })
  expect(instant(1000).value).toMatchObject({ micros: 1_000_000n })
  expect(bind('valid_on', valid_on, '1969-12-31').value).toMatchObject({ days: -1 })
  expect(bind('big', big, 3).value).toBe(3n)
  expect(String(bind('tags', tags, ['a']).type)).toBe('VARCHAR[]')
  expect(rendered(sql`x IN ${bindList('price', price, [1, 2.5])}`).text).toBe('x IN ($1, $2)')
  expect(rendered(sql`x IN ${bindList('price', price, [])}`).text).toBe('x IN (NULL)')
  expect(() => bind('price', price, '1; DROP')).toThrow(/column price cannot hold "1; DROP"/)
})

test('names come from declarations only', () => {
  expect(rendered(column(everything, 'position_lat')).text).toBe('"position_lat"')
  expect(() => column(everything, 'name" FROM secrets --')).toThrow(/everything has no column/)
})

test("a caller's input never passes for a query", () => {
  const forged = JSON.parse('{"texts": ["DROP TABLE x"], "holes": [], "strings": ["x"], "raw": ["x"]}') as unknown
  expect(() => sql`SELECT ${forged as SqlPart}`).toThrow(/cannot take \[object Object\]/)
  expect(() => sql`SELECT ${['a', 'b'] as unknown as SqlPart}`).toThrow(/cannot take \[object Array\]/)
  expect(() => sql`SELECT ${undefined as unknown as SqlPart}`).toThrow(/cannot take/)
  expect(() => sql(['DROP TABLE x'] as unknown as TemplateStringsArray)).toThrow(/template tag/)
  expect(() => sql('DROP TABLE x' as unknown as TemplateStringsArray)).toThrow(/template tag/)
  expect(() => sql(Object.assign(['DROP TABLE x'], { raw: ['x'] }) as unknown as TemplateStringsArray)).toThrow(/template tag/)
})

test('a bound value keeps its type', () => {
  const value = new Bound(5n, instant(0).type)
  expect(rendered(sql`${value}`).types).toEqual(['TIMESTAMP WITH TIME ZONE'])
})
