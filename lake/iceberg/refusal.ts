import type { Dataset } from '../schema/dataset.ts'
import { decoded, TableRefused } from './errors.ts'
import { liveFiles } from './files.ts'
import { partsOf } from './manifest-schema.ts'
import { specOf } from './metadata.ts'
import { canWiden } from './migrate.ts'
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

/** The last usable state by dataset: most differ from the one before in properties alone. A refused one is read again. */
const usable = new WeakMap<Dataset, TableState>()

/**
 * Why the rows of a state cannot be read and written: a column of another type, a required one that nobody here fills, deletes
 * that cannot be applied, manifests that are missing or damaged. Null if they can. Throws if the store cannot be read.
 */
export async function refusalOf(state: TableState, dataset: Dataset): Promise<string | null> {
  const last = usable.get(dataset)
  const isSame =
    last !== undefined &&
    last.table === state.table &&
    last.snapshotId === state.snapshotId &&
    last.metadata['current-schema-id'] === state.metadata['current-schema-id']
  if (isSame) return null
  try {
    const { table, metadata } = state
    const reason = decoded(table.key, 'its schema', () => columnRefusal(state, dataset))
    if (reason !== null) return reason
    for (const { specId } of await table.manifests(state)) partsOf(metadata, specOf(metadata, specId))
    await liveFiles(state)
  } catch (error) {
    if (error instanceof TableRefused) return error.reason
    throw error
  }
  usable.set(dataset, state)
  return null
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
