import type { FeedListing } from './live/freshness.ts'

/** Table property: rows before this time (ISO 8601) were deleted, since they are only kept for some days. */
export const DELETED_BEFORE = 'rows-deleted-before'

/** Table property: when rows that another writer changed were found (ISO 8601), a space, and what became of them. */
export const CHANGED_ROWS = 'changed-rows'

/** Table property prefix: the newest data time of a feed in the table. */
export const UNTIL = 'landed-until.'

/** A set of sequence numbers of accepted fetches, kept as sorted, disjoint, closed intervals. */
export type SeqSet = readonly (readonly [first: number, last: number])[]

/** Parses a set from a table property, such as `1-8640,8642`; an absent property is the empty set. */
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

/** Formats a set for a table property. */
export function formatSeqs(set: SeqSet): string {
  return set.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** True if the set contains the sequence number. */
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

/** The sequences of a set that another lacks. */
export function lackingIn(other: SeqSet, set: SeqSet): SeqSet {
  return set.flatMap(([first, last]) => {
    const left: [number, number][] = []
    let from = first
    for (const [begin, end] of other) {
      if (end < from || begin > last) continue
      if (begin > from) left.push([from, begin - 1])
      from = end + 1
    }
    return from <= last ? [...left, [from, last]] : left
  })
}

/** Every sequence number of a set, in order. */
export function listSeqs(set: SeqSet): number[] {
  return set.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
}

/** The sequences of a set from one on. */
function seqsFrom(set: SeqSet, from: number): SeqSet {
  return set.flatMap(([first, last]) => (last < from ? [] : [[Math.max(first, from), last] as const]))
}

/** The number of sequence numbers in the set. */
export function countSeqs(set: SeqSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** The state of a feed's fetches in a table, from the table's properties. */
export interface Landed {
  readonly seqs: SeqSet
  /** Fetches without rows, since their bytes could not be read or parsed; a replay that can read them removes them here. */
  readonly lost: SeqSet
  /** Withdrawn fetches: their rows are no longer in the table. */
  readonly withdrawn: SeqSet
  /** Newest data time of the other fetches, ms since the epoch; null if nothing has landed. */
  readonly until: number | null
  /**
   * Set during a rebuild in several commits: the data time it starts from. A restarted rebuild begins there again, so that no
   * table keeps rows of two parsers.
   */
  readonly rebuildFrom: number | null
  /** How often landed rows were replaced: a different number means different rows. */
  readonly rebuilds: number
  /** The newest replacements: their number in `rebuilds`, and the data time (ms) before which no row changed. */
  readonly rebuilt: readonly (readonly [number: number, from: number])[]
  /** The release whose workers landed last, and how many fetches had landed when it began; null in older records. */
  readonly landedBy: { readonly release: string; readonly after: number } | null
}

/** Reads the state of a feed from a table's properties. It changes in the same commit as the rows. */
export function landedOf(properties: Readonly<Record<string, string>>, feed: string): Landed {
  const until = properties[`${UNTIL}${feed}`]
  const rebuild = properties[`rebuild-from.${feed}`]
  const [release, after] = properties[`landed-by.${feed}`]?.split(' ') ?? []
  return {
    seqs: parseSeqs(properties[`landed.${feed}`]),
    lost: parseSeqs(properties[`lost.${feed}`]),
    withdrawn: parseSeqs(properties[`withdrawn.${feed}`]),
    until: until ? Date.parse(until) : null,
    rebuildFrom: rebuild ? Date.parse(rebuild) : null,
    rebuilds: Number(properties[`rebuilds.${feed}`] ?? 0),
    rebuilt: (properties[`rebuilt-from.${feed}`]?.split(',') ?? []).map((text) => {
      const [number, from] = text.split(' ') as [string, string]
      return [Number(number), Date.parse(from)]
    }),
    landedBy: release ? { release, after: Number(after) } : null,
  }
}

/** How far a table covers its feeds' publications, ms since the epoch; null if nothing has landed. */
export interface Coverage {
  /** What every feed has landed: no later row is complete. */
  readonly until: number | null
  /** What any feed has landed: no row is later. */
  readonly newest: number | null
}

/**
 * The coverage of a dataset from each feed's landed time (ms) and the announced feeds. Disabled feeds and feeds that never landed
 * anything do not limit it; if there are no others, all landed feeds count.
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

/** The feeds named in a table's properties. */
export function feedsIn(properties: Readonly<Record<string, string>>): string[] {
  return Object.keys(properties).flatMap((name) => (name.startsWith(LANDED) ? [name.slice(LANDED.length)] : []))
}

/**
 * True if tables, by their properties, contain the same fetches of a feed and none is being rebuilt. Publications land in one
 * table after the other. The comparison starts at the newest table's first fetch, since a table added later begins with the
 * oldest one in the raw log.
 */
export function holdSame(feed: string, tables: readonly Readonly<Record<string, string>>[]): boolean {
  const landed = tables.map((properties) => landedOf(properties, feed))
  const begin = Math.max(...landed.map(({ seqs }) => seqs[0]?.[0] ?? 1))
  const held = landed.map(({ seqs, withdrawn }) => `${formatSeqs(seqsFrom(seqs, begin))};${formatSeqs(seqsFrom(withdrawn, begin))}`)
  return new Set(held).size <= 1 && landed.every(({ rebuildFrom }) => rebuildFrom === null)
}

/**
 * The properties of an earlier version of a table that becomes the newest again: its rows differ from those of all versions so
 * far, so each feed's number of replacements is a new one.
 */
export function rolledBackProperties(
  earlier: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): Record<string, string> {
  const rebuilds = feedsIn(earlier).map((feed) => {
    const most = Math.max(landedOf(earlier, feed).rebuilds, landedOf(now, feed).rebuilds)
    return [`rebuilds.${feed}`, String(most + 1)]
  })
  return { ...earlier, ...Object.fromEntries(rebuilds) }
}

/** True if a table, by its properties, contains every fetch of a feed from its first one up to `seq` and is not being rebuilt. */
export function holdsUpTo(properties: Readonly<Record<string, string>>, feed: string, seq: number): boolean {
  const { seqs, rebuildFrom } = landedOf(properties, feed)
  const [first] = seqs
  return rebuildFrom === null && first !== undefined && first[0] <= seq && first[1] >= seq
}

const LANDED = 'landed.'

/** Property prefix of a derived table: what a partition was derived from. */
export const PART = 'derived.'

/**
 * True if partitions of a derived table exist but its properties have no watermark of any feed yet: the first build is
 * unfinished, so nobody has seen the table complete.
 */
export function isFirstInMaking(properties: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(properties)
  return names.some((name) => name.startsWith(PART)) && !names.some((name) => name.startsWith(UNTIL))
}

/** The properties that record a feed's state in a table; null removes a property. */
export function landedProperties(feed: string, landed: Landed): Record<string, string | null> {
  return {
    [`landed.${feed}`]: formatSeqs(landed.seqs),
    [`lost.${feed}`]: landed.lost.length === 0 ? null : formatSeqs(landed.lost),
    [`withdrawn.${feed}`]: landed.withdrawn.length === 0 ? null : formatSeqs(landed.withdrawn),
    [`${UNTIL}${feed}`]: landed.until === null ? null : new Date(landed.until).toISOString(),
    [`rebuild-from.${feed}`]: landed.rebuildFrom === null ? null : new Date(landed.rebuildFrom).toISOString(),
    [`rebuilds.${feed}`]: landed.rebuilds === 0 ? null : String(landed.rebuilds),
    [`rebuilt-from.${feed}`]: landed.rebuilt.map(([number, from]) => `${number} ${new Date(from).toISOString()}`).join(',') || null,
    [`landed-by.${feed}`]: landed.landedBy && `${landed.landedBy.release} ${landed.landedBy.after}`,
  }
}

/** A fetch as it lands. */
export interface LandingFetch {
  readonly seq: number
  /** Null if unknown, or if it does not count. */
  readonly data_time: number | null
  /** What it contributes: rows, or none since it cannot be read or parsed, or was withdrawn. */
  readonly gives: 'rows' | 'lost' | 'withdrawn'
}

/** The state of a feed in a table after a release landed more fetches, or repeated ones. */
export function landedWith(base: Landed, fetches: readonly LandingFetch[], release: string): Landed {
  const seqs = fetches.map(({ seq }) => seq)
  const thatGive = (what: LandingFetch['gives']): number[] => fetches.filter(({ gives }) => gives === what).map(({ seq }) => seq)
  const times = fetches.flatMap(({ data_time }) => (data_time === null ? [] : [data_time]))
  return {
    ...base,
    seqs: addSeqs(base.seqs, seqs),
    lost: addSeqs(removeSeqs(base.lost, seqs), thatGive('lost')),
    withdrawn: addSeqs(base.withdrawn, thatGive('withdrawn')),
    until: times.reduce<number | null>((until, time) => Math.max(until ?? time, time), base.until),
    // Readers that show a fetch withdrawn now must show the state without it, even if it had no rows here.
    rebuilds: base.rebuilds + (thatGive('withdrawn').length > 0 ? 1 : 0),
    landedBy: base.landedBy?.release === release ? base.landedBy : { release, after: countSeqs(base.seqs) },
  }
}

/** Replacements of rows whose beginning is recorded. */
const MOST_REBUILT = 16

/** The record after a landing that replaced rows from a data time (ms) on; `next` counts the replacement. */
export function rebuiltFrom(base: Landed, next: Landed, from: number): Landed {
  const numbers = Array.from({ length: next.rebuilds - base.rebuilds }, (_, at) => base.rebuilds + at + 1)
  return { ...next, rebuilt: [...base.rebuilt, ...numbers.map((number) => [number, from] as const)].slice(-MOST_REBUILT) }
}

/** True if no row of a data time up to `until` (ms) was replaced between two states of a feed in a table. */
export function isUnchangedUpTo(until: number, then: Landed, now: Landed): boolean {
  if (now.rebuilds < then.rebuilds) return false
  const since = now.rebuilt.filter(([number]) => number > then.rebuilds)
  return since.length === now.rebuilds - then.rebuilds && since.every(([, from]) => from > until)
}

/** Of the withdrawn numbers, those whose rows are still in a table. */
export function toWithdraw(landed: Landed, withdrawn: Iterable<number>): number[] {
  return [...withdrawn].filter((seq) => hasSeq(landed.seqs, seq) && !hasSeq(landed.withdrawn, seq))
}

/** True if two states of a feed in a table are equal. */
export function isSameLanded(one: Landed, other: Landed): boolean {
  return JSON.stringify(landedProperties('', one)) === JSON.stringify(landedProperties('', other))
}
