import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Counted, datasetsOf, type KeptRead, pathParams, type State } from '../define/endpoint.ts'
import { type AnswerContext, type Answerer, headOf, type Refresh, unknownThing } from './answer.ts'
import { metaOf } from './compose.ts'
import { oneText } from './find-answers.ts'
import type { KeptLake } from './kept-lake.ts'
import { chosen, neverPublished, pageBody, refreshOf, statesOf, steppedNow } from './live-answers.ts'
import { recordTexts } from './records.ts'

/** Answers from slices of the lake that are kept in memory, and from current states beside them. */
export function keptAnswerer(context: AnswerContext, kept: KeptLake): Answerer {
  const { endpoint, state } = context
  const read = endpoint.read as unknown as KeptRead<unknown, readonly Dataset[], AnyRow>
  const texts = recordTexts(endpoint.returns)
  const datasets = datasetsOf(endpoint)
  return async (values, { format, now }) => {
    const tables = await kept.state(read.lake, state.system().feeds)
    const isOfState = read.of === 'state'
    if (tables.covered_until === null && !isOfState) throw neverPublished(read.lake[0])
    const live = isOfState ? statesOf(state, read.from) : currentOf(context, read.from)
    const updated_at = live.primary?.updated_at ?? (tables.covered_until as number)
    const refresh = live.primary ? refreshOf(state, read.from, live.primary) : refreshOfLake(context, read.lake, updated_at)
    const head = headOf(context, values, {
      format,
      now,
      versions: { datasets, of: [tables.version, ...live.of], changed_at: Math.max(tables.changed_at ?? 0, live.changed_at) },
      data_time: updated_at,
      refresh,
      clock_s: read.clock_s ?? 0,
    })
    const answer = async () => {
      const ask = { states: live.states, slice: kept.get.bind(kept) }
      const found = await read.answer(ask as never, values.own, steppedNow(head.clock_s, now))
      if (found === null) throw unknownThing(values.path)
      const meta = metaOf(state, datasets)
      if (endpoint.returns.kind === 'one') return { pieces: [oneText(texts, found as AnyRow, { values, format, meta })], links: [] }
      const { records, counts } = Array.isArray(found) ? { records: found, counts: {} } : (found as Counted<AnyRow>)
      const all = chosen(records, context, values)
      return pageBody(context, values, { texts, all, counts, format, now, updated_at, meta })
    }
    return { head, answer, isCheap: true, mayNotExist: pathParams(endpoint.path).length > 0 }
  }
}

/** Current states; of what was never published one without rows, which is another answer, not none. */
function currentOf(context: AnswerContext, from: readonly Dataset[]) {
  const isThere = from[0] !== undefined && context.state.snapshot(from[0]) !== null
  if (isThere) return statesOf(context.state, from)
  const none: State = { rows: [], parts: [] }
  return { states: from.map(() => none), primary: null, of: [null], changed_at: 0 }
}

/** When a table is expected to grow: a cadence after its feed last had an answer. */
function refreshOfLake({ state }: AnswerContext, [first]: readonly Dataset[], covered_until: number): Refresh {
  const dataset = first as Dataset
  const cadence_s = state.cadence_s(dataset) ?? 0
  const feeds = state.system().feeds.filter((feed) => feed.enabled && feed.datasets.includes(dataset.id))
  const at = (): number => {
    const asked = feeds.map(({ id }) => state.live.feedStates().get(id)?.last_success_at ?? covered_until)
    return Math.min(...(asked.length > 0 ? asked : [covered_until])) + 1000 * cadence_s
  }
  return { at, cadence_s }
}
