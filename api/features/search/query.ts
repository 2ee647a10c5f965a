import { provinceByName } from '../../../lake/places/provinces.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { editDistance } from '../../kernel/reads/suggest.ts'
import { differingLetters, lettersOf } from './edits.ts'
import { wordsOf } from './fold.ts'
import type { QueryTerm } from './ranking.ts'

/** A kilometre of a road in a query, and the text without the kilometre. Its last word is complete if it is the road. */
export interface RoadPlaceQuery {
  readonly road: string
  readonly km: number
  readonly province_code: string | null
  readonly rest: string
}

const ROAD = String.raw`([a-z]{1,3}[ -]?\d{1,4}[a-z]?|n[ -](?:i|ii|iii|iv|v|vi))`
const KM = String.raw`(\d{1,4}(?:[.,]\d{1,3})?)`
const KM_WORD = String.raw`(?:km\.?|pk\.?|p\.k\.?|kilometro|kilometre|quilometro|quilometre|punto kilometrico)`
const ROAD_THEN_KM = new RegExp(String.raw`\b${ROAD}\b[\s,;:]*(?:en el |al |a la altura del? )?${KM_WORD}\s*${KM}\b`, 'i')
const KM_THEN_ROAD = new RegExp(String.raw`\b${KM_WORD}\s*${KM}[\s,;:]*(?:de la |de l'|en la |da |of )?${ROAD}\b`, 'i')
const ROAD_AND_NUMBER = new RegExp(String.raw`^\s*${ROAD}[\s,;:]+${KM}\s*$`, 'i')

/** Parses the kilometre of a road from a query: `A-6 km 12`, `km 12 de la A6`, `n-340 1100,5`. Null without one. */
export function roadPlaceIn(q: string): RoadPlaceQuery | null {
  const text = q.normalize('NFD').replace(/\p{M}+/gu, '')
  const first = ROAD_THEN_KM.exec(text) ?? ROAD_AND_NUMBER.exec(text)
  const last = first ? null : KM_THEN_ROAD.exec(text)
  const found = first ?? last
  if (!found) return null
  const [road, km] = (last ? [found[2], found[1]] : [found[1], found[2]]) as [string, string]
  const around = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  const province = provinceByName(around.replace(/^(?:en|provincia de) /i, ''))
  return { road: foldRoad(road), km: Number(km.replace(',', '.')), province_code: province?.code ?? null, rest: `${road} ${around}` }
}

const DEGREES = /^\s*(-?\d{1,3}(?:[.,]\d+)?)\s*°?\s*([ns])?\s*(?:[;\s]|,\s|,(?=-?\d+\.))\s*(-?\d{1,3}(?:[.,]\d+)?)\s*°?\s*([ewo])?\s*$/i
const SEXAGESIMAL =
  /^\s*(\d{1,2})[°º]\s*(\d{1,2})['′]\s*(?:(\d{1,2}(?:[.,]\d+)?)["″]\s*)?([ns])[\s,;]*(\d{1,3})[°º]\s*(\d{1,2})['′]\s*(?:(\d{1,2}(?:[.,]\d+)?)["″]\s*)?([ewo])\s*$/i
/** The latitudes of Spain. If only the second number of a pair is among them, the pair is longitude, latitude. */
const SPAIN = { south: 27, north: 44.5 }

/** Parses a query that is a position: `40.4168, -3.7038`, `40,4168 -3,7038`, `40°25'N 3°42'W`. Null for any other text. */
export function positionIn(q: string): Point | null {
  const decimal = DEGREES.exec(q)
  if (decimal) {
    const [, one, , other] = decimal as unknown as [string, string, string | undefined, string]
    if (!/[.,]/.test(one) || !/[.,]/.test(other)) return null
    const sign = (letter: string | undefined): number => (letter && /[swo]/i.test(letter) ? -1 : 1)
    const pair = [Number(one.replace(',', '.')) * sign(decimal[2]), Number(other.replace(',', '.')) * sign(decimal[4])] as const
    const isLat = (value: number): boolean => value >= SPAIN.south && value <= SPAIN.north
    const [lat, lon] = !isLat(pair[0]) && isLat(pair[1]) ? [pair[1], pair[0]] : pair
    return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null
  }
  const parts = SEXAGESIMAL.exec(q)
  if (!parts) return null
  const degrees = (at: number): number =>
    Number(parts[at]) + Number(parts[at + 1]) / 60 + Number((parts[at + 2] ?? '0').replace(',', '.')) / 3600
  const [lat, lon] = [degrees(1) * (/s/i.test(parts[4] as string) ? -1 : 1), degrees(5) * (/[wo]/i.test(parts[8] as string) ? -1 : 1)]
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null
}

/** Phrases that name kinds of things, by their words, with the numbers of the matching collections. */
export type Kinds = ReadonlyMap<string, readonly number[]>

/** Maximum words of a phrase for a kind, and minimum letters of a word that may be misspelt or unfinished. */
const MAX_PHRASE = 4
const KIND_LETTERS = 5

/** The kinds of some collections. */
export function kindsOf(collections: readonly { readonly words: readonly string[] }[]): Kinds {
  const kinds = new Map<string, number[]>()
  for (const [number, { words }] of collections.entries())
    for (const word of words) {
      const phrase = wordsOf(word).join(' ')
      const there = kinds.get(phrase) ?? []
      if (!there.includes(number)) kinds.set(phrase, [...there, number])
    }
  return kinds
}

/** The terms of a query; words of a phrase that names a kind are one term. */
export function termsOf(q: string, kinds: Kinds): QueryTerm[] {
  const words = wordsOf(q)
  const isUnfinished = !/[\s,;.]$/.test(q)
  const terms: QueryTerm[] = []
  for (let at = 0; at < words.length; ) {
    const length = phraseAt(words, at, kinds)
    const own = words.slice(at, at + Math.max(1, length))
    const isOpen = isUnfinished && at + own.length === words.length
    const known = kinds.get(own.join(' ')) ?? (length === 0 ? kindsLike(own[0] as string, isOpen, kinds) : [])
    terms.push({ words: own, kinds: known, isOpen })
    at += own.length
  }
  return terms
}

/** Number of words of the longest phrase that begins at a word; 0 without one. */
function phraseAt(words: readonly string[], at: number, kinds: Kinds): number {
  for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0; length--)
    if (kinds.has(words.slice(at, at + length).join(' '))) return length
  return 0
}

/** The kinds that a word may be a misspelling or the beginning of. */
function kindsLike(word: string, isOpen: boolean, kinds: Kinds): readonly number[] {
  if (word.length < KIND_LETTERS || /\d/.test(word)) return []
  const found = new Set<number>()
  for (const [phrase, numbers] of kinds)
    if (phrase.length >= KIND_LETTERS && ((isOpen && phrase.startsWith(word)) || isMisspelt(word, phrase)))
      for (const number of numbers) found.add(number)
  return [...found]
}

function isMisspelt(word: string, phrase: string): boolean {
  if (word.length <= KIND_LETTERS || Math.abs(word.length - phrase.length) > 1) return false
  return differingLetters(lettersOf(word), lettersOf(phrase)) <= 2 && editDistance(word, phrase, 1) <= 1
}
