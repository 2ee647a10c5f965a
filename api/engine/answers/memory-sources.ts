import type { Answers } from '../../../lake/live/demand.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { ReadOf } from '../../kernel/endpoint.ts'
import type { Problem } from '../../kernel/problems.ts'
import type { RequestValues } from '../request/request.ts'
import type { CachedViews, TablesState } from '../state/cached-views.ts'
import { absentState, neverDelivered, notLanded } from './absent-data.ts'
import { CADENCE_S, type CurrentStates, currentStates, refreshOf } from './current-states.ts'
import { demandDocuments } from './demand-documents.ts'
import { absentLandings, absentParts, type MissingDataset, silenceOf } from './missing.ts'
import type { AnswerContext, Handler, Refresh } from './response-plan.ts'

/** The tables of a read that it needs. The answer's age is that of the first. */
interface NeededTables {
  readonly lake: readonly Dataset[]
  readonly needs: readonly Dataset[]
}

/** What a request is answered from, as it is at the time of the request. */
export interface MemorySources {
  readonly needed: NeededTables
  readonly tables: TablesState
  /** Documents fetched on demand. */
  readonly answers: Answers
  /** Datasets that are left out because nothing delivers them at present. */
  readonly silent: readonly { readonly dataset: Dataset; readonly reason: MissingDataset['reason'] }[]
  readonly live: CurrentStates
  /** Parts that feeds have not delivered yet; the answer goes without them. */
  readonly absent: readonly MissingDataset[]
  /** When the newest source was published, ms. */
  readonly updated_at: number
  readonly refresh: Refresh
}

/** The tables of a read without any. */
const NO_TABLES: TablesState = Object.freeze({ version: '', covered_until: null, latest_row_at: null, changed_at: null, awaited: [] })

/** Makes the function that finds what a request is answered from. It throws the problem of data that is not there yet. */
export function sourcesFinder(
  context: AnswerContext,
  read: ReadOf<'memory'>,
  { lake, kept }: { readonly lake: Lake; readonly kept: CachedViews },
): (values: RequestValues, options: Pick<Parameters<Handler>[1], 'now' | 'lease'>) => Promise<MemorySources> {
  const { state } = context
  const { lake: tablesRead = [], onlyFresh = [] } = read
  const all: NeededTables = { lake: tablesRead, needs: read.needs ?? tablesRead }
  const byPrimary = new Map(
    tablesRead.map((dataset) => [dataset, { lake: [dataset, ...tablesRead.filter((one) => one !== dataset)], needs: [dataset] }]),
  )
  const absent = async ({ lake: [first], needs }: NeededTables): Promise<Problem> => {
    const table = needs.length > 0 ? first : undefined
    return table ? neverDelivered(table, state.system().feeds) : await absentState(read.from[0] as Dataset, { state, lake })
  }
  return async ({ own }, { now, lease }) => {
    const needed = (read.primary && byPrimary.get(read.primary(own))) ?? all
    const tables = tablesRead.length > 0 ? await kept.state(needed, state.system().feeds) : NO_TABLES
    const answers = await demandDocuments(state, read, { values: own, now, cached: (query, key) => kept.get(query, key, lease) })
    const silent = onlyFresh.flatMap((dataset) => {
      const reason = silenceOf(dataset, state)
      return reason === null ? [] : [{ dataset, reason }]
    })
    const left = silent.map(({ dataset }) => dataset)
    const live = currentStates(state, read.from, left)
    const updated_at = newestOf(read, needed.needs, { live, tables })
    if (updated_at === null) throw await absent(needed)
    const lacking = lackingFeeds(tables, read.parts?.(own) ?? null, { needs: needed.needs, feeds: state.system().feeds })
    const absentNow = [...absentParts(read.from, state), ...absentLandings(needed.needs, lacking, state.system())]
    const usual = refreshAt(
      context,
      { from: read.from, lake: needed.lake },
      { live, covered_until: tables.covered_until ?? updated_at, now },
    )
    const delivered = onlyFresh.filter((dataset) => !left.includes(dataset))
    const refresh = delivered.length === 0 ? usual : soonest(usual, { cadences_s: delivered.map((one) => state.cadence_s(one)), now })
    return { needed, tables, answers, silent, absent: absentNow, live, updated_at, refresh }
  }
}

/**
 * Returns the feeds that a request uses (null: all) and that have not landed yet. Throws the problem of an answer for which that
 * is true of all of them, or of all that fill its first table.
 */
function lackingFeeds(
  { awaited }: TablesState,
  parts: readonly string[] | null,
  { needs, feeds }: { readonly needs: readonly Dataset[]; readonly feeds: readonly FeedListing[] },
): readonly string[] {
  const lacking = awaited.filter((feed) => parts === null || parts.includes(feed))
  if (lacking.length === 0) return []
  const isUsed = ({ id, enabled }: FeedListing): boolean => enabled && (parts?.includes(id) ?? true)
  const filling = (of: readonly Dataset[]): FeedListing[] =>
    feeds.filter((feed) => isUsed(feed) && of.some(({ id }) => feed.datasets.includes(id)))
  for (const some of [needs, needs.slice(0, 1)]) {
    const own = filling(some)
    if (own.length > 0 && own.every(({ id }) => lacking.includes(id))) throw notLanded(lacking, needs)
  }
  return lacking
}

/** Throws the problem of tables that some of these feeds have not landed in yet. */
export function refuseAwaited({ awaited }: TablesState, feeds: readonly string[], { needs }: NeededTables): void {
  const lacking = awaited.filter((feed) => feeds.includes(feed))
  if (lacking.length > 0) throw notLanded(lacking, needs)
}

/** Returns when the newest source of an answer was published, ms since the epoch; null if none was. */
function newestOf(
  { isOfAny }: Pick<ReadOf<'memory'>, 'isOfAny'>,
  needs: readonly Dataset[],
  { live, tables }: { readonly live: CurrentStates; readonly tables: TablesState },
): number | null {
  const { primary, states } = live
  if (needs.length > 0) return tables.covered_until === null ? null : (primary?.updated_at ?? tables.covered_until)
  if (primary) return primary.updated_at
  const times = isOfAny ? states.flatMap(({ parts }) => parts.map(({ data_time }) => data_time)) : []
  return times.length === 0 ? null : Math.max(...times)
}

/**
 * Returns when an answer should change: with its first state (any moment if that was never published), otherwise with its first
 * table.
 */
function refreshAt(
  context: AnswerContext,
  { from, lake = [] }: Pick<ReadOf<'memory'>, 'from' | 'lake'>,
  { live, covered_until, now }: { readonly live: CurrentStates; readonly covered_until: number; readonly now: number },
): Refresh {
  const { state } = context
  const [first] = from
  if (live.primary) return refreshOf(state, from, live.primary)
  if (!first) return refreshOfLake(context, lake, { covered_until, now })
  const cadence_s = state.cadence_s(first) ?? CADENCE_S
  return { at: () => now + 1000 * cadence_s, cadence_s }
}

/** Returns a refresh that comes no later than one cadence of other datasets from now. */
function soonest(usual: Refresh, { cadences_s, now }: { readonly cadences_s: readonly (number | null)[]; readonly now: number }): Refresh {
  const cadence_s = Math.min(usual.cadence_s, ...cadences_s.map((one) => one ?? CADENCE_S))
  return { cadence_s, at: () => Math.min(usual.at(), now + 1000 * cadence_s) }
}

/** Returns when a table should grow: one cadence after its feed's last answer. A derived table may grow at any moment. */
function refreshOfLake(
  { state }: AnswerContext,
  [first]: readonly Dataset[],
  { covered_until, now }: { readonly covered_until: number; readonly now: number },
): Refresh {
  const dataset = first as Dataset
  const cadence_s = state.cadence_s(dataset) ?? 0
  const feeds = state.system().feeds.filter((feed) => feed.enabled && feed.datasets.includes(dataset.id))
  if (feeds.length === 0) return { at: () => now + 1000 * CADENCE_S, cadence_s: CADENCE_S }
  const at = (): number => {
    const asked = feeds.map(({ id }) => state.live.feedStates().get(id)?.last_success_at ?? covered_until)
    return Math.min(...asked) + 1000 * cadence_s
  }
  return { at, cadence_s }
}
