import { type FeedState, feedHealth } from '../../../lake/live/freshness.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { datasetsOf, defineEndpoint, type SystemView } from '../../kernel/endpoint.ts'
import { nested, record, type ValueOf } from '../../kernel/fields.ts'
import { datasetFields, datasetId, datasetOf, describeDataset, feedsBehind, nearDataset } from './dataset.ts'
import { FEED_HEALTH } from './freshness.ts'

const CARD_PATH = '/api/datasets/{id}'
const columnName = col.string(0, 'Name of a column.', { example: 'observed_at' })

const card = record('DatasetCard', 'All metadata of a dataset: content, layout, origin and the paths that show it.', {
  ...datasetFields,
  absence: col.string(0, 'Effect when a record is no longer published: it `ends`, it is `missing` (catalogues), or nothing (`keeps`).', {
    example: 'ends',
  }),
  partition: nested.objects('Partitioning of its files.', {
    column: columnName,
    transform: col.string(0, 'By the value itself (identity), or by day or month in UTC.', { example: 'month' }),
  }),
  order: col.list([0, 0], 'Columns that sort rows within a file.', col.string(0, 'Name of a column.'), {
    example: ['source', 'source_id', 'observed_at'],
  }),
  snapshots: col.integer(0, 'Stored states of the table: all of the last 24 hours, then the last of each hour for 7 days.', {
    unit: '1',
    example: 288,
  }),
  schema_versions: col.list([0, 0], 'Schema versions of the table.', col.integer(0, 'Number of a version.'), {
    example: [0],
  }),
  feeds: nested.objects('Feeds with data in it.', {
    id: col.string(0, 'Id of the feed, see /api/freshness.', { example: 'dgt_incidents' }),
    is_direct: col.boolean(0, 'False if it only fills the inputs that this dataset is derived from.', { example: true }),
    enabled: col.boolean(0, 'False if it is not fetched at present.', { example: true }),
    cadence_s: col.integer(0, 'Expected time between two fetches.', { unit: 's', example: 60 }),
    health: col.code(0, 'Health at `as_of`: late at twice, stale at three times its cadence.', FEED_HEALTH, { example: 'OK' }),
    last_success_at: col.instant(0, 'Last successful fetch.', { nullable: true, example: '2026-01-02T12:23:52.000Z' }),
    data_time: col.instant(0, 'Publication time of its newest data.', { nullable: true, example: '2026-01-02T12:23:28.413Z' }),
    landed_until: col.instant(0, 'Publication time of its newest data in the table.', {
      nullable: true,
      example: '2026-01-02T12:20:00.000Z',
    }),
  }),
  as_of: col.instant(0, 'Begin of the minute of the health report of its feeds.', { example: '2026-01-02T12:24:00.000Z' }),
  links: nested.objects('More of this dataset.', {
    rel: col.string(0, 'Kind of the link.', { example: 'schema' }),
    path: col.string(0, 'Path of the link.', { example: '/api/datasets/incidents/schema' }),
  }),
  endpoints: nested.objects('Paths whose replies use it.', {
    path: col.string(0, 'The path.', { example: '/api/incidents' }),
    plan: col.string(0, 'Least plan.', { example: 'FREE' }),
    summary: col.string(0, 'Contents of its reply.', { example: 'Incidents on the roads of Spain, now' }),
  }),
})

function cardOf(system: SystemView, dataset: Dataset, now: number): ValueOf<typeof card.fields> {
  const { id, absence, partition, order } = dataset
  const table = system.tables.get(id)
  return {
    ...describeDataset(system, dataset),
    absence,
    partition: partition.map(({ column, transform }) => ({ column, transform })),
    order,
    snapshots: table?.snapshots ?? 0,
    schema_versions: table?.schemas.map((schema) => schema['schema-id']) ?? [],
    feeds: feedsBehind(dataset, system.feeds, table).map((feed) => {
      const state: FeedState | null = system.states.get(feed.id) ?? null
      return {
        id: feed.id,
        is_direct: feed.datasets.includes(id),
        enabled: feed.enabled,
        cadence_s: feed.every_s,
        health: feedHealth(state, feed.every_s, now),
        last_success_at: state?.last_success_at ?? null,
        data_time: state?.data_time ?? null,
        landed_until: table?.covered_until[feed.id] ?? null,
      }
    }),
    as_of: now,
    links: system.endpoints
      .filter(({ path }) => path.startsWith(`${CARD_PATH}/`))
      .map(({ path }) => ({ rel: path.slice(CARD_PATH.length + 1), path: path.replace('{id}', id) })),
    endpoints: system.endpoints
      .filter((endpoint) => datasetsOf(endpoint).includes(dataset))
      .map(({ path, plan, summary }) => ({ path, plan, summary })),
  }
}

/** The card of a dataset. */
export const datasetCard = defineEndpoint({
  path: CARD_PATH,
  domain: 'service',
  plan: 'FREE',
  summary: 'The card of a dataset: content, layout, licences, feeds with health, and paths',
  summary_es: 'La ficha de un conjunto de datos: contenido, licencias y estado',
  params: { id: datasetId },
  returns: { kind: 'one', record: card },
  read: {
    kind: 'system',
    clockGranularity_s: 60,
    tables: ({ id }) => [id],
    records: (system, { id }, now) => datasetOf(system, id).map((dataset) => cardOf(system, dataset, now)),
    suggestion: nearDataset,
  },
  example: { id: 'incidents' },
})
