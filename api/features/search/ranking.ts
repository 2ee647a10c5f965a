import { distanceM } from '../../kernel/reads/geo.ts'
import { Best, byScore, type RankedHit } from './best.ts'
import { soundOf, townName, typosOf } from './fold.ts'
import type { Expansion, Segment } from './segment.ts'

/** A collection in the index, by its number. */
export interface Searched {
  readonly collection: number
  readonly segment: Segment
}

/** A word of a query, or the words that together name a kind of thing. */
export interface QueryTerm {
  readonly words: readonly string[]
  /** Numbers of the collections of that kind: their documents need not contain the words. */
  readonly kinds: readonly number[]
  /** True for a word that may be incomplete. */
  readonly isOpen: boolean
}

/** A parsed query. */
export interface Ask {
  readonly terms: readonly QueryTerm[]
  /** The whole query as a code, in the form of `foldCode`. */
  readonly code: string
  /** INE codes of provinces as numbers; null for all of Spain. */
  readonly provinces: readonly number[] | null
  /** A box that documents with a position are in, besides; null without one. */
  readonly box: { readonly west: number; readonly south: number; readonly east: number; readonly north: number } | null
  readonly near: { readonly lat: number; readonly lon: number } | null
  /** Whether misspelt words are searched always, or only without other results. */
  readonly typos: 'fallback' | 'always'
}

/** A circle. */
export interface Around {
  readonly lat: number
  readonly lon: number
  readonly radius_m: number
}

/** The best hits in order, and the number of matching documents, in all and by collection number. */
export interface Ranked {
  readonly hits: readonly RankedHit[]
  readonly total: number
  readonly counts: ReadonlyMap<number, number>
}

/** Distance at which proximity counts half, m. */
const HALF_M = 15_000
/** Match of a document with a term that names its kind. */
const KIND_MATCH = 0.5
/** Weight of the words themselves of such a term. */
const CONTAINS_KIND = 0.4
/** Greatest weight of a field. */
const FULL_WEIGHT = 5
/** A document whose own code is the query scores more than this, and others less. */
const CODE_SCORE = 1
/** The least difference of shown scores, doubled. */
const STEP = 2e-6
/** A term that names a kind counts no more than a common word. */
const MAX_KIND_WEIGHT = 2

/** One search pass: with or without misspellings, and the number of terms that a document may lack. */
interface Pass {
  readonly hasTypos: boolean
  readonly missing: number
}

/** Finds at least so many of the best matching documents. If none has all terms, it finds those that lack the fewest. */
export function rank(index: readonly Searched[], ask: Ask, wanted: number): Ranked {
  const passes: Pass[] = ask.typos === 'fallback' ? [{ hasTypos: false, missing: 0 }] : []
  for (let missing = 0; missing <= ask.terms.length >> 1; missing++) passes.push({ hasTypos: true, missing })
  let best = new Best()
  let looked: readonly TermsOf[] = []
  let before = true
  for (const { hasTypos, missing } of passes) {
    if (looked.length === 0 || hasTypos !== before) looked = termsIn(index, ask.terms, hasTypos)
    before = hasTypos
    best = new Best()
    for (const terms of looked) scoreSegment(terms, ask, { missing, best })
    if (best.total > 0) break
  }
  const towns = townsNamed(index, townName(ask.terms.flatMap(({ words }) => words)))
  const isTown = (collection: number, document: number): boolean => towns.get(collection)?.named.includes(document) ?? false
  return { hits: townsFirst(towns, best.inOrder(wanted, towns.size === 0 ? null : isTown)), total: best.total, counts: best.counts }
}

/** The municipalities of a name by collection, with the provinces of all documents. */
type Towns = ReadonlyMap<number, { readonly provinces: Uint8Array; readonly named: readonly number[] }>

function townsNamed(index: readonly Searched[], name: string): Towns {
  const all = index.map(
    ({ collection, segment }) => [collection, { provinces: segment.provinces, named: segment.townsNamed(name) }] as const,
  )
  return new Map(all.some(([, { named }]) => named.length > 0) ? all : [])
}

/** The hits with each municipality of this name before everything else of its province. */
function townsFirst(towns: Towns, hits: readonly RankedHit[]): readonly RankedHit[] {
  if (towns.size === 0) return hits
  const best = new Map<number, number>()
  const raised = hits.map((hit) => {
    const { provinces, named } = towns.get(hit.collection) as { readonly provinces: Uint8Array; readonly named: readonly number[] }
    const province = provinces[hit.document] as number
    if (province === 0 || hit.score > CODE_SCORE) return hit
    const above = best.get(province)
    if (above === undefined) best.set(province, hit.score)
    return above !== undefined && named.includes(hit.document) ? { ...hit, score: above + STEP } : hit
  })
  return raised.some((hit, at) => hit !== hits[at]) ? raised.sort(byScore) : hits
}

/** A term in one segment. */
interface SegmentTerm {
  readonly weight: number
  readonly expansions: readonly Expansion[]
  /** False for a word that names the documents' kind: documents that contain it rank first, but others are found too. */
  readonly isNeeded: boolean
}

/** The terms of a query in a segment. */
interface TermsOf extends Searched {
  readonly terms: readonly SegmentTerm[]
  /** The score of every document of the segment, because the query names its kind. */
  readonly base: number
  /** The maximum score of a document. */
  readonly most: number
}

function termsIn(index: readonly Searched[], terms: readonly QueryTerm[], hasTypos: boolean): TermsOf[] {
  const size = index.reduce((sum, { segment }) => sum + segment.size, 0)
  const known = new Set(terms.flatMap(({ words }) => words.filter((word) => index.some(({ segment }) => segment.term(word) >= 0))))
  const sought = terms.map(({ words, isOpen }) =>
    words.map((word): Sought => {
      const isKnown = known.has(word)
      const typos = hasTypos ? typosOf(word) : 0
      const how = { isOpen, isKnown, typos: isKnown ? Math.min(1, typos) : typos }
      return { ...how, word, sound: soundOf(word), key: `${word} ${how.isOpen} ${how.isKnown} ${how.typos}` }
    }),
  )
  const found = index.map(({ segment }) => sought.map((words) => words.map((word) => expansionsOf(segment, word))))
  // Rare words count more. Their frequency is measured over all collections.
  const weights = terms.map(({ kinds }, at) => {
    const frequency = index.reduce((sum, { segment }, number) => sum + rarest(segment, found[number]?.[at] ?? []), 0)
    const weight = Math.log(1 + size / (1 + frequency))
    return kinds.length > 0 ? Math.min(weight, MAX_KIND_WEIGHT) : weight
  })
  const most = FULL_WEIGHT * weights.reduce((sum, weight) => sum + weight, 0)
  return index.map(({ collection, segment }, number) => {
    const own: SegmentTerm[] = []
    let base = 0
    for (const [at, { kinds, words }] of terms.entries()) {
      const isOfKind = kinds.includes(collection)
      if (isOfKind) base += KIND_MATCH * FULL_WEIGHT * (weights[at] as number)
      // A document that only contains the word for a kind is a less likely match than one of that kind.
      const weight = ((kinds.length > 0 ? CONTAINS_KIND : 1) * (weights[at] as number)) / words.length
      for (const expansions of found[number]?.[at] ?? []) own.push({ weight, expansions, isNeeded: !isOfKind })
    }
    return { collection, segment, terms: own, base, most }
  })
}

/** Documents with the rarest of some words. */
function rarest(segment: Segment, words: readonly (readonly Expansion[])[]): number {
  const counts = words.map((own) => own.reduce((sum, { term, quality }) => sum + (quality >= GOOD ? segment.frequency(term) : 0), 0))
  return Math.min(...counts)
}

/** Minimum quality of a match that counts like the word itself. */
const GOOD = 0.8
const ALIKE = 0.85
/** A word in some document is unlikely to be misspelt: such a match counts less than the word in the name of a place. */
const KNOWN_TYPO = 0.2
/** Minimum quality of a match that counts as a word of a whole name. */
const NAMED_FROM = 0.4
/** From this many letters on, the beginning of a word matches anywhere. */
const BEGINNING_FROM = 5

/** A word that is searched. */
interface Sought {
  readonly word: string
  /** True for a word that may be incomplete. */
  readonly isOpen: boolean
  /** True if a document has exactly this word. */
  readonly isKnown: boolean
  readonly sound: string
  readonly typos: number
  /** All of the above but the sound, as one text. */
  readonly key: string
}

/** The terms of a segment that match a word, best first. */
function expansionsOf(segment: Segment, sought: Sought): readonly Expansion[] {
  const { key, word, isOpen, isKnown, sound, typos } = sought
  return segment.remembered(key, () => {
    // Most words are in few segments: without a term nothing is allocated, since a query looks into some seventy of them.
    let best: Map<number, number> | null = null
    const add = (term: number, quality: number): void => {
      best ??= new Map()
      if ((best.get(term) ?? 0) < quality) best.set(term, quality)
    }
    const exact = segment.term(word)
    if (exact >= 0) add(exact, 1)
    for (const term of segment.alike(sound)) add(term, ALIKE)
    // Whoever types C3 rarely means C-32.
    const share = (isOpen ? 1 : 0.75) * (isKnown && /\d/.test(word) ? 0.5 : 1)
    if (isOpen || word.length >= BEGINNING_FROM) segment.startingWith(word, (term, quality) => add(term, share * quality))
    if (typos > 0) segment.near(word, typos, (term, quality) => add(term, isKnown ? KNOWN_TYPO * quality : quality))
    const found = best as Map<number, number> | null
    return found === null
      ? NONE
      : Array.from(found, ([term, quality]) => ({ term, quality })).sort((one, other) => other.quality - one.quality)
  })
}

const NONE: readonly Expansion[] = []

const isInBox = ({ west, south, east, north }: NonNullable<Ask['box']>, lat: number, lon: number): boolean =>
  lon > west && lon < east && lat > south && lat < north

/** Scores the documents of a segment with enough of the terms. */
function scoreSegment(
  { collection, segment, terms, base, most }: TermsOf,
  { code, provinces, box, near }: Ask,
  { missing, best }: { readonly missing: number; readonly best: Best },
): void {
  const { size } = segment
  const isInside = (document: number): boolean =>
    (provinces === null || provinces.includes(segment.provinces[document] as number)) &&
    (box === null || isInBox(box, segment.lats[document] as number, segment.lons[document] as number))
  const isLimited = provinces !== null || box !== null
  const reach = (document: number): number => (near ? nearness(segment, document, near) : 1)
  const exact = segment.exact(code).filter(isInside)
  best.begin(collection, size + exact.length)
  for (const document of exact) best.add(document, CODE_SCORE + 0.5 * (segment.importance[document] as number) * reach(document))
  best.count(collection, exact.length)
  const needed = terms.filter(({ isNeeded }) => isNeeded)
  const least = Math.max(base > 0 ? 0 : 1, needed.length - missing)
  if (needed.filter(({ expansions }) => expansions.length > 0).length < least) return
  // If documents must have all needed terms, those without the rarest are not looked at again.
  const isStrict = least > 0 && least === needed.length
  const inOrder = isStrict
    ? [...needed.toSorted((one, other) => postingsOf(segment, one) - postingsOf(segment, other)), ...terms.filter((one) => !one.isNeeded)]
    : terms
  const scratch = scratchOf(size)
  for (const [at, term] of inOrder.entries()) addTerm(segment, term, { scratch, at, from: isStrict ? Math.min(at, least) : 0 })
  const { touched, matched, sums, named, nameWords } = scratch
  const candidates = least === 0 ? size : scratch.touchedCount
  let count = 0
  for (let nth = 0; nth < candidates; nth++) {
    const document = least === 0 ? nth : (touched[nth] as number)
    if ((matched[document] as number) < least) continue
    if ((isLimited && !isInside(document)) || exact.includes(document)) continue
    const text = (base + (sums[document] as number)) / most
    const whole = Math.min(1, (named[document] as number) / Math.max(1, nameWords[document] as number))
    const importance = segment.importance[document] as number
    const score = text * (0.5 + 0.5 * whole) * (0.4 + 0.6 * importance) * reach(document)
    best.add(document, score)
    count++
  }
  best.count(collection, count)
  clear(scratch)
}

function postingsOf(segment: Segment, { expansions }: SegmentTerm): number {
  return expansions.reduce((sum, { term }) => sum + segment.frequency(term), 0)
}

/** Adds a term to the scores of the documents that have `from` needed terms so far. */
function addTerm(
  { starts, documents, weights, nameWords: lengths }: Segment,
  { weight, expansions, isNeeded }: SegmentTerm,
  { scratch, at, from }: { readonly scratch: Scratch; readonly at: number; readonly from: number },
): void {
  const { sums, last, seen, matched, named, lastNamed, nameWords, touched } = scratch
  for (const { term, quality } of expansions) {
    const end = starts[term + 1] as number
    for (let posting = starts[term] as number; posting < end; posting++) {
      const document = documents[posting] as number
      const length = lengths[posting] as number
      if (seen[document] !== at + 1) {
        if ((matched[document] as number) < from) continue
        if (seen[document] === 0) touched[scratch.touchedCount++] = document
        seen[document] = at + 1
        if (isNeeded) matched[document] = (matched[document] as number) + 1
        last[document] = 0
        lastNamed[document] = 0
      }
      const score = weight * quality * (weights[posting] as number)
      if (score <= (last[document] as number)) continue
      sums[document] = (sums[document] as number) + score - (last[document] as number)
      const isNamed = length > 0 && quality >= NAMED_FROM ? 1 : 0
      named[document] = (named[document] as number) + isNamed - (lastNamed[document] as number)
      if (length > (nameWords[document] as number)) nameWords[document] = length
      last[document] = score
      lastNamed[document] = isNamed
    }
  }
}

/** Scores of documents for the terms so far. */
interface Scratch {
  readonly sums: Float64Array
  readonly last: Float64Array
  /** The last term of each document, counted from 1. */
  readonly seen: Uint8Array
  readonly matched: Uint8Array
  /** How many terms names contain. */
  readonly named: Uint8Array
  readonly lastNamed: Uint8Array
  /** Words of the longest of the shortest names with a term: a name is matched whole if all of them are terms. */
  readonly nameWords: Uint8Array
  /** The documents with a term. */
  readonly touched: Uint32Array
  touchedCount: number
}

let scratch: Scratch | null = null

/** A zeroed buffer for a number of documents. It is reused, because queries run one after the other. */
function scratchOf(size: number): Scratch {
  if (scratch && scratch.sums.length >= size) return scratch
  const bytes = (): Uint8Array => new Uint8Array(size)
  const floats = (): Float64Array => new Float64Array(size)
  const numbers = { seen: bytes(), matched: bytes(), named: bytes(), lastNamed: bytes(), nameWords: bytes() }
  scratch = { sums: floats(), last: floats(), ...numbers, touched: new Uint32Array(size), touchedCount: 0 }
  return scratch
}

/** Zeroes what a segment wrote. */
function clear(used: Scratch): void {
  for (let nth = 0; nth < used.touchedCount; nth++) {
    const document = used.touched[nth] as number
    used.sums[document] = 0
    used.seen[document] = 0
    used.matched[document] = 0
    used.named[document] = 0
    used.nameWords[document] = 0
  }
  used.touchedCount = 0
}

/** 1 at the place itself, and less with distance; documents without a place count as far away. */
function nearness(segment: Segment, document: number, near: { readonly lat: number; readonly lon: number }): number {
  const [lat, lon] = [segment.lats[document] as number, segment.lons[document] as number]
  return Number.isNaN(lat) ? 0.1 : 0.1 + 0.9 / (1 + distanceM(near, { lat, lon }) / HALF_M)
}

/** The collection of towns. */
const MUNICIPALITIES = 'municipalities'

/** The documents within a radius of a point, nearest first; the municipality with the code `town` goes before them. */
export function nearest(
  index: readonly (Searched & { readonly described: { readonly id: string } })[],
  { lat, lon, radius_m }: Around,
  { limit, town }: { readonly limit: number; readonly town: string | null },
): Ranked {
  const high = radius_m / 110_574 + 1e-6
  const wide = radius_m / (110_000 * Math.max(0.05, Math.cos((Math.min(89, Math.abs(lat) + high) * Math.PI) / 180))) + 1e-6
  const hits: RankedHit[] = []
  const counts = new Map<number, number>()
  for (const { collection, segment, described } of index) {
    const hasTown = town !== null && described.id === MUNICIPALITIES
    for (const document of segment.inBox(lon - wide, lat - high, lon + wide, lat + high)) {
      const distance_m = distanceM({ lat, lon }, { lat: segment.lats[document] as number, lon: segment.lons[document] as number })
      if (distance_m > radius_m) continue
      const isTown = hasTown && segment.ids[document] === town
      hits.push({ collection, document, score: isTown ? 2 : 1 / (1 + Math.round(distance_m) / 1000) })
      counts.set(collection, (counts.get(collection) ?? 0) + 1)
    }
  }
  return { hits: hits.sort(byScore).slice(0, limit), total: hits.length, counts }
}
