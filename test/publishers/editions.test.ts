import { expect, test } from 'vitest'
import { editionFor, makeEditions } from '../../scripts/stand-in/editions.ts'
import type { FeedStandIn } from '../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import { RUSH_HOUR } from './helpers.ts'

test('a publisher writes UTF-8 text, or bytes that are sent unchanged', () => {
  const editions = makeEditions(makeWorld(1, 'small'))
  const sent = (feed: string, written: string | Buffer): Buffer => {
    const standIn: FeedStandIn = { ...(STAND_INS[0] as FeedStandIn), feed, write: () => written }
    return editions.get(standIn, editionFor(standIn, { resource: 'all', seed: 1, now: RUSH_HOUR, faults: new Map() })).body as Buffer
  }
  expect(sent('text', 'Almería').equals(Buffer.from('Almería', 'utf8'))).toBe(true)
  // ISO-8859-1, and a zip's header: neither is UTF-8.
  const bytes = Buffer.from([0x41, 0xed, 0xf1, 0x1a, 0xa0, 0x50, 0x4b, 0x03, 0x04, 0xff])
  expect(sent('bytes', bytes).equals(bytes)).toBe(true)
})
