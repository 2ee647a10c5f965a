import { type Column, isGeometry, type Json } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { featureOf, featurePieces, type ListPage, listPieces, type Meta, metaOf } from '../../engine/answers/compose.ts'
import { gapOf, placeMetaOf } from '../../engine/answers/coverage.ts'
import { exampleRecord } from '../../engine/answers/shown-record.ts'
import { datasetsOf, type Endpoint, isCounted, type ListReturn } from '../../kernel/endpoint.ts'
import { isNested } from '../../kernel/fields.ts'
import type { Format } from '../../kernel/formats.ts'
import { exampleOf, type JsonObject } from '../../kernel/reads/shape.ts'

/** The service of an example: healthy, with real publishers and new data each minute. */
const SERVICE = Object.freeze({ mode: 'live', isStale: () => false, cadence_s: () => 60 } as const)
/** The time of replies about the service itself. */
const SYSTEM_TIME = '2026-01-02T12:24:00.000Z'
/** In the form of a real snapshot id. */
const SNAPSHOT_ID = '5342167890123456789'
const SIGNATURE = 'c2lnbmF0dXJlLW9mLW91cn'
const CURSOR = `WzQ5MDk5MywiMTc2NzM1NjYwODQxMy0wIl0.${SIGNATURE}`

/**
 * Returns the whole reply of an endpoint to its example request, for documentation: one record from the examples of its fields,
 * in the envelope of real replies.
 */
export function exampleReply(endpoint: Endpoint, format: Format): Json {
  const { read } = endpoint
  const record = exampleRecord(endpoint)
  const returns = { ...endpoint.returns, record }
  const members = exampleOf(record.fields)
  for (const name of record.omitsNull ?? []) if (members[name] === null) delete members[name]
  // A feature takes its members from the record, so their examples are in the record's form.
  const row: AnyRow = Object.fromEntries(
    Object.entries(record.fields).map(([name, field]) => [name, isNested(field) ? null : exampleValue(field)]),
  )
  const from = datasetsOf(endpoint)
  const time = from[0] ? timeOf(from[0]) : SYSTEM_TIME
  const at = Date.parse(time)
  const meta = metaOf(SERVICE, from, {
    ...(read.kind === 'lake' ? { lake: { snapshot: snapshotOf(from), covered_from: at, latest_row_at: at, covered_until: at } } : {}),
    ...(read.kind === 'memory' && read.from.length === 0 ? { kept: { latest_row_at: at, covered_until: at } } : {}),
    ...(endpoint.statistic ? { figure: endpoint.statistic } : {}),
    ...(read.kind === 'memory' && (read.reportsMissing || read.onlyFresh) ? { missing: [] } : {}),
    ...placeMetaOf(gapOf(endpoint), {}),
    sources: endpoint.sources,
    ...(endpoint.statistic && !endpoint.statistic.hasYears && read.kind === 'lake' ? { period: { from: at, to: at + 86_400_000 } } : {}),
  })
  if (returns.kind === 'one') return { ...(format === 'geojson' ? featureOf(returns, row, members) : members), meta } as unknown as Json
  const about = read.kind === 'memory' && read.reportsUnlocated ? { ...meta, unlocated: 0 } : meta
  const page = pageOf(endpoint, { updated_at: Date.parse(time), meta: about })
  const pieces =
    format === 'geojson'
      ? featurePieces(page, [row], { fields: returns.record.fields, write: () => JSON.stringify(featureOf(returns, row, members)) })
      : listPieces(page, [row], () => JSON.stringify(members))
  return JSON.parse([...pieces].join('')) as JsonObject
}

/** Returns the value of a column's example. A geometry's example is GeoJSON, but a record contains only its coordinates. */
function exampleValue({ kind, example = null }: Column): unknown {
  return isGeometry(kind) ? ((example as { coordinates?: unknown } | null)?.coordinates ?? null) : example
}

function pageOf(endpoint: Endpoint, about: { readonly updated_at: number; readonly meta: Meta }): ListPage {
  const { name, counts = {}, sideLists: asides = {} } = endpoint.returns as ListReturn
  const extra = {
    ...Object.fromEntries(Object.entries(counts).map(([member, { example = null }]) => [member, example])),
    ...exampleOf(asides),
  }
  const page = { name, total: isCounted(endpoint) ? 1 : null, next_cursor: null, extra, ...about }
  return endpoint.read.kind === 'changes' ? { ...page, next_cursor: CURSOR, extra: { reset: false, more: false } } : page
}

/** Returns the publication time of a dataset's examples. */
function timeOf(dataset: Dataset): string {
  return dataset.columns[dataset.time]?.example as string
}

function snapshotOf(datasets: readonly Dataset[]): string {
  const parts = datasets.map((dataset) => `${dataset.id}.${SNAPSHOT_ID}.${Date.parse(timeOf(dataset))}`)
  return `${parts.join(',')}.${SIGNATURE}`
}
