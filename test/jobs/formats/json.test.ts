import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { readLongList } from '../../../jobs/formats/json.ts'

function read(text: string, pieceBytes = 8): { envelope: unknown; batches: unknown[][] | null } {
  const { envelope, batches } = readLongList(Buffer.from(text, 'utf8'), { list: 'list', pieceBytes })
  return { envelope, batches: batches && [...batches].map((batch) => [...batch]) }
}

describe('a long list', () => {
  const items = Array.from({ length: 40 }, (_, id) => ({ id, text: `"\\ñ,[${'{'.repeat(id % 3)}`, list: [id, { id }] }))

  test('comes in pieces, apart from its envelope', () => {
    const { envelope, batches } = read(`\ufeff${JSON.stringify({ at: 'a"]}', list: items, last: [1, [2]] })}\n`, 200)
    expect(envelope).toEqual({ at: 'a"]}', last: [1, [2]] })
    expect(batches?.flat()).toEqual(items)
    expect(batches?.length).toBeGreaterThan(5)
  })

  test('gives the same items whatever the size of a piece', () => {
    const text = JSON.stringify({ list: items, ok: true })
    const nested = items.map((item) => ({ ...item, inner: [{ a: 1 }, { a: 2 }, { a: 3 }] }))
    for (let size = 1; size < 400; size++) {
      expect(read(text, size).batches?.flat()).toEqual(items)
      expect(read(JSON.stringify({ list: nested }), size).batches?.flat()).toEqual(nested)
    }
  })

  test('is not cut within a string or a nested list', () => {
    const tricky = [{ a: 'x},{y' }, { a: [{ b: 1 }, { b: 2 }] }, { a: '},{},{' }, { a: '\\"},{\\"' }, { a: 2 }, { a: 3 }, { a: 4 }]
    for (let size = 9; size < 80; size++) expect(read(JSON.stringify({ list: tricky, b: '},{' }), size).batches?.flat()).toEqual(tricky)
  })

  test('may be written with blanks, be empty, absent, or no list', () => {
    expect(read('{ "list" : [ {"a": 1} , {"a": 2} ] }').batches).toEqual([[{ a: 1 }, { a: 2 }]])
    expect(read('{"list":[ ],"b":1}')).toEqual({ envelope: { b: 1 }, batches: [[]] })
    expect(read('{"a":"list","b":[1]}')).toEqual({ envelope: { a: 'list', b: [1] }, batches: null })
    expect(read('{"list":{"list":[{},{}]}}').batches).toBeNull()
    expect(read('{"list":null}').batches).toBeNull()
    expect(read('{"a":{"list":[{"b":1},{"b":2},{"b":3}]},"list":[{"b":4},{"b":5}]}').batches?.flat()).toEqual([{ b: 4 }, { b: 5 }])
  })

  test('is refused where a byte of it or before it is no UTF-8, at every size of a piece; behind the last list it may be', () => {
    const text = `{"a":"ñ","list":[${'{"a":"ñandú"},'.repeat(20)}{"b":"ó"}],"c":"año"}`
    const broken = (at: number): Buffer => Buffer.from(text).fill(0xff, at, at + 1)
    const places = [...text.matchAll(/[ñúó]/g)].map(({ index }) => Buffer.byteLength(text.slice(0, index)))
    const last = places.pop() as number
    for (let size = 8; size < 300; size += 7) {
      for (const at of places)
        expect(() => readLongList(broken(at), { list: 'list', pieceBytes: size })).toThrow(`byte 0xff at offset ${at} of`)
      const { envelope, batches } = readLongList(broken(last), { list: 'list', pieceBytes: size })
      expect(envelope).toEqual({ a: 'ñ', c: 'a\ufffd\ufffdo' })
      expect([...(batches ?? [])].flat()).toHaveLength(21)
    }
  })

  test.each([
    '',
    '[1]',
    'null',
    '{"list":[1,2',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b"}]',
    '{"list":[{"a":"b"},{"a":b},{"a":"b"},{"a":"b"}]}',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b"}]}}',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b"}]} x',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b"},]}',
    '{"list":[{"a":"b"},{"a":"b"},{"a":"b"}}',
    '{"list":[{"a":"b"},{"a":"b" {"a":"b"},{"a":"b"},{"a":"b"},{"a":"b"},{"a":"b"}]}',
    '<html></html>',
  ])('is refused where the document is not whole: %s', (text) => {
    expect(() => read(text)).toThrow(FormatError)
  })
})
