import { scan } from '../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../lake/query/sql.ts'
import type { Dataset, Life } from '../../lake/schema/dataset.ts'

/** A dataset of things that begin and end. */
type LivingDataset = Dataset & { readonly life: Life }

/**
 * The last row before `to` of every life that the period finds or that ends in it, with some of its columns and its `status`: half-open,
 * ms since the epoch. A life that has ended and come back since counts as its last row has it.
 */
export function livesIn(dataset: LivingDataset, period: { readonly from: number; readonly to: number }, columns: readonly string[]): Sql {
  const { from, to } = period
  const [id, time] = [column(dataset, dataset.life.id), column(dataset, dataset.time)]
  // Each month's partition opens with everything that is active, so the month of the begin (or the one before it) tells what goes on then.
  const before = Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() - 1)
  const status = column(dataset, 'status')
  const names = [...new Set([dataset.life.id, dataset.time, ...columns])].map((name) => column(dataset, name))
  return sql`
    SELECT ${join(names)}, ${status}
    FROM (
      SELECT ${join(names)}, ${status}
      FROM ${scan(dataset, { [dataset.time]: { gte: before, lt: to } })}
      QUALIFY row_number() OVER (PARTITION BY ${id} ORDER BY ${time} DESC) = 1
    )
    WHERE ${status} <> 'ENDED' OR ${time} >= ${instant(from)}`
}
