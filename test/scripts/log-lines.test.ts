import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { boundedLines, MAX_LINE_BYTES } from '../../scripts/service/log-lines.ts'
import type { Reply } from '../api/service.ts'

let now = 0
function open(): { readonly log: pino.Logger; readonly lines: string[] } {
  const lines: string[] = []
  return {
    log: pino(
      { name: 'worker' },
      boundedLines({ write: (line) => lines.push(line) }, () => now),
    ),
    lines,
  }
}
const parsed = (lines: readonly string[]): Reply[] => lines.map((line) => JSON.parse(line))

test('no line is longer than 1 kB, each is JSON, and has its level, message and name', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.string({ maxLength: 3000 }), (fields, text) => {
      const { log, lines } = open()
      log.info({ fields, text, list: Array(500).fill(text) }, 'feed landed')
      expect(Buffer.byteLength(lines[0] as string)).toBeLessThanOrEqual(MAX_LINE_BYTES + 1)
      expect(parsed(lines)[0]).toMatchObject({ level: 30, name: 'worker', msg: 'feed landed' })
    }),
  )
})

test('of a long line the longest fields go first, and of an error its message stays', () => {
  const { log, lines } = open()
  const errors = Array.from({ length: 9 }, (_, n) => new Error(`${n} ${'x'.repeat(400)}`))
  log.error(
    { group: 'mobility', err: Object.assign(new Error('the reason'), { attempts: errors.map(({ message }) => ({ message })) }) },
    'no',
  )
  expect(parsed(lines)).toMatchObject([{ group: 'mobility', err: { message: 'the reason' }, msg: 'no' }])
})

test('a repeated warning is one line an hour with a count; other feeds, other reasons and information are not repetitions', () => {
  const { log, lines } = open()
  let count = 0
  const fail = (feed: string, reason: string): void => log.warn({ feed, err: new Error(reason) }, `fetch failed (${++count} times)`)
  for (let n = 0; n < 40; n++) fail('a', `timeout after ${1000 + n} ms`)
  fail('b', 'timeout after 1000 ms')
  fail('a', 'HTTP 500')
  for (let n = 0; n < 3; n++) log.info({ feed: 'a' }, 'feed landed')
  expect(parsed(lines).map(({ feed, msg, repeated }) => [feed, msg.split(' (')[0], repeated])).toEqual([
    ...['a', 'b', 'a'].map((feed) => [feed, 'fetch failed', undefined]),
    ...Array.from({ length: 3 }, () => ['a', 'feed landed', undefined]),
  ])
  now += 3_600_000
  fail('a', 'timeout after 1 ms')
  fail('a', 'timeout after 2 ms')
  expect(parsed(lines.slice(6))).toMatchObject([{ feed: 'a', repeated: 39 }])
})
