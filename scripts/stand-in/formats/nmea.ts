import type { Vessel, VesselFix } from '../world/vessels.ts'

const TEXT = '@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_ !"#$%&\'()*+,-./0123456789:;<=>?'
/** Most characters of one sentence's payload. */
const MOST_CHARACTERS = 60

/** Bits of a message, most significant first. */
class Message {
  #bits = ''

  number(value: number, count: number): this {
    this.#bits += (value < 0 ? 2 ** count + value : value).toString(2).padStart(count, '0')
    return this
  }

  text(text: string, characters: number): this {
    for (const character of text.padEnd(characters, '@').slice(0, characters)) this.number(Math.max(0, TEXT.indexOf(character)), 6)
    return this
  }

  /** The sentences that contain it. */
  sentences(sequence: number, channel: 'A' | 'B'): string[] {
    const fill = (6 - (this.#bits.length % 6)) % 6
    const bits = this.#bits.padEnd(this.#bits.length + fill, '0')
    let payload = ''
    for (let at = 0; at < bits.length; at += 6) {
      const value = Number.parseInt(bits.slice(at, at + 6), 2)
      payload += String.fromCharCode(value < 40 ? value + 48 : value + 56)
    }
    const total = Math.ceil(payload.length / MOST_CHARACTERS)
    return Array.from({ length: total }, (_, at) => {
      const part = payload.slice(at * MOST_CHARACTERS, (at + 1) * MOST_CHARACTERS)
      const body = `AIVDM,${total},${at + 1},${total > 1 ? sequence % 10 : ''},${channel},${part},${at + 1 === total ? fill : 0}`
      return `!${body}*${checksum(body)}`
    })
  }
}

function checksum(body: string): string {
  let sum = 0
  for (let at = 0; at < body.length; at++) sum ^= body.charCodeAt(at)
  return sum.toString(16).toUpperCase().padStart(2, '0')
}

/** A position report: type 1 for class A, 18 for class B. */
export function positionSentences(vessel: Vessel, fix: VesselFix, second: number): string[] {
  const { mmsi, aisClass } = vessel
  const isA = aisClass === 'A'
  const message = new Message()
    .number(isA ? 1 : 18, 6)
    .number(0, 2)
    .number(mmsi, 30)
  if (isA) message.number(fix.status, 4).number(fix.status === 5 ? -128 : 0, 8)
  else message.number(0, 8)
  message
    .number(Math.round(10 * fix.speed_kn), 10)
    .number(1, 1)
    .number(Math.round(600_000 * fix.lon), 28)
    .number(Math.round(600_000 * fix.lat), 27)
    .number(Math.round(10 * fix.course_deg), 12)
    .number(isA ? Math.floor(fix.course_deg) : 511, 9)
    .number(second, 6)
  return (isA ? message.number(0, 25) : message.number(0, 29)).sentences(0, mmsi % 2 === 0 ? 'A' : 'B')
}

/** Static data: type 5 for class A, in two sentences; both parts of type 24 for class B. */
export function staticSentences(vessel: Vessel, { destination }: VesselFix, sequence: number): string[] {
  const { mmsi, name, callsign, imo, shipType, sizes, draught_m } = vessel
  const channel = mmsi % 2 === 0 ? 'A' : 'B'
  const withSizes = (message: Message): Message => {
    const [bow, stern, port, starboard] = sizes
    return message.number(bow, 9).number(stern, 9).number(port, 6).number(starboard, 6)
  }
  if (vessel.aisClass === 'B') {
    const begin = (part: number): Message => new Message().number(24, 6).number(0, 2).number(mmsi, 30).number(part, 2)
    const described = withSizes(begin(1).number(shipType, 8).text('STANDIN', 7).text(callsign, 7))
    return [...begin(0).text(name, 20).sentences(sequence, channel), ...described.number(0, 6).sentences(sequence, channel)]
  }
  const message = new Message().number(5, 6).number(0, 2).number(mmsi, 30).number(0, 2).number(imo, 30).text(callsign, 7).text(name, 20)
  return withSizes(message.number(shipType, 8))
    .number(1, 4)
    .number(0, 20)
    .number(Math.round(10 * draught_m), 8)
    .text(destination, 20)
    .number(0, 2)
    .sentences(sequence, channel)
}
