import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changedTables, refusedAmong } from '../../../jobs/ingest/usable.ts'
import { compactDataset } from '../../../jobs/upkeep/compact.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { decodeContainer, encodeContainer } from '../../../lake/iceberg/avro.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { encodeManifest, type ManifestEntry, STATUS } from '../../../lake/iceberg/manifest.ts'
import { encodeManifestList, summarise } from '../../../lake/iceberg/manifest-list.ts'
import { manifestSchema, partsOf } from '../../../lake/iceberg/manifest-schema.ts'
import { schemaOf, specOf, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { loadOrRefuse } from '../../../lake/iceberg/refusal.ts'
import { openTable, pathsOf, type TableState } from '../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { readTableNotices } from '../../../lake/live/table-notices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { openDuck, sampleRows, samples, tempFolder, writeDataFile } from '../../lake/iceberg/fixtures.ts'
import { openStage, type Stage } from '../ingest/stage.ts'

const FILE_PATH_ID = 2_147_483_546
let stage: Stage
let duck: DuckDBConnection
let folder: { path: string; remove: () => Promise<void> }
beforeEach(async () => {
  ;[stage, duck, folder] = await Promise.all([openStage(), openDuck(), tempFolder('deletes')])
  await prepareTables(stage.context, [samples])
})
afterEach(async () => {
  duck.closeSync()
  await stage.close()
  await folder.remove()
})

const state = async (): Promise<TableState> => {
  const { store, lake } = stage.context
  return (await openTable({ store, key: lake.table(samples).key }).load()) as TableState
}
const levels = async (): Promise<unknown[]> => {
  const rows = await stage.context.lake.query(sql`SELECT leaves_at FROM ${scan(samples)} ORDER BY observed_at`)
  return rows.map((row) => Number(row['leaves_at']) / 37)
}

/** Appends a file of rows, numbered from `first` on. */
async function append(first: number, count: number): Promise<DataFile> {
  const file = await writeDataFile({ duck, state: await state(), select: sampleRows({ count, first }), folder: folder.path })
  await commit({ table: (await state()).table, operation: 'append', add: [file] })
  return file
}

/** Deletes rows of files by position in one file of deletes, as Spark's merge-on-read commits it. */
async function deleteRows(positions: readonly (readonly [DataFile, number])[], content = 1): Promise<string> {
  const base = await state()
  const { table, metadata } = base
  const paths = pathsOf(base)
  const rows = positions.map(([file, pos]) => [paths.toLocation(file.key), pos] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  const name = `${rows.length}-${metadata['last-sequence-number']}-deletes.parquet`
  const key = `${table.key}/data/${name}`
  const select = rows.map(([path, pos]) => `SELECT '${path}' AS file_path, ${pos}::BIGINT AS pos`).join(' UNION ALL ')
  await duck.run(`COPY (${select}) TO '${folder.path}/${name}' (FORMAT parquet, FIELD_IDS {file_path: ${FILE_PATH_ID}, pos: 2147483545})`)
  await table.store.putFile(key, `${folder.path}/${name}`)
  const [spec, sequenceNumber, snapshotId] = [specOf(metadata), metadata['last-sequence-number'] + 1, 7_300_000_000_000 + rows.length]
  const parts = partsOf(metadata, spec)
  const [[first], [last]] = [rows[0], rows.at(-1)] as [readonly [string, number], readonly [string, number]]
  const empty = { sizes: new Map(), values: new Map(), nulls: new Map(), nans: new Map() }
  const entry: ManifestEntry = {
    ...{ status: STATUS.ADDED, snapshotId, sequenceNumber, fileSequenceNumber: sequenceNumber },
    file: {
      ...{ key, rows: rows.length, bytes: (await table.store.head(key))?.bytes ?? 0, sortOrderId: 0, ...empty },
      partition: (positions[0] as readonly [DataFile, number])[0].partition,
      lower: new Map([[FILE_PATH_ID, Buffer.from(first)]]),
      upper: new Map([[FILE_PATH_ID, Buffer.from(last)]]),
    },
  }
  const kind = { parts, entries: [entry], content: 'deletes' as const }
  const ofPositions = encodeManifest({ ...kind, schema: schemaOf(metadata), spec, paths })
  const records = (decodeContainer(ofPositions).records as { data_file: object }[]).map((one) => ({
    ...one,
    data_file: { ...one.data_file, content },
  }))
  const bytes = encodeContainer({ schema: manifestSchema(parts), metadata: {}, records })
  const manifestKey = `${table.key}/metadata/${sequenceNumber}-m0.avro`
  await table.store.put(manifestKey, bytes)
  const made = summarise({ ...kind, key: manifestKey, bytes: bytes.length, specId: spec['spec-id'], snapshotId, sequenceNumber })
  const manifests = [...(await table.manifests(base)), made]
  const list = `${table.key}/metadata/snap-${sequenceNumber}.avro`
  const parentId = base.snapshot?.['snapshot-id'] ?? null
  await table.store.put(list, encodeManifestList({ manifests, snapshotId, parentId, sequenceNumber, paths }))
  const snapshot = {
    ...{ 'snapshot-id': snapshotId, 'parent-snapshot-id': parentId, 'sequence-number': sequenceNumber, 'timestamp-ms': Date.now() },
    ...{ 'manifest-list': paths.toLocation(list), summary: { operation: 'overwrite', 'engine-name': 'spark' }, 'schema-id': 0 },
  }
  await updateTable({
    table,
    attempt: async ({ metadata }) => ({
      kind: 'change',
      metadata: {
        ...metadata,
        ...{ snapshots: [...metadata.snapshots, snapshot], 'current-snapshot-id': snapshotId, 'last-sequence-number': sequenceNumber },
        refs: { main: { 'snapshot-id': snapshotId, type: 'branch' } },
      } as TableMetadata,
    }),
  })
  return key
}

test('rows that another engine deleted by position are read no more, and compaction drops them and their files of deletes', async () => {
  const [one, two] = [await append(0, 5), await append(5, 5)]
  const first = await deleteRows([[one, 1]])
  expect(await levels()).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9])
  const second = await deleteRows([
    [one, 3],
    [two, 0],
    [two, 4],
  ])
  expect(await levels()).toEqual([0, 2, 4, 6, 7, 8])
  // Files that come later are not touched by them.
  await append(20, 1)
  expect(await levels()).toEqual([0, 2, 4, 6, 7, 8, 20])
  await compactDataset(stage.context, samples)
  expect(await levels()).toEqual([0, 2, 4, 6, 7, 8, 20])
  const after = await state()
  expect((await liveFiles(after)).reduce((sum, { rows }) => sum + rows, 0)).toBe(7)
  expect((await liveFiles(after)).filter(({ deletes }) => deletes)).toEqual([])
  expect(
    (await after.table.manifests(after)).filter(
      ({ content, added, existing }) => content === 'deletes' && added.files + existing.files > 0,
    ),
  ).toEqual([])
  // Older snapshots keep their files of deletes until they expire.
  await removeOrphans({ table: after.table, grace_ms: -1000 })
  for (const key of [first, second]) expect(await stage.context.store.head(key)).not.toBeNull()
  await expireSnapshots({ table: after.table, now: Date.now() + 30 * 86_400_000 })
  for (const key of [first, second]) expect(await stage.context.store.head(key)).toBeNull()
  expect(await levels()).toEqual([0, 2, 4, 6, 7, 8, 20])
})

test('the change by another engine is said once, with its name', async () => {
  const { context, lines } = stage
  const said = () => lines.filter(({ msg }) => msg === 'table changed by another writer')
  const one = await append(0, 5)
  await refusedAmong(context, [samples])
  expect(said()).toEqual([])
  await deleteRows([[one, 1]])
  for (let times = 0; times < 3; times++) await refusedAmong(context, [samples])
  expect(said()).toHaveLength(1)
  expect((await readTableNotices(context.redis)).get(samples.id)).toEqual({ refused: null, writer: expect.stringMatching(/^spark at 20/) })
  expect(changedTables(context).get(samples.id)?.snapshots).toBe(1)
})

test('a commit keeps deletes of files that stay, and drops those of files that go', async () => {
  const [one, two] = [await append(0, 5), await append(5, 5)]
  await deleteRows([[one, 1]])
  await deleteRows([
    [two, 2],
    [two, 3],
  ])
  await commit({ table: (await state()).table, operation: 'delete', remove: [one] })
  expect(await levels()).toEqual([5, 6, 9])
  const left = await liveFiles(await state())
  expect(left.map(({ deletes }) => deletes?.files.length)).toEqual([1])
})

test('deletes by equality refuse the table', async () => {
  await deleteRows([[await append(0, 5), 1]], 2)
  expect(await loadOrRefuse((await state()).table, samples)).toEqual({ refused: 'it deletes rows by equality' })
})
