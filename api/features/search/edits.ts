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

/** True if two letters around a third are exchanged (`bajaras`); side by side, they are one edit. */
export function isExchanged(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const last = at + 2
  return (
    last < one.length &&
    one[at] === other[last] &&
    one[last] === other[at] &&
    one[at + 1] === other[at + 1] &&
    one.slice(last + 1) === other.slice(last + 1)
  )
}
