import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { decodeText, decodeUtf8 } from '../../../jobs/formats/text.ts'

const bom = Buffer.from([0xef, 0xbb, 0xbf])

describe('bytes', () => {
  test('lose their byte order mark', () => {
    const bytes = Buffer.concat([bom, Buffer.from('<pms>Ø', 'utf8')])
    expect(decodeText(bytes)).toBe('<pms>Ø')
    expect(decodeUtf8(bytes)).toBe('<pms>Ø')
    expect(decodeUtf8(Buffer.from('<pms>Ø', 'utf8'))).toBe('<pms>Ø')
  })

  test('that are no UTF-8 are Windows-1252', () => {
    expect(decodeText(Buffer.from('Pº Recoletos, CORUÑA', 'latin1'))).toBe('Pº Recoletos, CORUÑA')
    expect(decodeText(Buffer.from([0x80]))).toBe('€')
  })

  test('may be UTF-16 where the mark says so', () => {
    const text = Buffer.from('\ufeffaño', 'utf16le')
    expect(decodeText(text)).toBe('año')
    expect(decodeText(Buffer.from(text).swap16())).toBe('año')
  })

  test('with one bad line are UTF-8 in the others', () => {
    const bytes = Buffer.concat([bom, Buffer.from('Pº\r\n'), Buffer.from('Nº CORUÑA\n', 'latin1'), Buffer.from('Ø118\nAño')])
    expect(decodeText(bytes)).toBe('Pº\r\nNº CORUÑA\nØ118\nAño')
    // Cut off within a character.
    expect(decodeText(bytes.subarray(0, -2))).toBe('Pº\r\nNº CORUÑA\nØ118\nAÃ')
  })

  test.each([
    [[0x61, 0xf1, 0x6f], 'byte 0xf1 at offset 1'],
    [[0xc3, 0xb1, 0xed, 0xa0, 0x80], 'byte 0xed at offset 2'],
    [[0xff, 0xfe, 0x61, 0x00], 'byte 0xff at offset 0'],
    [[0x61, 0xc3], 'byte 0xc3 at offset 1'],
    [[0xef, 0xbf], 'the last character'],
  ])('of a format that is UTF-8 by definition are refused where they are not: %j', (bytes, message) => {
    expect(() => decodeUtf8(Buffer.from(bytes))).toThrow(FormatError)
    expect(() => decodeUtf8(Buffer.from(bytes))).toThrow(`not valid UTF-8: ${message} of ${bytes.length}`)
  })
})
