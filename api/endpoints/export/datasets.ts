import { snapshotName } from '../../engine/request/snapshots.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { pick, record } from '../../kernel/fields.ts'
import { chosenOf, textParam } from '../../kernel/params/params.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { datasetFields, describeDataset } from '../service/dataset.ts'

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
  domain: 'export',
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
        const {
          about: _about,
          plans: _plans,
          entity: _entity,
          time: _time,
          land: _land,
          columns: _columns,
          ...described
        } = describeDataset(system, dataset)
        const table = system.tables.get(dataset.id)
        return {
          ...described,
          formats: ['parquet'],
          partitions: table?.partitions ?? 0,
          snapshot: table ? snapshotName(table.state) : null,
          manifest: `/api/export/${dataset.id}`,
        }
      })
      if (values.domain === null) return all
      const domain = chosenOf('domain', values.domain, [...new Set(all.map((one) => one.domain))])
      return all.filter((one) => one.domain === domain)
    },
  },
  example: { domain: 'road' },
})
