import { createHash, hash } from 'node:crypto'
import { distanceM } from '../../../lake/places/distance.ts'
import { placeAt } from '../../../lake/places/municipalities.ts'
import { foldName } from '../../../lake/places/names.ts'
import { boxOfRegion, provincesOf } from '../../../lake/places/regions.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { PLANS, type Plan } from '../../../lake/schema/dataset.ts'
import type { Posts } from '../../endpoints/road/posts.ts'
import { type Collection, detailPathOf, detailUrl, FIELDS, type SearchDocument } from '../../endpoints/search/collection.ts'
import { Turn } from '../../kernel/http/turns.ts'
import type { SearchAsk, SearchCollectionView, SearchFound, SearchHit, SearchView, SearchViews } from '../../kernel/reads/search-view.ts'
import { indexedDocument, indexedNames, weightsOf } from './documents.ts'
import { foldCode, wordsOf } from './fold.ts'
import { highlightsOf } from './highlight.ts'
import { IndexThread } from './index-thread.ts'
import { type Kinds, kindsOf, positionIn, type RoadPlaceQuery, roadPlaceIn, termsOf } from './query.ts'
import type { Ranked, RankedHit } from './ranking.ts'
import type { IndexedDocument } from './segment.ts'

/** Maximum hits of an answer. */
const HITS_MOST = 1000
/** Candidates of a suggestion: callers request about ten. */
const SUGGESTED_MOST = 100
/** Documents sent at a time. */
const BATCH = 250
/** Hits among which a whole name is looked for, and how much its score exceeds the best one. */
const NAMED_AMONG = 50
const NAMED_STEP = 2e-6
/** Radius around a position that is typed as a query, m. */
const AROUND_M = 25_000
const ROADS = 'roads'
const MUNICIPALITIES = 'municipalities'
const ROAD_PLACE_PATH = '/api/geo/pk'

/** The documents of a collection in the last build. */
interface Held {
  readonly documents: readonly SearchDocument[]
  readonly digest: string
}

/** The highest plan: it finds everything. */
const FULL = PLANS.at(-1) as Plan

/** The index of a process: its documents are here, the search structures in a thread. */
export class SearchIndex {
  readonly #collections: readonly Collection[]
  readonly #numbers: ReadonlyMap<string, number>
  readonly #kinds: Kinds
  readonly #planOf: (path: string) => Plan | null
  readonly #held = new Map<number, Held>()
  readonly #thread: IndexThread
  #posts: Posts | null = null
  #context = ''
  #version = ''
  #changed_at = 0

  constructor(options: {
    readonly collections: readonly Collection[]
    /** Plan of the endpoint of a path; null if it does not exist. */
    readonly planOf: (path: string) => Plan | null
    /** Called if the thread ends unexpectedly: the index is then unusable. */
    readonly onEnd: (error: Error) => void
  }) {
    this.#collections = options.collections
    this.#numbers = new Map(this.#collections.map(({ id }, number) => [id, number]))
    this.#kinds = kindsOf(this.#collections)
    this.#planOf = options.planOf
    this.#thread = new IndexThread(options.onEnd)
  }

  /** Sets the positions of road kilometres; `version` is a text that changes with them. */
  setPosts(posts: Posts | null, version: string): void {
    this.#posts = posts
    this.#context = version
    this.#renew()
  }

  /** Sets when the sources of the documents last changed, ms: equal in all processes. Returns false if that is known. */
  setChangedAt(changed_at: number): boolean {
    if (this.#changed_at === changed_at) return false
    this.#changed_at = changed_at
    this.#renew()
    return true
  }

  /** Replaces the documents of a collection without blocking other work. Returns false if they are unchanged. */
  async replace(id: string, documents: Iterable<SearchDocument>): Promise<boolean> {
    const number = this.#numbers.get(id) as number
    const { weights } = this.#collections[number] as Collection
    const turn = new Turn()
    const all: SearchDocument[] = []
    const digest = createHash('sha256')
    for (const document of documents) {
      all.push(document)
      digest.update(JSON.stringify(document))
      if (turn.isOver) await turn.next()
    }
    const held = { documents: all, digest: digest.digest('base64url') }
    if (held.digest === this.#held.get(number)?.digest) return false
    const indexed = (at: number, forms: (document: SearchDocument) => IndexedDocument): IndexedDocument[] =>
      all.slice(at, at + BATCH).map(forms)
    const isOpen = this.#planNumber(number) === 0
    for (let at = 0; at < Math.max(1, all.length); at += BATCH) {
      this.#thread.collect(number, indexed(at, indexedDocument), at === 0)
      if (!isOpen) this.#thread.collect(this.#namesOf(number), indexed(at, indexedNames), at === 0)
      await turn.next()
    }
    // Each index has the documents that it was built from: their numbers differ from those of the other until both are built.
    const build = (as: number): Promise<void> =>
      this.#thread.build(as, weightsOf(weights), () => {
        this.#held.set(as, held)
        this.#renew()
      })
    await Promise.all([build(number), ...(isOpen ? [] : [build(this.#namesOf(number))])])
    return true
  }

  /** Returns a live view of the index. Each call returns a new object, so that callers can detect a change. */
  views(): SearchViews {
    return { of: (plan) => this.#view(plan) }
  }

  #view(plan: Plan): SearchView {
    const version = (): string => `${this.#version} ${plan}`
    const changedAt = (): number => this.#changed_at
    const described = (): SearchCollectionView[] => this.#collections.map((one) => this.#described(one))
    return {
      get version() {
        return version()
      },
      get changed_at() {
        return changedAt()
      },
      get collections() {
        return described()
      },
      restricted: (collections) => this.#restricted(collections, plan),
      search: (ask) => this.search(ask, plan),
      suggest: (ask) => this.suggest(ask, plan),
      nearby: (around, collections) => this.nearby(around, collections, plan),
    }
  }

  /** The version is a digest of the documents and their time, so it is the same in every process with the same documents. */
  #renew(): void {
    const digests = [...this.#held].sort(([one], [other]) => one - other).map(([number, { digest }]) => `${this.#idOf(number)} ${digest}`)
    this.#version = hash('sha256', [this.#changed_at, this.#context, ...digests].join('\n'), 'base64url')
  }

  /** Searches as a caller of a plan may: see `SearchView`. */
  async search(ask: SearchAsk, plan = FULL): Promise<SearchFound> {
    const position = positionIn(ask.q)
    if (position) return this.#at(position, ask.collections, plan)
    const named = roadPlaceIn(ask.q)
    const located = named && this.#isAsked(ROADS, ask) ? this.#located(named, ask) : []
    // Results on the road are sorted by their distance from the kilometre.
    const near = ask.near ?? located[0]?.position ?? null
    const found = await this.#ranked(named ? { ...ask, q: named.rest, near } : ask, { typos: 'always', limit: HITS_MOST, plan })
    if (located.length === 0) return found
    const counts = withMore(found.counts, ROADS, located.length)
    return { hits: [...located, ...found.hits].slice(0, HITS_MOST), counts }
  }

  /** Completes a text as a caller of a plan may. */
  async suggest(ask: SearchAsk, plan = FULL): Promise<SearchFound> {
    return await this.#ranked(ask, { typos: 'fallback', limit: SUGGESTED_MOST, plan })
  }

  /** Finds the documents around a point that a caller of a plan may see. */
  nearby(around: Point & { readonly radius_m: number }, collections: readonly string[] | null, plan = FULL): Promise<SearchFound> {
    const how = { collections: this.#numbersOf(collections, plan), limit: HITS_MOST }
    return this.#thread.near(around, how, (ranked) => this.#found(ranked, { near: around, words: [] }))
  }

  /** Memory use of the thread in bytes. */
  memory(): Promise<number> {
    return this.#thread.memory()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  #ranked(
    ask: SearchAsk,
    { typos, limit, plan }: { readonly typos: 'always' | 'fallback'; readonly limit: number; readonly plan: Plan },
  ): Promise<SearchFound> {
    const terms = termsOf(ask.q, this.#kinds)
    const { near } = ask
    const provinces = ask.region && provincesOf(ask.region).map(Number)
    const box = ask.region && boxOfRegion(ask.region)
    const words = wordsOf(ask.q)
    const shown = { near, words, q: ask.q }
    const how = { collections: this.#numbersOf(ask.collections, plan), limit }
    return this.#thread.rank({ terms, code: foldCode(ask.q), provinces, box, near, typos }, how, (ranked) =>
      this.#found(this.#namesFirst(ranked, shown), shown),
    )
  }

  /**
   * Ranks what has exactly the query's name first, if words of it are too common to search for: `la palma` is not Palma. Numbers
   * are valid, because a later build is not known yet.
   */
  #namesFirst({ hits, counts }: Ranked, { q, words }: { readonly q: string; readonly words: readonly string[] }): Ranked {
    const name = foldName(q)
    const [first] = hits
    if (!first || name.split(' ').length === words.length) return { hits, counts }
    const isNamed = ({ collection, document }: RankedHit): boolean => {
      const { title, names = [] } = this.#held.get(collection)?.documents[document] as SearchDocument
      return [title, ...names].some((one) => foldName(one) === name)
    }
    const at = hits.slice(0, NAMED_AMONG).findIndex(isNamed)
    if (at <= 0) return { hits, counts }
    const raised = { ...(hits[at] as RankedHit), score: first.score + NAMED_STEP }
    return { hits: [raised, ...hits.toSpliced(at, 1)], counts }
  }

  /** Looks up the documents of hits. Their numbers are valid, because a later build is not known yet. */
  #found({ hits, counts }: Ranked, how: { readonly near: Point | null; readonly words: readonly string[] }): SearchFound {
    return {
      hits: hits.map((hit) => this.#hit(hit, how)),
      counts: [...counts].sort(([one], [other]) => one - other).map(([number, count]) => ({ collection: this.#idOf(number), hits: count })),
    }
  }

  #hit(
    { collection: number, document: at, score }: RankedHit,
    { near, words }: { readonly near: Point | null; readonly words: readonly string[] },
  ): SearchHit {
    const isWhole = number < this.#collections.length
    const own = isWhole ? number : number - this.#collections.length
    const collection = this.#collections[own] as Collection
    const document = this.#held.get(number)?.documents[at] as SearchDocument
    const { id, title } = document
    const { subtitle, position, province_code } = isWhole ? document : { subtitle: null, position: null, province_code: null }
    return {
      ...{ collection: collection.id, id, title, subtitle, position, province_code },
      score: Math.round(1e6 * score) / 1e6,
      distance_m: near && position ? Math.round(distanceM(near, position)) : null,
      // A getter, because only the hits of one page are shown.
      get highlights() {
        return [...highlightsOf('title', title, words), ...highlightsOf('subtitle', subtitle, words)]
      },
      url: detailUrl(collection, document),
      plan: this.#planOf(detailPathOf(collection)) as Plan,
    }
  }

  /** The kilometre of a named road, or one per province with a road of that name. */
  #located({ road, km, province_code }: RoadPlaceQuery, ask: SearchAsk): SearchHit[] {
    const found = this.#posts?.inRegion(road, km, ask.region ?? (province_code === null ? null : [province_code])) ?? []
    return found.map((place, nth) => {
      const title = `${place.road} km ${km}`
      const { near } = ask
      const query = new URLSearchParams({ road: place.road, km: String(km), province: place.province_code })
      return {
        ...{ collection: ROADS, id: `${place.road}/${place.province_code}/${km}`, title, subtitle: null },
        ...{ position: place.position, province_code: place.province_code },
        score: 2 - nth / 1000,
        distance_m: near ? Math.round(distanceM(near, place.position)) : null,
        highlights: [{ field: 'title', start: 0, length: title.length }],
        url: `${ROAD_PLACE_PATH}?${query}`,
        plan: this.#planOf(ROAD_PLACE_PATH) as Plan,
      }
    })
  }

  /** Finds the municipality of a position, then the nearest documents. */
  async #at(position: Point, collections: readonly string[] | null, plan: Plan): Promise<SearchFound> {
    const { hits, counts } = await this.nearby({ ...position, radius_m: AROUND_M }, collections, plan)
    const { municipality_code } = placeAt(position)
    const isAround = ({ collection, id }: SearchHit): boolean => collection === MUNICIPALITIES && id === municipality_code
    const scored = hits.map((hit) => ({ ...hit, score: isAround(hit) ? 2 : 1 / (1 + (hit.distance_m ?? 0) / 1000) }))
    return { hits: scored.sort((one, other) => other.score - one.score), counts }
  }

  #described(one: Collection): SearchCollectionView {
    const { id, title, about } = one
    const slices = Object.values(one.slices).flatMap(({ from }) => from)
    return {
      ...{ id, title, about },
      documents: this.#held.get(this.#numbers.get(id) as number)?.documents.length ?? 0,
      unavailable_reason: null,
      fields: FIELDS.flatMap((field) => (one.weights[field] > 0 ? [{ field, weight: one.weights[field] }] : [])),
      datasets: [...new Set([...one.from, ...slices].map((dataset) => dataset.id))],
      detail_path: one.detail,
      plan: this.#planOf(detailPathOf(one)),
    }
  }

  #idOf(number: number): string {
    return (this.#collections[number % this.#collections.length] as Collection).id
  }

  /** The number under which the names of a collection are searched for callers below its plan. */
  #namesOf(number: number): number {
    return number + this.#collections.length
  }

  /** Position of a collection's plan in `PLANS`: that of the endpoint that shows its documents. */
  #planNumber(number: number): number {
    return PLANS.indexOf(this.#planOf(detailPathOf(this.#collections[number] as Collection)) as Plan)
  }

  /** The numbers that a caller of a plan searches: whole collections up to the plan, names of the others. */
  #numbersOf(collections: readonly string[] | null, plan: Plan): readonly number[] {
    const numbers = collections?.flatMap((id) => this.#numbers.get(id) ?? []) ?? [...this.#numbers.values()]
    const most = PLANS.indexOf(plan)
    return numbers.map((number) => (this.#planNumber(number) <= most ? number : this.#namesOf(number)))
  }

  /** The collections that a plan sees by name only: see `SearchView`. */
  #restricted(collections: readonly string[] | null, plan: Plan): { readonly collection: string; readonly plan: Plan }[] {
    const asked = collections ?? this.#collections.map(({ id }) => id)
    const plans = asked.flatMap((id) => {
      const number = this.#numbers.get(id)
      return number === undefined ? [] : [{ collection: id, plan: PLANS[this.#planNumber(number)] as Plan }]
    })
    return plans.filter((one) => PLANS.indexOf(one.plan) > PLANS.indexOf(plan))
  }

  #isAsked(id: string, { collections }: SearchAsk): boolean {
    return collections === null || collections.includes(id)
  }
}

function withMore(counts: SearchFound['counts'], collection: string, more: number): SearchFound['counts'] {
  const before = counts.find((one) => one.collection === collection)?.hits ?? 0
  return [{ collection, hits: before + more }, ...counts.filter((one) => one.collection !== collection)]
}
