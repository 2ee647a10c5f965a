import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aisType, decodeAis } from '../../../jobs/formats/ais.ts'
import { AisAssembler } from '../../../jobs/formats/nmea.ts'

const AT = Date.parse('2026-08-27T05:40:00Z')

function checksum(text: string): string {
  const sum = [...text].reduce((so, character) => so ^ character.charCodeAt(0), 0)
  return sum.toString(16).toUpperCase().padStart(2, '0')
}
const sentence = (body: string): string => `!${body}*${checksum(body)}`
const tagged = (tags: string, line: string): string => `\\${tags}*${checksum(tags)}\\${line}`
const part = (total: number, nth: number, sequence: string, payload: string, channel = 'A'): string =>
  sentence(`AIVDM,${total},${nth},${sequence},${channel},${payload},0`)
const SINGLE = part(1, 1, '', '13EgJ>P02>wW5qPDc:P:VHL1P000')

const payloadsOf = (assembler: AisAssembler, lines: readonly string[], connection = ''): (string | undefined)[] =>
  lines.map((line) => assembler.take(line, AT, connection)?.payload)

test('joins messages whose sentences arrive mixed, by number and channel', () => {
  const assembler = new AisAssembler()
  const lines = [part(2, 1, '3', 'aa'), part(2, 1, '4', 'cc'), part(2, 1, '3', 'ee', 'B'), part(2, 2, '4', 'dd'), part(2, 2, '3', 'bb')]
  expect(payloadsOf(assembler, [...lines, part(2, 2, '3', 'ff', 'B')])).toEqual([...Array(3), 'ccdd', 'aabb', 'eeff'])
  expect(assembler.faults.incomplete).toBe(0)
})

test('never joins sentences of two receivers', () => {
  const assembler = new AisAssembler()
  expect(payloadsOf(assembler, [part(2, 1, '3', 'aa')], 'one')).toEqual([undefined])
  expect(payloadsOf(assembler, [part(2, 2, '3', 'bb')], 'other')).toEqual([undefined])
  expect(payloadsOf(assembler, [part(2, 2, '3', 'bb')], 'one')).toEqual(['aabb'])
})

test('a number that is used again begins another message; the rest of the former is incomplete', () => {
  const assembler = new AisAssembler()
  expect(payloadsOf(assembler, [part(2, 1, '3', 'aa'), part(2, 1, '3', 'cc'), part(2, 2, '3', 'dd')])).toEqual([...Array(2), 'ccdd'])
  expect(payloadsOf(assembler, [part(2, 2, '3', 'bb')])).toEqual([undefined])
  assembler.end()
  expect(assembler.faults.incomplete).toBe(2)
})

test('parts may arrive in any order, mixed with other messages', () => {
  const messages = ['0', '1', '2'].map((sequence) =>
    ['aa', 'bb', 'cc'].map((payload, at) => part(3, at + 1, sequence, `${payload}${sequence}`)),
  )
  const all = messages.flat()
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (lines) => {
      const found = payloadsOf(new AisAssembler(), lines).filter((payload) => payload !== undefined)
      expect(found.sort()).toEqual(['aa0bb0cc0', 'aa1bb1cc1', 'aa2bb2cc2'])
    }),
  )
})

test('a part whose message was lost is not joined to a later one of its number', () => {
  const assembler = new AisAssembler()
  const singles = Array.from({ length: 100 }, () => SINGLE)
  expect(payloadsOf(assembler, [part(2, 2, '3', 'bb'), ...singles, part(2, 1, '3', 'cc'), part(2, 2, '3', 'dd')]).at(-1)).toBe('ccdd')
  expect(assembler.faults.incomplete).toBe(1)
  const grouped = (group: string, line: string): string => tagged(`g:${group}`, line)
  expect(
    payloadsOf(assembler, [grouped('2-2-17', part(2, 2, '3', 'bb')), grouped('1-2-18', part(2, 1, '3', 'cc')), part(2, 2, '3', 'dd')]),
  ).toEqual([undefined, undefined, 'ccdd'])
  expect(assembler.faults.incomplete).toBe(2)
})

test.each([0, 10, 11, 60, 599])('parts have the time of their group, %i s behind the clock, in any order', (behind) => {
  const stated = AT - 1000 * behind
  const tags = `g:1-2-73874,s:station,c:${stated / 1000}`
  const lines = [tagged(tags, part(2, 1, '3', 'aa')), tagged('g:2-2-73874', part(2, 2, '3', 'bb'))]
  for (const order of [
    lines,
    lines.toReversed(),
    [lines[0] as string, part(2, 2, '3', 'bb')],
    [part(2, 2, '3', 'bb'), lines[0] as string],
  ]) {
    const assembler = new AisAssembler()
    const [, found] = order.map((line) => assembler.take(line, AT))
    expect([found?.payload, found?.at]).toEqual(['aabb', stated])
  }
  // A sentence of a recording has the time of those before it.
  const recording = new AisAssembler({ trustsTags: true })
  recording.take(tagged(tags, sentence('ARVSI,r003669945,,,,,')), AT)
  expect(recording.take(tagged('g:2-2-73874', SINGLE), AT)?.at).toBe(stated)
})

test.each([',1795841950', ' 1795841950', ',rRX1,1795841950*00', '\t-72dB'])(
  'what receivers write after the checksum is not read: %j',
  (data) => {
    const assembler = new AisAssembler()
    expect(payloadsOf(assembler, [`${SINGLE}${data}`])).toEqual(payloadsOf(assembler, [SINGLE]))
    expect(payloadsOf(assembler, [`${tagged('c:1787809195', part(2, 1, '3', 'aa'))}${data}`, `${part(2, 2, '3', 'bb')}${data}`])).toEqual([
      undefined,
      'aabb',
    ])
    expect(payloadsOf(assembler, [`${SINGLE}0${data}`, SINGLE.replace(/..$/, `FF${data}`)])).toEqual([undefined, undefined])
    expect(assembler.faults).toMatchObject({ bad_checksum: 2, incomplete: 0 })
  },
)

test('a second sentence that comes too late is not joined, and unfinished messages do not fill memory', () => {
  const late = new AisAssembler()
  late.take(part(2, 1, '3', 'aa'), AT)
  expect(late.take(part(2, 2, '3', 'bb'), AT + 10_001)).toBeNull()
  late.end()
  expect(late.faults.incomplete).toBe(2)
  const full = new AisAssembler()
  for (let nth = 0; nth < 2000; nth++) full.take(part(2, 1, '3', 'aa'), AT, String(nth))
  const dropped = full.faults.incomplete
  expect(dropped).toBeGreaterThan(1400)
  full.end()
  expect(full.faults.incomplete).toBe(2000)
})

test('the time of a tag block counts, in seconds or milliseconds, unless its clock is wrong', () => {
  const timeOf = (tags: string): number | undefined => new AisAssembler().take(tagged(tags, SINGLE), AT)?.at
  expect(timeOf('s:station,c:1787809195')).toBe(AT - 5000)
  expect(timeOf('c:1787809195250,s:station')).toBe(AT - 4750)
  expect(timeOf('s:station')).toBe(AT)
  expect(timeOf('c:1577836800')).toBe(AT)
  expect(new AisAssembler({ trustsTags: true }).take(tagged('c:1577836800', SINGLE), AT)?.at).toBe(1_577_836_800_000)
})

test('names the reason for each unusable sentence', () => {
  const assembler = new AisAssembler()
  const lines = ['', '$GPGGA,1*00', `\\s:x*00\\${SINGLE}`, SINGLE.replace(/\*..$/, ''), SINGLE.replace(/..$/, 'FF'), part(2, 3, '1', 'aa')]
  expect(payloadsOf(assembler, [...lines, part(1, 1, '', '')])).toEqual(Array(7))
  expect(assembler.faults).toEqual({ not_ais: 3, no_checksum: 1, bad_checksum: 1, malformed: 1, empty: 1, incomplete: 0 })
  assembler.resetFaults()
  expect(assembler.faults.not_ais).toBe(0)
})

test('a payload that is too short is no message, and other types give none', () => {
  expect(() => decodeAis('13EgJ>P02>', 0)).toThrow('type 1 has 60 bits, at least 149 expected')
  expect([aisType(''), decodeAis('403Owi1utn@W', 0)]).toEqual([0, []])
})

/** The payload of fields of bits. */
function payload(...fields: readonly (readonly [bits: number, value: number])[]): string {
  const bits = fields.map(([count, value]) => value.toString(2).padStart(count, '0')).join('')
  return [...bits.matchAll(/.{6}/g)]
    .map(([six]) => String.fromCharCode(Number.parseInt(six, 2) + (Number.parseInt(six, 2) < 40 ? 48 : 56)))
    .join('')
}

test('the mother ship of an auxiliary craft is no dimension', () => {
  const partB = (mmsi: number): string => payload([6, 24], [2, 0], [30, mmsi], [2, 1], [8, 37], [42, 0], [42, 0], [30, 224_123_450], [6, 0])
  const [auxiliary, other] = [982_241_234, 224_123_450].map((mmsi) => decodeAis(partB(mmsi), 0)[0])
  expect(auxiliary).toEqual({ kind: 'static', type: 24, mmsi: 982_241_234, ais_class: 'B', part: 'B', ship_type: 37, callsign: null })
  expect(other).toMatchObject({ length_m: expect.any(Number), beam_m: expect.any(Number) })
})
