import type { FeedListing } from './live/freshness.ts'

/** The property of a table that says before which time (ISO 8601) rows were deleted, because they are kept for some days only. */
export const DELETED_BEFORE = 'rows-deleted-before'

/** A property that says how far a table has what a feed published. */
export const UNTIL = 'landed-until.'

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

/** The set without some sequences. */
export function removeSeqs(set: SeqSet, seqs: readonly number[]): SeqSet {
  const gone = new Set(seqs)
  return set.flatMap(([first, last]) => {
    const left: [number, number][] = []
    let from = first
    for (const seq of [...gone].filter((one) => one >= first && one <= last).sort((one, other) => one - other)) {
      if (from < seq) left.push([from, seq - 1])
      from = seq + 1
    }
    if (from <= last) left.push([from, last])
    return left
  })
}

/** The sequences of a set from one on. */
function seqsFrom(set: SeqSet, from: number): SeqSet {
  return set.flatMap(([first, last]) => (last < from ? [] : [[Math.max(first, from), last] as const]))
}

/** How many sequences the set holds. */
export function countSeqs(set: SeqSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** What a table's properties say of one feed's fetches in it. */
export interface Landed {
  readonly seqs: SeqSet
  /** Those among them that gave no rows, since their bytes could not be read or parsed; a replay that can takes them out. */
  readonly lost: SeqSet
  /** Those among them that were withdrawn: their rows are no longer in the table. */
  readonly withdrawn: SeqSet
  /** Newest data time among the others, ms since the epoch; null where nothing has landed. */
  readonly until: number | null
  /**
   * Set while rows are being derived anew in several commits: the data time they are derived from. Whoever goes on begins there again, so
   * that no table is left with the rows of two parsers.
   */
  readonly rebuildFrom: number | null
  /** How often rows that had landed were replaced: who remembers another number remembers other rows. */
  readonly rebuilds: number
}

/** Reads what a table says of a feed. The record changes in the same commit as the rows. */
export function landedOf(properties: Readonly<Record<string, string>>, feed: string): Landed {
  const until = properties[`${UNTIL}${feed}`]
  const rebuild = properties[`rebuild-from.${feed}`]
  return {
    seqs: parseSeqs(properties[`landed.${feed}`]),
    lost: parseSeqs(properties[`lost.${feed}`]),
    withdrawn: parseSeqs(properties[`withdrawn.${feed}`]),
    until: until ? Date.parse(until) : null,
    rebuildFrom: rebuild ? Date.parse(rebuild) : null,
    rebuilds: Number(properties[`rebuilds.${feed}`] ?? 0),
  }
}

/** Until when a table has what its feeds published, ms since the epoch; null where nothing has landed. */
export interface Coverage {
  /** What every feed has landed: no later row is complete. */
  readonly until: number | null
  /** What any feed has landed: no row is later. */
  readonly newest: number | null
}

/**
 * Until when a dataset is covered, by what each feed has landed (ms) and which feeds are announced. A feed that is turned off holds
 * nothing back, nor does one that never landed anything; where only such are known, all that landed count.
 */
export function coverageOf(dataset: string, landed: Readonly<Record<string, number>>, feeds: readonly FeedListing[]): Coverage {
  const all = Object.values(landed)
  if (all.length === 0) return { until: null, newest: null }
  const running = feeds
    .filter((feed) => feed.enabled && feed.datasets.includes(dataset))
    .map((feed) => landed[feed.id])
    .filter((until) => until !== undefined)
  return { until: Math.min(...(running.length > 0 ? running : all)), newest: Math.max(...all) }
}

/** The feeds that a table's properties say something of. */
export function feedsIn(properties: Readonly<Record<string, string>>): string[] {
  return Object.keys(properties).flatMap((name) => (name.startsWith(LANDED) ? [name.slice(LANDED.length)] : []))
}

/**
 * True where tables, by their properties, hold the same fetches of a feed, none of them half derived: a publication lands in one table after
 * the other, and what is between is none that anybody published. Compared from where the last of them begins: a table that was added
 * later begins with the oldest fetch that the raw log still had.
 */
export function holdSame(feed: string, tables: readonly Readonly<Record<string, string>>[]): boolean {
  const landed = tables.map((properties) => landedOf(properties, feed))
  const begin = Math.max(...landed.map(({ seqs }) => seqs[0]?.[0] ?? 1))
  const held = landed.map(({ seqs, withdrawn }) => `${formatSeqs(seqsFrom(seqs, begin))};${formatSeqs(seqsFrom(withdrawn, begin))}`)
  return new Set(held).size <= 1 && landed.every(({ rebuildFrom }) => rebuildFrom === null)
}

/** True where a table, by its properties, holds every fetch of a feed from where it begins up to one, none of them half derived. */
export function holdsUpTo(properties: Readonly<Record<string, string>>, feed: string, seq: number): boolean {
  const { seqs, rebuildFrom } = landedOf(properties, feed)
  const [first] = seqs
  return rebuildFrom === null && first !== undefined && first[0] <= seq && first[1] >= seq
}

const LANDED = 'landed.'

/** A property of a derived table that says what one of its parts was made from. */
export const PART = 'derived.'

/**
 * True where a table, by its properties, has parts of what is derived and says of no feed how far it has what that published, which is said once
 * all parts have been there: what it holds is a part of something that nobody has seen whole yet.
 */
export function isFirstInMaking(properties: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(properties)
  return names.some((name) => name.startsWith(PART)) && !names.some((name) => name.startsWith(UNTIL))
}

/** The properties that state what a table holds of a feed; null removes a property. */
export function landedProperties(feed: string, landed: Landed): Record<string, string | null> {
  return {
    [`landed.${feed}`]: formatSeqs(landed.seqs),
    [`lost.${feed}`]: landed.lost.length === 0 ? null : formatSeqs(landed.lost),
    [`withdrawn.${feed}`]: landed.withdrawn.length === 0 ? null : formatSeqs(landed.withdrawn),
    [`${UNTIL}${feed}`]: landed.until === null ? null : new Date(landed.until).toISOString(),
    [`rebuild-from.${feed}`]: landed.rebuildFrom === null ? null : new Date(landed.rebuildFrom).toISOString(),
    [`rebuilds.${feed}`]: landed.rebuilds === 0 ? null : String(landed.rebuilds),
  }
}

/** A fetch as it lands. */
export interface LandingFetch {
  readonly seq: number
  /** Null where it is not known, or does not count. */
  readonly data_time: number | null
  /** What else than rows it gives: none, since it cannot be read or parsed, or since it was withdrawn. */
  readonly gives: 'rows' | 'lost' | 'withdrawn'
}

/** What a table holds of a feed once it has taken some fetches more, or anew. */
export function landedWith(base: Landed, fetches: readonly LandingFetch[]): Landed {
  const seqs = fetches.map(({ seq }) => seq)
  const thatGive = (what: LandingFetch['gives']): number[] => fetches.filter(({ gives }) => gives === what).map(({ seq }) => seq)
  const times = fetches.flatMap(({ data_time }) => (data_time === null ? [] : [data_time]))
  return {
    ...base,
    seqs: addSeqs(base.seqs, seqs),
    lost: addSeqs(removeSeqs(base.lost, seqs), thatGive('lost')),
    withdrawn: addSeqs(base.withdrawn, thatGive('withdrawn')),
    until: times.reduce<number | null>((until, time) => Math.max(until ?? time, time), base.until),
    // Whoever showed a fetch that is withdrawn now has to show the state without it, be it that it had no rows here.
    rebuilds: base.rebuilds + (thatGive('withdrawn').length > 0 ? 1 : 0),
  }
}

/** Of the numbers that were withdrawn, those whose rows a table still holds. */
export function toWithdraw(landed: Landed, withdrawn: Iterable<number>): number[] {
  return [...withdrawn].filter((seq) => hasSeq(landed.seqs, seq) && !hasSeq(landed.withdrawn, seq))
}

/** True where two records of what a table holds say the same. */
export function isSameLanded(one: Landed, other: Landed): boolean {
  return JSON.stringify(landedProperties('', one)) === JSON.stringify(landedProperties('', other))
}
