/** A complete AIS message as its sentences carried it. */
export interface AisPayload {
  /** Six-bit characters of all parts, in order. */
  readonly payload: string
  /** Bits to drop at the end of the last character. */
  readonly fillBits: number
  /** Time of reception, ms: from the tag block of one of its parts, else of the first sentence. */
  readonly at: number
  /** The sentences as received, with their tag blocks. */
  readonly sentences: readonly string[]
}

/** Unusable sentences, by reason. */
export type SentenceFaults = Record<'not_ais' | 'no_checksum' | 'bad_checksum' | 'malformed' | 'empty' | 'incomplete', number>

interface Pending {
  /** When it began, by our clock or the recording's, and by the number of sentences. */
  readonly at: number
  readonly nth: number
  /** Time and group of the tag blocks; null without one. A receiver's clock may be minutes behind ours. */
  stated: number | null
  group: string | null
  readonly parts: (string | undefined)[]
  readonly sentences: string[]
  fillBits: number
  missing: number
}

/** A part of a message. */
interface Part extends Pick<Pending, 'at' | 'stated' | 'group' | 'fillBits'> {
  readonly total: number
  readonly part: number
  readonly payload: string
  readonly text: string
}

/** Parts missing for longer than this never come, ms. */
const PART_TIMEOUT_MS = 10_000
/**
 * Later parts wait for the first one for so many sentences: receivers number messages 0 to 9, so a number comes again soon, and
 * a part whose message was lost must not be joined to the next.
 */
const MOST_AHEAD = 100
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
  readonly #trustsTags: boolean
  /** The latest time of a recording's tags; null before the first one. */
  #recorded: number | null = null
  #nth = 0

  /** `trustsTags`: true if the time of reception is unknown and only tag blocks have times. */
  constructor({ trustsTags = false }: { readonly trustsTags?: boolean } = {}) {
    this.#trustsTags = trustsTags
    this.#maxSkew_ms = trustsTags ? Number.POSITIVE_INFINITY : MAX_CLOCK_SKEW_MS
  }

  /** Takes a line received (ms) over a connection; returns the completed message, else null. */
  take(line: string, received: number, connection = ''): AisPayload | null {
    const text = line.trim()
    const { tags, sentence } = split(text)
    if (sentence === null || (tags !== null && !hasChecksum(tags))) return this.#fault('not_ais')
    const stated = this.#statedAt(tags, received)
    if (this.#trustsTags) this.#recorded = stated ?? this.#recorded
    const at = this.#recorded ?? received
    this.#nth++
    if (!/^[!$][A-Z]{2}VD[MO],/.test(sentence)) return this.#fault('not_ais')
    const star = sentence.indexOf('*')
    if (star < 0) return this.#fault('no_checksum')
    if (!hasChecksum(sentence.slice(1))) return this.#fault('bad_checksum')
    const match = SENTENCE.exec(sentence.slice(0, star))
    if (!match) return this.#fault('malformed')
    const [, talker, total, part, sequence, channel, payload = '', fill] = match
    if (Number(part) < 1 || Number(part) > Number(total)) return this.#fault('malformed')
    if (payload === '') return this.#fault('empty')
    const fillBits = Number(fill)
    if (total === '1') return { payload, fillBits, at: stated ?? at, sentences: [text] }
    const key = `${connection} ${talker} ${total} ${sequence} ${channel}`
    return this.#join(key, { total: Number(total), part: Number(part), payload, fillBits, at, stated, group: groupOf(tags), text })
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

  #join(key: string, one: Part): AisPayload | null {
    this.#dropOld(one.at)
    const known = this.#pending.get(key)
    // A repeated part, or one of another group, starts the next message of that number.
    const isOther = known?.parts[one.part - 1] !== undefined || (known?.group && one.group && known.group !== one.group)
    if (known && (isOther || (known.parts[0] === undefined && this.#nth - known.nth > MOST_AHEAD))) this.#drop(key)
    const { at, stated, group, total } = one
    const pending: Pending = this.#pending.get(key) ?? {
      ...{ at, stated, group, nth: this.#nth },
      ...{ parts: Array(total), sentences: [], fillBits: 0, missing: total },
    }
    pending.stated ??= stated
    pending.group ??= group
    pending.parts[one.part - 1] = one.payload
    pending.sentences.push(one.text)
    pending.missing--
    if (one.part === total) pending.fillBits = one.fillBits
    if (pending.missing > 0) {
      this.#pending.set(key, pending)
      return null
    }
    this.#pending.delete(key)
    const { parts, fillBits, sentences } = pending
    return { payload: parts.join(''), fillBits, at: pending.stated ?? pending.at, sentences }
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

  /** The time of a tag block (`c:`, in seconds or milliseconds); null without one, and if the receiver's clock is wrong. */
  #statedAt(tags: string | null, at: number): number | null {
    const [, digits = ''] = /(?:^|,)c:(\d{10}|\d{13})(?=[,*])/.exec(tags ?? '') ?? []
    const stated = digits.length === 13 ? Number(digits) : 1000 * Number(digits)
    return digits !== '' && Math.abs(stated - at) <= this.#maxSkew_ms ? stated : null
  }
}

/** The number of a tag block's group (`g:part-parts-number`); null without one. */
function groupOf(tags: string | null): string | null {
  return /(?:^|,)g:\d+-\d+-(\d+)(?=[,*])/.exec(tags ?? '')?.[1] ?? null
}

/** Splits a line into its tag block (NMEA 4.10, between backslashes) and its sentence. */
function split(text: string): { readonly tags: string | null; readonly sentence: string | null } {
  if (!text.startsWith('\\')) return { tags: null, sentence: text === '' ? null : text }
  const end = text.indexOf('\\', 1)
  return end < 0 ? { tags: null, sentence: null } : { tags: text.slice(1, end), sentence: text.slice(end + 1) }
}

/** True if the two hexadecimal digits after `*` are the XOR of all characters before it. Receivers may add data of their own. */
function hasChecksum(text: string): boolean {
  const star = text.indexOf('*')
  if (star < 0 || !/^[\dA-Fa-f]{2}(?![\dA-Za-z])/.test(text.slice(star + 1))) return false
  let sum = 0
  for (let at = 0; at < star; at++) sum ^= text.charCodeAt(at)
  return sum === Number.parseInt(text.slice(star + 1, star + 3), 16)
}
