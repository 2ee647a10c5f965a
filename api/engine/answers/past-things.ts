import { holdsUpTo } from '../../../lake/landed.ts'
import type { LiveSnapshot } from '../../../lake/live/read.ts'
import type { Lake, SnapshotPins } from '../../../lake/open.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { Problem } from '../../kernel/problems.ts'
import type { PastOf } from '../../kernel/reads/memory-read.ts'
import { lakeState } from '../request/lake-state.ts'
import type { RequestValues } from '../request/request.ts'
import { logOf } from './change-log.ts'
import { metaOf } from './compose.ts'
import { QUERY_TIMEOUT_MS } from './lake-answers.ts'
import { oneBody } from './record-bodies.ts'
import type { RecordTexts } from './records.ts'
import { type AnswerContext, headOf, type ResponseBody, type ResponsePlan, unknownThing, type Versions } from './response-plan.ts'

/** How far back the log is searched for an end that has not landed, in ms: the lake lags by at most ten minutes. */
const LAG_MS = 15 * 60_000
const LOG_PAGE = 1000

/** Answers one thing that is no longer current, from the log of changes or from the lake; else 404. */
export async function pastThing(
  context: AnswerContext,
  values: RequestValues,
  options: {
    readonly past: PastOf<RequestValues['own'], readonly Dataset[], AnyRow>
    readonly from: readonly Dataset[]
    /** The current state of the first of `from`. */
    readonly primary: LiveSnapshot
    readonly versions: Versions
    readonly common: Omit<Parameters<typeof headOf>[2], 'versions'>
    readonly texts: RecordTexts
    readonly lake: Lake
  },
): Promise<ResponsePlan> {
  const { past, from, primary, versions, common, texts, lake } = options
  const { endpoint, state } = context
  const figure = endpoint.statistic ? { figure: endpoint.statistic } : {}
  const lakeNow = await lakeState({ lake, cursors: context.cursors, feeds: state.system().feeds }, from.slice(0, 1), { name: null })
  const changed_at = Math.max(versions.changed_at ?? 0, lakeNow.changed_at ?? 0)
  const head = headOf(context, values, { ...common, versions: { ...versions, of: [...versions.of, lakeNow.name], changed_at } })
  const answer = async (signal: AbortSignal): Promise<ResponseBody> => {
    const log = logOf(state, from[0] as Dataset, primary.version)
    const end = await log
      .last({ since: primary.version - LAG_MS, page: LOG_PAGE, find: (change) => past.ended(change, values.own) })
      .catch(unread)
    const shown = { texts, shape: endpoint.returns.record, format: common.format, signal }
    if (end && !(end instanceof Problem))
      return await oneBody(context, values, { ...shown, record: end, meta: metaOf(state, from, figure) })
    const query = { pins: lakeNow.pins, timeout_ms: QUERY_TIMEOUT_MS, signal, columns: past.columns, maxRows: 1 }
    const [row] = await lake.query(past.query(values.own), query)
    // Without the log, a missing row may still exist, unless the lake already has all publications.
    const lacks = end !== null && !hasLanded(primary, lakeNow.pins)
    if (!row) throw lacks ? end : unknownThing(values.path)
    const meta = metaOf(state, from, { lake: { ...lakeNow, snapshot: lakeNow.name }, ...figure })
    return { ...(await oneBody(context, values, { ...shown, record: past.finish(row as never), meta })), isPartial: lacks }
  }
  return { head, answer, isFromMemory: false, mayNotExist: true }
}

/** True if the table of a dataset contains every publication of a state. */
function hasLanded({ dataset, parts }: LiveSnapshot, pins: SnapshotPins): boolean {
  const properties = pins.get(dataset)?.properties ?? {}
  return parts.every(({ feed, seq }) => holdsUpTo(properties, feed, seq))
}

/** Returns the problem of a log that could not be read. Throws any other error. */
function unread(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}
