import type { Dataset } from '../../../lake/schema/dataset.ts'
import { columnsOf, type Fields } from '../fields.ts'
import { membersOf } from './shape.ts'

/**
 * Columns of a row that a computed field depends on; `always` for values that differ in every state, such as a publication's
 * time.
 */
type DependsOn = 'always' | readonly string[]

/**
 * Returns a function that lists the members of a record that changed, given the changed columns (`status` for the row's state).
 * Fields that are dataset columns follow their column; `computed` declares the columns of the others, `[]` if a field never
 * changes. Throws if it omits one.
 */
export function changedMembers<D extends Dataset, F extends Fields>(
  dataset: D,
  fields: F,
  computed: { readonly [N in keyof F]?: DependsOn } = {},
): (changed: readonly string[]) => string[] {
  const engine: Readonly<Record<string, DependsOn>> = { updated_at: 'always', status: ['status'], is_stale: ['status'] }
  const columns = columnsOf(dataset, fields)
  const members = membersOf(fields).map(({ name, field }) => {
    const column = columns.get(field)
    const own = column === undefined ? undefined : column === dataset.time ? 'always' : [column]
    const on = computed[field] ?? own ?? engine[field]
    if (on === undefined) throw new Error(`${dataset.id}: ${field} does not declare the columns that it depends on`)
    return { name, on }
  })
  return (changed) => members.flatMap(({ name, on }) => (on === 'always' || on.some((column) => changed.includes(column)) ? [name] : []))
}
