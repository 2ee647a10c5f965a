import type { AnyRow } from '../../lake/schema/dataset.ts'
import { type Endpoint, pathParams, type SystemRead, type SystemView } from '../define/endpoint.ts'
import { type AnswerContext, type Answerer, type Body, headOf, unknownThing } from './answer.ts'
import { metaOf } from './compose.ts'
import { oneBody } from './find-answers.ts'
import { CADENCE_S, chosen, pageBody, steppedNow } from './live-answers.ts'
import { recordTexts } from './records.ts'
import type { TableWatch } from './table-watch.ts'

/** Answers lists of what the service knows of itself, and single things of it. */
export function systemAnswerer(
  context: AnswerContext,
  { endpoints, watch }: { readonly endpoints: readonly Endpoint[]; readonly watch: Pick<TableWatch, 'view'> },
): Answerer {
  const { endpoint, state } = context
  const read = endpoint.read as unknown as SystemRead<unknown, AnyRow>
  const texts = recordTexts(endpoint.returns)
  return async (values, { format, now }) => {
    const view = read.tables ? await watch.view() : null
    const of = read.tables?.(values.own) ?? null
    const system: SystemView = { ...state.system(), endpoints, tables: view?.tables ?? new Map() }
    const clock_s = read.clock_s ?? 0
    const changed_at = Math.max(state.described_at, view?.changed_at(of) ?? 0)
    const versions = { datasets: [], of: [state.described_at, ...(view ? [view.version(of)] : [])], changed_at }
    const refresh = { at: () => now + 1000 * (clock_s || CADENCE_S), cadence_s: clock_s || CADENCE_S }
    const at = steppedNow(clock_s, now)
    const updated_at = at || changed_at
    const head = headOf(context, values, { format, now, versions, data_time: updated_at, refresh, clock_s })
    const answer = async (signal: AbortSignal): Promise<Body> => {
      const records = read.records(system, values.own, at)
      const meta = metaOf(state, [])
      if (endpoint.returns.kind === 'list')
        return pageBody(context, values, { texts, all: chosen(records, context, values), format, now, updated_at, meta, signal })
      const [record] = records
      if (!record) throw unknownThing(values.path, read.near?.(system, values.own) ?? null)
      return oneBody(context, values, { texts, record, format, meta, signal })
    }
    return { head, answer, isCheap: true, mayNotExist: pathParams(endpoint.path).length > 0 }
  }
}
