import type { Lake } from '../../lake/open.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { datasetsOf, type ListReturn, pathParams, type ReadOf, type RestsOn, type State } from '../define/endpoint.ts'
import { memo } from '../define/memo.ts'
import type { Counted, Drafted, Listed, MemoryAsk } from '../define/memory-read.ts'
import type { Problem } from '../define/problems.ts'
import { recordWriter } from '../define/shape.ts'
import { absentState, neverDelivered, notLanded } from './absent-data.ts'
import { type AnswerContext, type Body, type Handler, headOf, type Refresh, steppedNow, unknownThing } from './answer.ts'
import type { CachedViews, TablesState } from './cached-views.ts'
import { metaOf } from './compose.ts'
import { coverageOf, gapOf } from './coverage.ts'
import { CADENCE_S, type CurrentStates, currentStates, refreshOf } from './current-states.ts'
import { demandDocuments, tagOf } from './demand-documents.ts'
import { type MissingDataset, missingFinder, silenceOf } from './missing.ts'
import { noMatches } from './no-match.ts'
import { optionalQueries } from './optional-queries.ts'
import { orderOf } from './paging.ts'
import { pastThing } from './past-things.ts'
import { chosen, oneBody, pageBody } from './record-bodies.ts'
import { textsOfShapes } from './records.ts'
import { selected, withDistances } from './selection.ts'
import { shownRecord } from './shown-record.ts'
import { SortedRecords } from './sorted-records.ts'

/** The tables of a read that it needs. The answer's age is that of the first. */
interface NeededTables {
  readonly lake: readonly Dataset[]
  readonly needs: readonly Dataset[]
}

/** The tables of a read without any. */
const NO_TABLES: TablesState = Object.freeze({ version: '', covered_until: null, latest_row_at: null, changed_at: null, awaited: [] })

/**
 * Answers lists and single things from the current state and cached queries of the lake. Things that are over come from the lake.
 */
export function memoryHandler(context: AnswerContext, read: ReadOf<'memory'>, lake: Lake, kept: CachedViews): Handler {
  const { endpoint, state } = context
  const { returns } = endpoint
  const { lake: tablesRead = [] } = read
  const textsOf = textsOfShapes(returns)
  // Records made for one page appear on no other.
  const pageTextsOf = textsOfShapes(returns, { remember: false })
  const shapeOf = shownRecord(endpoint)
  const countTexts = recordWriter({ name: '', about: '', fields: (returns.kind === 'list' && returns.counts) || {} })
  const datasets = datasetsOf(endpoint)
  const liveSources = new Set(read.from.flatMap(({ sources }) => sources))
  const gap = gapOf(endpoint)
  const watched = [...datasets, ...(read.madeFrom ?? []).map(({ dataset }) => dataset)]
  const allTables: NeededTables = { lake: tablesRead, needs: read.needs ?? tablesRead }
  const tablesBy = new Map(
    tablesRead.map((dataset) => [dataset, { lake: [dataset, ...tablesRead.filter((one) => one !== dataset)], needs: [dataset] }]),
  )
  const recordsOf = memo((...states: [State, ...State[]]) => new SortedRecords(read.records?.(states) ?? []))
  const figure = endpoint.statistic ? { figure: endpoint.statistic } : {}
  const absent = async ({ lake: [first], needs }: NeededTables): Promise<Problem> => {
    const table = needs.length > 0 ? first : undefined
    return table ? neverDelivered(table, state.system().feeds) : await absentState(read.from[0] as Dataset, { state, lake })
  }
  const findMissing = read.reportsMissing ? missingFinder(read, { state, kept }) : null

  return async (values, { format, now, lease }) => {
    const needed = (read.primary && tablesBy.get(read.primary(values.own))) ?? allTables
    const { needs } = needed
    const tables = tablesRead.length > 0 ? await kept.state(needed, state.system().feeds) : NO_TABLES
    const answers = await demandDocuments(state, read, { values: values.own, now, cached: (query, key) => kept.get(query, key, lease) })
    const silent = (read.onlyFresh ?? []).flatMap((dataset) => {
      const reason = silenceOf(dataset, state)
      return reason === null ? [] : [{ dataset, reason }]
    })
    const left = silent.map(({ dataset }) => dataset)
    const live = currentStates(state, read.from, left)
    const updated_at = newestOf(read, needs, { live, tables })
    if (updated_at === null) throw await absent(needed)
    const awaited = read.parts?.(values.own) ?? tables.awaited
    const lacking = tables.awaited.filter((feed) => awaited.includes(feed))
    if (lacking.length > 0) throw notLanded(lacking, needs)
    const versions = {
      datasets: watched,
      of: [tables.version, ...live.of, ...tagOf(answers)],
      changed_at: Math.max(tables.changed_at ?? 0, live.changed_at),
    }
    const usual = refreshAt(
      context,
      { from: read.from, lake: needed.lake },
      { live, covered_until: tables.covered_until ?? updated_at, now },
    )
    const delivered = (read.onlyFresh ?? []).filter((dataset) => !left.includes(dataset))
    const refresh = delivered.length === 0 ? usual : soonest(usual, { cadences_s: delivered.map((one) => state.cadence_s(one)), now })
    const common = { format, now, data_time: updated_at, refresh, clockGranularity_s: read.clockGranularity_s ?? 0 }
    const published = (dataset: Dataset): boolean => live.states[read.from.indexOf(dataset)]?.parts.length !== 0
    const used = datasets.filter((dataset) => (read.omitsUnpublished ? published(dataset) : !left.includes(dataset)))
    // A source of the current state stays named, whatever the timetables.
    const otherSources = (read.otherSources?.(values.own) ?? []).filter((source) => !liveSources.has(source))
    const head = headOf(context, values, { ...common, versions, from: used, otherSources })
    const at = steppedNow(head.clockGranularity_s, now)
    const shape = shapeOf(values)
    const texts = textsOf(shape)
    const extras = optionalQueries(kept, lease)
    const ask: MemoryAsk<readonly Dataset[]> = {
      states: live.states,
      cached: (query, key) => kept.get(query, key, lease),
      optional: extras.get,
      answers,
    }

    const find = async (): Promise<Listed<AnyRow> | AnyRow | null> => {
      if (read.answer) return await read.answer(ask, values.own, at)
      // A selection of sorted records is sorted, so sorting a page costs little.
      const all = await recordsOf(...(live.states as [State])).inOrder(orderOf(returns as ListReturn, values.page.sort))
      read.check?.(all as never, values.own)
      const found = selected(all, endpoint, values, at)
      return read.pick?.(found, values.own, at) ?? found
    }
    const absences: MissingDataset[] = silent.map(({ dataset, reason }) => ({ dataset: dataset.id, reason }))
    const missing = findMissing || read.onlyFresh ? { missing: [...((await findMissing?.()) ?? []), ...absences] } : {}
    const bodyOf = async (found: Listed<AnyRow> | AnyRow | null, signal: AbortSignal): Promise<Body> => {
      if (found === null) {
        const feeds = read.feedsOfId?.(values.own) ?? tables.awaited
        const unknown = tables.awaited.filter((feed) => feeds.includes(feed))
        if (unknown.length > 0) throw notLanded(unknown, needs)
        throw unknownThing(values.path, (await read.suggestion?.(ask, values.own)) ?? null)
      }
      const lacks = coverageOf(gap, values.own)
      const about = metaOf(state, used, {
        ...(live.primary ? {} : { kept: tables }),
        ...figure,
        ...missing,
        ...lacks,
        otherSources,
      })
      if (returns.kind === 'one') {
        const body = await oneBody(context, values, { texts, shape, record: found as AnyRow, format, meta: about, signal })
        return { ...body, ...extras.status() }
      }
      const { records, finish, counts, isLacking, restsOn, unlocated, missingYears } = listed(found as Listed<AnyRow>)
      const selects = read.answer ? selected(records, endpoint, values, at) : records
      const all = withDistances(chosen(selects, context, values), endpoint, values)
      const from = read.answer ? records : await recordsOf(...(live.states as [State])).inOrder(orderOf(returns, values.page.sort))
      const none = all.length === 0 ? noMatches(from, endpoint, values, at) : []
      const isLate = restsOn ? restsOn.some(({ dataset, source }) => state.isStale(dataset, source)) : about.stale
      const body = await pageBody(context, values, {
        texts: finish ? pageTextsOf(shape) : texts,
        shape,
        all,
        finish,
        counts: countTexts(counts),
        ...{ format, now, updated_at, signal },
        meta: {
          ...about,
          ...(none.length > 0 ? { no_match: none } : {}),
          ...(unlocated === undefined ? {} : { unlocated }),
          ...(missingYears === undefined ? {} : { missing_years: missingYears }),
          stale: isLacking || isLate,
        },
      })
      return { ...body, ...extras.status() }
    }
    const isInPart = { mayBePartial: tablesRead.length > 0 }
    if (!read.past) {
      const mayNotExist = pathParams(endpoint.path).length > 0
      return { head, answer: async (signal) => bodyOf(await find(), signal), isFromMemory: true, mayNotExist, ...isInPart }
    }
    // If the thing is no longer current, the answer's version is that of the lake alone.
    const found = await find()
    if (found !== null) return { head, answer: (signal) => bodyOf(found, signal), isFromMemory: true, ...isInPart }
    const { primary } = live
    if (!primary) throw await absentState(read.from[0] as Dataset, { state, lake })
    return await pastThing(context, values, { past: read.past, from: read.from, primary, versions, common, texts, lake })
  }
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

/** Returns the parts of a list in one form, whichever way it was given. */
function listed(found: Listed<AnyRow>): {
  readonly records: readonly AnyRow[]
  readonly finish?: Drafted<AnyRow>['finish']
  readonly counts: Readonly<Record<string, number>>
  readonly isLacking?: boolean
  readonly restsOn?: readonly RestsOn[]
  readonly unlocated?: number
  readonly missingYears?: readonly number[]
} {
  if (Array.isArray(found)) return { records: found as readonly AnyRow[], counts: {} }
  if ('drafts' in found) return { ...(found as Drafted<AnyRow>), records: (found as Drafted<AnyRow>).drafts as readonly AnyRow[] }
  return found as Counted<AnyRow>
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
