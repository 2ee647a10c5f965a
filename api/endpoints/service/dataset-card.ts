import { type FeedState, feedHealth } from '../../../lake/live/freshness.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { datasetsOf, defineEndpoint, type SystemView } from '../../kernel/endpoint.ts'
import { nested, record, type ValueOf } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { datasetFields, datasetId, datasetOf, describeDataset, feedsBehind, nearDataset } from './dataset.ts'
import { FEED_HEALTH } from './freshness.ts'

const CARD_PATH = '/api/datasets/{id}'
const columnName = field.text('Name of a column.', 'observed_at')

const card = record('DatasetCard', 'All metadata of a dataset: content, layout, origin and the paths that show it.', {
  ...datasetFields,
  absence: field.text(
    'Effect when a record is no longer published: it `ends`, it is `missing` (catalogues), or nothing (`keeps`).',
    'ends',
  ),
  partition: nested.objects('Partitioning of its files.', {
    column: columnName,
    transform: field.text('By the value itself (identity), or by day or month in UTC.', 'month'),
  }),
  order: field.list('Columns that sort rows within a file.', field.text('Name of a column.'), ['source', 'source_id', 'observed_at']),
  snapshots: field.integer('Stored states of the table: all of the last 24 hours, then the last of each hour for 7 days.', '1', 288),
  schema_versions: col.list([0, 0], 'Schema versions of the table.', col.integer(0, 'Number of a version.'), {
    example: [0],
  }),
  feeds: nested.objects('Feeds with data in it.', {
    id: field.text('Id of the feed, see /api/freshness.', 'dgt_incidents'),
    is_direct: field.boolean('False if it only fills the inputs that this dataset is derived from.', true),
    enabled: field.boolean('False if it is not fetched at present.', true),
    cadence_s: field.integer('Expected time between two fetches.', 's', 60),
    health: field.code('Health at `as_of`: late at twice, stale at three times its cadence.', FEED_HEALTH, 'OK'),
    last_success_at: maybe.instant('Last successful fetch.', '2026-01-02T12:23:52.000Z'),
    data_time: maybe.instant('Publication time of its newest data.', '2026-01-02T12:23:28.413Z'),
    landed_until: maybe.instant('Publication time of its newest data in the table.', '2026-01-02T12:20:00.000Z'),
  }),
  as_of: field.instant('Begin of the minute of the health report of its feeds.', '2026-01-02T12:24:00.000Z'),
  links: nested.objects('More of this dataset.', {
    rel: field.text('Kind of the link.', 'schema'),
    path: field.text('Path of the link.', '/api/datasets/incidents/schema'),
  }),
  endpoints: nested.objects('Paths whose replies use it.', {
    path: field.text('The path.', '/api/incidents'),
    plan: field.text('Least plan.', 'FREE'),
    summary: field.text('Contents of its reply.', 'Incidents on the roads of Spain, now'),
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
