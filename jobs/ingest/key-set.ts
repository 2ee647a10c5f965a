/** Keys that were met. */
export interface KeySet {
  /** True where the key was not in the set, which then has it. */
  add(key: string): boolean
}

/** Keys that are kept as they are; beyond, millions of them would take more memory than the rows they name. */
const MOST_WHOLE = 50_000
/** Places of the table at first; a power of two. */
const FIRST_PLACES = 2 ** 18
/** Share of the places that may be taken. */
const FULLEST = 0.9

/**
 * A set of keys, exact as long as there are few. Of more than `whole` keys it keeps 64 bits each, from two mixes of all characters: of two
 * million different keys, two are taken for one another in one publication of some nine million.
 */
export function makeKeySet(whole: number = MOST_WHOLE): KeySet {
  const few = new Set<string>()
  let many: Marks | null = null
  return {
    add(key) {
      if (many) return many.add(key)
      if (few.has(key)) return false
      few.add(key)
      if (few.size <= whole) return true
      many = new Marks()
      for (const one of few) many.add(one)
      few.clear()
      return true
    },
  }
}

/** Marks of 64 bits in a table with open addressing: two words a place, 0 0 for an empty one. */
class Marks {
  #words = new Uint32Array(2 * FIRST_PLACES)
  #size = 0

  add(key: string): boolean {
    if (this.#size > FULLEST * (this.#words.length / 2)) this.#grow()
    let one = 0x811c9dc5
    let other = key.length
    for (let at = 0; at < key.length; at++) {
      const code = key.charCodeAt(at)
      one = Math.imul(one ^ code, 0x01000193)
      other = Math.imul((other << 5) - other + code, 0x9e3779b1) ^ (other >>> 15)
    }
    const isNew = place(this.#words, finished(one), finished(other) || 1)
    if (isNew) this.#size++
    return isNew
  }

  #grow(): void {
    const old = this.#words
    this.#words = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const [one, other] = [old[at] as number, old[at + 1] as number]
      if (other !== 0) place(this.#words, one, other)
    }
  }
}

/** Puts a mark into a table; false where it is there. */
function place(words: Uint32Array, one: number, other: number): boolean {
  const most = words.length / 2 - 1
  for (let at = one & most; ; at = (at + 1) & most) {
    const held = words[at * 2 + 1]
    if (held === 0) {
      words[at * 2] = one
      words[at * 2 + 1] = other
      return true
    }
    if (held === other && words[at * 2] === one) return false
  }
}

/** MurmurHash3's 32-bit finaliser (Austin Appleby, public domain). */
function finished(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
