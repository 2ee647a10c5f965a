import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { openServedFiles } from '../../../../api/features/lake/served-files.ts'
import { encodeContainer } from '../../../../lake/iceberg/avro.ts'
import type { Table, TableState } from '../../../../lake/iceberg/table.ts'
import { deepTest } from '../../../helpers/tier.ts'

const KEY = 'lake/own/big-1'
const LOCATION = `file:///x/${KEY}`
const MB = 1024 ** 2

const record = (name: string, fields: Readonly<Record<string, unknown>>) => ({
  ...{ type: 'record', name },
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
})
const encoded = (schema: object, records: object[]): Buffer => encodeContainer({ schema: schema as never, metadata: {}, records })

/** A table with one list of `count` manifests of 1 MB each, which are made as they are read. */
function tableOf(count: number): Table {
  const line = record('line', { manifest_path: 'string', manifest_length: 'long' })
  const lines = Array.from({ length: count }, (_, at) => ({ manifest_path: `${LOCATION}/metadata/${at}.avro`, manifest_length: 1 }))
  const list = encoded(line, lines)
  const entry = record('entry', { data_file: record('file', { file_path: 'string', pad: 'bytes' }) })
  const manifest = (): Buffer => encoded(entry, [{ data_file: { file_path: `${LOCATION}/data/a.parquet`, pad: randomBytes(MB) } }])
  const store = {
    head: async () => ({ bytes: 1, modified_at: 0 }),
    get: async (name: string) => (name.endsWith('list.avro') ? list : manifest()),
  }
  const table = { key: KEY, store, load: async () => ({ table, metadata: { location: LOCATION } }) as unknown as TableState }
  return table as unknown as Table
}

deepTest('a manifest list is served whose manifests are larger than the cache of rewritten files', async () => {
  expect(await openServedFiles().find(tableOf(70), `${KEY}/metadata/list.avro`)).not.toBeNull()
})
