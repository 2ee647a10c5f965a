import { rolledBackProperties } from '../landed.ts'
import type { Dataset } from '../schema/dataset.ts'
import { TableRefused } from './errors.ts'
import { liveFiles } from './files.ts'
import { metadataBytes, parseMetadata, schemaOf, type TableMetadata } from './metadata.ts'
import { declaredTable } from './schema.ts'
import { listVersions, openTable, pathsOf, stateOf, type Table, versionKey } from './table.ts'
import type { LiveFile } from './types.ts'
import { updateTable, writeHint } from './update.ts'

/** A repair of a table by its operator: what it would change, and the change itself. */
export interface Repair {
  readonly plan: string
  readonly apply: () => Promise<number>
}

/**
 * Makes an earlier version of a table's metadata the newest again, with its rows, columns and record of landed fetches: the
 * worker then lands what is missing. Throws if the version is gone, is another table's, or names a file that is gone.
 */
export async function planRollback(table: Table, version: number): Promise<Repair> {
  const { store, key } = table
  const newest = (await listVersions(table)).at(-1)
  if (newest === undefined) throw new Error(`table ${key} is not created`)
  const bytes = await store.get(versionKey(key, version))
  if (!bytes || version >= newest) throw new Error(`table ${key} has no earlier version ${version}; the newest is ${newest}`)
  const metadata = parseMetadata(bytes, versionKey(key, version))
  const now = await numbersOf(table, newest)
  if (now['table-uuid'] !== metadata['table-uuid']) throw new Error(`version ${version} of table ${key} belongs to another table`)
  const state = stateOf(openTable({ store, key }), version, metadata)
  const files = await liveFiles(state)
  for (const file of files.flatMap((one) => [one, ...(one.deletes?.files ?? [])]))
    if ((await store.head(file.key)) === null) throw new Error(`version ${version} of table ${key} needs ${file.key}, which is deleted`)
  const most = (field: 'last-sequence-number' | 'last-column-id' | 'last-partition-id' | 'last-updated-ms'): number =>
    Math.max(metadata[field], now[field] ?? 0)
  const next: TableMetadata = {
    ...metadata,
    properties: rolledBackProperties(metadata.properties, now.properties ?? {}),
    // Numbers are never used twice.
    'last-sequence-number': most('last-sequence-number'),
    'last-column-id': most('last-column-id'),
    'last-partition-id': most('last-partition-id'),
    'last-updated-ms': Math.max(table.clock(), most('last-updated-ms')),
    'metadata-log': [
      ...metadata['metadata-log'],
      { 'timestamp-ms': metadata['last-updated-ms'], 'metadata-file': pathsOf(state).toLocation(versionKey(key, version)) },
    ],
  }
  return {
    plan: `${key}: version ${newest + 1} would be version ${version} again, with ${rowsOf(files)} rows in ${files.length} files; ${await rowsNow(table)}, and later commits would be lost`,
    async apply() {
      if (!(await store.putIfAbsent(versionKey(key, newest + 1), metadataBytes(next))))
        throw new Error(`table ${key} was changed meanwhile: nothing was done`)
      await writeHint(table, { version: newest + 1, committed_at: table.clock() })
      table.announce(newest + 1)
      return newest + 1
    },
  }
}

/** The newest metadata that is JSON of a table, of whatever format: only its id and numbers are needed. */
async function numbersOf({ store, key }: Table, newest: number): Promise<Partial<TableMetadata>> {
  for (let version = newest; version > 0; version--) {
    try {
      const found = JSON.parse(String(await store.get(versionKey(key, version)))) as Partial<TableMetadata> | null
      if (found?.['table-uuid'] !== undefined) return found
    } catch (error) {
      // Damaged: an earlier one has the last numbers of this service.
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return {}
}

const rowsOf = (files: readonly LiveFile[]): number => files.reduce((sum, file) => sum + file.rows, 0)

/** Says how many rows a table has at present, if it can be read. */
async function rowsNow(table: Table): Promise<string> {
  try {
    const state = await table.load({ isFresh: true })
    return `it has ${state ? rowsOf(await liveFiles(state)) : 0} rows now`
  } catch (error) {
    if (!(error instanceof TableRefused)) throw error
    return 'its rows cannot be counted now'
  }
}

/** Removes a column that a dataset does not declare from its table's schema. Throws for others, and for one of the partitions. */
export async function planDropColumn(table: Table, dataset: Dataset, name: string): Promise<Repair> {
  const without = (metadata: TableMetadata): TableMetadata => {
    const schema = schemaOf(metadata)
    const field = schema.fields.find((one) => one.name === name)
    if (!field) throw new Error(`table ${dataset.id} has no column ${name}; it has ${schema.fields.map((one) => one.name).join(', ')}`)
    if (declaredTable(dataset).fields.some(({ id }) => id === field.id))
      throw new Error(`column ${name} of table ${dataset.id} is declared: only columns of other writers can be dropped`)
    const isUsed = metadata['partition-specs'].some(({ fields }) => fields.some((part) => part['source-id'] === field.id))
    if (isUsed) throw new Error(`column ${name} of table ${dataset.id} cannot be dropped: files are partitioned by it`)
    const orders = metadata['sort-orders'].some(({ fields }) => fields.some((part) => part['source-id'] === field.id))
    if (orders) throw new Error(`column ${name} of table ${dataset.id} cannot be dropped: a sort order uses it`)
    if (schema['identifier-field-ids']?.includes(field.id))
      throw new Error(`column ${name} of table ${dataset.id} cannot be dropped: it identifies the rows`)
    const id = 1 + Math.max(...metadata.schemas.map((one) => one['schema-id']))
    const kept = { ...schema, 'schema-id': id, fields: schema.fields.filter((one) => one !== field) }
    return { ...metadata, 'current-schema-id': id, schemas: [...metadata.schemas, kept] }
  }
  const state = await table.load({ isFresh: true })
  if (!state) throw new Error(`table ${table.key} is not created`)
  without(state.metadata)
  return {
    plan: `${table.key}: column ${name} would be removed from the schema; its values go with the next rewrite of each file`,
    apply: async () => {
      const { state: after } = await updateTable({
        table,
        attempt: async ({ metadata }) => ({ kind: 'change', metadata: without(metadata) }),
      })
      return after.version
    },
  }
}
