import { describe, expect, test } from 'vitest'
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

  test('of a format that is UTF-8 keep what can be read', () => {
    expect(decodeUtf8(Buffer.concat([Buffer.from('a'), Buffer.from([0xf1]), Buffer.from('o')]))).toBe('a\ufffdo')
  })
})
