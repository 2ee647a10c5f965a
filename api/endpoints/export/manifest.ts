import { TableRefused } from '../../../lake/iceberg/errors.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { exportFiles, LINK_STEP_S, snapshotName } from '../../engine/request/snapshots.ts'
import { defineEndpoint, keyedList, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { field, maybe, pick, record } from '../../kernel/fields.ts'
import { chosenOf, textParam } from '../../kernel/params/params.ts'
import { openPeriodParams } from '../../kernel/params/params-time.ts'
import { datasetFields, datasetId, datasetOf, describeDataset, nearDataset } from '../service/dataset.ts'

const exported = record('ExportDataset', 'A dataset for bulk download: its size, its time span, and where its files are listed.', {
  ...pick(datasetFields, 'id', 'title', 'domain'),
  formats: field.list('Formats of its files.', field.text('Format.'), ['parquet']),
  ...pick(datasetFields, 'rows', 'bytes', 'files'),
  partitions: field.integer('Partitions of its files: mostly one per month.', '1', 2),
  ...pick(datasetFields, 'covered_from', 'latest_row_at', 'covered_until', 'updated_at', 'schema_version'),
  snapshot: maybe.text('Current state of the table. Null without data.', '4611686018427387904'),
  manifest: field.text('Path of the list of its files.', '/api/export/incidents'),
  ...pick(datasetFields, 'commercial_use', 'sources'),
})

/** The datasets for bulk download. */
export const exportList = defineEndpoint({
  path: '/api/export',
  plan: 'ENTERPRISE',
  summary: 'Datasets for bulk download: formats, sizes, partitions, last change',
  summary_es: 'Conjuntos para descarga masiva: formatos, tamaños, particiones y último cambio',
  about:
    'Every public dataset, as the Parquet files of its Iceberg table. `/api/export/{dataset}` lists the files of one; `scripts/sync` mirrors it. ' +
    'Tables are polled once a minute.',
  params: { domain: textParam('Only datasets of this domain.', { max: 40, example: 'road' }) },
  returns: listReturn('datasets', exported, {
    sorts: ['id', 'rows', 'bytes', 'updated_at'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    tables: () => null,
    records: (system, values) => {
      const all = system.datasets.map((dataset) => {
        const table = system.tables.get(dataset.id)
        return {
          ...describeDataset(system, dataset),
          formats: ['parquet'],
          partitions: table?.partitions ?? 0,
          snapshot: table ? snapshotName(table.state) : null,
          manifest: `/api/export/${dataset.id}`,
        }
      })
      const domain = chosenOf('domain', values.domain, [...new Set(all.map((one) => one.domain))])
      return all.filter((one) => domain === null || one.domain === domain)
    },
  },
  example: { domain: 'road' },
})

const FILE_STATES = defineCodes('export_file_status', 'Status of a file of an export.', {
  CURRENT: ['vigente', 'current'],
  REMOVED: ['retirado', 'removed'],
})

const bound = (about: string, example: string) => maybe.instant(about, example)

const file = record('ExportFile', 'A data file of one snapshot of a dataset.', {
  file: field.text('Name of the file. Its content never changes.', '2026-01-5f0c9a52-1f0e-4b7e-8a63-0c3d1c1f2b77.parquet'),
  status: field.code(
    'CURRENT: part of the snapshot. REMOVED: only with `updated_since`; no longer part of it, delete it.',
    FILE_STATES,
    'CURRENT',
  ),
  rows: col.integer(0, 'Rows.', { unit: '1', long: true, example: 48_211 }),
  bytes: col.integer(0, 'Size.', { unit: 'By', long: true, example: 1_311_902 }),
  sha256: maybe.text(
    'SHA-256 of the file, hexadecimal. Null for removed files, and for a day after an upgrade from a version without it.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  earliest_row_at: bound('Earliest time of its rows.', '2026-01-01T00:00:04.000Z'),
  latest_row_at: bound('Latest time of its rows.', '2026-01-02T12:19:31.000Z'),
  partition: field.text('Partition it belongs to; empty for tables without partitions.', 'observed_at_month=2026-01'),
  added_at: bound('When it was added; null if the snapshot that added it has expired.', '2026-01-02T12:21:03.000Z'),
  schema_version: field.integer('Version of the schema it is read with, see `/api/datasets/{id}/schema`.', '1', 0),
  snapshot: field.text('Snapshot of the list: send it as `updated_since` next time.', '4611686018427387904'),
  url: maybe.text(
    'Signed URL of the file. It needs no key, and takes Range requests. Null for removed files.',
    'https://api.example.org/api/export/incidents/2026-01-5f0c9a52-1f0e-4b7e-8a63-0c3d1c1f2b77.parquet?signature=…',
  ),
  url_expires_at: bound('When the URL ends: at least 15 minutes from now.', '2026-01-02T12:40:00.000Z'),
})

/** Returns the name of a dataset's current snapshot; null without data. Throws for a table that cannot be used. */
function currentSnapshot(system: SystemView, id: string): string | null {
  const refused = system.notices.get(id)?.refused ?? null
  if (refused !== null) throw new TableRefused(id, refused)
  const table = system.tables.get(id)
  return table ? snapshotName(table.state) : null
}

/** The files of a dataset's current snapshot. */
export const exportManifest = defineEndpoint({
  path: '/api/export/{dataset}',
  plan: 'ENTERPRISE',
  summary: 'Files of one snapshot of a dataset, with checksums and signed URLs',
  summary_es: 'Ficheros de una versión de un conjunto, con sumas y URL firmadas',
  about:
    'Rows, bytes, SHA-256, time span and partition of each file. With `updated_since` only the files added after that snapshot, and those ' +
    'removed since: download the former, delete the latter, and the copy equals the snapshot. Files never change under their name. ' +
    'The pages of `limit` belong to one snapshot: if the table changes, their cursor is invalid.',
  params: {
    dataset: datasetId,
    period: openPeriodParams(),
    updated_since: textParam(
      'Snapshot of an earlier manifest: only what was added or removed after it. Kept 24 hours, the last of each hour 7 days.',
      {
        max: 20,
        example: '4611686018427387904',
      },
    ),
  },
  returns: keyedList('files', file, ['file'], { sorts: ['file', 'bytes', 'rows'], limit: { default: null, max: 20_000 } }),
  read: {
    kind: 'system',
    tables: ({ dataset }) => [dataset],
    showsSources: true,
    clockGranularity_s: LINK_STEP_S,
    pagedState: (system, { dataset }) => currentSnapshot(system, dataset),
    records: async (system, { dataset: id, period, updated_since }, now) => {
      const [dataset] = datasetOf(system, id)
      if (!dataset) return null
      const table = system.tables.get(id)
      const snapshot = currentSnapshot(system, id)
      if (!table || snapshot === null) return []
      const files = await exportFiles(dataset, table.state, { ...period, since: updated_since })
      return Promise.all(
        files.map(async ({ name, isRemoved, ...one }) => {
          const link = isRemoved ? null : await system.link(dataset, name, now)
          return {
            file: name,
            status: isRemoved ? 'REMOVED' : 'CURRENT',
            ...one,
            schema_version: table.schema_version,
            snapshot,
            url: link?.url ?? null,
            url_expires_at: link?.expires_at ?? null,
          }
        }),
      )
    },
    suggestion: (system, { dataset }) => nearDataset(system, { id: dataset }),
  },
  example: { dataset: 'incidents' },
})
