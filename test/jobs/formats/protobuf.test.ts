import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isProtobuf } from '../../../jobs/formats/protobuf.ts'

/** A GTFS-Realtime message: header {version "2.0", timestamp}, an entity {id "a"}, and fields of the fixed and varint kinds. */
const MESSAGE = Buffer.from([
  ...[0x0a, 0x0b, 0x0a, 0x03, 0x32, 0x2e, 0x30, 0x18, 0xc0, 0xd1, 0xb6, 0xc5, 0x06],
  ...[0x12, 0x03, 0x0a, 0x01, 0x61],
  ...[0x1d, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
])

test('a whole message is one, and none that was cut within a field', () => {
  expect(isProtobuf(MESSAGE)).toBe(true)
  const ends = [0, 13, 18, 23, 32, 43]
  for (let length = 0; length <= MESSAGE.length; length++)
    expect([length, isProtobuf(MESSAGE.subarray(0, length))]).toEqual([length, ends.includes(length)])
})

test('pages, JSON, XML, CSV and archives are not', () => {
  for (const text of [
    '<!DOCTYPE html><html></html>',
    '\n<html><body>Servicio no disponible</body></html>',
    '{"header":{"gtfsRealtimeVersion":"2.0"},"entity":[]}',
    '[]',
    '<?xml version="1.0"?><a/>',
    'id;name\n1;a\n',
    'PK\u0003\u0004\u0014',
    '\u0000\u0000',
  ])
    expect([text, isProtobuf(Buffer.from(text))]).toEqual([text, false])
})

test('a varint without end, a field without number and a group are invalid, and no bytes hang it', () => {
  expect(isProtobuf(Buffer.alloc(20, 0xff))).toBe(false)
  expect(isProtobuf(Buffer.from([0x02, 0x00]))).toBe(false)
  expect(isProtobuf(Buffer.from([0x0b, 0x0c]))).toBe(false)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => typeof isProtobuf(Buffer.from(bytes)) === 'boolean'))
})
