import { createHash, hash } from 'node:crypto'
import { distanceM } from '../../../lake/places/distance.ts'
import { placeAt } from '../../../lake/places/municipalities.ts'
import { boxOfRegion, provincesOf } from '../../../lake/places/regions.ts'
import { PLANS, type Plan } from '../../../lake/schema/dataset.ts'
import type { Posts } from '../../endpoints/road/posts.ts'
import { type Collection, detailPathOf, FIELDS, type SearchDocument } from '../../endpoints/search/collection.ts'
import { Turn } from '../../kernel/http/turns.ts'
import type { PageAsk } from '../../kernel/page.ts'
import type {
  NearbyAsk,
  SearchAsk,
  SearchCollectionView,
  SearchFound,
  SearchHit,
  SearchView,
  SearchViews,
} from '../../kernel/reads/search-view.ts'
import { indexedDocument, indexedNames, weightsOf } from './documents.ts'
import { foldCode, wordsOf } from './fold.ts'
import { IndexThread } from './index-thread.ts'
import type { FoundIn } from './messages.ts'
import { type Kinds, kindsOf, positionIn, type RoadPlaceQuery, roadPlaceIn, termsOf } from './query.ts'

/** Maximum hits of an answer. */
const MAX_HITS = 1000
/** Candidates of a suggestion: callers request about ten. */
const MAX_SUGGESTED = 100
/** Documents sent at a time. */
const BATCH = 250
/** Radius around a position that is typed as a query, m. */
const AROUND_M = 25_000
const ROADS = 'roads'
const ROAD_PLACE_PATH = '/api/geo/pk'

/** The documents of a collection in the last build: their number, and a digest of them. */
interface Built {
  readonly documents: number
  readonly digest: string
}

/** The highest plan: it finds everything. */
const FULL = PLANS.at(-1) as Plan

/** The index of a process: documents and search structures are in its thread. */
export class SearchIndex {
  readonly #collections: readonly Collection[]
  readonly #numbers: ReadonlyMap<string, number>
  readonly #kinds: Kinds
  readonly #planOf: (path: string) => Plan | null
  readonly #built = new Map<number, Built>()
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
    const one = this.#collections[number] as Collection
    const turn = new Turn()
    const all: SearchDocument[] = []
    const digest = createHash('sha256')
    for (const document of documents) {
      all.push(document)
      digest.update(JSON.stringify(document))
      if (turn.isOver) await turn.next()
    }
    const built = { documents: all.length, digest: digest.digest('base64url') }
    if (built.digest === this.#built.get(number)?.digest) return false
    const forms = [
      { as: number, form: indexedDocument },
      ...(this.#planNumber(number) === 0 ? [] : [{ as: this.#namesOf(number), form: indexedNames }]),
    ]
    for (let at = 0; at < Math.max(1, all.length); at += BATCH) {
      for (const { as, form } of forms) this.#thread.collect(as, all.slice(at, at + BATCH).map(form), at === 0)
      await turn.next()
    }
    const described = { id, detail: one.detail, plan: this.#planOf(detailPathOf(one)) as Plan, weights: weightsOf(one.weights) }
    // The version changes before any later answer arrives, so that no reply has hits of other documents than its version.
    const build = ({ as }: { readonly as: number }): Promise<void> =>
      this.#thread.build(as, described, () => {
        this.#built.set(as, built)
        this.#renew()
      })
    await Promise.all(forms.map(build))
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
      search: (ask, page) => this.search(ask, page, plan),
      suggest: (ask, page) => this.suggest(ask, page, plan),
      nearby: (ask, page) => this.nearby(ask, page, plan),
    }
  }

  /** The version is a digest of the documents and their time, so it is the same in every process with the same documents. */
  #renew(): void {
    const digests = [...this.#built].sort(([one], [other]) => one - other).map(([number, { digest }]) => `${this.#idOf(number)} ${digest}`)
    this.#version = hash('sha256', [this.#changed_at, this.#context, ...digests].join('\n'), 'base64url')
  }

  /** Searches as a caller of a plan may: see `SearchView`. */
  async search(ask: SearchAsk, page: PageAsk, plan = FULL): Promise<SearchFound> {
    const position = positionIn(ask.q)
    if (position) {
      const around = { ...position, radius_m: AROUND_M, collections: ask.collections }
      return await this.#near(around, { page, plan, town: placeAt(position).municipality_code })
    }
    const named = roadPlaceIn(ask.q)
    const first = named && this.#isAsked(ROADS, ask) ? this.#located(named, ask) : []
    // Results on the road are sorted by their distance from the kilometre.
    const near = ask.near ?? first[0]?.position ?? null
    return await this.#ranked(named ? { ...ask, q: named.rest, near } : ask, { page, plan, typos: 'always', limit: MAX_HITS, first })
  }

  /** Completes a text as a caller of a plan may. */
  async suggest(ask: SearchAsk, page: PageAsk, plan = FULL): Promise<SearchFound> {
    return await this.#ranked(ask, { page, plan, typos: 'fallback', limit: MAX_SUGGESTED, first: [] })
  }

  /** Finds the documents around a point that a caller of a plan may see. */
  nearby(ask: NearbyAsk, page: PageAsk, plan = FULL): Promise<SearchFound> {
    return this.#near(ask, { page, plan, town: null })
  }

  /** Memory use of the thread in bytes. */
  memory(): Promise<number> {
    return this.#thread.memory()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #ranked(
    { q, near, region, collections }: SearchAsk,
    how: {
      readonly page: PageAsk
      readonly plan: Plan
      readonly typos: 'always' | 'fallback'
      readonly limit: number
      readonly first: readonly SearchHit[]
    },
  ): Promise<SearchFound> {
    const { page, plan, typos, limit, first } = how
    const found = await this.#thread.rank({
      ask: {
        terms: termsOf(q, this.#kinds),
        code: foldCode(q),
        provinces: region && provincesOf(region).map(Number),
        box: region && boxOfRegion(region),
        near,
        typos,
      },
      ...{ q, words: wordsOf(q), first, collections: this.#numbersOf(collections, plan), limit, page },
    })
    const roads = first.length === 0 ? [] : [[this.#numbers.get(ROADS) as number, first.length] as const]
    return this.#found({ ...found, counts: [...roads, ...found.counts] })
  }

  async #near(
    { collections, ...around }: NearbyAsk,
    { page, plan, town }: { readonly page: PageAsk; readonly plan: Plan; readonly town: string | null },
  ): Promise<SearchFound> {
    return this.#found(await this.#thread.near({ around, town, collections: this.#numbersOf(collections, plan), limit: MAX_HITS, page }))
  }

  /** Adds up the numbers of matches by collection, whichever of its two indexes they are from. */
  #found({ counts, ...page }: FoundIn): SearchFound {
    const sums = new Map<number, number>()
    for (const [number, hits] of counts) {
      const own = number % this.#collections.length
      sums.set(own, (sums.get(own) ?? 0) + hits)
    }
    const inOrder = [...sums].sort(([one], [other]) => one - other)
    return { ...page, counts: inOrder.map(([number, hits]) => ({ collection: this.#idOf(number), hits })) }
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

  #described(one: Collection): SearchCollectionView {
    const { id, title, about } = one
    const slices = Object.values(one.slices).flatMap(({ from }) => from)
    return {
      ...{ id, title, about },
      documents: this.#built.get(this.#numbers.get(id) as number)?.documents ?? 0,
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
