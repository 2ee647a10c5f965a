import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Counted, type Drafted, datasetsOf, type KeptRead, pathParams, type RestsOn, type State } from '../define/endpoint.ts'
import { type Problem, problem } from '../define/problems.ts'
import { recordWriter } from '../define/shape.ts'
import { type AnswerContext, type Answerer, headOf, type Refresh, unknownThing } from './answer.ts'
import { metaOf } from './compose.ts'
import { extrasOf } from './extras.ts'
import { oneBody } from './find-answers.ts'
import type { KeptLake } from './kept-lake.ts'
import { CADENCE_S, type CurrentStates, chosen, currentStates, neverPublished, pageBody, refreshOf, steppedNow } from './live-answers.ts'
import { recordTexts } from './records.ts'

/** Seconds after which a feed that has not landed yet may have. */
const RETRY_S = 30

/** Answers from slices of the lake that are kept in memory, and from current states beside them. */
export function keptAnswerer(context: AnswerContext, kept: KeptLake): Answerer {
  const { endpoint, state } = context
  const { returns } = endpoint
  const read = endpoint.read as unknown as KeptRead<unknown, readonly Dataset[], AnyRow>
  const texts = recordTexts(returns)
  // Records that are made for a page are on no other.
  const pageTexts = recordTexts(returns, { remember: false })
  const told = recordWriter({ name: '', about: '', fields: (returns.kind === 'list' && returns.counts) || {} })
  const datasets = datasetsOf(endpoint)
  const watched = [...datasets, ...(read.madeFrom ?? []).map(({ dataset }) => dataset)]
  return async (values, { format, now }) => {
    const tables = await kept.state(read, state.system().feeds)
    const parts = read.parts?.(values.own) ?? null
    const isOfState = read.needs?.length === 0
    const live = currentStates(state, read.from)
    const newest = newestOf(live.states)
    if (isOfState ? newest === null : tables.covered_until === null) throw neverPublished(isOfState ? read.from[0] : read.lake[0])
    const lacking = tables.awaited.filter((feed) => parts === null || parts.includes(feed))
    if (lacking.length > 0) throw notLanded(lacking)
    const updated_at = live.primary?.updated_at ?? ((isOfState ? newest : tables.covered_until) as number)
    const head = headOf(context, values, {
      format,
      now,
      versions: { datasets: watched, of: [tables.version, ...live.of], changed_at: Math.max(tables.changed_at ?? 0, live.changed_at) },
      data_time: updated_at,
      refresh: keptRefresh(context, read, { live, covered_until: tables.covered_until ?? updated_at, now }),
      clock_s: read.clock_s ?? 0,
    })
    const answer = async (signal: AbortSignal) => {
      const extras = extrasOf(kept)
      const ask = { states: live.states, slice: kept.get.bind(kept), extra: extras.get } as never
      const found = await read.answer(ask, values.own, steppedNow(head.clock_s, now))
      if (found === null) {
        if (tables.awaited.length > 0) throw notLanded(tables.awaited)
        throw unknownThing(values.path, (await read.near?.(ask, values.own)) ?? null)
      }
      const about = metaOf(state, datasets, {
        ...(live.primary ? {} : { kept: tables }),
        ...(endpoint.figure ? { figure: endpoint.figure } : {}),
      })
      if (returns.kind === 'one') {
        const body = await oneBody(context, values, { texts, record: found as AnyRow, format, meta: about, signal })
        return { ...body, ...extras.told() }
      }
      const { records, finish, counts, isLacking, restsOn } = listed(found as Answered)
      const isLate = restsOn ? restsOn.some(({ dataset, source }) => state.isStale(dataset, source)) : about.stale
      const meta = { ...about, stale: isLacking || isLate }
      const body = await pageBody(context, values, {
        texts: finish ? pageTexts : texts,
        all: chosen(records, context, values),
        finish,
        counts: told(counts),
        format,
        now,
        updated_at,
        meta,
        signal,
      })
      return { ...body, ...extras.told() }
    }
    return { head, answer, isCheap: true, mayNotExist: pathParams(endpoint.path).length > 0, mayBePartial: true }
  }
}

/** When the newest of some states was published, ms since the epoch; null where none ever was. */
function newestOf(states: readonly State[]): number | null {
  const times = states.flatMap(({ parts }) => parts.map(({ data_time }) => data_time))
  return times.length === 0 ? null : Math.max(...times)
}

type Answered = readonly AnyRow[] | Counted<AnyRow> | Drafted<AnyRow>

/** What a list is made of, whichever way it was given. */
function listed(found: Answered): {
  readonly records: readonly AnyRow[]
  readonly finish?: Drafted<AnyRow>['finish']
  readonly counts: Readonly<Record<string, number>>
  readonly isLacking?: boolean
  readonly restsOn?: readonly RestsOn[]
} {
  if ('drafts' in found) return { ...found, records: found.drafts as readonly AnyRow[] }
  return 'records' in found ? found : { records: found, counts: {} }
}

/** The problem of what cannot be told before feeds have landed. */
function notLanded(feeds: readonly string[]): Problem {
  const detail = `What this answer needs of ${feeds.join(' and ')} has not arrived yet.`
  return problem('feed-unavailable', detail, { retry_after_s: RETRY_S })
}

/** When an answer is expected to change: as its first state does, which may come any time where it never has; else as its first table does. */
function keptRefresh(
  context: AnswerContext,
  { from, lake }: Pick<KeptRead<unknown, readonly Dataset[], AnyRow>, 'from' | 'lake'>,
  { live, covered_until, now }: { readonly live: CurrentStates; readonly covered_until: number; readonly now: number },
): Refresh {
  const { state } = context
  const [first] = from
  if (live.primary) return refreshOf(state, from, live.primary)
  if (!first) return refreshOfLake(context, lake, { covered_until, now })
  const cadence_s = state.cadence_s(first) ?? CADENCE_S
  return { at: () => now + 1000 * cadence_s, cadence_s }
}

/** When a table is expected to grow: a cadence after its feed last had an answer; one that is derived may soon, for it does after what it is made of. */
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
