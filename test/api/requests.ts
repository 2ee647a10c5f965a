import { gapOf } from '../../api/engine/answers/coverage.ts'
import { exampleRecord } from '../../api/engine/answers/shown-record.ts'
import type { Endpoint } from '../../api/kernel/endpoint.ts'
import { isLocated } from '../../api/kernel/formats.ts'
import { membersOf, recordSchema } from '../../api/kernel/reads/shape.ts'
import { type JsonSchema, jsonProperties } from '../../lake/schema/json.ts'

/** Headers that state a caller's limits. */
export const LIMIT_NAMES = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** The schema of an endpoint's JSON reply to a request without `fields`: every member present, no other. */
export function strictReply(endpoint: Endpoint, mode = 'simulated'): JsonSchema {
  const { returns, read } = endpoint
  const record = recordSchema(exampleRecord(endpoint), { strict: true }) as { required: string[]; properties: Record<string, unknown> }
  const meta = metaSchema(endpoint, mode)
  if (returns.kind === 'one') {
    return { ...record, required: [...record.required, 'meta'], properties: { ...record.properties, meta } }
  }
  const counts = [
    ...Object.entries(returns.counts ?? {}).flatMap(([name, column]) => jsonProperties(name, column)),
    ...membersOf(returns.sideLists ?? {}),
  ]
  const changes = read.kind === 'changes' ? { reset: { type: 'boolean' }, more: { type: 'boolean' }, next_cursor: { type: 'string' } } : {}
  return {
    type: 'object',
    additionalProperties: false,
    required: ['total', 'updated_at', returns.name, ...counts.map(({ name }) => name), ...Object.keys(changes), 'meta'],
    properties: {
      total: { type: read.kind === 'lake' || read.kind === 'changes' ? ['integer', 'null'] : 'integer' },
      updated_at: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}(\\d{3})?Z$' },
      [returns.name]: { type: 'array', minItems: 1, items: record },
      ...Object.fromEntries(counts.map(({ name, schema }) => [name, schema])),
      next_cursor: { type: 'string' },
      ...changes,
      meta,
    },
  }
}

/** The schema of an endpoint's GeoJSON reply (RFC 7946). */
export function strictGeoJson({ returns }: Endpoint): JsonSchema {
  const position = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }
  const line = { type: 'array', items: position, minItems: 2 }
  const polygon = { type: 'array', items: line }
  const kinds: Readonly<Record<string, readonly [string, object]>> = {
    line: ['LineString', line],
    polygon: ['Polygon', polygon],
    multipolygon: ['MultiPolygon', { type: 'array', items: polygon }],
  }
  const [type, coordinates] = kinds[returns.record.fields['geometry']?.kind ?? ''] ?? ['Point', position]
  const place = { type: 'object', required: ['type', 'coordinates'], properties: { type: { const: type }, coordinates } }
  // A record whose shape is null is drawn as its point.
  const point = { type: 'object', required: ['type', 'coordinates'], properties: { type: { const: 'Point' }, coordinates: position } }
  const isPointToo = type !== 'Point' && 'position' in returns.record.fields
  const feature = {
    type: 'object',
    required: ['type', 'id', 'geometry', 'properties'],
    properties: {
      type: { const: 'Feature' },
      id: { type: 'string', minLength: 1 },
      geometry: { anyOf: [place, ...(isPointToo ? [point] : []), { type: 'null' }] },
      // The geometry is no property.
      properties: { type: 'object', not: { required: [type === 'Point' ? 'lat' : 'geometry'] } },
    },
  }
  if (returns.kind === 'one') return feature
  return {
    type: 'object',
    required: ['type', 'features', 'meta'],
    not: { required: ['crs'] },
    properties: {
      type: { const: 'FeatureCollection' },
      features: { type: 'array', items: feature },
      bbox: { type: 'array', minItems: 4, maxItems: 4 },
    },
  }
}

/** True where an endpoint has a GeoJSON form. */
export function hasGeoJson({ returns }: Endpoint): boolean {
  return isLocated(returns.record.fields)
}

function metaSchema(endpoint: Endpoint, mode: string): JsonSchema {
  const { read, statistic: figure } = endpoint
  const text = { type: 'string', minLength: 1 }
  const source = {
    id: text,
    name: text,
    licence: text,
    licence_url: text,
    attribution: text,
    commercial_use: { enum: ['yes', 'no', 'unknown'] },
  }
  const { kind } = read
  const isOfTables = kind === 'memory' && read.from.length === 0
  const properties = {
    stale: { type: 'boolean' },
    cadence_s: { type: ['integer', 'null'] },
    timezone: { const: 'Europe/Madrid' },
    ...(kind === 'lake' ? { snapshot: text, covered_from: text } : {}),
    ...(kind === 'lake' || isOfTables ? { latest_row_at: text, covered_until: text } : {}),
    ...(figure && !figure.hasYears && kind === 'lake' ? { period: { type: 'object' } } : {}),
    ...(figure ? { grain: { const: figure.grain }, method: { const: figure.method } } : {}),
    ...(kind === 'memory' && read.reportsMissing ? { missing: { type: 'array', maxItems: 0 } } : {}),
    ...(kind === 'memory' && read.onlyFresh ? { missing: { type: 'array' } } : {}),
    ...(gapOf(endpoint) ? { coverage: { type: 'object' } } : {}),
    ...(kind === 'memory' && read.reportsUnlocated ? { unlocated: { type: 'integer' } } : {}),
    source_mode: { const: mode },
    sources: { type: 'array', items: { type: 'object', additionalProperties: false, required: Object.keys(source), properties: source } },
  }
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}
