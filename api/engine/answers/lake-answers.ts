import type { Lake, QueryLimits } from '../../../lake/open.ts'
import { distanceSql } from '../../../lake/places/distance-sql.ts'
import type { ProvinceGap } from '../../../lake/places/gaps.ts'
import { bindList, instant, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Columns, col, type Json } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import type { ListReturn, ReadOf, State } from '../../kernel/endpoint.ts'
import type { Nested, RecordShape } from '../../kernel/fields.ts'
import { isTable, type TableFormat } from '../../kernel/formats.ts'
import type { Position } from '../../kernel/page.ts'
import { type Circle, circleOf, DISTANCE } from '../../kernel/params/around.ts'
import { closePeriod } from '../../kernel/params/params-time.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { conditionOf } from '../../kernel/reads/filter.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { fieldColumn, flatFields } from '../../kernel/reads/select.ts'
import { type JsonObject, recordWriter } from '../../kernel/reads/shape.ts'
import type { ResponseHead } from '../replies/responses.ts'
import { givenOf, refuseUnknown } from '../request/known-values.ts'
import { type LakeState, lakeState } from '../request/lake-state.ts'
import { pageQuery } from '../request/page-query.ts'
import { orderOf, positionOf } from '../request/paging.ts'
import type { RequestValues } from '../request/request.ts'
import { lakeTable } from '../tables/lake-table.ts'
import { neverDelivered, notLanded } from './absent-data.ts'
import { type Meta, metaOf } from './compose.ts'
import { gapOf, placeMetaOf } from './coverage.ts'
import { absentLandings } from './missing.ts'
import { noMatchesInLake } from './no-match.ts'
import { listBody, textsOfShapes } from './records.ts'
import { type AnswerContext, type Handler, headOf, nextLinks, type ResponseBody, unknownThing } from './response-plan.ts'
import { shownRecord } from './shown-record.ts'

/** Timeout of all queries of an answer together, including the waits for slots. */
export const QUERY_TIMEOUT_MS = 30_000
const CURSOR_HOURS = 24
/** Most rows of a `prequery`, of existing values, and of a side list. */
const FIRST_ROWS = 1000
/** The worker commits to the lake at least this often, in seconds. */
const LAND_S = 600

type Options = Parameters<Handler>[1]

/** An interval of time, ms since the epoch; the end is exclusive. */
interface Interval {
  readonly from: number
  readonly to: number
}

/** The state of the lake that the first page was read from, and where the page before this one ended. */
interface Begun {
  readonly snapshot: string
  readonly position: Position
}

/** A state of the lake with the datasets that were read. */
type Landed = LakeState & { readonly covered_until: number }

/** A request with the state of the lake that answers it. */
interface LakeRequest extends Pick<Options, 'format' | 'now'> {
  readonly values: RequestValues
  readonly shape: RecordShape
  readonly from: readonly Dataset[]
  readonly landed: Landed
  /** Null for the first page. */
  readonly begun: Begun | null
  readonly view: LakeView
  readonly prequery: Sql | null
  /** The query; null if it needs the rows of `prequery`. */
  readonly query: Sql | null
  /** What the query asked of the view. */
  readonly used: { isFiltered: boolean; period: Interval | null }
  /** False if the thing with this history does not exist at present. */
  readonly isKnown: boolean
}

/** The queries of a request, with the rows of its first one. */
interface Queries {
  readonly found: readonly AnyRow[]
  /** All rows of the answer, before `ids` and `updated_since`. */
  readonly whole: Sql
  readonly query: Sql
  readonly columns: Columns
  readonly finish: ((row: AnyRow) => AnyRow) | null
  readonly limits: QueryLimits & { readonly signal: AbortSignal }
}

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
  const sideTexts = recordWriter({ name: '', about: '', fields: returns.sideLists ?? {} })
  const gap = (): ProvinceGap | null => gapOf(endpoint, state.system().feeds)
  const ownColumns = read.rows?.columns ?? flatFields(endpoint.around?.plain.fields ?? record.fields)
  const finishOwn = (read.rows?.finish as ((row: AnyRow) => AnyRow) | undefined) ?? null
  const room = read.rows?.adds ?? []

  return async (values, options) => {
    const asked = await requestOf(values, options)
    const mayNotExist = !asked.isKnown || refusesValues(values)
    return { head: headFor(asked), answer: (signal) => bodyOf(asked, signal), isFromMemory: false, mayNotExist }
  }

  /** Opens the state of the lake. Impossible parameter values are refused here, so that HEAD refuses them too. */
  async function requestOf(values: RequestValues, { format, now }: Pick<Options, 'format' | 'now'>): Promise<LakeRequest> {
    const { page, own } = values
    const shape = shapeOf(values)
    const begun = page.cursor === null ? null : readBegun(cursors.open(page.cursor, { bind: boundTo(values), now }))
    if (begun && page.snapshot !== null && page.snapshot !== begun.snapshot) throw otherSnapshot()
    const from = read.fromOf?.(own) ?? read.from
    const { feeds } = state.system()
    const found = await lakeState({ lake, cursors, feeds }, from, {
      name: begun?.snapshot ?? page.snapshot,
      begins: read.coverageOf,
      rowsOf: read.coverageRows?.(own),
    })
    const { covered_until } = found
    if (covered_until === null) throw neverDelivered(from[0] as Dataset, feeds)
    const landed = { ...found, covered_until }
    const used: LakeRequest['used'] = { isFiltered: endpoint.filters.length === 0, period: null }
    const view = viewOf(landed, {
      where: (columns, filters = endpoint.filters) => {
        used.isFiltered = true
        return conditionOf(filters, own, columns)
      },
      onPeriod: (closed) => {
        used.period = closed
      },
    })
    const prequery = read.prequery?.(own, view) ?? null
    const query = prequery ? null : read.query(own, view, [])
    const isKnown = knowsSubject(context, read, values)
    return { values, format, now, shape, from, landed, begun, view, prequery, query, used, isKnown }
  }

  function headFor({ values, format, now, from, landed, isKnown }: LakeRequest): ResponseHead {
    const { covered_until, changed_at, name } = landed
    return headOf(context, values, {
      ...{ format, from, now, data_time: covered_until },
      versions: { datasets: from, of: [name, covered_until, Number(isKnown)], changed_at },
      refresh: { at: () => covered_until + 1000 * LAND_S, cadence_s: LAND_S },
    })
  }

  async function bodyOf(asked: LakeRequest, signal: AbortSignal): Promise<ResponseBody> {
    const queries = await queriesOf(asked, signal)
    const { format } = asked
    return isTable(format) ? await table({ ...asked, format }, queries) : await page(asked, queries)
  }

  async function queriesOf({ values, landed, view, prequery, query, used }: LakeRequest, signal: AbortSignal): Promise<Queries> {
    const limits = { pins: landed.pins, timeout_ms: QUERY_TIMEOUT_MS, since: performance.now(), signal }
    const found = prequery ? await lake.query(prequery, { ...limits, columns: {}, maxRows: FIRST_ROWS }) : []
    const own = query ?? read.query(values.own, view, found)
    if (!used.isFiltered) throw new Error(`${endpoint.path}: the query does not use the endpoint's filters`)
    const circle = circleOf(endpoint.around, values.own)
    const columns = circle ? { ...ownColumns, ...DISTANCE_COLUMN } : ownColumns
    const finish = circle && finishOwn ? withDistance(finishOwn) : finishOwn
    const whole = circle ? withDistanceSql(own, circle) : own
    const chosen = chosenRows(whole, { shape: record.name, columns, id: returns.id, page: values.page })
    return { found, whole, query: chosen, columns, finish, limits }
  }

  async function page(asked: LakeRequest, queries: Queries): Promise<ResponseBody> {
    const { values, format, shape, from, landed, begun, used } = asked
    const { query, columns, finish, limits } = queries
    const ofPage = rowsOf(asked, queries)
    const { order, limit } = ofPage
    const [rows, total, extra] = await together(limits.signal, (signal) => {
      const own = { ...limits, signal }
      return [
        // One row more shows whether another page follows.
        lake.query(pageQuery({ ...ofPage, limit: limit + 1 }), { ...own, columns, maxRows: limit + 1, room }),
        values.page.total === 'exact' ? countOf(lake, query, own) : null,
        sideLists(asked, { ...queries, limits: own }),
      ]
    })
    if (rows.length === 0) await refuseEmpty(asked, queries)
    const unmatched = { endpoint, values, from, period: used.period, covered: landed, limits }
    const no_match = rows.length === 0 && !begun ? await noMatchesInLake(lake, unmatched) : []
    const shown = rows.slice(0, limit)
    const next_cursor = cursorAt(asked, rows.length > limit ? positionOf(order, shown.at(-1) as AnyRow) : null)
    const list = listOf(asked)
    const meta = { ...list.meta, ...(no_match.length > 0 ? { no_match } : {}) }
    const stated = { ...list, meta, total, next_cursor, extra }
    const how = { texts: textsOf(shape), page: values.page, format }
    const pieces = await listBody(stated, finish ? shown.map(finish) : shown, how)
    return { pieces, links: linksTo(values, next_cursor), next_cursor }
  }

  async function table(asked: LakeRequest & { readonly format: TableFormat }, queries: Queries): Promise<ResponseBody> {
    const { values, format, shape } = asked
    const { query, finish, limits } = queries
    const hasTotal = format === 'parquet' && values.page.total === 'exact'
    const about = { ...listOf(asked), total: hasTotal ? await countOf(lake, query, limits) : null }
    const ask = { record: shape, page: values.page, format, signal: limits.signal }
    const { file, next_cursor } = await lakeTable(context.tables, ask, {
      ...{ ...rowsOf(asked, queries), finish, about, limits },
      refuseEmpty: () => refuseEmpty(asked, queries),
      cursorAt: (end) => cursorAt(asked, end),
    })
    return { pieces: [], file, links: linksTo(values, next_cursor), next_cursor }
  }

  function rowsOf({ values: { page }, begun }: LakeRequest, { query, columns }: Queries): Parameters<typeof pageQuery>[0] {
    const order = orderOf(returns, page.sort)
    return { query, columns, shape: record.name, order, after: begun?.position ?? null, limit: page.limit ?? returns.limit.max }
  }

  /** What a list states besides its rows. */
  function listOf({ values, from, landed, used }: LakeRequest): {
    readonly name: string
    readonly updated_at: number
    readonly meta: Meta
  } {
    const missing = absentLandings(from, landed.awaited, state.system())
    const meta = metaOf(state, from, {
      ...(missing.length > 0 ? { missing } : {}),
      lake: { ...landed, snapshot: landed.name },
      ...(endpoint.statistic ? { figure: endpoint.statistic } : {}),
      period: used.period,
      ...placeMetaOf(gap(), values.own),
    })
    return { name: returns.name, updated_at: landed.covered_until, meta }
  }

  async function sideLists({ values, view }: LakeRequest, { found, limits }: Queries): Promise<JsonObject> {
    const lists = Object.entries(read.sideQueries ?? {}).map(async ([name, ask]) => {
      const columns = (returns.sideLists?.[name] as Nested).fields as Columns
      return [name, await lake.query(ask(values.own, view, found), { ...limits, columns, maxRows: FIRST_ROWS })] as const
    })
    return sideTexts(Object.fromEntries(await Promise.all(lists)))
  }

  /** Throws the problem of an answer whose rows have not arrived, or of an unknown value or thing. A later page may be empty. */
  async function refuseEmpty(
    { values, from, landed, begun, view, isKnown }: LakeRequest,
    { found, whole, query, limits }: Queries,
  ): Promise<void> {
    if (begun) return
    // What has not arrived is not known to be empty.
    if (landed.awaited.length > 0) throw notLanded(landed.awaited, from.slice(0, 1))
    const { existingValues = {}, existenceCheck } = read
    if (refusesValues(values))
      await refuseUnknown(existingValues, values, async (name) => {
        const listed = existingValues[name]?.values(values.own, view, found) as Sql
        return new Set((await lake.query(listed, { ...limits, columns: {}, maxRows: FIRST_ROWS })).map(({ value }) => String(value)))
      })
    if (isKnown) return
    const past = existenceCheck?.past?.(values.own)
    if (past && (await countOf(lake, past, limits)) > 0) return
    if (query === whole || (await countOf(lake, whole, limits)) === 0) throw unknownThing(values.path)
  }

  function refusesValues(values: RequestValues): boolean {
    return Object.keys(read.existingValues ?? {}).some((name) => givenOf(values, name).length > 0)
  }

  function boundTo({ filterKey }: RequestValues): string {
    return `${endpoint.path} ${filterKey}`
  }

  function cursorAt({ values, landed, now }: LakeRequest, position: Position | null): string | null {
    const value = { snapshot: landed.name, position } as unknown as Json
    return position && cursors.seal(value, { bind: boundTo(values), now, hours: CURSOR_HOURS })
  }

  function linksTo({ path, query }: RequestValues, next: string | null): string[] {
    return next === null ? [] : nextLinks(path, query, next)
  }
}

/** Returns what a query may know about a state of the lake. */
function viewOf(
  { covered_from, covered_until, latest_row_at, newest }: Landed,
  { where, onPeriod }: Pick<LakeView, 'where'> & { readonly onPeriod: (closed: Interval) => void },
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
function chosenRows(
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

/** Waits for work that runs at the same time. If a part fails, the others are stopped. */
async function together<T extends readonly unknown[]>(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const stop = new AbortController()
  try {
    return await Promise.all(begin(AbortSignal.any([signal, stop.signal])))
  } catch (error) {
    stop.abort(error)
    throw error
  }
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

function readBegun(value: Json): Begun {
  return value as unknown as Begun
}

/** The column that `withDistanceSql` adds to the rows of a query. */
const DISTANCE_COLUMN: Columns = Object.freeze({
  [DISTANCE]: col.integer(0, 'Distance from the requested point.', { unit: 'm', nullable: true }),
})

/** Adds to a query's rows the distance of their position from the centre of a circle, in whole metres. */
function withDistanceSql(query: Sql, centre: Circle): Sql {
  const distance = distanceSql(centre, outputName('position_lat'), outputName('position_lon'))
  return sql`SELECT *, CAST(round(${distance}) AS INTEGER) AS ${outputName(DISTANCE)} FROM (${query})`
}

/** Makes records as `finish` does, and adds the distance of the row to each. */
function withDistance(finish: (row: AnyRow) => AnyRow): (row: AnyRow) => AnyRow {
  return (row) => {
    const found = row[DISTANCE]
    const made = finish(row)
    made[DISTANCE] = found
    return made
  }
}
