/** A complete AIS message as its sentences carried it. */
export interface AisPayload {
  /** Six-bit characters of all parts, in order. */
  readonly payload: string
  /** Bits to drop at the end of the last character. */
  readonly fillBits: number
  /** Time of reception, ms: from the tag block, else of the first sentence. */
  readonly at: number
  /** The sentences as received, with their tag blocks. */
  readonly sentences: readonly string[]
}

/** Unusable sentences, by reason. */
export type SentenceFaults = Record<'not_ais' | 'no_checksum' | 'bad_checksum' | 'malformed' | 'empty' | 'incomplete', number>

interface Pending {
  readonly total: number
  readonly at: number
  readonly parts: (string | undefined)[]
  readonly sentences: string[]
  fillBits: number
  missing: number
}

/** Parts missing for longer than this never come, ms. */
const PART_TIMEOUT_MS = 10_000
/** Unfinished messages at most: a receiver cannot fill memory. */
const MAX_PENDING = 500
/** A tag block whose clock differs from ours by more is ignored, ms. */
const MAX_CLOCK_SKEW_MS = 600_000
const SENTENCE = /^[!$]([A-Z]{2}VD[MO]),(\d),(\d),(\d?),([AB12]?),([0-W`-w]*),([0-5])$/

const NO_FAULTS: SentenceFaults = { not_ais: 0, no_checksum: 0, bad_checksum: 0, malformed: 0, empty: 0, incomplete: 0 }

/** Assembles AIVDM sentences to messages; parts of several messages may be interleaved. */
export class AisAssembler {
  readonly faults: SentenceFaults = { ...NO_FAULTS }
  readonly #pending = new Map<string, Pending>()
  readonly #maxSkew_ms: number

  /** `trustsTags`: true if the time of reception is unknown and only tag blocks have times. */
  constructor({ trustsTags = false }: { readonly trustsTags?: boolean } = {}) {
    this.#maxSkew_ms = trustsTags ? Number.POSITIVE_INFINITY : MAX_CLOCK_SKEW_MS
  }

  /** Takes a line received at `at` (ms) over a connection; returns the completed message, else null. */
  take(line: string, at: number, connection = ''): AisPayload | null {
    const text = line.trim()
    const { tags, sentence } = split(text)
    if (sentence === null || (tags !== null && !hasChecksum(tags))) return this.#fault('not_ais')
    if (!/^[!$][A-Z]{2}VD[MO],/.test(sentence)) return this.#fault('not_ais')
    const star = sentence.lastIndexOf('*')
    if (star < 0) return this.#fault('no_checksum')
    if (!hasChecksum(sentence.slice(1))) return this.#fault('bad_checksum')
    const match = SENTENCE.exec(sentence.slice(0, star))
    if (!match) return this.#fault('malformed')
    const [, talker, total, part, sequence, channel, payload = '', fill] = match
    if (Number(part) < 1 || Number(part) > Number(total)) return this.#fault('malformed')
    if (payload === '') return this.#fault('empty')
    const received = this.#receivedAt(tags, at)
    if (total === '1') return { payload, fillBits: Number(fill), at: received, sentences: [text] }
    const key = `${connection} ${talker} ${total} ${sequence} ${channel}`
    return this.#join(key, { total: Number(total), part: Number(part), payload, fillBits: Number(fill), at: received, text })
  }

  /** Counts unfinished messages as incomplete, at the end of input. */
  end(): void {
    this.faults.incomplete += this.#pending.size
    this.#pending.clear()
  }

  /** Counts faults from 0 again. */
  resetFaults(): void {
    Object.assign(this.faults, NO_FAULTS)
  }

  #join(
    key: string,
    one: { readonly total: number; readonly part: number; readonly payload: string; readonly fillBits: number; at: number; text: string },
  ): AisPayload | null {
    this.#dropOld(one.at)
    const known = this.#pending.get(key)
    // A repeated part (including the first) starts the next message of that number.
    if (known?.parts[one.part - 1] !== undefined) this.#drop(key)
    const found = this.#pending.get(key)
    if (!found && one.part !== 1) return this.#fault('incomplete')
    const pending: Pending = found ?? {
      total: one.total,
      at: one.at,
      parts: Array(one.total),
      sentences: [],
      fillBits: 0,
      missing: one.total,
    }
    pending.parts[one.part - 1] = one.payload
    pending.sentences.push(one.text)
    pending.missing--
    if (one.part === one.total) pending.fillBits = one.fillBits
    if (pending.missing > 0) {
      this.#pending.set(key, pending)
      return null
    }
    this.#pending.delete(key)
    return { payload: pending.parts.join(''), fillBits: pending.fillBits, at: pending.at, sentences: pending.sentences }
  }

  #dropOld(now: number): void {
    for (const [key, { at }] of this.#pending) {
      if (now - at <= PART_TIMEOUT_MS && this.#pending.size < MAX_PENDING) break
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#pending.delete(key)
    this.faults.incomplete++
  }

  #fault(fault: keyof SentenceFaults): null {
    this.faults[fault]++
    return null
  }

  /** The receiver's time, `c:` in seconds or milliseconds, unless its clock is wrong. */
  #receivedAt(tags: string | null, at: number): number {
    const [, digits = ''] = /(?:^|,)c:(\d{10}|\d{13})(?=[,*])/.exec(tags ?? '') ?? []
    if (digits === '') return at
    const stated = digits.length === 13 ? Number(digits) : 1000 * Number(digits)
    return Math.abs(stated - at) <= this.#maxSkew_ms ? stated : at
  }
}

/** Splits a line into its tag block (NMEA 4.10, between backslashes) and its sentence. */
function split(text: string): { readonly tags: string | null; readonly sentence: string | null } {
  if (!text.startsWith('\\')) return { tags: null, sentence: text === '' ? null : text }
  const end = text.indexOf('\\', 1)
  return end < 0 ? { tags: null, sentence: null } : { tags: text.slice(1, end), sentence: text.slice(end + 1) }
}

/** True if the two hexadecimal digits after `*` are the XOR of all characters before it. */
function hasChecksum(text: string): boolean {
  const star = text.lastIndexOf('*')
  if (star < 0 || !/^[\dA-Fa-f]{2}$/.test(text.slice(star + 1))) return false
  let sum = 0
  for (let at = 0; at < star; at++) sum ^= text.charCodeAt(at)
  return sum === Number.parseInt(text.slice(star + 1), 16)
}
