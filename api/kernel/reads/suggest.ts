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

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps that turn one word into the other.
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1]
      let least = Math.min((last[at] as number) + 1, (current[at - 1] as number) + 1, (last[at - 1] as number) + (same ? 0 : 1))
      const swapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      if (swapped) least = Math.min(least, (beforeLast[at - 2] as number) + 1)
      current.push(least)
    }
    beforeLast = last
    last = current
  }
  return last[other.length] as number
}
