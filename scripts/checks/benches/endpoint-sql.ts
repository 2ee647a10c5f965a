import { pageQuery } from '../../../api/engine/request/page-query.ts'
import { orderOf } from '../../../api/engine/request/paging.ts'
import { requestReader } from '../../../api/engine/request/request.ts'
import type { Endpoint, ListReturn } from '../../../api/kernel/endpoint.ts'
import { closePeriod } from '../../../api/kernel/params/params-time.ts'
import { conditionOf } from '../../../api/kernel/reads/filter.ts'
import type { LakeView } from '../../../api/kernel/reads/lake-view.ts'
import { flatFields } from '../../../api/kernel/reads/select.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'

/** The SQL with which an endpoint over the lake answers a request: the page of records and its side queries. */
export interface EndpointSql {
  /** The small prequery; null if there is none. */
  readonly first: Sql | null
  /** The query of the page, from the prequery's result. */
  page(found: readonly AnyRow[]): Sql
  /** The side queries. */
  asides(found: readonly AnyRow[]): Sql[]
  readonly columns: Columns
}

/** The SQL of a request (path and query) over a lake that has data between two instants (ms). */
export function endpointSql(endpoint: Endpoint, url: string, covered: { readonly from: number; readonly until: number }): EndpointSql {
  const { read } = endpoint
  if (read.kind !== 'lake') throw new Error(`${endpoint.path} is not read from the lake`)
  const returns = endpoint.returns as ListReturn
  const values = requestReader(endpoint)(url, inPath(endpoint.path, url))
  const view: LakeView = {
    covered_from: covered.from,
    covered_until: covered.until,
    latest_row_at: covered.until,
    where: (columns, filters = endpoint.filters) => conditionOf(filters, values.own, columns),
    period: (period, span_days) => closePeriod(period, { covered_from: covered.from, covered_until: covered.until + 1, span_days }),
  }
  const columns = read.rows?.columns ?? flatFields(returns.record.fields)
  return {
    first: read.prequery?.(values.own, view) ?? null,
    page: (found) =>
      pageQuery({
        query: read.query(values.own, view, found),
        columns,
        shape: returns.record.name,
        order: orderOf(returns, null),
        after: null,
        limit: (values.page.limit ?? returns.limit.max) + 1,
      }),
    asides: (found) => Object.values(read.sideQueries ?? {}).map((ask) => ask(values.own, view, found)),
    columns,
  }
}

/** The parameters in a path, for example of `/a/{x}` and `/a/1?…`. */
function inPath(template: string, url: string): Record<string, string> {
  const parts = (url.split('?')[0] as string).split('/')
  return Object.fromEntries(
    template.split('/').flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[at] ?? '')]] : [])),
  )
}
