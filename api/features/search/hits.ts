import { distanceM } from '../../../lake/places/distance.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { detailUrl } from '../../endpoints/search/collection.ts'
import { pageOf } from '../../engine/request/paging.ts'
import type { PageAsk } from '../../kernel/page.ts'
import type { SearchHit } from '../../kernel/reads/search-view.ts'
import type { RankedHit } from './best.ts'
import { highlighter } from './highlight.ts'
import type { Described, FoundIn } from './messages.ts'
import type { Ranked, Searched } from './ranking.ts'

/** A collection in the index, and how its hits are shown. */
export interface Indexed extends Searched {
  readonly described: Described
}

/** What orders a hit, and the hit itself. */
type Draft = Pick<SearchHit, 'collection' | 'id' | 'title' | 'score' | 'distance_m'> & {
  readonly hit: () => Omit<SearchHit, 'score' | 'distance_m'>
}

/** Hits among which a whole name is looked for, and how much its score exceeds the best one. */
const NAMED_AMONG = 50
const NAMED_STEP = 2e-6

const rounded = (score: number): number => Math.round(1e6 * score) / 1e6

/** Ranks what has exactly the query's name first, if words of it are too common to search for: `la palma` is not Palma. */
export function namedFirst(
  index: readonly Indexed[],
  ranked: Ranked,
  { q, words }: { readonly q: string; readonly words: readonly string[] },
): Ranked {
  const { hits } = ranked
  const name = foldName(q)
  const [first] = hits
  if (!first || name.split(' ').length === words.length) return ranked
  const isNamed = ({ collection, document }: RankedHit): boolean =>
    index.some((one) => one.collection === collection && one.segment.namesOf(document).some((own) => foldName(own) === name))
  const at = hits.slice(0, NAMED_AMONG).findIndex(isNamed)
  if (at <= 0) return ranked
  const raised = { ...(hits[at] as RankedHit), score: first.score + NAMED_STEP }
  return { ...ranked, hits: [raised, ...hits.toSpliced(at, 1)] }
}

/** Makes the page of the best hits that is asked for; `first` go before them in the order of scores. */
export async function pageOfHits(
  index: readonly Indexed[],
  { hits, total: matches, counts }: Ranked,
  how: {
    readonly page: PageAsk
    readonly limit: number
    readonly near: Point | null
    readonly words: readonly string[]
    readonly first: readonly SearchHit[]
  },
): Promise<FoundIn> {
  const { page, limit, near, words, first } = how
  const highlightsOf = highlighter(words)
  const indexed = new Map(index.map((one) => [one.collection, one]))
  const draft = ({ collection, document, score }: RankedHit): Draft => {
    const { segment, described } = indexed.get(collection) as Indexed
    const position = near && segment.positionOf(document)
    return {
      ...{
        collection: described.id,
        id: segment.ids[document] as string,
        title: segment.titles[document] as string,
        score: rounded(score),
      },
      distance_m: near && position ? Math.round(distanceM(near, position)) : null,
      hit: () => {
        const shown = shownHit({ segment, described, collection }, document)
        return { ...shown, highlights: [...highlightsOf('title', shown.title), ...highlightsOf('subtitle', shown.subtitle)] }
      },
    }
  }
  const among = withTies(hits, page, limit)
  const drafts = [...first.map((hit) => ({ ...hit, hit: () => hit })), ...among.map(draft)].slice(0, limit)
  const { records, hasMore } = await pageOf(drafts, page)
  const total = Math.min(limit, first.length + matches)
  return {
    records: records.map(({ hit, score, distance_m }) => ({ ...hit(), score, distance_m })),
    total,
    hasMore: hasMore || drafts.length < total,
    counts: [...counts],
  }
}

/** How many of the best hits a page needs, besides those that score like the last of them; `limit` for all but a first page. */
export function hitsWanted({ order, after, limit: shown }: PageAsk, limit: number): number {
  const [by] = order
  const isFirst = by?.field === 'score' && by.falling && after === null && shown !== null
  return isFirst ? Math.min(limit, Math.max(NAMED_AMONG, shown)) : limit
}

/** The hits that the first page in the order of scores can show, and one more; all of them for any other page. */
function withTies(hits: readonly RankedHit[], page: PageAsk, limit: number): readonly RankedHit[] {
  const last = hitsWanted(page, limit) < limit ? hits[(page.limit as number) - 1] : undefined
  if (!last) return hits
  const end = hits.findIndex(({ score }) => rounded(score) < rounded(last.score))
  return end < 0 ? hits : hits.slice(0, end + 1)
}

/** A document as a reply shows it, but for its score, distance and highlights. */
function shownHit({ described, segment }: Indexed, document: number): Omit<SearchHit, 'score' | 'distance_m' | 'highlights'> {
  const shown = segment.shown(document)
  const { id, title, subtitle, position = null, province_code = null } = shown
  return {
    ...{ collection: described.id, id, title, subtitle, position, province_code },
    url: detailUrl(described, shown),
    plan: described.plan,
  }
}
