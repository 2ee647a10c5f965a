import type { Dataset } from '../../lake/schema/dataset.ts'
import { columnsOf, type Fields } from './fields.ts'
import { membersOf } from './shape.ts'

/** The columns of a row that a computed field depends on; `always` for what no two states have in common, as the time of a publication. */
type DependsOn = 'always' | readonly string[]

/**
 * Makes the function that says which members of a record differ from those of the state before, by the columns that do (`status` for the
 * row's state). A field that is the dataset's column differs with it, the fields that the engine fills with what they tell; `computed`
 * states it of the others, and throws where it leaves one out. A field that never changes has no columns (`[]`).
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
    if (on === undefined) throw new Error(`${dataset.id}: nothing says which columns ${field} depends on`)
    return { name, on }
  })
  return (changed) => members.flatMap(({ name, on }) => (on === 'always' || on.some((column) => changed.includes(column)) ? [name] : []))
}
