import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { encodeManifest, type ManifestEntry, STATUS, toManifested } from '../../../../lake/iceberg/manifest.ts'
import { encodeManifestList, type ManifestFile, summarise } from '../../../../lake/iceberg/manifest-list.ts'
import { partsOf } from '../../../../lake/iceberg/manifest-schema.ts'
import { fieldOf, schemaOf, specOf, type TableMetadata } from '../../../../lake/iceberg/metadata.ts'
import { pathsOf, type TableState } from '../../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../../lake/iceberg/types.ts'
import { writeParquet } from '../../../../lake/query/parquet.ts'
import { stageRows } from '../../../../lake/query/rows.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../../lake/schema/physical.ts'
import type { Reply, TestService } from '../../service.ts'

export const ROOT = '/lake/iceberg/v1'
const FILES = 's3://lake/files'

/** JSON of a value with bigints as numbers. */
export const exactText = (value: unknown): string =>
  JSON.stringify(value, (_key, one) =>
    typeof one === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(one)) : one,
  )

/** A client of the catalogue with the key of a lake writer, as Iceberg's own are: it makes manifests and puts files by S3. */
export interface Writer {
  readonly key: string
  send(method: string, path: string, body?: unknown, key?: string): Promise<Reply>
  /** An S3 client with the credentials for a table. */
  storage(path: string, key?: string): Promise<S3Client>
  /** The updates of a snapshot that adds rows of a dataset, and removes files. */
  snapshot(state: TableState, dataset: Dataset, of: Made): Promise<Snapshotted>
  close(): void
}

interface Made {
  readonly add?: readonly AnyRow[]
  readonly remove?: readonly string[]
  readonly operation?: string
  /** The snapshot that it continues, if not the current one: made in the same commit. */
  readonly after?: Snapshotted
  readonly manifests?: (list: ManifestFile[]) => ManifestFile[]
  readonly entries?: (entries: ManifestEntry[]) => ManifestEntry[]
}

interface Snapshotted {
  readonly id: bigint
  readonly updates: readonly object[]
  /** Keys of the files that it adds. */
  readonly files: readonly string[]
  readonly list: readonly ManifestFile[]
  readonly sequenceNumber: number
}

/** The table's own requirement, and that of main. */
export const required = ({ metadata, snapshotId }: TableState): object[] => [
  { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
  { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': snapshotId },
]

/** Makes a key of a lake writer, and its client. */
export async function openWriter(service: TestService): Promise<Writer> {
  const wanted = { email: `${randomUUID()}@example.org`, label: null, language: 'es', plan: 'ENTERPRISE', isLakeWriter: true } as const
  const { key } = await service.access.accounts.create(wanted)
  const clients: S3Client[] = []
  const send: Writer['send'] = async (method, path, body, as = key) => {
    const headers = { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${service.url}${ROOT}${path}`, { method, headers, ...(body ? { body: exactText(body) } : {}) })
    const text = await response.text()
    return { status: response.status, ...(text ? JSON.parse(text) : {}) }
  }
  const storage: Writer['storage'] = async (path, as = key) => {
    const { config } = await send('GET', path, undefined, as)
    const client = new S3Client({
      endpoint: config['s3.endpoint'],
      region: config['s3.region'],
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: {
        accessKeyId: config['s3.access-key-id'],
        secretAccessKey: config['s3.secret-access-key'],
        sessionToken: config['s3.session-token'],
      },
    })
    clients.push(client)
    return client
  }
  const served = ({ table }: TableState) => ({
    toLocation: (one: string) => FILES + one.slice('lake'.length),
    toKey: pathsOf({ table, metadata: { location: `${FILES}${table.key.slice('lake'.length)}` } as TableMetadata }).toKey,
  })
  const snapshot: Writer['snapshot'] = async (state, dataset, of) => {
    const { table, metadata } = state
    const [, namespace, name] = table.key.split('/')
    const s3 = await storage(`/namespaces/${namespace}/tables/${name}`)
    const put = (key: string, Body: Buffer) =>
      s3.send(new PutObjectCommand({ Bucket: 'lake', Key: `files${key.slice('lake'.length)}`, Body }))
    const { add = [], remove = [], after, operation = 'append', manifests = (list) => list, entries: edit = (all) => all } = of
    const id = (randomBytes(8).readBigUInt64BE() >> 1n) | (1n << 60n)
    const sequenceNumber = (after?.sequenceNumber ?? metadata['last-sequence-number']) + 1
    const written = add.length === 0 ? [] : await parquetOf(service, dataset, { state, rows: add })
    for (const { file, bytes } of written) await put(file.key, bytes)
    const added = written.map(({ file }): ManifestEntry => {
      const manifested = toManifested(file, (field) => fieldOf(metadata, field))
      return { status: STATUS.ADDED, snapshotId: id, sequenceNumber, fileSequenceNumber: sequenceNumber, file: manifested }
    })
    const spec = specOf(metadata)
    const parts = partsOf(metadata, spec)
    const paths = served(state)
    const manifest = async (entries: ManifestEntry[]): Promise<ManifestFile[]> => {
      if (entries.length === 0) return []
      const key = `${table.key}/metadata/${randomUUID()}-m0.avro`
      const bytes = encodeManifest({ schema: schemaOf(metadata), spec, parts, entries, paths })
      await put(key, bytes)
      return [summarise({ key, bytes: bytes.length, specId: spec['spec-id'], snapshotId: id, sequenceNumber, parts, entries })]
    }
    const lost: ManifestEntry[] = []
    const kept: ManifestFile[] = []
    for (const one of after?.list ?? (await table.manifests(state))) {
      // A manifest of the same commit states places that only clients know: it loses no files here.
      const all = await table.entries(state, one).catch(() => [])
      if (!all.some(({ file }) => remove.includes(file.key))) kept.push(one)
      else
        for (const entry of all.filter(({ status }) => status !== STATUS.DELETED))
          lost.push(
            remove.includes(entry.file.key) ? { ...entry, status: STATUS.DELETED, snapshotId: id } : { ...entry, status: STATUS.EXISTING },
          )
    }
    const list = manifests([...(await manifest(edit([...added, ...lost]))), ...kept])
    const parentId = after?.id ?? state.snapshotId
    const listKey = `${table.key}/metadata/snap-${id}-0-${randomUUID()}.avro`
    await put(listKey, encodeManifestList({ manifests: list, snapshotId: id, parentId, sequenceNumber, paths }))
    const made = {
      ...{ 'snapshot-id': id, ...(parentId === null ? {} : { 'parent-snapshot-id': parentId }), 'sequence-number': sequenceNumber },
      ...{
        'timestamp-ms': Date.now(),
        'manifest-list': paths.toLocation(listKey),
        summary: { operation },
        'schema-id': metadata['current-schema-id'],
      },
    }
    const updates = [
      { action: 'add-snapshot', snapshot: made },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
    ]
    return { id, updates, files: added.map(({ file }) => file.key), list, sequenceNumber }
  }
  return {
    ...{ key, send, storage, snapshot },
    close: () => {
      for (const client of clients) client.destroy()
    },
  }
}

/** Rows as Parquet files that are not in the store. */
async function parquetOf(
  { lake }: TestService,
  dataset: Dataset,
  { state: { table, metadata }, rows }: { readonly state: TableState; readonly rows: readonly AnyRow[] },
): Promise<{ readonly file: DataFile; readonly bytes: Buffer }[]> {
  const { folder } = lake.engine
  return lake.use({}, async (session) => {
    const staged = await stageRows(session, tableColumns(dataset), [rows], { spillTo: folder })
    const ids = { specId: metadata['default-spec-id'], sortOrderId: metadata['default-sort-order-id'] }
    const written = await writeParquet(session, { dataset, tableKey: table.key, from: staged.table, ...ids, folder })
    await staged.drop()
    return Promise.all(
      written.map(async ({ file, path }) => {
        const bytes = await readFile(path)
        await rm(path)
        return { file, bytes }
      }),
    )
  })
}
