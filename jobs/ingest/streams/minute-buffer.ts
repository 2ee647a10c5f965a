import { countsLine, minuteLine } from '../../feeds/minute-file.ts'

/** Name of the body that a stream's file is. */
export const STREAM_BODY = 'minute'

/** The minute file being received. Its size is limited: further lines are counted and dropped. */
export class MinuteBuffer {
  readonly #maxBytes: number
  #lines: Buffer[] = []
  #shown = 0
  #bytes = 0
  #lost = 0
  /** When its first line came, ms; null while it is empty. */
  since: number | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** True if it is so full that it should be accepted early. */
  get isFilling(): boolean {
    return this.#bytes > this.#maxBytes / 2
  }

  /** Adds a message. */
  add(at: number, text: string): void {
    const line = Buffer.from(minuteLine(at, text))
    if (this.#bytes + line.length > this.#maxBytes) {
      this.#lost++
      return
    }
    this.since ??= at
    this.#lines.push(line)
    this.#bytes += line.length
  }

  /** The lines since the last call; null if none. */
  takeNew(): Buffer | null {
    if (this.#shown === this.#lines.length) return null
    const bytes = Buffer.concat(this.#lines.slice(this.#shown))
    this.#shown = this.#lines.length
    return bytes
  }

  /** Returns the file with the counts of dropped frames, and starts the next. Null if no line came. */
  cut(counts: Readonly<Record<string, number>>): Buffer | null {
    if (this.#lines.length === 0) return null
    const all = this.#lost > 0 ? { ...counts, lost_for_want_of_room: this.#lost } : counts
    const lines = Object.keys(all).length > 0 ? [...this.#lines, Buffer.from(countsLine(all))] : this.#lines
    const file = Buffer.concat(lines)
    this.#lines = []
    this.#shown = 0
    this.#bytes = 0
    this.#lost = 0
    this.since = null
    return file
  }
}
