import { knownPosition } from './positions.ts'

/** A vessel's movement report (types 1, 2, 3, 18, 19 and 27); null for fields marked "not available". */
export interface AisPosition {
  readonly kind: 'position'
  readonly type: number
  readonly mmsi: number
  readonly ais_class: 'A' | 'B'
  readonly lat: number | null
  readonly lon: number | null
  /** True if the position is accurate to 10 m. */
  readonly is_accurate: boolean
  /** Over ground, knots. */
  readonly speed_kn: number | null
  /** Over ground, degrees from true north. */
  readonly course_deg: number | null
  readonly heading_deg: number | null
  /** To starboard, degrees a minute; negative to port. */
  readonly rate_of_turn_deg_min: number | null
  /** Navigational status of the standard, 0 to 14. */
  readonly status: number | null
  /** UTC second of the position fix, 0 to 59. */
  readonly second: number | null
}

/** A vessel's static data (types 5, 19 and 24). Fields that the message type lacks are undefined. */
export interface AisStatic {
  readonly kind: 'static'
  readonly type: number
  readonly mmsi: number
  readonly ais_class: 'A' | 'B'
  /** Part of type 24: name (A), or type, call sign and dimensions (B); both in other types. */
  readonly part: 'A' | 'B' | 'ALL'
  readonly name?: string | null
  readonly callsign?: string | null
  readonly imo?: number | null
  /** Type of ship and cargo of the standard, 1 to 99. */
  readonly ship_type?: number | null
  readonly length_m?: number | null
  readonly beam_m?: number | null
  readonly draught_m?: number | null
  readonly destination?: string | null
}

/** A decoded message. */
export type AisMessage = AisPosition | AisStatic

/** A payload that is not a valid message of its type; `message` gives the reason. */
export class AisError extends Error {
  override readonly name = 'AisError'
}

const LEAST_BITS: Readonly<Record<number, number>> = { 1: 149, 2: 149, 3: 149, 5: 420, 18: 148, 19: 301, 24: 160, 27: 94 }
const TEXT = '@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_ !"#$%&\'()*+,-./0123456789:;<=>?'

/** The message type of a payload, 1 to 27; 0 if empty. */
export function aisType(payload: string): number {
  return payload === '' ? 0 : sixBits(payload.charCodeAt(0))
}

/**
 * Decodes the payload of an AIS message (ITU-R M.1371-5) of types 1–3, 5, 18, 19, 24 and 27; type 19 gives position and static
 * data. Other types give an empty list. Throws `AisError` if the payload is too short.
 */
export function decodeAis(payload: string, fillBits: number): readonly AisMessage[] {
  const type = aisType(payload)
  const least = LEAST_BITS[type]
  if (least === undefined) return []
  const bits = new Bits(payload, fillBits)
  if (bits.length < least) throw new AisError(`type ${type} has ${bits.length} bits, at least ${least} expected`)
  const mmsi = bits.unsigned(8, 30)
  if (type <= 3) return [classA(bits, type, mmsi)]
  if (type === 5) return [voyage(bits, mmsi)]
  if (type === 18) return [classB(bits, type, mmsi)]
  if (type === 19) return [classB(bits, type, mmsi), extended(bits, mmsi)]
  if (type === 24) return staticReport(bits, mmsi)
  return [longRange(bits, mmsi)]
}

function classA(bits: Bits, type: number, mmsi: number): AisPosition {
  const status = bits.unsigned(38, 4)
  return {
    ...{ kind: 'position', type, mmsi, ais_class: 'A' },
    status: status === 15 ? null : status,
    rate_of_turn_deg_min: rateOfTurn(bits.signed(42, 8)),
    ...movement(bits, { speed: 50, accuracy: 60, lon: 61, lat: 89, course: 116, heading: 128, second: 137 }),
  }
}

function classB(bits: Bits, type: number, mmsi: number): AisPosition {
  return {
    ...{ kind: 'position', type, mmsi, ais_class: 'B', status: null, rate_of_turn_deg_min: null },
    ...movement(bits, { speed: 46, accuracy: 56, lon: 57, lat: 85, course: 112, heading: 124, second: 133 }),
  }
}

function movement(bits: Bits, at: Readonly<Record<'speed' | 'accuracy' | 'lon' | 'lat' | 'course' | 'heading' | 'second', number>>) {
  return {
    speed_kn: speedKn(bits.unsigned(at.speed, 10) / 10),
    is_accurate: bits.unsigned(at.accuracy, 1) === 1,
    ...place(bits.signed(at.lat, 27) / 600_000, bits.signed(at.lon, 28) / 600_000),
    course_deg: courseDeg(bits.unsigned(at.course, 12) / 10),
    heading_deg: headingDeg(bits.unsigned(at.heading, 9)),
    second: fixSecond(bits.unsigned(at.second, 6)),
  }
}

function longRange(bits: Bits, mmsi: number): AisPosition {
  const [status, speed, course] = [bits.unsigned(40, 4), bits.unsigned(79, 6), bits.unsigned(85, 9)]
  return {
    ...{ kind: 'position', type: 27, mmsi, ais_class: 'A', rate_of_turn_deg_min: null, heading_deg: null, second: null },
    is_accurate: bits.unsigned(38, 1) === 1,
    status: status === 15 ? null : status,
    ...place(bits.signed(62, 17) / 600, bits.signed(44, 18) / 600),
    speed_kn: speed === 63 ? null : speed,
    course_deg: courseDeg(course),
  }
}

function voyage(bits: Bits, mmsi: number): AisStatic {
  return {
    ...{ kind: 'static', type: 5, mmsi, ais_class: 'A', part: 'ALL' },
    imo: imoNumber(bits.unsigned(40, 30)),
    callsign: bits.text(70, 42),
    name: bits.text(112, 120),
    ship_type: shipType(bits.unsigned(232, 8)),
    ...sizes(bits, 240),
    draught_m: positive(bits.unsigned(294, 8) / 10),
    destination: bits.text(302, 120),
  }
}

function extended(bits: Bits, mmsi: number): AisStatic {
  const known = { name: bits.text(143, 120), ship_type: shipType(bits.unsigned(263, 8)), ...sizes(bits, 271) }
  return { kind: 'static', type: 19, mmsi, ais_class: 'B', part: 'ALL', ...known }
}

function staticReport(bits: Bits, mmsi: number): AisStatic[] {
  const part = bits.unsigned(38, 2)
  const about = { kind: 'static', type: 24, mmsi, ais_class: 'B' } as const
  if (part === 0) return [{ ...about, part: 'A', name: bits.text(40, 120) }]
  if (part !== 1) return []
  if (bits.length < 162) throw new AisError(`part B of type 24 has ${bits.length} bits, at least 162 expected`)
  const known = { ship_type: shipType(bits.unsigned(40, 8)), callsign: bits.text(90, 42) }
  return [{ ...about, part: 'B', ...known, ...(isAuxiliary(mmsi) ? {} : sizes(bits, 132)) }]
}

/** True for an auxiliary craft (98…): part B of its type 24 has the MMSI of its mother ship in place of dimensions. */
export function isAuxiliary(mmsi: number): boolean {
  return Math.floor(mmsi / 10_000_000) === 98
}

/** Length and beam, from the antenna's distances to bow, stern, port and starboard. */
function sizes(bits: Bits, at: number): { readonly length_m: number | null; readonly beam_m: number | null } {
  return {
    length_m: positive(bits.unsigned(at, 9) + bits.unsigned(at + 9, 9)),
    beam_m: positive(bits.unsigned(at + 18, 6) + bits.unsigned(at + 24, 6)),
  }
}

/** A position; null if a coordinate is "not available" (91, 181) or out of range, and at 0, 0 (a receiver without a fix). */
export function place(lat: number, lon: number): { readonly lat: number | null; readonly lon: number | null } {
  const known = knownPosition(lat, lon)
  return { lat: known && rounded(lat, 6), lon: known && rounded(lon, 6) }
}

/** A speed in knots, null for 102.3 (not available). */
export const speedKn = (speed: number): number | null => (speed >= 0 && speed < 102.25 ? rounded(speed, 1) : null)
/** A course in degrees, null for 360 (not available) and beyond. */
export const courseDeg = (course: number): number | null => (course >= 0 && course < 360 ? rounded(course, 1) : null)
/** A heading in degrees; null for 511 (not available) and above 359. */
export const headingDeg = (heading: number): number | null => (heading >= 0 && heading < 360 ? heading : null)
/** A second of the minute; null from 60 on (not available, entered by hand, estimated, inoperative). */
export const fixSecond = (second: number): number | null => (second >= 0 && second < 60 ? second : null)
/** A ship type; null for 0 (not available) and values outside the standard. */
export const shipType = (type: number): number | null => (type >= 1 && type <= 99 ? type : null)
/** A length, null for 0 (not available). */
export const positive = (value: number): number | null => (value > 0 ? value : null)

/** Degrees per minute from the sensor's value; null for −128 (not available) and ±127 (turning, rate unknown). */
export function rateOfTurn(value: number): number | null {
  if (Math.abs(value) >= 127) return null
  return rounded(Math.sign(value) * (value / 4.733) ** 2, 1) + 0
}

/** An IMO number; null if its check digit is wrong: many ships send 0 or a number of their own. */
export function imoNumber(value: number): number | null {
  const digits = String(value)
  if (!/^[1-9]\d{6}$/.test(digits)) return null
  const sum = [7, 6, 5, 4, 3, 2].reduce((total, weight, at) => total + weight * Number(digits[at]), 0)
  return sum % 10 === Number(digits[6]) ? value : null
}

/** Text without its padding of blanks and `@`; null if empty. */
export function plainText(text: string): string | null {
  const [before = ''] = text.split('@')
  return before.replace(/\s+/g, ' ').trim() || null
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** The value of a six-bit character of a payload. */
function sixBits(code: number): number {
  return code < 96 ? code - 48 : code - 56
}

class Bits {
  readonly length: number
  readonly #payload: string

  constructor(payload: string, fillBits: number) {
    this.#payload = payload
    this.length = 6 * payload.length - fillBits
  }

  unsigned(from: number, count: number): number {
    let value = 0
    let at = from
    let left = count
    while (left > 0) {
      const inside = at % 6
      const take = Math.min(left, 6 - inside)
      // Characters beyond the end count as 0, for messages that end early.
      const bits = at < this.length ? sixBits(this.#payload.charCodeAt((at - inside) / 6)) : 0
      value = value * 2 ** take + ((bits >> (6 - inside - take)) & ((1 << take) - 1))
      at += take
      left -= take
    }
    return value
  }

  signed(from: number, count: number): number {
    const value = this.unsigned(from, count)
    return value >= 2 ** (count - 1) ? value - 2 ** count : value
  }

  text(from: number, count: number): string | null {
    let text = ''
    for (let at = from; at + 6 <= Math.min(from + count, this.length); at += 6) text += TEXT[this.unsigned(at, 6)]
    return plainText(text)
  }
}
