import { holdsUpTo } from '../../lake/landed.ts'
import type { LiveSnapshot } from '../../lake/live/read.ts'
import type { Lake, LakePins } from '../../lake/open.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { datasetsOf, type FindRead, keptOf } from '../define/endpoint.ts'
import { type Format, isTable } from '../define/formats.ts'
import { Problem } from '../define/problems.ts'
import { type AnswerContext, type Answerer, type Body, headOf, unknownThing, type Versions } from './answer.ts'
import { logOf } from './change-log.ts'
import { type Meta, metaOf } from './compose.ts'
import { extrasOf } from './extras.ts'
import type { KeptLake, KeptState } from './kept-lake.ts'
import { QUERY_TIMEOUT_MS } from './lake-answers.ts'
import { lakeState } from './lake-pins.ts'
import { refreshOf, statesOf } from './live-answers.ts'
import { type RecordTexts, recordTexts } from './records.ts'
import type { RequestValues } from './request.ts'

/** How far back the log is searched for an end that has not landed: the lake lags by at most ten minutes. */
const LAG_MS = 15 * 60_000
const LOG_PAGE = 1000

/** Answers one thing: from the current state, else from the log of changes, else from the lake; else 404. */
export function findAnswerer(context: AnswerContext, lake: Lake, kept: KeptLake): Answerer {
  const { endpoint, state } = context
  const read = endpoint.read as unknown as FindRead<unknown, readonly Dataset[], AnyRow>
  const texts = recordTexts(endpoint.returns)
  const [datasets, added] = [datasetsOf(endpoint), keptOf(endpoint)]
  const tables = { lake: added, needs: [] }

  return async (values, { format, now }) => {
    const { states, primary, ...current } = statesOf(state, read.from)
    const versions = added.length === 0 ? current : withTables({ ...current, datasets }, await kept.state(tables, state.system().feeds))
    const extras = extrasOf(kept)
    const figure = endpoint.figure ? { figure: endpoint.figure } : {}
    const found = await read.find(states as never, values.own, extras.get)
    const refresh = refreshOf(state, read.from, primary)
    const common = { format, now, data_time: primary.updated_at, refresh }
    const bodyOf = (record: AnyRow, meta: Meta, signal: AbortSignal): Promise<Body> =>
      oneBody(context, values, { texts, record, format, meta, signal })
    if (found) {
      const answer = async (signal: AbortSignal): Promise<Body> => ({
        ...(await bodyOf(found, metaOf(state, datasets, figure), signal)),
        ...extras.told(),
      })
      return { head: headOf(context, values, { ...common, versions }), answer, isCheap: true, mayBePartial: added.length > 0 }
    }
    const { past } = read
    if (!past) throw unknownThing(values.path)
    const lakeNow = await lakeState({ lake, cursors: context.cursors, feeds: state.system().feeds }, read.from.slice(0, 1), { name: null })
    const head = headOf(context, values, {
      ...common,
      versions: {
        ...versions,
        of: [...versions.of, lakeNow.name],
        changed_at: Math.max(versions.changed_at, lakeNow.changed_at ?? 0),
      },
    })
    const answer = async (signal: AbortSignal): Promise<Body> => {
      const log = logOf(state, read.from[0] as Dataset, primary.version)
      const end = await log
        .last({ since: primary.version - LAG_MS, page: LOG_PAGE, find: (change) => past.ended(change, values.own) })
        .catch(unread)
      if (end && !(end instanceof Problem)) return await bodyOf(end, metaOf(state, read.from, figure), signal)
      const options = { pins: lakeNow.pins, timeout_ms: QUERY_TIMEOUT_MS, signal, columns: past.columns, maxRows: 1 }
      const [row] = await lake.query(past.query(values.own), options)
      // Without the log nobody knows whether there is what the lake has not got yet, unless it has all.
      const lacks = end !== null && !hasLanded(primary, lakeNow.pins)
      if (!row) throw lacks ? end : unknownThing(values.path)
      const meta = metaOf(state, read.from, { lake: { ...lakeNow, snapshot: lakeNow.name }, ...figure })
      return { ...(await bodyOf(past.finish(row as never), meta, signal)), isPartial: lacks }
    }
    return { head, answer, isCheap: false, mayNotExist: true }
  }
}

/** True where the table of a dataset holds every publication that a state of it is of. */
function hasLanded({ dataset, parts }: LiveSnapshot, pins: LakePins): boolean {
  const properties = pins.get(dataset)?.properties ?? {}
  return parts.every(({ feed, seq }) => holdsUpTo(properties, feed, seq))
}

/** Versions of current states and of the tables that slices beside them are read from. */
function withTables<V extends Versions>(current: V, tables: KeptState): V {
  return { ...current, of: [...current.of, tables.version], changed_at: Math.max(current.changed_at ?? 0, tables.changed_at ?? 0) }
}

/** The problem of a log that could not be read; throws any other error. */
function unread(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

/** The body of one record's reply, as a table one row. */
export async function oneBody(
  context: AnswerContext,
  values: RequestValues,
  parts: {
    readonly texts: RecordTexts
    readonly record: AnyRow
    readonly format: Format
    readonly meta: Meta
    readonly signal: AbortSignal
  },
): Promise<Body> {
  const { texts, record, format, meta, signal } = parts
  const { page } = values
  if (isTable(format)) {
    const ask = { record: context.endpoint.returns.record, page, format, signal }
    return { pieces: [], file: await context.tables.write(ask, [[record]], { meta, about: () => ({ meta }) }), links: [] }
  }
  const shown = format === 'geojson' ? texts.feature(record, page) : texts.object(record, page)
  return { pieces: [JSON.stringify({ ...shown, meta })], links: [] }
}
