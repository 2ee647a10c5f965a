import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { StatesOf } from '../../kernel/endpoint.ts'
import type { CachedQuery } from '../../kernel/reads/cached-query.ts'

/** The fields of documents, in the order of their numbers. */
export const FIELDS = ['title', 'names', 'codes', 'place', 'text'] as const

/**
 * Field numbers in indexed documents. `variant` is the title with another name of its municipality; its weight is that of
 * `names`.
 */
export const FIELD_NUMBER = Object.freeze({ title: 0, names: 1, codes: 2, place: 3, text: 4, variant: 5 }) satisfies Readonly<
  Record<(typeof FIELDS)[number] | 'variant', number>
>

/** The weight of a match in each field, 0 to 5; a field of weight 0 is not searched. */
export type FieldWeights = Readonly<Record<(typeof FIELDS)[number], number>>

/** A document as a collection makes it. */
export interface SearchDocument {
  readonly id: string
  /** Shown and searched. */
  readonly title: string
  readonly subtitle: string | null
  /** Other names: former ones, other languages, short forms. */
  readonly names?: readonly string[]
  /** Codes in common use. */
  readonly codes?: readonly (string | null)[]
  /** Codes of this thing alone: a query that is such a code, and nothing else, finds it first. */
  readonly exact?: readonly (string | null)[]
  /** True for a municipality: where its name is the query, it ranks before everything else of its province. */
  readonly isTown?: true
  /** Other searched texts. The subtitle is one of them. */
  readonly text?: readonly (string | null)[]
  readonly position?: Point | null | undefined
  readonly province_code?: string | null | undefined
  /** Its names, and those of its province, are searched too, in every official language. */
  readonly municipality_code?: string | null
  /** How likely it is searched for, 0 to 1. */
  readonly importance: number
  /** Path value that replaces the id. */
  readonly link?: string | undefined
  /** Path and query that show it instead of the collection's detail. */
  readonly url?: string | undefined
}

/** Cached queries of the lake by name. */
type Slices = Readonly<Record<string, CachedQuery<unknown>>>
type ValuesOfQueries<S extends Slices> = { readonly [K in keyof S]: S[K] extends CachedQuery<infer T> ? T : never }

interface Described {
  /** Id, as in the API's list of collections. */
  readonly id: string
  readonly title: string
  readonly about: string
}

/** A collection of the search. */
export interface Collection<D extends readonly Dataset[] = readonly Dataset[], S extends Slices = Slices> extends Described {
  /** Words for this kind of thing, in any language: documents of the collection need not contain them. */
  readonly words: readonly string[]
  /** Datasets that it reads in their current state. */
  readonly from: D
  /** Cached queries of the lake that it uses, each with its present key, else the empty string. */
  readonly slices: S
  /** The request that shows a document: the path of an endpoint with the parameter for it in braces, in the path or the query. */
  readonly detail: string
  readonly weights: FieldWeights
  readonly documents: (states: StatesOf<D>, slices: ValuesOfQueries<S>) => Iterable<SearchDocument>
}

const WEIGHTS: FieldWeights = { title: 4, names: 4, codes: 5, place: 1.5, text: 1 }

/** Declares a collection; its words are separated by commas. */
export function defineCollection<const D extends readonly Dataset[] = readonly [], const S extends Slices = Readonly<Record<never, never>>>(
  spec: Omit<Collection<D, S>, 'weights' | 'from' | 'slices' | 'words'> & {
    readonly words: string
    readonly from?: D
    readonly slices?: S
    readonly weights?: Partial<FieldWeights>
  },
): Collection {
  const { from = [], slices = {}, weights = {} } = spec
  return Object.freeze({
    ...spec,
    words: spec.words.split(', '),
    from,
    slices,
    weights: { ...WEIGHTS, ...weights },
  }) as unknown as Collection
}

/** Joins the parts of a title or subtitle that are known. */
export function joinParts(parts: readonly (string | null | undefined)[], separator = ', '): string {
  return parts.filter((part) => part).join(separator)
}

/** The name of a municipality by INE code; null without one. */
export function townOf(code: string | null): string | null {
  return code === null ? null : (municipalityByCode(code)?.name ?? null)
}

/** The path of the endpoint that shows documents of a collection. */
export function detailPathOf({ detail }: Collection): string {
  return detail.split('?')[0] as string
}

/** The URL of a document's details. */
export function detailUrl({ detail }: Pick<Collection, 'detail'>, { id, link, url }: Pick<SearchDocument, 'id' | 'link' | 'url'>): string {
  return url ?? detail.replace(/\{\w+\}/, encodeURIComponent(link ?? id))
}
