import type { Lake } from '../../lake/open.ts'
import { bindList, instant, join, type Sql, sql } from '../../lake/query/sql.ts'
import type { Columns, Json } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { circleOf } from '../define/around.ts'
import type { ListReturn, ReadOf, State } from '../define/endpoint.ts'
import type { Nested } from '../define/fields.ts'
import { conditionOf } from '../define/filter.ts'
import { isTable } from '../define/formats.ts'
import type { LakeView } from '../define/lake-view.ts'
import { closePeriod } from '../define/params-time.ts'
import { type Problem, problem } from '../define/problems.ts'
import { fieldColumn, flatFields } from '../define/select.ts'
import { type JsonObject, recordWriter } from '../define/shape.ts'
import { neverDelivered } from './absent-data.ts'
import { type AnswerContext, type Handler, headOf, nextLink, type ResponseBody, unknownThing } from './answer.ts'
import { metaOf } from './compose.ts'
import { coverageOf, gapOf } from './coverage.ts'
import { DISTANCE_COLUMN, withDistance, withDistanceSql } from './distances.ts'
import { givenOf, refuseUnknown } from './known-values.ts'
import { noMatchesInLake } from './no-match.ts'
import { pageQuery } from './page-query.ts'
import { orderOf, type Position, positionOf } from './paging.ts'
import { listBody, textsOfShapes } from './records.ts'
import type { RequestValues } from './request.ts'
import { shownRecord } from './shown-record.ts'
import { type LakeState, lakeState } from './snapshot-pins.ts'
import { lakeTable } from './tables/lake-table.ts'

/** Timeout of a query of the lake, including the wait for a slot. */
export const QUERY_TIMEOUT_MS = 30_000
const CURSOR_HOURS = 24
/** Most rows of a `first` query. */
const FIRST_ROWS = 1000
/** The worker commits to the lake at least this often, in seconds. */
const LAND_S = 600

/**
 * Answers lists that DuckDB reads from the lake. Every page reads the state of the first page. Before the first dataset has
 * landed, the reply is a problem. After that, even without rows, it is a list that may be empty.
 */
export function lakeHandler(context: AnswerContext, read: ReadOf<'lake'>, lake: Lake): Handler {
  const { endpoint, state, cursors } = context
  const returns = endpoint.returns as ListReturn
  const { record } = returns
  const textsOf = textsOfShapes(returns, { remember: false })
  const shapeOf = shownRecord(endpoint)
  const asideTexts = recordWriter({ name: '', about: '', fields: returns.sideLists ?? {} })
  const gap = gapOf(endpoint)
  const ownColumns = read.rows?.columns ?? flatFields(endpoint.around?.plain.fields ?? record.fields)
  const finishOwn = (read.rows?.finish as ((row: AnyRow) => AnyRow) | undefined) ?? null
  const room = read.rows?.adds ?? []

  return async (values, { format, now }) => {
    const { page } = values
    const shape = shapeOf(values)
    const circle = circleOf(endpoint.around, values.own)
    const columns = circle ? { ...ownColumns, ...DISTANCE_COLUMN } : ownColumns
    const finish = circle && finishOwn ? withDistance(finishOwn) : finishOwn
    const bound = `${endpoint.path} ${values.filterKey}`
    const begun = page.cursor === null ? null : readBegun(cursors.open(page.cursor, { bind: bound, now }))
    if (begun && page.snapshot !== null && page.snapshot !== begun.snapshot) throw otherSnapshot()
    const from = read.fromOf?.(values.own) ?? read.from
    const lakeNow = await lakeState({ lake, cursors, feeds: state.system().feeds }, from, {
      name: begun?.snapshot ?? page.snapshot,
      begins: read.coverageOf,
      rowsOf: read.coverageRows?.(values.own),
    })
    const { covered_until } = lakeNow
    if (covered_until === null) throw neverDelivered(from[0] as Dataset, state.system().feeds)
    let period: { readonly from: number; readonly to: number } | null = null
    let isFiltered = endpoint.filters.length === 0
    const where: LakeView['where'] = (columns, filters = endpoint.filters) => {
      isFiltered = true
      return conditionOf(filters, values.own, columns)
    }
    const view = viewOf({ ...lakeNow, covered_until, where }, (closed) => {
      period = closed
    })
    const first = read.prequery?.(values.own, view)
    // Impossible parameter values are refused here.
    const made = first ? null : read.query(values.own, view, [])
    const isKnown = knowsSubject(context, read, values)
    const mayRefuse = Object.keys(read.existingValues ?? {}).some((name) => givenOf(values, name).length > 0)
    const head = headOf(context, values, {
      format,
      from,
      now,
      versions: { datasets: from, of: [lakeNow.name, covered_until, Number(isKnown)], changed_at: lakeNow.changed_at },
      data_time: covered_until,
      refresh: { at: () => covered_until + 1000 * LAND_S, cadence_s: LAND_S },
    })
    const answer = async (signal: AbortSignal): Promise<ResponseBody> => {
      const options = { pins: lakeNow.pins, timeout_ms: QUERY_TIMEOUT_MS, signal }
      const found = first ? await lake.query(first, { ...options, columns: {}, maxRows: FIRST_ROWS }) : []
      const own = made ?? read.query(values.own, view, found)
      const whole = circle ? withDistanceSql(own, circle) : own
      if (!isFiltered) throw new Error(`${endpoint.path}: the query does not use the endpoint's filters`)
      const query = chosen(whole, { shape: record.name, columns, id: returns.id, page })
      const order = orderOf(returns, page.sort)
      const limit = page.limit ?? returns.limit.max
      const rowsOf = { query, columns, shape: record.name, order, after: begun?.position ?? null, limit }
      const refuseEmpty = async (): Promise<void> => {
        if (begun) return
        if (mayRefuse)
          await refuseUnknown(read.existingValues ?? {}, values, async (name) => {
            const listed = read.existingValues?.[name]?.values(values.own, view, found) as Sql
            return new Set((await lake.query(listed, { ...options, columns: {}, maxRows: FIRST_ROWS })).map(({ value }) => String(value)))
          })
        if (isKnown) return
        const past = read.existenceCheck?.past?.(values.own)
        if (past && (await countOf(lake, past, options)) > 0) return
        if (query === whole || (await countOf(lake, whole, options)) === 0) throw unknownThing(values.path)
      }
      const { statistic: figure } = endpoint
      const meta = metaOf(state, from, {
        lake: { ...lakeNow, snapshot: lakeNow.name },
        ...(figure ? { figure } : {}),
        period,
        ...coverageOf(gap, values.own),
      })
      const asides = async (): Promise<JsonObject> => {
        const rows: Record<string, AnyRow[]> = {}
        for (const [name, ask] of Object.entries(read.sideQueries ?? {})) {
          const columns = (returns.sideLists?.[name] as Nested).fields as Columns
          rows[name] = await lake.query(ask(values.own, view, found), { ...options, columns, maxRows: FIRST_ROWS })
        }
        return asideTexts(rows)
      }
      const cursorAt = (end: Position | null): string | null =>
        end && cursors.seal({ snapshot: lakeNow.name, position: end } as unknown as Json, { bind: bound, now, hours: CURSOR_HOURS })
      const linksTo = (next: string | null): string[] => (next === null ? [] : [nextLink(values.path, values.query, next)])
      const list = { name: returns.name, updated_at: covered_until, meta }
      if (isTable(format)) {
        const about = { ...list, total: format === 'parquet' && page.total === 'exact' ? await countOf(lake, query, options) : null }
        const ask = { record: shape, page, format, signal }
        const made = await lakeTable(context.tables, ask, { ...rowsOf, finish, refuseEmpty, cursorAt, about, limits: options })
        return { pieces: [], file: made.file, links: linksTo(made.next_cursor), next_cursor: made.next_cursor }
      }
      const rows = await lake.query(pageQuery({ ...rowsOf, limit: limit + 1 }), { ...options, columns, maxRows: limit + 1, room })
      if (rows.length === 0) await refuseEmpty()
      const asked = { endpoint, values, from, period, covered: lakeNow, limits: options }
      const none = rows.length === 0 && !begun ? await noMatchesInLake(lake, asked) : []
      const shownRows = rows.slice(0, limit)
      const next_cursor = cursorAt(rows.length > limit ? positionOf(order, shownRows.at(-1) as AnyRow) : null)
      const total = page.total === 'exact' ? await countOf(lake, query, options) : null
      const records = finish ? shownRows.map(finish) : shownRows
      return {
        pieces: await listBody(
          { ...list, meta: { ...meta, ...(none.length > 0 ? { no_match: none } : {}) }, total, next_cursor, extra: await asides() },
          records,
          { texts: textsOf(shape), page, format },
        ),
        links: linksTo(next_cursor),
        next_cursor,
      }
    }
    return { head, answer, isFromMemory: false, mayNotExist: !isKnown || mayRefuse }
  }
}

/** Returns what a query may know about a state of the lake. */
function viewOf(
  { covered_from, covered_until, latest_row_at, newest, where }: LakeState & Pick<LakeView, 'where'> & { readonly covered_until: number },
  onPeriod: (closed: { readonly from: number; readonly to: number }) => void,
): LakeView {
  // The end is exclusive but the newest observation of any feed is included, so that an open period loses no row.
  return {
    covered_from,
    covered_until,
    latest_row_at,
    where,
    period: (period, span_days, { end = null, daysInUtc = false } = {}) => {
      const closed = closePeriod(period, { covered_from, covered_until: end ?? (newest ?? covered_until) + 1, span_days, daysInUtc })
      onPeriod(closed)
      return closed
    },
  }
}

/** Returns a query's rows that match `ids` and `updated_since`; the query itself if a request has neither. */
function chosen(
  query: Sql,
  options: { readonly shape: string; readonly columns: Columns; readonly id: string | undefined; readonly page: RequestValues['page'] },
): Sql {
  const { columns, id, page } = options
  const shape = { name: options.shape, about: '', fields: columns }
  const parts: Sql[] = []
  if (id !== undefined && page.ids) parts.push(sql`${fieldColumn(shape, id)} IN ${bindList(id, columns[id] as Columns[string], page.ids)}`)
  if (page.updated_since !== null) parts.push(sql`${fieldColumn(shape, 'updated_at')} >= ${instant(page.updated_since)}`)
  return parts.length === 0 ? query : sql`SELECT * FROM (${query}) WHERE ${join(parts, sql` AND `)}`
}

async function countOf(lake: Lake, query: Sql, options: Parameters<Lake['query']>[1]): Promise<number> {
  const [row] = await lake.query(sql`SELECT count(*) AS total FROM (${query})`, { ...options, columns: {}, maxRows: 1 })
  return Number(row?.['total'])
}

const NEVER_PUBLISHED = Object.freeze({ rows: [], parts: [] })

/** True if the thing with this history currently exists: without rows, the answer is then an empty list, otherwise 404. */
function knowsSubject(context: AnswerContext, { existenceCheck: subject }: ReadOf<'lake'>, values: RequestValues): boolean {
  if (!subject) return true
  const snapshot = context.state.snapshot(subject.of) ?? NEVER_PUBLISHED
  return subject.find(snapshot as unknown as State, values.own)
}

function otherSnapshot(): Problem {
  const detail = 'snapshot and cursor name two states of the lake; every page of a list reads the state of its first: leave snapshot out'
  return problem('invalid-parameter', detail, { errors: ['snapshot', 'cursor'].map((parameter) => ({ parameter, detail })) })
}

function readBegun(value: Json): { snapshot: string; position: Position } {
  return value as unknown as { snapshot: string; position: Position }
}
