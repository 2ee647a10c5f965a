import { type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'

/** End (ms) of the finished days in a roll-up, from the newest begin in its column `last`; `from` if it has none. */
export function rollupWatermark([found]: readonly AnyRow[], { from, to }: { readonly from: number; readonly to: number }): number {
  const last = (found?.['last'] ?? null) as number | null
  return last === null ? from : Math.min(to, Math.max(from, dayBounds(madridDate(last)).end))
}

/** The newest begin in the rows of a roll-up, for `rollupWatermark`. */
export const newestOf = (rows: SqlPart): Sql => sql`SELECT epoch_ms(max(period_start)) AS last FROM ${rows}`
