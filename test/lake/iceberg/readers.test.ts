import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { icebergRead } from 'icebird'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { currentSnapshot } from '../../../lake/iceberg/metadata.ts'
import { openTable, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { openDuck, ourSelect, tempFolder } from './fixtures.ts'
import { buildScenes } from './scenes.ts'

// icebird reads over HTTP only: the store's files are served unchanged, and its locations are their addresses.
let server: Server
let remove: () => Promise<void>
const tables = new Map<string, { table: Table; url: string }>()

beforeAll(async () => {
  const folder = await tempFolder('readers')
  remove = folder.remove
  const root = join(folder.path, 'store')
  server = createServer((request, response) => {
    readFile(join(root, decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname))).then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = await fileStore(root)
  const duck = await openDuck()
  // DuckDB writes to the files' folder; everything else uses the address.
  const store = { ...files, location: (key: string) => `${base}/${key}` }
  const built = await buildScenes({ store, root, duck, folder: folder.path, path: (key) => files.location(key) })
  duck.closeSync()
  for (const { key } of built) tables.set(key.split('/').at(-1) ?? '', { table: openTable({ store: files, key }), url: `${base}/${key}` })
}, 300_000)
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await remove()
})

const NAMES = ['appended', 'overwritten', 'compacted', 'deleted', 'evolved', 'partitioned', 'lists', 'expired', 'relocated']
type Values = readonly unknown[]

/** The values that two readers must agree on, for one column: their number, and their sum. */
function digest(type: TableState['fields'][number]['type'], values: Values): readonly [number, number] {
  const held = values.filter((value) => value !== null && value !== undefined)
  if (typeof type === 'object') return [held.length, held.reduce<number>((sum, value) => sum + (value as Values).length, 0)]
  const number = (value: unknown): number => {
    if (type === 'string') return Buffer.byteLength(value as string)
    if (type === 'boolean') return value ? 1 : 0
    // icebird gives instants and dates as Date, and takes bytes for text.
    if (value instanceof Date) return value.getTime()
    return type === 'binary' ? 0 : Number(value)
  }
  return [held.length, held.reduce<number>((sum, value) => sum + number(value), 0)]
}

/** The rows of a table as our own reader finds them: by field id, in the files that are live. */
async function ourColumns(state: TableState): Promise<Map<string, Values>> {
  const duck = await openDuck()
  const paths = (await liveFiles(state)).map((file) => `'${state.table.store.location(file.key)}'`)
  const reader = await duck.runAndReadAll(ourSelect(state.fields, paths))
  duck.closeSync()
  const columns = reader.getColumnsJS()
  return new Map(state.fields.map((field, at) => [field.name, columns[at] as Values]))
}

describe('an independent reader (icebird)', () => {
  test.each(NAMES)('reads the same as our reader of a table that was %s', async (name) => {
    const { table, url } = tables.get(name) ?? { table: null, url: '' }
    const state = (await table?.load()) as TableState
    const theirs = await icebergRead({ tableUrl: url })
    const ours = await ourColumns(state)
    expect(theirs.length).toBeGreaterThan(0)
    for (const field of state.fields) {
      const [count, sum] = digest(field.type, ours.get(field.name) ?? [])
      const [theirCount, theirSum] = digest(
        field.type,
        theirs.map((row) => row[field.name]),
      )
      expect([field.name, theirCount]).toStrictEqual([field.name, count])
      expect(Math.abs(theirSum - sum), field.name).toBeLessThanOrEqual(Math.abs(sum) * 1e-12)
    }
    expect(Number(currentSnapshot(state.metadata)?.summary['total-records'])).toBe(theirs.length)
  })
})
