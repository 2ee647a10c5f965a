/**
 * Randomness as a pure function: the same words give the same number in every process, so that the stand-in stores no state. It
 * applies MurmurHash3's 32-bit finaliser (Austin Appleby, public domain) to each word in turn.
 */

/** A key of a random number: names, and whole numbers of any size that a double represents exactly. */
export type Word = string | number

const texts = new Map<string, number>()

/** A whole number 0 … 2^32 − 1, determined by the words. */
export function hash(...words: readonly Word[]): number {
  let state = 0x9e3779b9
  for (const word of words) {
    if (typeof word === 'string') {
      state = mix(state, hashText(word))
      continue
    }
    state = mix(state, word | 0)
    const high = Math.floor(word / 0x1_0000_0000)
    if (high !== 0 && high !== -1) state = mix(state, high | 0)
  }
  return state >>> 0
}

/** A number 0 ≤ x < 1, determined by the words. */
export function chance(...words: readonly Word[]): number {
  return hash(...words) / 0x1_0000_0000
}

/** A generator of numbers 0 ≤ x < 1, seeded by words (mulberry32, Tommy Ettinger, public domain). */
export type Dice = () => number

/** Creates a generator that is seeded by the words. */
export function diceOf(...words: readonly Word[]): Dice {
  let state = hash(...words)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** One of the items, with equal probability. Throws for an empty list. */
export function pick<T>(items: readonly T[], u: number): T {
  const item = items[Math.floor(u * items.length)]
  if (item === undefined) throw new RangeError('pick: no items to pick from')
  return item
}

/** One of the items by weight: `[item, weight]`. Throws for an empty list. */
export function pickWeighted<T>(items: readonly (readonly [T, number])[], u: number): T {
  let rest = u * items.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [item, weight] of items) {
    rest -= weight
    if (rest < 0) return item
  }
  const last = items.at(-1)
  if (last === undefined) throw new RangeError('pickWeighted: no items to pick from')
  return last[0]
}

/** Weighted items from `item:weight item:weight`. `read` turns the text of an item into the item. */
export function weights<T = string>(text: string, read = (item: string): T => item as T): readonly (readonly [T, number])[] {
  return text.split(' ').map((pair) => {
    const at = pair.lastIndexOf(':')
    return [read(pair.slice(0, at)), Number(pair.slice(at + 1))] as const
  })
}

/** A whole number lowest … highest, both included. */
export function between(lowest: number, highest: number, u: number): number {
  return lowest + Math.floor(u * (highest - lowest + 1))
}

/** The number of rare events if `mean` are expected (Poisson, by inversion; mean up to about 50). */
export function poisson(mean: number, u: number): number {
  let count = 0
  let probability = Math.exp(-mean)
  let sum = probability
  while (u > sum && count < 200) {
    count += 1
    probability *= mean / count
    sum += probability
  }
  return count
}

/** A waiting time with the given mean (exponential). */
export function exponential(mean: number, u: number): number {
  return -mean * Math.log(1 - u)
}

/** A value of about −1 … 1 that changes smoothly with `x`; values at different whole numbers are independent. */
export function wander(x: number, ...words: readonly Word[]): number {
  const step = Math.floor(x)
  const share = x - step
  const smooth = share * share * (3 - 2 * share)
  const from = chance(...words, step) * 2 - 1
  const to = chance(...words, step + 1) * 2 - 1
  return from + (to - from) * smooth
}

function mix(state: number, word: number): number {
  let value = Math.imul(word, 0xcc9e2d51)
  value = (value << 15) | (value >>> 17)
  value = Math.imul(value, 0x1b873593)
  let mixed = state ^ value
  mixed = (mixed << 13) | (mixed >>> 19)
  mixed = (Math.imul(mixed, 5) + 0xe6546b64) | 0
  // Finalised at every word: the words are few and often differ only in their lowest bits.
  mixed ^= mixed >>> 16
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function hashText(text: string): number {
  const known = texts.get(text)
  if (known !== undefined) return known
  // FNV-1a over UTF-16 units.
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  // Only names of draws get here, a few dozen.
  texts.set(text, state)
  return state
}
