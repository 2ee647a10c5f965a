import type { Lake } from '../../../lake/open.ts'
import type { ProvinceGap } from '../../../lake/places/gaps.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import type { InLease } from '../../auth/limits/in-lease.ts'
import { datasetsOf, type ListReturn, pathParams, type ReadOf, type State } from '../../kernel/endpoint.ts'
import type { Order } from '../../kernel/page.ts'
import { memo } from '../../kernel/reads/memo.ts'
import type { Counted, Drafted, Listed, MemoryAsk } from '../../kernel/reads/memory-read.ts'
import { recordWriter } from '../../kernel/reads/shape.ts'
import { orderOf, pageOf, sorted } from '../request/paging.ts'
import type { RequestValues } from '../request/request.ts'
import { selected, withDistances } from '../request/selection.ts'
import type { CachedViews } from '../state/cached-views.ts'
import { absentState, neverDelivered } from './absent-data.ts'
import { type Meta, metaOf } from './compose.ts'
import { gapOf, placeMetaOf } from './coverage.ts'
import { tagOf } from './demand-documents.ts'
import { type MemorySources, refuseAwaited, sourcesFinder } from './memory-sources.ts'
import { isAwaited, missingFinder } from './missing.ts'
import { noMatches } from './no-match.ts'
import { pastThing } from './past-things.ts'
import { askedPage, chosen, oneBody, pageBody } from './record-bodies.ts'
import { textsOfShapes } from './records.ts'
import {
  type AnswerContext,
  type Handler,
  headOf,
  type ResponseBody,
  type ResponsePlan,
  steppedNow,
  unknownThing,
  type Versions,
} from './response-plan.ts'
import { shownRecord } from './shown-record.ts'

type Options = Parameters<Handler>[1]
type Found = Listed<AnyRow> | AnyRow | null

/** A request with what it is answered from. */
interface MemoryRequest extends Options {
  readonly values: RequestValues
  readonly sources: MemorySources
  /** Datasets that the answer is read from. */
  readonly used: readonly Dataset[]
  /** The clock as the answer may see it, ms. */
  readonly at: number
  readonly ask: MemoryAsk<readonly Dataset[]>
  readonly extras: ReturnType<typeof optionalQueries>
}

/**
 * Answers lists and single things from the current state and cached queries of the lake. Things that are over come from the lake.
 */
export function memoryHandler(context: AnswerContext, read: ReadOf<'memory'>, lake: Lake, kept: CachedViews): Handler {
  const { endpoint, state } = context
  const { returns } = endpoint
  const textsOf = textsOfShapes(returns)
  // Records made for one page appear on no other.
  const pageTextsOf = textsOfShapes(returns, { remember: false })
  const shapeOf = shownRecord(endpoint)
  const countTexts = recordWriter({ name: '', about: '', fields: (returns.kind === 'list' && returns.counts) || {} })
  const datasets = datasetsOf(endpoint)
  const liveSources = new Set(read.from.flatMap(({ sources }) => sources))
  const gap = (): ProvinceGap | null => gapOf(endpoint, state.system().feeds)
  const watched = [...datasets, ...(read.madeFrom ?? []).map(({ dataset }) => dataset)]
  const recordsOf = memo((...states: [State, ...State[]]) => new SortedRecords(read.records?.(states) ?? []))
  const sourcesOf = sourcesFinder(context, read, { lake, kept })
  const findMissing = read.reportsMissing ? missingFinder(read, { state, kept }) : null

  return async (values, options) => {
    const { format, now, lease } = options
    const sources = await sourcesOf(values, options)
    const versions = versionsOf(sources)
    const used = datasets.filter((dataset) => isUsed(dataset, sources))
    const { updated_at: data_time, refresh } = sources
    const common = { format, now, data_time, refresh, clockGranularity_s: read.clockGranularity_s ?? 0 }
    const head = headOf(context, values, { ...common, versions, from: used, otherSources: otherSourcesOf(values) })
    const extras = optionalQueries(kept, lease)
    const ask: MemoryAsk<readonly Dataset[]> = {
      states: sources.live.states,
      cached: (query, key) => kept.get(query, key, lease),
      optional: extras.get,
      answers: sources.answers,
    }
    const asked = { ...options, values, sources, used, at: steppedNow(head.clockGranularity_s, now), ask, extras }
    const plan = { head, isFromMemory: true, mayBePartial: read.lake !== undefined && read.lake.length > 0 }
    if (!read.past) {
      const mayNotExist = pathParams(endpoint.path).length > 0
      return { ...plan, answer: async (signal) => bodyOf(await find(asked), asked, signal), mayNotExist }
    }
    // If the thing is no longer current, the answer's version is that of the lake alone.
    const found = await find(asked)
    if (found !== null) return { ...plan, answer: (signal) => bodyOf(found, asked, signal) }
    return await pastPlan(asked, { past: read.past, versions, common })
  }

  function versionsOf({ tables, live, answers }: MemorySources): Versions {
    const of = [tables.version, ...live.of, ...tagOf(answers)]
    return { datasets: watched, of, changed_at: Math.max(tables.changed_at ?? 0, live.changed_at) }
  }

  function isUsed(dataset: Dataset, { live, silent }: MemorySources): boolean {
    if (read.omitsUnpublished) return live.states[read.from.indexOf(dataset)]?.parts.length !== 0
    return !silent.some((one) => one.dataset === dataset)
  }

  /** Sources that the answer is not about. A source of the current state stays named, whatever the timetables. */
  function otherSourcesOf({ own }: RequestValues): ReturnType<NonNullable<typeof read.otherSources>> {
    return (read.otherSources?.(own) ?? []).filter((source) => !liveSources.has(source))
  }

  /** The thing, or the list before paging; null if there is no such thing. */
  async function find({ values, at, ask, sources }: MemoryRequest): Promise<Found> {
    if (read.answer) return await read.answer(ask, values.own, at)
    // A selection of sorted records is sorted, so sorting a page costs little.
    const all = await sortedRecords(values, sources)
    read.check?.(all as never, values.own)
    const found = selected(all, endpoint, values, at)
    return read.pick?.(found, values.own, at) ?? found
  }

  function sortedRecords({ page }: RequestValues, { live }: MemorySources): Promise<readonly AnyRow[]> {
    return recordsOf(...(live.states as [State])).inOrder(orderOf(returns as ListReturn, page.sort))
  }

  async function bodyOf(found: Found, asked: MemoryRequest, signal: AbortSignal): Promise<ResponseBody> {
    if (found === null) throw await unknown(asked)
    const meta = await metaFor(asked)
    const body =
      returns.kind === 'one' ? await thing(found as AnyRow, asked, { meta, signal }) : await page(found as never, asked, { meta, signal })
    return { ...body, ...asked.extras.status() }
  }

  /** The problem of a thing that does not exist; throws another one while some of its data has not landed. */
  async function unknown({ values, sources, ask }: MemoryRequest): Promise<unknown> {
    const { tables, needed } = sources
    refuseAwaited(tables, read.feedsOfId?.(values.own) ?? tables.awaited, needed)
    return unknownThing(values.path, (await read.suggestion?.(ask, values.own)) ?? null)
  }

  async function metaFor({ values, sources, used }: MemoryRequest): Promise<Meta> {
    const { live, tables, silent, absent } = sources
    const absences = [...silent.map(({ dataset, reason }) => ({ dataset: dataset.id, reason })), ...absent]
    return metaOf(state, used, {
      ...(live.primary ? {} : { kept: tables }),
      ...(endpoint.statistic ? { figure: endpoint.statistic } : {}),
      ...(findMissing || read.onlyFresh || absent.length > 0 ? { missing: [...((await findMissing?.()) ?? []), ...absences] } : {}),
      ...placeMetaOf(gap(), values.own),
      otherSources: otherSourcesOf(values),
      sources: endpoint.sources,
    })
  }

  function thing(
    record: AnyRow,
    { values, format }: MemoryRequest,
    more: { readonly meta: Meta; readonly signal: AbortSignal },
  ): Promise<ResponseBody> {
    const shape = shapeOf(values)
    return oneBody(context, values, { texts: textsOf(shape), shape, record, format, ...more })
  }

  async function page(
    found: Listed<AnyRow>,
    { values, sources, format, now, at }: MemoryRequest,
    { meta, signal }: { readonly meta: Meta; readonly signal: AbortSignal },
  ): Promise<ResponseBody> {
    const shape = shapeOf(values)
    const { records, finish, counts, isLacking, restsOn, unlocated, missingYears, note } = listed(found)
    const selects = read.answer ? selected(records, endpoint, values, at) : records
    const all = withDistances(chosen(selects, context, values), endpoint, values)
    const from = read.answer ? records : await sortedRecords(values, sources)
    if (from.length === 0) refuseEmpty(sources)
    const none = all.length === 0 ? noMatches(from, endpoint, values, at) : []
    const isLate = restsOn ? restsOn.some(({ dataset, source }) => state.isStale(dataset, source)) : meta.stale
    const asked = askedPage(context, values, { now })
    return await pageBody(context, values, {
      asked,
      found: await pageOf(all, asked),
      texts: finish ? pageTextsOf(shape) : textsOf(shape),
      shape,
      finish,
      counts: countTexts(counts),
      ...{ format, now, updated_at: sources.updated_at, signal },
      meta: {
        ...meta,
        ...(none.length > 0 ? { no_match: none } : {}),
        ...(unlocated === undefined ? {} : { unlocated }),
        ...(missingYears === undefined ? {} : { missing_years: missingYears }),
        ...(note === undefined ? {} : { note }),
        stale: isLacking || isLate,
      },
    })
  }

  /** Throws the problem of a list without any records whose first state has never arrived: it is not known to be empty. */
  function refuseEmpty({ needed }: MemorySources): void {
    const [first] = read.from as readonly Dataset[]
    if (needed.needs.length === 0 && first && isAwaited(first, state)) throw neverDelivered(first, state.system().feeds)
  }

  async function pastPlan(
    { values, sources }: MemoryRequest,
    options: Pick<Parameters<typeof pastThing>[2], 'past' | 'versions' | 'common'>,
  ): Promise<ResponsePlan> {
    const { primary } = sources.live
    if (!primary) throw await absentState(read.from[0] as Dataset, { state, lake })
    return await pastThing(context, values, { ...options, from: read.from, primary, texts: textsOf(shapeOf(values)), lake })
  }
}

/** Returns the parts of a list in one form, whichever way it was given. */
function listed(found: Listed<AnyRow>): Counted<AnyRow> & Partial<Pick<Drafted<AnyRow>, 'finish'>> {
  if (Array.isArray(found)) return { records: found as readonly AnyRow[], counts: {} }
  if ('drafts' in found) return { ...(found as Drafted<AnyRow>), records: (found as Drafted<AnyRow>).drafts as readonly AnyRow[] }
  return found as Counted<AnyRow>
}

/** Reads optional parts of an answer, and records whether one could not be read. */
function optionalQueries(
  kept: Pick<CachedViews, 'optional'>,
  lease: InLease,
): {
  readonly get: MemoryAsk<readonly []>['optional']
  readonly status: () => { readonly isPartial: boolean }
} {
  let isPartial = false
  return {
    get: async (query, key) => {
      const found = await kept.optional(query, key, lease)
      isPartial ||= found === null
      return found
    },
    status: () => ({ isPartial }),
  }
}

/** Records with their requested orders, at most one for each sort of the endpoint. */
class SortedRecords {
  readonly #records: readonly AnyRow[]
  readonly #orders = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(records: readonly AnyRow[]) {
    this.#records = records
  }

  /** Returns the records in an order; unchanged if the sort field is only known for a page. */
  async inOrder(order: Order): Promise<readonly AnyRow[]> {
    const [first] = this.#records
    if (!first || order.some(({ field }) => !(field in first))) return this.#records
    const name = JSON.stringify(order.map(({ field, falling }) => [field, falling]))
    const made = this.#orders.get(name) ?? sorted(this.#records, order)
    this.#orders.set(name, made)
    return await made
  }
}
