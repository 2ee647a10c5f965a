import { bind, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { Order, Position } from '../../kernel/page.ts'
import { fieldColumn } from '../../kernel/reads/select.ts'

/** A page of a query's rows, as `pageQuery` takes it. */
export interface PageOfQuery {
  readonly query: Sql
  readonly columns: Columns
  /** Name of the records. */
  readonly shape: string
  readonly order: Order
  readonly after: Position | null
  readonly limit: number
}

/** Selects one page of a query's rows: those after a position, in order, by keyset. */
export function pageQuery(options: PageOfQuery): Sql {
  const { query, columns, order, after, limit } = options
  const shape = { name: options.shape, about: '', fields: columns }
  const by = order.map(({ field, falling }) =>
    falling ? sql`${fieldColumn(shape, field)} DESC NULLS LAST` : sql`${fieldColumn(shape, field)} ASC NULLS LAST`,
  )
  const where = after === null ? sql`` : sql` WHERE ${isAfter(options, after)}`
  return sql`SELECT * FROM (${query})${where} ORDER BY ${join(by)} LIMIT ${limit}`
}

/** Selects the rows of a query after a position, in any order. */
export function rowsAfter(options: PageOfQuery, after: Position): Sql {
  return sql`SELECT * FROM (${options.query}) WHERE ${isAfter(options, after)}`
}

/** Returns the condition that a row comes after a position: equal in the first criteria, greater in the next. Nulls sort last. */
function isAfter(options: { readonly columns: Columns; readonly shape: string; readonly order: Order }, after: Position): Sql {
  const shape = { name: options.shape, about: '', fields: options.columns }
  const cases = options.order.flatMap(({ field, falling }, at) => {
    const value = after[at] ?? null
    if (value === null) return []
    const name = fieldColumn(shape, field)
    const bound = bind(field, { ...(options.columns[field] as Columns[string]), nullable: true }, value)
    const equal = options.order
      .slice(0, at)
      .map((before, index) =>
        isSame(fieldColumn(shape, before.field), options.columns[before.field] as Columns[string], after[index] ?? null),
      )
    const beyond = falling ? sql`(${name} < ${bound} OR ${name} IS NULL)` : sql`(${name} > ${bound} OR ${name} IS NULL)`
    return [sql`(${join([...equal, beyond], sql` AND `)})`]
  })
  return cases.length === 0 ? sql`false` : join(cases, sql` OR `)
}

function isSame(name: Sql, column: Columns[string], value: unknown): Sql {
  return value === null ? sql`${name} IS NULL` : sql`${name} = ${bind('key', column, value)}`
}
