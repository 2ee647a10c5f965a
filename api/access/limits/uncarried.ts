import type { Carried, CarryCall } from './carry-script.ts'
import type { Charge, Charged, Policy } from './policy.ts'

/** Units of so many slots wait at most: at 565 bytes each (measured) these are 28 MB. */
const SLOTS_MOST = 50_000
/** Where a part ends: entries, and buckets of all of them together. */
const ENTRIES_MOST = 128
const BUCKETS_MOST = 2000

/** Units of one bucket. */
interface Bucket {
  /** Which bucket of the clock it is, since the epoch. */
  readonly number: number
  /** When the last of them was charged, in ms. */
  last_ms: number
  units: number
  /** Where to learn what became of them, once they are on their way: in which place of the answer, and how long ago they were charged. */
  sent: { readonly answer: Part['answer']; readonly place: number; readonly ago_s: number } | null
}

/** What a slot was admitted under a policy. */
interface Entry {
  readonly slot: string
  readonly policy: Policy
  /** When the first unit was charged, in ms. */
  readonly first_ms: number
  readonly buckets: Bucket[]
}

/** Units that are carried together: once, however often that is tried. */
interface Part {
  readonly number: number
  readonly entries: readonly Entry[]
  /** What Redis said when it was asked first, in the order of the entries; nothing where it did not. */
  readonly answer: Promise<readonly (Carried | null)[]>
  readonly resolve: (answer: readonly (Carried | null)[]) => void
}

/** What to ask Redis next. */
export interface NextPart {
  /** Larger than that of the part before. */
  readonly number: number
  readonly calls: readonly CarryCall[]
}

/** What a process works with that carries units over. */
export interface UncarriedOptions {
  /** The time in ms, from any origin but never set. */
  readonly here_ms: () => number
  /** The time in ms since the epoch, by which Redis has its buckets. */
  readonly epoch_ms: () => number
  /** Told of so many units of recorded policies that are given up, as those of too many slots wait, or the process ends. */
  readonly onLost: (units: number) => void
}

/**
 * What this process admitted alone because Redis was away, and has still to carry over to it: else a slot that several processes serve had
 * its minute twice, and its day lacked what it used meanwhile.
 */
export class Uncarried {
  readonly #options: UncarriedOptions
  /** By slot, one entry for each policy. */
  readonly #waiting = new Map<string, Entry[]>()
  /** The part that is on its way; sent again, as it was, until there is an answer. */
  #sent: Part | null = null
  #number = 0
  #lost = 0
  readonly #bucketsOf = new WeakMap<Charge, readonly (readonly [Bucket, Charged])[]>()

  constructor(options: UncarriedOptions) {
    this.#options = options
  }

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#sent === null
  }

  /** Whether units of a slot may be missing in Redis. */
  has(slot: string): boolean {
    return this.#waiting.has(slot) || this.#sent !== null
  }

  /** Notes a charge that this process has admitted, and that Redis was not asked for. */
  note(charge: Charge): void {
    const noted = charge.charged
      .filter(({ units }) => units > 0)
      .flatMap((charged) => {
        const bucket = this.#bucket(charged)
        return bucket ? [[bucket, charged] as const] : []
      })
    if (noted.length > 0) this.#bucketsOf.set(charge, noted)
  }

  /**
   * Takes a charge back that was noted: from what waits, and else gives what is to be taken back from Redis. Nothing of a part that Redis gave
   * no answer to: it stays charged.
   */
  async takeBack(charge: Charge): Promise<Charged[]> {
    const there: Charged[] = []
    for (const [bucket, charged] of this.#bucketsOf.get(charge) ?? []) {
      const { sent } = bucket
      if (sent) {
        const carried = (await sent.answer)[sent.place]
        if (carried) there.push({ ...charged, at_s: carried.now_s - sent.ago_s, mark: carried.mark })
      } else bucket.units -= charged.units
    }
    return there
  }

  /** What to ask Redis next, with all that waits of some slots as far as it fits; null where nothing waits. */
  next(slots: Iterable<string>): NextPart | null {
    this.#tellLost()
    const now_ms = this.#options.here_ms()
    this.#sent ??= this.#newPart(slots, now_ms)
    if (!this.#sent) return null
    const { number, entries } = this.#sent
    return { number, calls: entries.map((entry) => callOf(entry, now_ms)) }
  }

  /** Takes note of the answer to what was asked; undefined where there was none in time: then it is unknown whether Redis did it. */
  settle(answer: readonly (Carried | null)[] | undefined): void {
    this.#sent?.resolve(answer ?? [])
    if (answer) this.#sent = null
  }

  /** Gives up what waits. */
  close(): void {
    for (const { policy, buckets } of [...(this.#sent?.entries ?? []), ...[...this.#waiting.values()].flat()])
      for (const { units } of buckets) this.#lose(policy, units)
    this.#sent?.resolve([])
    this.#sent = null
    this.#waiting.clear()
    this.#tellLost()
  }

  /** What a policy counts that is not recorded has soon left its window. */
  #lose({ recorded }: Policy, units: number): void {
    if (recorded) this.#lost += units
  }

  #tellLost(): void {
    if (this.#lost > 0) this.#options.onLost(this.#lost)
    this.#lost = 0
  }

  #bucket({ slot, policy, units }: Charged): Bucket | null {
    const now_ms = this.#options.here_ms()
    const entries = this.#waiting.get(slot) ?? []
    let entry = entries.find((one) => one.policy.name === policy.name)
    if (!entry) {
      if (entries.length === 0 && this.#waiting.size >= SLOTS_MOST) {
        this.#lose(policy, units)
        return null
      }
      entry = { slot, policy, first_ms: now_ms, buckets: [] }
      entries.push(entry)
      this.#waiting.set(slot, entries)
    }
    const { buckets } = entry
    while (buckets[0] && hasLeft(policy, buckets[0], now_ms)) buckets.shift()
    const number = Math.floor(this.#options.epoch_ms() / (policy.bucket_s * 1000))
    let last = buckets.at(-1)
    if (last?.number !== number) {
      last = { number, last_ms: now_ms, units: 0, sent: null }
      buckets.push(last)
    }
    last.last_ms = now_ms
    last.units += units
    return last
  }

  #newPart(slots: Iterable<string>, now_ms: number): Part | null {
    const entries: Entry[] = []
    let count = 0
    for (const names of [slots, this.#waiting.keys()])
      for (const slot of names) {
        if (entries.length >= ENTRIES_MOST || count >= BUCKETS_MOST) break
        for (const entry of this.#waiting.get(slot) ?? []) {
          // Where all was taken back, or counts no more, there is nothing to carry.
          if (!entry.buckets.some((bucket) => bucket.units > 0 && !hasLeft(entry.policy, bucket, now_ms))) continue
          entries.push(entry)
          count += entry.buckets.length
        }
        this.#waiting.delete(slot)
      }
    if (entries.length === 0) return null
    const { promise: answer, resolve } = Promise.withResolvers<readonly (Carried | null)[]>()
    for (const [place, { buckets }] of entries.entries())
      for (const bucket of buckets) bucket.sent = { answer, place, ago_s: ago_s(bucket.last_ms, now_ms) }
    return { number: ++this.#number, entries, answer, resolve }
  }
}

function callOf({ slot, policy, first_ms, buckets }: Entry, now_ms: number): CarryCall {
  return {
    ...{ slot, policy, first_ago_s: ago_s(first_ms, now_ms) },
    units: buckets.filter(({ units }) => units > 0).map(({ last_ms, units }) => ({ ago_s: ago_s(last_ms, now_ms), units })),
  }
}

/** True where it counts no more. */
function hasLeft({ window_s, bucket_s }: Policy, { last_ms }: Bucket, now_ms: number): boolean {
  return last_ms < now_ms - (window_s + 2 * bucket_s) * 1000
}

/** Whole seconds between two instants, at most: nothing leaves early. */
function ago_s(at_ms: number, now_ms: number): number {
  return Math.max(0, Math.floor((now_ms - at_ms) / 1000))
}
