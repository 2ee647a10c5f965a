import KDBush from 'kdbush'
import { firstIndex } from '../../../lake/first-index.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { FIELD_NUMBER, type SearchDocument } from '../../endpoints/search/collection.ts'
import { editDistance } from '../../kernel/reads/suggest.ts'
import { differingLetters, isExchanged, lettersOf } from './edits.ts'
import { soundOf, wordsOf } from './fold.ts'

/** What a hit shows of a document besides its place. */
type Shown = Pick<SearchDocument, 'id' | 'title' | 'subtitle'> & { readonly [K in keyof Rare]?: Rare[K] | undefined }

/** What few documents have: other names, and another request that shows them. */
interface Rare {
  readonly names: readonly string[]
  readonly link?: string | undefined
  readonly url?: string | undefined
}

/** A document in index form. */
export interface IndexedDocument {
  readonly shown: Shown
  /** Texts by field number. */
  readonly texts: readonly (readonly [field: number, text: string])[]
  readonly lat: number | null
  readonly lon: number | null
  /** INE code as a number; 0 without one. */
  readonly province: number
  /** 0 to 1. */
  readonly importance: number
  /** Codes of this document alone, in the form of `foldCode`. */
  readonly exact: readonly string[]
  /** The names of a municipality in the form of `townName`; none for other documents. */
  readonly townNames: readonly string[]
}

/** Words that differ from a query's word, with the weight of a match, 0 to 1. */
export interface Expansion {
  readonly term: number
  readonly quality: number
}

/** Fields with names of a document. */
const NAME_FIELDS: ReadonlySet<number> = new Set([FIELD_NUMBER.title, FIELD_NUMBER.names, FIELD_NUMBER.variant])
const NONE: readonly number[] = []
/** Words of more letters are looked for exactly. */
const LONGEST = 40
/** Words of queries whose terms a segment remembers. */
const MAX_REMEMBERED = 500
/** Number of documents that are indexed without a pause. */
const STRIDE = 200

/** The index of one collection. Terms are numbered in alphabetical order, so those with a prefix are a range. */
export class Segment {
  readonly size: number
  readonly #terms: readonly string[]
  /** Terms without digits by length, with their letters as bits: length n is from `#lengths[n]` to `#lengths[n + 1]`. */
  readonly #byLength: Uint32Array
  readonly #letters: Uint32Array
  readonly #lengths: Uint32Array
  readonly #sounds: ReadonlyMap<string, readonly number[]>
  /** Postings of term t are from `starts[t]` to `starts[t + 1]`: a document, and the weight of its best field with the term. */
  readonly starts: Uint32Array
  readonly documents: Uint32Array
  readonly weights: Float32Array
  /** Number of words of the shortest name with the term; 0 if no name contains it. */
  readonly nameWords: Uint8Array
  readonly lats: Float64Array
  readonly lons: Float64Array
  readonly provinces: Uint8Array
  readonly importance: Float32Array
  readonly #exact: ReadonlyMap<string, readonly number[]>
  readonly #towns: ReadonlyMap<string, readonly number[]>
  readonly ids: readonly string[]
  readonly titles: readonly string[]
  readonly #subtitles: readonly (string | null)[]
  readonly #rare: ReadonlyMap<number, Rare>
  readonly #found = new Map<string, readonly Expansion[]>()
  readonly #places: KDBush | null
  readonly #located: Uint32Array

  private constructor(built: Built) {
    this.size = built.documents.length
    this.#terms = [...built.postings.keys()].sort()
    const lengthOf = (term: number): number => Math.min(LONGEST, (this.#terms[term] as string).length)
    const spelt = [...this.#terms.keys()].filter((term) => !/\d/.test(this.#terms[term] as string))
    this.#byLength = Uint32Array.from(spelt).sort((one, other) => lengthOf(one) - lengthOf(other))
    this.#letters = this.#byLength.map((term) => lettersOf(this.#terms[term] as string))
    this.#lengths = new Uint32Array(LONGEST + 2)
    for (const term of spelt) this.#lengths[lengthOf(term) + 1] = (this.#lengths[lengthOf(term) + 1] as number) + 1
    for (let length = 0; length <= LONGEST; length++)
      this.#lengths[length + 1] = (this.#lengths[length + 1] as number) + (this.#lengths[length] as number)
    const sounds = new Map<string, number[]>()
    this.starts = new Uint32Array(this.#terms.length + 1)
    const total = built.postings.values().reduce((sum, one) => sum + one.documents.length, 0)
    this.documents = new Uint32Array(total)
    this.weights = new Float32Array(total)
    this.nameWords = new Uint8Array(total)
    let at = 0
    for (const [number, term] of this.#terms.entries()) {
      const sound = soundOf(term)
      const others = sounds.get(sound)
      if (others) others.push(number)
      else sounds.set(sound, [number])
      const { documents, weights, nameWords } = built.postings.get(term) as Postings
      this.documents.set(documents, at)
      this.weights.set(weights, at)
      this.nameWords.set(nameWords, at)
      at += documents.length
      this.starts[number + 1] = at
    }
    this.#sounds = sounds
    this.lats = Float64Array.from(built.documents, ({ lat }) => lat ?? Number.NaN)
    this.lons = Float64Array.from(built.documents, ({ lon }) => lon ?? Number.NaN)
    this.provinces = Uint8Array.from(built.documents, ({ province }) => province)
    this.importance = Float32Array.from(built.documents, ({ importance }) => importance)
    this.ids = built.documents.map(({ shown }) => shown.id)
    this.titles = built.documents.map(({ shown }) => shown.title)
    this.#subtitles = built.documents.map(({ shown }) => shown.subtitle)
    const rare = built.documents.entries().flatMap(([number, { shown }]): [number, Rare][] => {
      const { names = [], link, url } = shown
      return names.length > 0 || link || url ? [[number, { names, link, url }]] : []
    })
    this.#rare = new Map(rare)
    this.#exact = numbersBy(built.documents, ({ exact }) => exact)
    this.#towns = numbersBy(built.documents, ({ townNames }) => townNames)
    this.#located = Uint32Array.from(built.documents.flatMap(({ lat, lon }, number) => (lat === null || lon === null ? [] : [number])))
    this.#places = this.#located.length === 0 ? null : new KDBush(this.#located.length)
    for (const number of this.#located) this.#places?.add(this.lons[number] as number, this.lats[number] as number)
    this.#places?.finish()
  }

  /** Indexes documents; `pause` is awaited regularly, so that a thread can do other work in between. */
  static async build(documents: readonly IndexedDocument[], weights: readonly number[], pause: () => Promise<void>): Promise<Segment> {
    const built: Built = { documents, postings: new Map() }
    for (const [number, document] of documents.entries()) {
      addDocument(built, number, document, weights)
      if (number % STRIDE === STRIDE - 1) await pause()
    }
    return new Segment(built)
  }

  /** The position of a document; null without one. */
  positionOf(document: number): Point | null {
    const [lat, lon] = [this.lats[document] as number, this.lons[document] as number]
    return Number.isNaN(lat) || Number.isNaN(lon) ? null : { lat, lon }
  }

  /** Title and names of a document. */
  namesOf(document: number): readonly string[] {
    return [this.titles[document] as string, ...(this.#rare.get(document)?.names ?? [])]
  }

  /** What a hit shows of a document, with its province and position. */
  shown(document: number): Shown & Pick<SearchDocument, 'position' | 'province_code'> {
    const province = this.provinces[document] as number
    return {
      ...{ id: this.ids[document] as string, title: this.titles[document] as string, subtitle: this.#subtitles[document] as string | null },
      ...{ position: this.positionOf(document), province_code: province === 0 ? null : String(province).padStart(2, '0') },
      ...this.#rare.get(document),
    }
  }

  /** The terms that match a word of a query, found once for words that are searched often. */
  remembered(word: string, find: () => readonly Expansion[]): readonly Expansion[] {
    const there = this.#found.get(word)
    if (there) return there
    if (this.#found.size === MAX_REMEMBERED) this.#found.clear()
    const found = find()
    this.#found.set(word, found)
    return found
  }

  /** Documents that contain a term. */
  frequency(term: number): number {
    return (this.starts[term + 1] as number) - (this.starts[term] as number)
  }

  /** The number of a term; -1 if no document contains it. */
  term(word: string): number {
    const term = this.#from(word)
    return this.#terms[term] === word ? term : -1
  }

  /** Documents with a code of their own, in the form of `foldCode`. */
  exact(code: string): readonly number[] {
    return this.#exact.get(code) ?? NONE
  }

  /** Municipalities with a name, in the form of `townName`. */
  townsNamed(name: string): readonly number[] {
    return this.#towns.get(name) ?? NONE
  }

  /** Terms with a sound, in the form of `soundOf`. */
  alike(sound: string): readonly number[] {
    return this.#sounds.get(sound) ?? NONE
  }

  /** The first term that is not before a word. */
  #from(word: string): number {
    return firstIndex(0, this.#terms.length, (at) => (this.#terms[at] as string) >= word)
  }

  /** Calls back with the terms that begin with a word and are longer. */
  startingWith(word: string, found: (term: number, quality: number) => void): void {
    for (let term = this.#from(word); term < this.#terms.length; term++) {
      const other = this.#terms[term] as string
      if (!other.startsWith(word)) break
      if (other.length > word.length) found(term, 0.55 + 0.35 * (word.length / other.length))
    }
  }

  /** Calls back with the terms that a word may be a misspelling of, with at most so many typos; two exchanged letters are one. */
  near(word: string, typos: number, found: (term: number, quality: number) => void): void {
    const [own, letters] = [lettersOf(word), this.#letters]
    if (word.length + typos >= LONGEST) return
    const end = this.#lengths[word.length + typos + 1] as number
    for (let at = this.#lengths[word.length - typos] as number; at < end; at++) {
      if (differingLetters(letters[at] as number, own) > 2 * typos) continue
      const term = this.#byLength[at] as number
      const other = this.#terms[term] as string
      if (other === word) continue
      const edits = isExchanged(word, other) ? 1 : editDistance(word, other, typos)
      if (edits <= typos) found(term, edits === 1 ? 0.7 : 0.4)
    }
  }

  /** Documents in a box in degrees. */
  inBox(west: number, south: number, east: number, north: number): number[] {
    return (this.#places?.range(west, south, east, north) ?? []).map((at) => this.#located[at] as number)
  }
}

/** The numbers of documents by each of their keys. */
function numbersBy(
  documents: readonly IndexedDocument[],
  keysOf: (document: IndexedDocument) => readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>()
  for (const [number, document] of documents.entries())
    for (const key of keysOf(document)) {
      const there = numbers.get(key)
      if (there) there.push(number)
      else numbers.set(key, [number])
    }
  return numbers
}

interface Postings {
  readonly documents: number[]
  readonly weights: number[]
  readonly nameWords: number[]
}

interface Built {
  readonly documents: readonly IndexedDocument[]
  readonly postings: Map<string, Postings>
}

/** Adds the words of a document, each with the weight of its best field and the length of its shortest name. */
function addDocument({ postings }: Built, number: number, { texts }: IndexedDocument, weights: readonly number[]): void {
  const words = new Map<string, { weight: number; nameWords: number }>()
  for (const [field, text] of texts) {
    const weight = weights[field] as number
    const own = wordsOf(text)
    const length = NAME_FIELDS.has(field) ? Math.min(255, own.length) : 0
    for (const word of own) {
      const there = words.get(word)
      if (!there) words.set(word, { weight, nameWords: length })
      else {
        there.weight = Math.max(there.weight, weight)
        if (length > 0) there.nameWords = there.nameWords === 0 ? length : Math.min(there.nameWords, length)
      }
    }
  }
  for (const [word, { weight, nameWords }] of words) {
    const there = postings.get(word) ?? { documents: [], weights: [], nameWords: [] }
    postings.set(word, there)
    there.documents.push(number)
    there.weights.push(weight)
    there.nameWords.push(nameWords)
  }
}
