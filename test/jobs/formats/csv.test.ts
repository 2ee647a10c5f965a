import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { readCsv } from '../../../jobs/formats/csv.ts'

test('reads quoted and bare fields by the names of the header', () => {
  const table = readCsv('\ufeff"id";" name";"x"\r\n1;"a; ""b""";\r\n\r\n2; c ;3,5\r\n', { delimiter: ';', requires: ['name', 'id'] })
  expect(table.header).toEqual(['id', 'name', 'x'])
  expect(table.records).toEqual([
    ['1', 'a; "b"', ''],
    ['2', ' c ', '3,5'],
  ])
  expect(table.at('x')).toBe(2)
  expect(table.at('y')).toBe(-1)
  expect(table.misshapen).toEqual([])
})

test('sets records of another length aside, with their line', () => {
  const table = readCsv('a,b\n1,2\n3\n4,5,6\n7,8\n', { delimiter: ',', requires: [] })
  expect(table.records).toEqual([
    ['1', '2'],
    ['7', '8'],
  ])
  expect(table.misshapen).toEqual([
    { line: 3, text: '3' },
    { line: 4, text: '4,5,6' },
  ])
})

test('takes inner quotes in lenient mode', () => {
  const text = 'address;x\nPOLIGONO "LA GRANADINA", N;1\n'
  expect(readCsv(text, { delimiter: ';', requires: ['x'], lenient: true }).records).toEqual([['POLIGONO "LA GRANADINA", N', '1']])
  expect(() => readCsv(text, { delimiter: ';', requires: ['x'] })).toThrow(FormatError)
})

test('that ends its lines is refused where it is cut off, wherever that is', () => {
  const text = 'id;a;"b c"\r\n1;22;333\r\n4;55;"66 6"\r\n'
  const read = (given: string): unknown => readCsv(given, { delimiter: ';', requires: [], endsLines: true })
  expect(read(text)).toMatchObject({ records: [{ length: 3 }, { length: 3 }] })
  expect(read(`${text}\n`)).toMatchObject({ records: [{ length: 3 }, { length: 3 }] })
  const lineEnds = [...text.matchAll(/[\r\n]/g)].map(({ index }) => index + 1)
  for (let cut = 1; cut < text.length; cut++)
    if (!lineEnds.includes(cut)) expect(() => read(text.slice(0, cut)), text.slice(0, cut)).toThrow(FormatError)
  expect(() => read('id;a\n1;2\n3\n')).toThrow('cut off: line 3, the last, has 1 of 2 fields')
  expect(() => read('id;a\n1;2\n3;4')).toThrow('cut off: line 3, the last, has no end: "3 4"')
  expect(readCsv('id;a\n1;2', { delimiter: ';', requires: [] }).records).toHaveLength(1)
})

test.each([
  ['', 'an empty file'],
  ['a;b\n1;2\n', 'lacks id'],
  ['<html><body>Error</body></html>', 'lacks id'],
  ['id;a\n1;"never closed\n', 'not a CSV file'],
])('refuses %j', (text, message) => {
  expect(() => readCsv(text, { delimiter: ';', requires: ['id'] })).toThrow(message)
})
