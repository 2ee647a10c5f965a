import { CommitConflict, CommitOutcomeUnknown, UpdateRefused } from '../../../lake/iceberg/errors.ts'
import { removeOldVersions } from '../../../lake/iceberg/expire.ts'
import { schemaOf, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { adoptSnapshot, type SnapshotChange, wholeChanges } from '../../../lake/iceberg/rest/adopt.ts'
import type { Json } from '../../../lake/iceberg/rest/client-schema.ts'
import { createdMetadata, creatingUpdates } from '../../../lake/iceberg/rest/create.ts'
import { applyUpdates, checkRequirements, type UpdateRules } from '../../../lake/iceberg/rest/updates.ts'
import { stateOf, type Table, type TableState, tableUri } from '../../../lake/iceberg/table.ts'
import type { TableField } from '../../../lake/iceberg/types.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import type { Lake } from '../../../lake/open.ts'
import { storedFields } from '../../../lake/query/stored-fields.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import type { OwnTables } from './own-tables.ts'
import { openRowRules } from './row-rules.ts'
import type { ServedFiles } from './served-files.ts'

/** Old versions of a table's metadata are removed at every so many commits. */
const TIDY_EVERY = 10
/** Most requirements, and most updates, of one commit. */
export const MAX_CHANGES = 100

/** A commit of a client: `requirements` and `updates` of the Iceberg REST specification. */
interface CommitRequest {
  readonly requirements: readonly Json[]
  readonly updates: readonly Json[]
}

/** Changes of tables by lake writers. All throw the problem that answers a change that was not made. */
export interface Writes {
  /** Commits to a table of a dataset, or to one of a writer's own if `dataset` is null. */
  commit(table: Table, dataset: Dataset | null, request: unknown): Promise<TableState>
  /** Makes a table of a writer's own; only plans it if `stage-create` is set, for a commit with `assert-create`. */
  create(request: unknown): Promise<TableState>
  /** Makes a planned table by its first commit; null for a commit that does not require that. */
  createByCommit(name: string, request: unknown): Promise<TableState | null>
}

/** Opens the changes of tables by lake writers. They end in the same put-if-absent as those of the service. */
export function openWrites({
  lake,
  files,
  own,
  clock,
  onUntidy,
}: {
  readonly lake: Lake
  readonly files: ServedFiles
  readonly own: OwnTables
  readonly clock: () => number
  /** Called if old versions could not be removed. */
  readonly onUntidy: (error: unknown) => void
}): Writes {
  const checkRows = openRowRules(lake, clock)
  const rulesOf = (
    { table, location, version }: { readonly table: Table; readonly location: string; readonly version: number },
    { changes, written }: { readonly changes: SnapshotChange[] | null; readonly written: string[] },
  ): UpdateRules => {
    const roots = [location, files.location(table.key)]
    const keyOf = (named: string): string | null => {
      const root = roots.find((one) => named.startsWith(`${one}/`))
      const path = root === undefined ? '' : named.slice(root.length + 1)
      return path.split('/').some((part) => part === '' || part.startsWith('.')) ? null : `${table.key}/${path}`
    }
    const adopted = new Map<string, string>()
    return {
      isOurs: changes !== null,
      isLocation: (named) => roots.includes(named.replace(/\/$/, '')),
      adopt: (snapshot, metadata) => adoptSnapshot(snapshot, { base: stateOf(table, version, metadata), written, adopted, keyOf, changes }),
    }
  }
  const tidy = (table: Table, version: number): void => {
    if (version % TIDY_EVERY === 0) void removeOldVersions({ table }).catch(onUntidy)
  }
  const created = async (
    name: string,
    { uuid, updates }: { readonly uuid: string; readonly updates: readonly Json[] },
    isStaged: boolean,
  ): Promise<TableState> => {
    const table = own.planned(name, uuid)
    const location = tableUri(table)
    const metadata = await createdMetadata(
      { uuid, location, now: clock() },
      updates,
      rulesOf({ table, location, version: 0 }, { changes: null, written: [] }),
    )
    if (isStaged) return stateOf(table, 0, metadata)
    await own.create(name, table, metadata)
    return stateOf(table, 1, metadata)
  }
  return {
    commit: (table, dataset, request) =>
      answered(async () => {
        const { requirements, updates } = commitRequest(request)
        const { state } = await updateTable({
          table,
          attempt: async (base, written) => {
            checkRequirements(base.metadata, requirements)
            const changes: SnapshotChange[] | null = dataset && []
            const { location } = base.metadata
            const rules = rulesOf({ table, location, version: base.version }, { changes, written })
            const metadata = await applyUpdates(base.metadata, updates, rules)
            if (dataset) {
              const { fields } = checkedColumns(dataset, metadata)
              for (const change of wholeChanges(changes ?? [])) await checkRows(dataset, change, { properties: base.properties, fields })
            }
            return metadata === base.metadata ? { kind: 'nothing' } : { kind: 'change', metadata }
          },
        })
        if (!dataset) tidy(table, state.version)
        return state
      }),
    create: (request) =>
      answered(async () => {
        const { name, 'stage-create': isStaged, location } = (request ?? {}) as Json
        if (location !== undefined && location !== null) throw new UpdateRefused('createTable', 'the catalogue chooses the location')
        return created(String(name), { uuid: crypto.randomUUID(), updates: creatingUpdates((request ?? {}) as Json) }, isStaged === true)
      }),
    createByCommit: async (name, request) => {
      const { requirements, updates } = commitRequest(request)
      if (!requirements.some(({ type }) => type === 'assert-create')) return null
      return answered(async () => {
        const uuid = String(updates.find(({ action }) => action === 'assign-uuid')?.['uuid'])
        return created(name, { uuid, updates }, false)
      })
    },
  }
}

/** The parts of a commit. Throws the problem of a body that has no such form. */
function commitRequest(body: unknown): CommitRequest {
  const { requirements = [], updates = [] } = (body ?? {}) as Json
  for (const list of [requirements, updates])
    if (!Array.isArray(list) || list.length > MAX_CHANGES || list.some((one) => one === null || typeof one !== 'object'))
      throw problem('invalid-parameter', `requirements and updates must be lists of at most ${MAX_CHANGES} objects.`)
  return { requirements: requirements as Json[], updates: updates as Json[] }
}

/** The JSON of a body; integers that a number would round are bigints. Clients also send none, as with DELETE. */
export function exactJson(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(context?.source ?? value) : value
  return text === '' ? undefined : JSON.parse(text, exact)
}

/** Columns of others must stay through compaction. */
function checkedColumns(dataset: Dataset, metadata: TableMetadata): { readonly fields: readonly TableField[] } {
  const { fields } = schemaOf(metadata)
  const { lost } = storedFields(dataset, { fields })
  const why = 'has a name or type that compaction could not keep: it needs a new name, and a primitive type but fixed, or a list of one'
  if (lost.length > 0) throw new UpdateRefused('add-schema', `column ${lost[0]} ${why}`)
  return { fields }
}

/** Runs a change; its errors become problems by the names of the Iceberg REST specification. */
async function answered<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof UpdateRefused) throw problem('invalid-parameter', error.message, { extensions: { type: 'BadRequestException' } })
    if (error instanceof CommitConflict) throw problem('conflict', error.message, { extensions: { type: 'CommitFailedException' } })
    if (error instanceof CommitOutcomeUnknown) throw unknownOutcome(error)
    throw error
  }
}

/** The problem of a commit that may have been made: a client must keep its files, so it is no conflict. */
export function unknownOutcome(cause: unknown): Problem {
  const detail = 'It is not known whether the commit was made: load the table to find out.'
  return problem('internal', detail, { cause, extensions: { type: 'CommitStateUnknownException' } })
}
