import { expect, test } from 'vitest'
import { eurocontrolAnsp } from '../../../jobs/feeds/aviation/eurocontrol.ts'
import type { FeedRequest } from '../../../jobs/feeds/define.ts'
import { isBzip2, unpackBzip2 } from '../../../jobs/formats/bzip2.ts'
import { decodeReply } from '../../../jobs/ingest/http.ts'

const TEXT = `YEAR,MONTH_NUM\n${'2024,7\n'.repeat(20_000)}`
/** The text as the command `bzip2` packs it. */
const PACKED = Buffer.from(
  'QlpoOTFBWSZTWX+og3YBEXbeAAAQAARUgCJDliCgAHIZQADZQKVQGk0MPm4IVG4IVH7AIVGwIVGAQqMwQqMAgBJA0oVU/Qx1/F3JFOFCQf6iDdg=',
  'base64',
)

test('a file is unpacked whole, also one of several streams, and within bounds', () => {
  expect([isBzip2(PACKED), isBzip2(Buffer.from('YEAR,'))]).toEqual([true, false])
  expect(unpackBzip2(PACKED, 1_000_000).toString()).toBe(TEXT)
  expect(unpackBzip2(PACKED, TEXT.length).toString()).toBe(TEXT)
  expect(unpackBzip2(Buffer.concat([PACKED, PACKED]), 1_000_000).toString()).toBe(TEXT + TEXT)
  expect(() => unpackBzip2(PACKED, TEXT.length - 1)).toThrow(`more than ${TEXT.length - 1} bytes`)
})

test('damaged and cut files are refused', () => {
  const damaged = Buffer.from(PACKED)
  damaged[60] = (damaged[60] as number) ^ 0xff
  expect(() => unpackBzip2(damaged, 1_000_000)).toThrow('damaged bzip2 data')
  expect(() => unpackBzip2(PACKED.subarray(0, 40), 1_000_000)).toThrow('damaged bzip2 data')
})

test('a reply is unpacked where the feed says that it is packed, and may come unpacked', async () => {
  const request = eurocontrolAnsp.plans[0]?.requests[0] as FeedRequest
  const reply = { url: 'https://publisher.example/2024.csv.bz2', headers: {}, received: PACKED }
  expect((await decodeReply(request, reply)).toString()).toBe(TEXT)
  expect((await decodeReply(request, { ...reply, received: Buffer.from(TEXT) })).toString()).toBe(TEXT)
  await expect(decodeReply({ ...request, maxDecodedBytes: 100 }, reply)).rejects.toThrow('unpacks to more than 100 bytes')
})
