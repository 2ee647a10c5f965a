import { newestSnapshots } from '../../../lake/iceberg/history.ts'
import { coverageOf } from '../../../lake/landed.ts'
import { type FeedListing, type FeedState, feedHealth } from '../../../lake/live/freshness.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import type { CommercialUse } from '../../../lake/schema/sources.ts'
import { datasetsOf, defineEndpoint, listReturn, type SystemView, type TableAbout } from '../../kernel/endpoint.ts'
import { field, maybe, nested, nulls, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, oneOf, required, textParam } from '../../kernel/params/params.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { FEED_HEALTH } from './freshness.ts'

/** The dataset id as a path parameter. */
export const datasetId = required(textParam('Id of the dataset.', { max: 60, example: 'incidents' }))

const count = (about: string, example: number, unit = '1') => col.integer(0, about, { unit, long: true, example })
const bound = (about: string, example: string) => maybe.instant(about, example)

/** Catalogue fields of a dataset, in lists and on its card. */
export const datasetFields = {
  id: field.text('Id of the dataset, also the name of its table.', 'incidents'),
  title: field.text('Title.', 'Road incidents'),
  about: field.text(
    'Contents of the dataset.',
    'Accidents, works, congestion, closures and other incidents on Spanish roads, with all their states.',
  ),
  domain: field.text('Domain it belongs to.', 'road'),
  entity: field.list(
    'Columns that identify the subject of a row; together with the time they are the key.',
    field.text('Name of a column.'),
    ['source', 'source_id'],
  ),
  time: field.text('Column with the instant of a row.', 'observed_at'),
  land: field.text(
    'Meaning of a row: `append` an observation; `changes` a state that differs from the one before, with all states repeated at the begin of a partition; `replace` a row of a complete version of the publisher.',
    'changes',
  ),
  columns: count('Columns of its table.', 34),
  rows: count('Rows in its current table.', 1_204_331),
  bytes: count('Size of its data files.', 48_211_902, 'By'),
  files: count('Data files.', 14),
  covered_from: bound('Earliest time of a row; null without rows.', '2026-01-01T00:00:04.000Z'),
  latest_row_at: bound(
    'Latest time of a row, long before `covered_until` if data is published late; null without rows.',
    '2026-01-02T12:19:31.000Z',
  ),
  covered_until: bound(
    'Time up to which it has the publications of its enabled feeds; null before any has landed.',
    '2026-01-02T12:20:00.000Z',
  ),
  updated_at: bound('When its table last changed; null without a table.', '2026-01-02T12:21:03.000Z'),
  schema_version: maybe.integer('Version of its schema; null without a table.', '1', 0),
  provinces_without_data: field.list('INE codes of the provinces that none of its sources covers.', field.text('INE code.'), [
    '01',
    '20',
    '48',
  ]),
  commercial_use: field.text('Whether commercial use of all of it is allowed: yes, no or unknown.', 'yes'),
  plans: nested.object('Lowest plan for each kind of access.', {
    live: field.text('Current state.', 'FREE'),
    history: field.text('History.', 'PRO'),
    bulk: field.text('Whole files.', 'ENTERPRISE'),
  }),
  sources: nested.objects('Publishers of its data, with the terms of their licences.', {
    id: field.text('Id of the source, see /api/sources.', 'dgt'),
    name: field.text('Publisher.', 'Dirección General de Tráfico'),
    licence: field.text('Licence.', 'CC BY 4.0'),
    licence_url: field.text('Text of the licence.', 'https://creativecommons.org/licenses/by/4.0/'),
    attribution: field.text(
      'Attribution text that a reuser has to show.',
      'Origen de los datos: Dirección General de Tráfico (DGT), nap.dgt.es',
    ),
    commercial_use: field.text('Whether commercial use is allowed: yes, no or unknown.', 'yes'),
  }),
} as const

const NO_TABLE = { ...nulls(datasetFields), rows: 0, bytes: 0, files: 0 } as const

/** A dataset, as lists and its card show it. */
export function describeDataset(system: SystemView, dataset: Dataset): ValueOf<typeof datasetFields> {
  const { id, title, about, domain, entity, time, writeMode: land, plan, sources } = dataset
  const table = system.tables.get(id)
  return {
    ...{ id, title, about, domain, entity, time, land },
    columns: Object.values(tableColumns(dataset)).filter((column) => !column.retired).length,
    ...pick(table ?? NO_TABLE, 'rows', 'bytes', 'files', 'covered_from', 'latest_row_at', 'updated_at', 'schema_version'),
    covered_until: table ? coverageOf(id, table.covered_until, system.feeds).until : null,
    provinces_without_data: dataset.lacks?.province_codes ?? [],
    commercial_use: commercialUseOf(sources),
    plans: { live: plan.live, history: plan.history, bulk: plan.bulk },
    sources: sources.map(({ publisher, url: _url, ...source }) => ({ ...source, name: publisher })),
  }
}

/** The terms for combined data of several sources: a use that one of them forbids is forbidden. */
export function commercialUseOf(sources: readonly { readonly commercial_use: CommercialUse }[]): CommercialUse {
  const uses = sources.map(({ commercial_use }) => commercial_use)
  if (uses.includes('no')) return 'no'
  return uses.includes('unknown') ? 'unknown' : 'yes'
}

/**
 * The feeds with data in a dataset: those that fill it, and those behind the datasets that it is derived from, as its table
 * states.
 */
export function feedsBehind({ id }: Dataset, feeds: readonly FeedListing[], table: TableAbout | undefined): readonly FeedListing[] {
  return feeds.filter((feed) => feed.datasets.includes(id) || table?.covered_until[feed.id] !== undefined)
}

/** The dataset of a path, as a list of at most one; internal datasets are excluded. */
export function datasetOf({ datasets }: SystemView, id: string): readonly Dataset[] {
  return datasets.filter((dataset) => dataset.id === id)
}

/** A suggestion for an unknown dataset id. */
export function nearDataset({ datasets }: SystemView, { id }: { readonly id: string }): string | null {
  return nearest(
    id,
    datasets.map((dataset) => dataset.id),
  )
}

const entry = record('Dataset', 'A dataset of the lake: its contents, size, time coverage and licences.', datasetFields)

/** The catalogue of datasets. */
export const datasetList = defineEndpoint({
  path: '/api/datasets',
  plan: 'FREE',
  summary: 'Catalogue of the datasets: content, size, coverage, licences',
  summary_es: 'Catálogo de conjuntos de datos: contenido, tamaño, cobertura y licencias',
  about: 'From the declarations of the datasets and the metadata of their tables, which are read once a minute.',
  params: {
    domain: textParam('Only datasets of this domain.', { max: 40, example: 'road' }),
    licence: textParam('Only datasets with data under this licence, as `sources` name it.', { max: 120, example: 'CC BY 4.0' }),
    commercial_use: oneOf('Only datasets whose commercial use is allowed, not allowed or unknown.', ['yes', 'no', 'unknown'], {
      example: 'yes',
    }),
  },
  returns: listReturn('datasets', entry, {
    sorts: ['id', 'rows', 'bytes', 'updated_at'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    tables: () => null,
    records: (system, values) => {
      const all = system.datasets.map((dataset) => describeDataset(system, dataset))
      const domains = new Set(all.map((one) => one.domain))
      const licences = new Set(all.flatMap(({ sources }) => sources.map((source) => source.licence)))
      const domain = chosenOf('domain', values.domain, [...domains])
      const licence = chosenOf('licence', values.licence, [...licences])
      return all.filter(
        (one) =>
          (domain === null || one.domain === domain) &&
          (licence === null || one.sources.some((source) => source.licence === licence)) &&
          (values.commercial_use === null || one.commercial_use === values.commercial_use),
      )
    },
  },
  example: { domain: 'road', licence: 'CC BY 4.0' },
})

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
  newest_snapshots: nested.objects('The newest ten of them, newest first.', {
    id: field.text('Id of the Iceberg snapshot.', '5720393125434262784'),
    at: field.instant('When it was written.', '2026-01-02T12:20:03.000Z'),
    operation: field.text(
      'Kind of its change: `append` adds rows, `overwrite` exchanges rows, `delete` removes rows, `replace` only rewrites files.',
      'append',
    ),
    rows_added: maybe.integer('Rows that it added; null if not known any more.', '1', 412),
    rows_removed: maybe.integer('Rows that it removed; null if not known.', '1', 0),
    rows: maybe.integer('Rows of the table since then; null if not stated.', '1', 1_204_331),
  }),
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

/** Snapshots that a card lists. */
const MAX_SNAPSHOTS = 10

function cardOf(system: SystemView, dataset: Dataset, now: number): ValueOf<typeof card.fields> {
  const { id, absence, partition, order } = dataset
  const table = system.tables.get(id)
  return {
    ...describeDataset(system, dataset),
    absence,
    partition: partition.map(({ column, transform }) => ({ column, transform })),
    order,
    snapshots: table?.snapshots ?? 0,
    newest_snapshots: table ? newestSnapshots(table.state.metadata, MAX_SNAPSHOTS) : [],
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
