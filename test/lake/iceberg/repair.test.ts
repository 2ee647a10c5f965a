import { afterEach, beforeEach, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { TableRefused } from '../../../lake/iceberg/errors.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { planDropColumn, planRollback } from '../../../lake/iceberg/repair.ts'
import { asRefused, openTable, type Table, type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { fakeDataFile, samples, sampleTable } from './fixtures.ts'

let table: Table
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ table, remove } = await sampleTable(Date.now))
})
afterEach(() => remove())

const fresh = async (): Promise<TableState> => (await openTable({ store: table.store, key: table.key }).load()) as TableState
const append = async (properties: Record<string, string> = {}) => {
  const file = await fakeDataFile(await fresh())
  await commit({ table, operation: 'append', add: [file], properties: () => properties })
  return file.key
}

test('a rollback brings back rows and the record of fetches, after another tool made the table unreadable', async () => {
  const first = await append({ 'landed.little': '1' })
  await append({ 'landed.little': '1-2' })
  const { metadata, version } = await fresh()
  const { store, key } = table
  await store.put(
    versionKey(key, version + 1),
    Buffer.from(JSON.stringify({ ...metadata, 'format-version': 3, 'last-sequence-number': 9 })),
  )
  await expect(fresh()).rejects.toThrow('its format version is 3')
  const { plan, apply } = await planRollback(table, 2)
  expect(plan).toContain(
    'version 5 would be version 2 again, with 1 rows in 1 files; its rows cannot be counted now, and later commits would be lost',
  )
  await expect(fresh()).rejects.toThrow('its format version is 3')
  expect(await apply()).toBe(5)
  const after = await fresh()
  expect((await liveFiles(after)).map((file) => file.key)).toEqual([first])
  expect(after.properties['landed.little']).toBe('1')
  expect(after.metadata['last-sequence-number']).toBe(9)
  await append()
  expect((await fresh()).snapshotId).toBe(10n)
  expect((await planRollback(table, 5)).plan).toContain('with 1 rows in 1 files; it has 2 rows now')
  await expect(apply()).rejects.toThrow('changed meanwhile')
})

test.each<[string, string | ((good: TableMetadata) => object), string]>([
  ['truncated', '{"format-version": 2, "trunc', 'its metadata is damaged'],
  ['no object', 'null', 'its metadata is damaged'],
  ['empty', '', 'its metadata is damaged'],
  ['schemas that are no list', (good) => ({ ...good, schemas: {} }), 'in its metadata schemas must be lists'],
  ['a schema without fields', ({ schemas: [one], ...good }) => ({ ...good, schemas: [{ ...one, fields: null }] }), 'no list of fields'],
  ['an unknown spec', (good) => ({ ...good, 'default-spec-id': 7 }), 'its metadata has no partition spec 7'],
])('a version that is %s is refused, and a rollback replaces it', async (_, made, reason) => {
  const first = await append()
  const { metadata, version } = await fresh()
  const text = typeof made === 'string' ? made : JSON.stringify(made(metadata))
  await table.store.put(versionKey(table.key, version + 1), Buffer.from(text))
  const error = await fresh().catch(asRefused)
  expect(error).toBeInstanceOf(TableRefused)
  expect((error as TableRefused).reason).toContain(reason)
  await (await planRollback(table, version)).apply()
  const after = await fresh()
  expect([after.version, (await liveFiles(after)).map((file) => file.key)]).toEqual([version + 2, [first]])
})

test('a rollback to a version that is not there, or whose files are gone, is refused', async () => {
  const first = await append()
  await commit({ table, operation: 'delete', remove: [first] })
  await expect(planRollback(table, 3)).rejects.toThrow('has no earlier version 3; the newest is 3')
  await table.store.delete(first)
  await expect(planRollback(table, 2)).rejects.toThrow(`needs ${first}, which is deleted`)
})

test('only a column of another writer can be dropped', async () => {
  const add = ({ metadata }: TableState) => {
    const [schema] = metadata.schemas as [TableMetadata['schemas'][number]]
    const fields = [...schema.fields, { id: 10_000, name: 'must', required: true, type: 'string' }]
    return { ...metadata, schemas: [schema, { ...schema, 'schema-id': 1, fields }], 'current-schema-id': 1 }
  }
  await updateTable({ table, attempt: async (base) => ({ kind: 'change', metadata: add(base) }) })
  await expect(planDropColumn(table, samples, 'level')).rejects.toThrow('column level of table samples is declared')
  await expect(planDropColumn(table, samples, 'none')).rejects.toThrow('has no column none')
  /** Refuses to drop the column while another writer's metadata uses it; then that is as it was. */
  const refusedWith = async (change: (good: TableMetadata) => object, reason: string): Promise<void> => {
    const { metadata, version } = await fresh()
    const put = (at: number, found: object) => table.store.put(versionKey(table.key, at), Buffer.from(JSON.stringify(found)))
    await put(version + 1, { ...metadata, ...change(metadata) })
    await fresh()
    await expect(planDropColumn(table, samples, 'must')).rejects.toThrow(`cannot be dropped: ${reason}`)
    await put(version + 2, metadata)
  }
  const order = { transform: 'identity', 'source-id': 10_000, direction: 'asc', 'null-order': 'nulls-last' }
  await refusedWith((good) => ({ 'sort-orders': [...good['sort-orders'], { 'order-id': 9, fields: [order] }] }), 'a sort order uses it')
  await refusedWith(
    ({ schemas }) => ({ schemas: schemas.map((one) => ({ ...one, 'identifier-field-ids': [10_000] })) }),
    'it identifies the rows',
  )
  const { apply } = await planDropColumn(table, samples, 'must')
  expect((await fresh()).fields.some(({ name }) => name === 'must')).toBe(true)
  await apply()
  expect((await fresh()).fields.some(({ name }) => name === 'must')).toBe(false)
})
