import type { Dataset } from '../schema/dataset.ts'
import { TableRefused } from './errors.ts'
import { partsOf } from './manifest-schema.ts'
import { specOf } from './metadata.ts'
import { canWiden } from './migrate.ts'
import { deleteEntries } from './position-deletes.ts'
import { declaredTable } from './schema.ts'
import type { Table, TableState } from './table.ts'

/** A table that cannot be used, and why. */
export interface Refused {
  readonly refused: string
}

/** A table's newest state, null if it does not exist; the reason if it cannot be used with a dataset's declaration. */
export async function loadOrRefuse(table: Table, dataset: Dataset): Promise<TableState | Refused | null> {
  try {
    const state = await table.load()
    if (!state) return null
    const refused = await refusalOf(state, dataset)
    return refused === null ? state : { refused }
  } catch (error) {
    if (error instanceof TableRefused) return { refused: error.reason }
    throw error
  }
}

/** True for a reason instead of a table. */
export function isRefused(found: object | null): found is Refused {
  return found !== null && 'refused' in found
}

/** Columns and snapshot of the last check by dataset: most states differ from the one before in properties alone. */
const checked = new WeakMap<Dataset, { readonly state: TableState; readonly reason: string | null }>()

/**
 * Why the rows of a state cannot be read and written: a column of another type, a required one that nobody here fills, deletes
 * that cannot be applied. Null if they can.
 */
export async function refusalOf(state: TableState, dataset: Dataset): Promise<string | null> {
  const last = checked.get(dataset)
  const isSame =
    last !== undefined &&
    last.state.table === state.table &&
    last.state.snapshotId === state.snapshotId &&
    last.state.metadata['current-schema-id'] === state.metadata['current-schema-id']
  if (isSame) return last.reason
  const reason = columnRefusal(state, dataset) ?? (await filesRefusal(state))
  checked.set(dataset, { state, reason })
  return reason
}

function columnRefusal({ fields }: TableState, dataset: Dataset): string | null {
  const declared = declaredTable(dataset)
  for (const { id, name, type, required } of fields) {
    const own = declared.fields.find((field) => field.id === id)
    // A later release may have widened it.
    if (own && !canWiden(own.type, type) && !canWiden(type, own.type)) return `column ${name} (field id ${id}) has another type`
    if (!own && required && !declared.retired.has(id))
      return `column ${name} (field id ${id}) is required and not declared: no row could be written`
  }
  return null
}

async function filesRefusal(state: TableState): Promise<string | null> {
  try {
    for (const { specId } of await state.table.manifests(state)) partsOf(state.metadata, specOf(state.metadata, specId))
    await deleteEntries(state)
    return null
  } catch (error) {
    if (error instanceof TableRefused) return error.reason
    throw error
  }
}
