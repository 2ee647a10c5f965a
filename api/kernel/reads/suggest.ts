/** The candidate nearest to a misspelt word by edit distance; null if none is within a third of its letters (at least 1). */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase().slice(0, 64)
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const most = Math.max(1, Math.floor(candidate.length / 3))
    if (Math.abs(candidate.length - wanted.length) > most) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance > most || distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** The same, but numbers never match: a different year is not a misspelling. */
export function nearestWord(word: string, candidates: Iterable<string>): string | null {
  return /^\d+$/.test(word) ? null : nearest(word, candidates)
}

/** Rows of the table of distances: of two letters before, one before, and the current one. */
let rows = [new Uint16Array(65), new Uint16Array(65), new Uint16Array(65)]

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps that turn one word into the other;
 * more than `most` if it is more than that.
 */
export function editDistance(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  const width = other.length + 1
  if (Math.abs(one.length - other.length) > most) return most + 1
  if ((rows[0] as Uint16Array).length < width) rows = rows.map(() => new Uint16Array(width))
  let [beforeLast, last, current] = rows as [Uint16Array, Uint16Array, Uint16Array]
  for (let at = 0; at < width; at++) last[at] = at
  for (let row = 1; row <= one.length; row++) {
    const [letter, before] = [one.charCodeAt(row - 1), one.charCodeAt(row - 2)]
    current[0] = row
    let nearest = row
    for (let at = 1; at < width; at++) {
      const match = other.charCodeAt(at - 1)
      const kept = (last[at - 1] as number) + (match === letter ? 0 : 1)
      let least = Math.min(kept, (last[at] as number) + 1, (current[at - 1] as number) + 1)
      if (row > 1 && at > 1 && letter === other.charCodeAt(at - 2) && before === match)
        least = Math.min(least, (beforeLast[at - 2] as number) + 1)
      current[at] = least
      if (least < nearest) nearest = least
    }
    // No later row is nearer: also a swap costs one more than the row before this one.
    if (nearest > most) return most + 1
    const spare = beforeLast
    beforeLast = last
    last = current
    current = spare
  }
  return Math.min(last[width - 1] as number, most + 1)
}
