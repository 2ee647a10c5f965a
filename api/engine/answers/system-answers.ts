import { type Endpoint, pathParams, type ReadOf, type SystemView } from '../../kernel/endpoint.ts'
import { WHOLE_LIST } from '../../kernel/page.ts'
import type { Problem } from '../../kernel/problems.ts'
import type { SearchFound, SearchView } from '../../kernel/reads/search-view.ts'
import { recordWriter } from '../../kernel/reads/shape.ts'
import { pageOf } from '../request/paging.ts'
import { selected } from '../request/selection.ts'
import { qualityVersion, UNSEEN } from '../state/seen-quality.ts'
import { tablesChangedAt, tablesVersion } from '../state/seen-tables.ts'
import type { SystemWatch } from '../state/system-watch.ts'
import { metaOf } from './compose.ts'
import { placeMetaOf } from './coverage.ts'
import { CADENCE_S } from './current-states.ts'
import { askedPage, chosen, oneBody, pageBody } from './record-bodies.ts'
import { recordTexts } from './records.ts'
import { type AnswerContext, type Handler, headOf, type ResponseBody, steppedNow, unknownThing } from './response-plan.ts'

/** The search index for endpoints without search. */
const NO_SEARCH: SearchView = Object.freeze({
  version: '',
  changed_at: 0,
  collections: [],
  restricted: () => [],
  search: nothingFound,
  suggest: nothingFound,
  nearby: nothingFound,
})

/** The quality statistics and search index for views that do not use them. */
export const NOTHING_FOUND: Pick<SystemView, 'quality' | 'search'> = Object.freeze({ quality: UNSEEN, search: NO_SEARCH })

async function nothingFound(): Promise<SearchFound> {
  return { records: [], total: 0, hasMore: false, counts: [] }
}

/** Answers lists and single things about the service itself. */
export function systemHandler(
  context: AnswerContext,
  read: ReadOf<'system'>,
  parts: { readonly endpoints: readonly Endpoint[]; readonly watch: SystemWatch; readonly link: SystemView['link'] },
): Handler {
  const { endpoint, state } = context
  const { endpoints, watch, link } = parts
  const { returns } = endpoint
  // Hits of a search belong to one reply.
  const texts = recordTexts(returns, { remember: !read.search })
  const asideTexts = recordWriter({ name: '', about: '', fields: (returns.kind === 'list' && returns.sideLists) || {} })
  return async (values, { format, now, plan }) => {
    const tables = read.tables ? await watch.tables.value() : null
    const quality = read.quality ? await watch.quality.value() : UNSEEN
    const search = read.search ? (await watch.search.value()).of(plan) : NO_SEARCH
    const { version } = search
    const of = read.tables?.(values.own) ?? null
    const about = new Map([...(tables ?? [])].map(([id, seen]) => [id, seen.about]))
    const system: SystemView = { ...state.system(), endpoints, tables: about, quality, link, search }
    const clockGranularity_s = read.clockGranularity_s ?? 0
    const changed_at = Math.max(tables ? tablesChangedAt(tables, of) : 0, quality.gathered_at, search.changed_at)
    const viewVersions = [
      ...(tables ? [tablesVersion(tables, of)] : []),
      ...(read.quality ? [qualityVersion(quality)] : []),
      ...(read.search ? [version] : []),
    ]
    const indexed = search.collections.flatMap((one) => one.datasets)
    const named = read.showsSources ? of : indexed
    const shown = system.datasets.filter(({ id }) => named?.includes(id))
    const versions = { datasets: shown, of: [state.described_at, ...viewVersions], changed_at }
    const refresh = { at: () => now + 1000 * (clockGranularity_s || CADENCE_S), cadence_s: clockGranularity_s || CADENCE_S }
    const at = steppedNow(clockGranularity_s, now)
    const updated_at = (read.showsSources ? changed_at : at) || Math.max(state.described_at, changed_at)
    const head = headOf(context, values, { format, from: shown, now, versions, data_time: updated_at, refresh, clockGranularity_s })
    const answer = async (signal: AbortSignal): Promise<ResponseBody> => {
      const pagedState = read.pagedState?.(system, values.own) ?? null
      const asked = returns.kind === 'list' ? askedPage(context, values, { now, pagedState }) : null
      const found = await read.records(system, values.own, at, asked ?? WHOLE_LIST)
      // If the index has changed since, the body does not match the tag.
      const marked = (body: ResponseBody): ResponseBody => (search.version === version ? body : { ...body, isPartial: true })
      const unknown = (): Problem => unknownThing(values.path, read.suggestion?.(system, values.own) ?? null)
      const meta = metaOf(state, shown, { ...placeMetaOf(null, values.own), sources: endpoint.sources })
      if (!found) throw unknown()
      const records = 'records' in found ? found.records : found
      if (asked)
        return marked(
          await pageBody(context, values, {
            ...{ texts, shape: returns.record, format, now, updated_at, meta, signal, asked },
            found: 'records' in found ? found : await pageOf(chosen(selected(records, endpoint, values, at), context, values), asked),
            counts: asideTexts(('records' in found && found.sideLists) || {}),
          }),
        )
      const [record] = records
      if (!record) throw unknown()
      return oneBody(context, values, { texts, shape: returns.record, record, format, meta, signal })
    }
    return { head, answer, isFromMemory: true, mayNotExist: pathParams(endpoint.path).length > 0, mayBePartial: read.search === true }
  }
}
