import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AisMessage, decodeAis } from '../../../jobs/formats/ais.ts'
import { AisAssembler } from '../../../jobs/formats/nmea.ts'
import { skipWithout } from '../../helpers/missing.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const PYTHON = process.env['PYAIS_PYTHON'] ?? 'python3'
const shared = sharedFolder()

/** Decodes lines with pyais, one JSON array of fields a line; null for what it cannot decode alone. */
const FOREIGN = `
import json, sys
from pyais import decode
for line in sys.stdin:
    try:
        print(json.dumps({k: (v if isinstance(v, (int, float, str, bool, type(None))) else str(v)) for k, v in decode(line.strip()).asdict(enum_as_int=True).items()}))
    except Exception:
        print('null')
`

/** Messages that pyais itself encodes, of types that the sample lacks: 5, 18, 19, 24, 27. */
const ENCODED = `
import json
from pyais import encode_dict
ship = dict(mmsi='224123450', lat=36.1312, lon=-5.4412, speed=14.2, course=271.3, heading=270, second=33, accuracy=1)
static = dict(shipname='EXAMPLE STAR', ship_type=71, to_bow=150, to_stern=44, to_port=12, to_starboard=20)
voyage = dict(imo=9074729, callsign='EAXY', draught=11.4, destination='ALGECIRAS', month=8, day=27, hour=5, minute=40)
for one in [dict(ship, msg_type=1, status=0, turn=0), dict(static, **voyage, msg_type=5, mmsi='224123450'), dict(ship, msg_type=18),
            dict(ship, **static, msg_type=19), dict(static, msg_type=24, partno=0, mmsi='224123450'),
            dict(static, msg_type=24, partno=1, mmsi='224123450', callsign='EAXY'),
            dict(mmsi='224123450', msg_type=27, lat=36.13, lon=-5.44, speed=14, course=271, status=0, accuracy=1)]:
    print(json.dumps(encode_dict(one, talker_id='AI')))
`

const hasPyais = ((): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import pyais'], { stdio: 'ignore' })
    return true
  } catch {
    skipWithout('python', `${PYTHON} has no pyais: pip install pyais and name it by PYAIS_PYTHON to compare decoders`)
    return false
  }
})()

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** A message of ours, in the terms of pyais. */
function foreignFields(message: AisMessage): Record<string, unknown> {
  if (message.kind === 'static') {
    const { name, callsign, imo, ship_type, draught_m, destination, length_m, beam_m } = message
    return { shipname: name, callsign, imo, ship_type, draught: draught_m, destination, length_m, beam_m }
  }
  const { lat, lon, speed_kn, course_deg, heading_deg, status, second } = message
  return { lat, lon, speed: speed_kn, course: course_deg, heading: heading_deg, status, second }
}

/** A field of pyais with its value for "not available" as null. */
function known(field: string, value: unknown, type: unknown): unknown {
  const none: Readonly<Record<string, (value: number) => boolean>> = {
    lat: (lat) => lat > 90,
    lon: (lon) => lon > 180,
    speed: (speed) => (type === 27 ? speed === 63 : speed >= 102.3),
    course: (course) => course >= 360,
    heading: (heading) => heading >= 360,
    status: (status) => status === 15,
    second: (second) => second >= 60,
    ship_type: (code) => code === 0 || code > 99,
    imo: (imo) => imo === 0,
    draught: (draught) => draught === 0,
  }
  if (typeof value === 'number') return none[field]?.(value) ? null : value
  return value === '' ? null : value
}

function compare(lines: readonly string[], foreign: readonly (Record<string, unknown> | null)[]): number {
  let compared = 0
  lines.forEach((line, at) => {
    const assembler = new AisAssembler()
    const payload = line
      .split(' ')
      .map((sentence) => assembler.take(sentence, 0))
      .at(-1)
    const theirs = foreign[at]
    if (!payload || !theirs) return expect([line, payload === null && !theirs]).toEqual([line, true])
    for (const message of decodeAis(payload.payload, payload.fillBits)) {
      expect([line, message.mmsi, message.type]).toEqual([line, Number(theirs['mmsi']), theirs['msg_type']])
      for (const [field, ours] of Object.entries(foreignFields(message))) {
        if (ours === undefined || !(field in theirs)) continue
        const value = known(field, theirs[field], theirs['msg_type'])
        if (typeof ours === 'number' && typeof value === 'number') expect(ours, `${field} of ${line}`).toBeCloseTo(value, 5)
        else expect([line, field, ours ?? null]).toEqual([line, field, value ?? null])
      }
      if (message.kind === 'static' && message.length_m !== undefined)
        expect(message.length_m ?? 0).toBe(Number(theirs['to_bow']) + Number(theirs['to_stern']))
      compared++
    }
  })
  return compared
}

const decodeForeign = (lines: readonly string[]): (Record<string, unknown> | null)[] =>
  linesOf(execFileSync(PYTHON, ['-c', FOREIGN], { input: `${lines.join('\n')}\n`, encoding: 'utf8', maxBuffer: 64_000_000 })).map(
    (line) => JSON.parse(line) as Record<string, unknown> | null,
  )

test.skipIf(!hasPyais || !shared)('decodes every whole message of the sample as pyais does', () => {
  const lines = linesOf(readFileSync(join(shared as string, 'feeds/ais/nmea_data_sample.txt'), 'utf8')).filter(
    // Parts of several cannot be decoded alone.
    (line) => /^!AIVDM,1,1,/.test(line),
  )
  expect(compare(lines, decodeForeign(lines))).toBe(764)
})

test.skipIf(!hasPyais)('decodes the output of pyais, including message types missing in the sample', () => {
  const messages = linesOf(execFileSync(PYTHON, ['-c', ENCODED], { encoding: 'utf8' })).map((line) => JSON.parse(line) as string[])
  const foreign = messages.map((parts) => {
    const input = `from pyais import decode\nimport json\nprint(json.dumps({k: (v if isinstance(v, (int, float, str, bool, type(None))) else str(v)) for k, v in decode(*json.loads('''${JSON.stringify(parts)}''')).asdict(enum_as_int=True).items()}))`
    return JSON.parse(execFileSync(PYTHON, ['-c', input], { encoding: 'utf8' })) as Record<string, unknown>
  })
  expect(messages[1]).toHaveLength(2)
  expect(
    compare(
      messages.map((parts) => parts.join(' ')),
      foreign,
    ),
  ).toBe(8)
})
