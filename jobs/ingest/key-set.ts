import type { AnyRow } from '../../lake/schema/dataset.ts'

/** Keys of rows that were met. */
export interface KeySet {
  /** Adds a row's key; true if it was not in the set. */
  add(row: AnyRow): boolean
}

/** Up to this many keys are stored whole; millions would take more memory than their rows. */
const MOST_WHOLE = 50_000
/** Places of the table at first; a power of two. */
const FIRST_PLACES = 2 ** 18
/** Share of the places that may be taken. */
const FULLEST = 0.9
/** Separates the values of a key; no published text contains it. */
const SEPARATOR = '\u001f'

/**
 * A set of keys made of several columns' values; exact up to `whole` keys. Beyond it stores 64-bit hashes: with two million
 * keys, one publication in some nine million has a collision.
 */
export function makeKeySet(columns: readonly string[], whole: number = MOST_WHOLE): KeySet {
  const few = new Set<string>()
  let many: Marks | null = null
  return {
    add(row) {
      if (many) return many.add(row)
      const key = keyOf(columns, row)
      if (few.has(key)) return false
      few.add(key)
      if (few.size <= whole) return true
      many = new Marks(columns)
      for (const one of few) many.addText(one)
      few.clear()
      return true
    },
  }
}

function keyOf(columns: readonly string[], row: AnyRow): string {
  let key = textOf(row[columns[0] as string])
  for (let at = 1; at < columns.length; at++) key += SEPARATOR + textOf(row[columns[at] as string])
  return key
}

/** Seeds of the two hashes. */
const [ONE, OTHER] = [0x811c9dc5 | 0, 0x2545f491]

/** 64-bit hashes in a table with open addressing: two words per slot, 0 0 if empty. */
class Marks {
  readonly #columns: readonly string[]
  #words = new Uint32Array(2 * FIRST_PLACES)
  #size = 0
  #one = ONE
  #other = OTHER
  /** The previous row's values except the last, which many rows share, and their hash. */
  readonly #before: string[]
  #beforeOne = ONE
  #beforeOther = OTHER

  constructor(columns: readonly string[]) {
    this.#columns = columns
    this.#before = columns.slice(1).map(() => '')
    this.#mixBefore()
  }

  /** As `addText` of the row's key, without putting that together. */
  add(row: AnyRow): boolean {
    const before = this.#before
    const last = before.length
    let isSame = true
    for (let at = 0; at < last; at++) {
      const text = textOf(row[this.#columns[at] as string])
      if (text === before[at]) continue
      before[at] = text
      isSame = false
    }
    if (!isSame) this.#mixBefore()
    this.#one = this.#beforeOne
    this.#other = this.#beforeOther
    this.#mix(textOf(row[this.#columns[last] as string]))
    return this.#put()
  }

  addText(key: string): boolean {
    this.#begin()
    this.#mix(key)
    return this.#put()
  }

  #begin(): void {
    this.#one = ONE
    this.#other = OTHER
  }

  #mixBefore(): void {
    this.#begin()
    for (const text of this.#before) {
      this.#mix(text)
      this.#mix(SEPARATOR)
    }
    this.#beforeOne = this.#one
    this.#beforeOther = this.#other
  }

  #mix(text: string): void {
    let one = this.#one
    let other = this.#other
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      one = Math.imul(one ^ code, 0x01000193)
      other = Math.imul((other << 5) - other + code, 0x9e3779b1) ^ (other >>> 15)
    }
    this.#one = one
    this.#other = other
  }

  #put(): boolean {
    if (this.#size > FULLEST * (this.#words.length / 2)) this.#grow()
    const isNew = place(this.#words, finished(this.#one), finished(this.#other) || 1)
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value)
}

/** Adds a hash to a table; false if it was present. */
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
