/** A set of a word's letters as bits: words that differ by n edits differ in at most 2n bits. Letters may share a bit. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters >>> 0
}

/** The number of bits in which two sets of letters differ. */
export function differingLetters(one: number, other: number): number {
  let bits = one ^ other
  bits -= (bits >>> 1) & 0x55555555
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Longest word whose edits are counted; longer ones are names of files or keys, not of places. */
const LONGEST = 64
const last = new Uint8Array(LONGEST + 1)

/** Insertions, deletions and substitutions that turn one word into another (Levenshtein); `most` + 1 if there are more than `most`. */
export function editsBetween(one: string, other: string, most: number): number {
  if (one.length > LONGEST || other.length > LONGEST || Math.abs(one.length - other.length) > most) return most + 1
  for (let at = 0; at <= other.length; at++) last[at] = at
  for (let row = 1; row <= one.length; row++) {
    const letter = one.charCodeAt(row - 1)
    let [diagonal, least] = [row - 1, row]
    last[0] = row
    for (let at = 1; at <= other.length; at++) {
      const above = last[at] as number
      const kept = diagonal + (other.charCodeAt(at - 1) === letter ? 0 : 1)
      const here = Math.min(kept, above + 1, (last[at - 1] as number) + 1)
      last[at] = here
      diagonal = above
      if (here < least) least = here
    }
    if (least > most) return most + 1
  }
  return Math.min(last[other.length] as number, most + 1)
}

/** True if two letters are exchanged, side by side or around a third (`bajaras`). */
export function isExchanged(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  for (const next of [at + 1, at + 2])
    if (next < one.length && one[at] === other[next] && one[next] === other[at] && one.slice(next + 1) === other.slice(next + 1))
      return next === at + 1 || one[at + 1] === other[at + 1]
  return false
}
