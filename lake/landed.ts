/** A set of sequence numbers of accepted fetches, kept as sorted, disjoint, closed intervals. */
export type SeqSet = readonly (readonly [first: number, last: number])[]

/** Reads a set as table properties hold it, such as `1-8640,8642`; an absent property is the empty set. */
export function parseSeqs(text: string | undefined): SeqSet {
  if (!text) return []
  return text.split(',').map((part) => {
    const span = /^([1-9]\d*)(?:-([1-9]\d*))?$/.exec(part)
    const first = Number(span?.[1])
    const last = Number(span?.[2] ?? span?.[1])
    if (!span || first > last) throw new Error(`no set of sequences: ${text}`)
    return [first, last]
  })
}

/** Writes a set as table properties hold it. */
export function formatSeqs(set: SeqSet): string {
  return set.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** True where the set holds the sequence. */
export function hasSeq(set: SeqSet, seq: number): boolean {
  return set.some(([first, last]) => seq >= first && seq <= last)
}

/** The set with more sequences in it. */
export function addSeqs(set: SeqSet, seqs: readonly number[]): SeqSet {
  const spans = [...set.map(([first, last]) => [first, last] as [number, number]), ...seqs.map((seq) => [seq, seq] as [number, number])]
  spans.sort((one, other) => one[0] - other[0])
  const merged: [number, number][] = []
  for (const [first, last] of spans) {
    const before = merged.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** How many sequences the set holds. */
export function countSeqs(set: SeqSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** What a table's properties say of one feed's fetches in it. */
export interface Landed {
  readonly seqs: SeqSet
  /** Newest data time among them, ms since the epoch; null where nothing has landed. */
  readonly until: number | null
  /** Set while rows from this data time on are being derived anew, in several commits. */
  readonly rebuildFrom: number | null
  /** How often rows that had landed were replaced: who remembers another number remembers other rows. */
  readonly rebuilds: number
}

/** Reads what a table says of a feed. The record changes in the same commit as the rows. */
export function landedOf(properties: Readonly<Record<string, string>>, feed: string): Landed {
  const until = properties[`landed-until.${feed}`]
  const rebuild = properties[`rebuild-from.${feed}`]
  return {
    seqs: parseSeqs(properties[`landed.${feed}`]),
    until: until ? Date.parse(until) : null,
    rebuildFrom: rebuild ? Date.parse(rebuild) : null,
    rebuilds: Number(properties[`rebuilds.${feed}`] ?? 0),
  }
}

/** The properties that state what a table holds of a feed; null removes a property. */
export function landedProperties(feed: string, landed: Landed): Record<string, string | null> {
  return {
    [`landed.${feed}`]: formatSeqs(landed.seqs),
    [`landed-until.${feed}`]: landed.until === null ? null : new Date(landed.until).toISOString(),
    [`rebuild-from.${feed}`]: landed.rebuildFrom === null ? null : new Date(landed.rebuildFrom).toISOString(),
    [`rebuilds.${feed}`]: landed.rebuilds === 0 ? null : String(landed.rebuilds),
  }
}
