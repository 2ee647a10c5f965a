import { hash } from 'node:crypto'
import { GEOMETRY_TYPES } from '../../../lake/schema/columns.ts'
import { DOUBLE, INT32, type JsonSchema, jsonProperties } from '../../../lake/schema/json.ts'
import { namedRecords } from '../../engine/answers/named-records.ts'
import { tableContent } from '../../engine/tables/openapi-tables.ts'
import { type Endpoint, isCounted, type ListReturn } from '../../kernel/endpoint.ts'
import { areaKindOf, geometryKindOf, placeOf } from '../../kernel/fields.ts'
import { type Format, formatsOf, isTable } from '../../kernel/formats.ts'
import { commonSchemas, geometryRef, type Part, ref, withGeometryRefs } from '../../kernel/openapi-parts.ts'
import { alwaysIn, membersOf, recordSchema } from '../../kernel/reads/shape.ts'
import { exampleReply } from './example-reply.ts'

/** Describes an endpoint's reply in a representation. */
export function contentOf(endpoint: Endpoint, format: Format): Part {
  if (isTable(format)) return tableContent(endpoint, format)
  const schema = format === 'json' ? replySchema(endpoint) : featureSchema(endpoint)
  return { schema: withGeometryRefs(schema), example: exampleReply(endpoint, format) }
}

/** The schema of an endpoint's JSON reply. */
function replySchema(endpoint: Endpoint): JsonSchema {
  const { returns, read } = endpoint
  const record = ref('schemas', returns.record.name)
  // Not by allOf: generators of clients lose the nulls of its members.
  if (returns.kind === 'one') return withMeta(recordSchema(returns.record, { strict: false }))
  return {
    type: 'object',
    required: [
      'total',
      'updated_at',
      returns.name,
      ...Object.keys(countMembers(returns)),
      ...(read.kind === 'changes' ? ['reset', 'more', 'next_cursor'] : []),
      'meta',
    ],
    properties: {
      ...listMembers(isCounted(endpoint)),
      [returns.name]: { type: 'array', items: record },
      ...countMembers(returns),
      ...tailMembers(read.kind === 'changes'),
    },
  }
}

function withMeta({ properties, required, ...schema }: JsonSchema): JsonSchema {
  const names = (required ?? []) as readonly string[]
  return { ...schema, required: [...names, 'meta'], properties: { ...(properties as Part), meta: ref('schemas', 'Meta') } }
}

/** The schema of an endpoint's GeoJSON reply. */
function featureSchema(endpoint: Endpoint): JsonSchema {
  const { returns, read } = endpoint
  const kind = geometryKindOf(returns.record.fields)
  const areaKind = areaKindOf(returns.record.fields)
  const members = membersOf(returns.record.fields).filter(
    ({ field }) => field !== placeOf(returns.record.fields) && !(areaKind && field === 'area'),
  )
  const feature = {
    type: 'object',
    required: ['type', 'id', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', const: 'Feature' },
      id: { type: 'string', description: 'The id of the record, or the values that identify it, joined by `/`.' },
      geometry: {
        anyOf: [
          geometryRef(kind ? GEOMETRY_TYPES[kind] : 'Point'),
          ...(areaKind ? [geometryRef(GEOMETRY_TYPES[areaKind])] : []),
          ...(kind && returns.record.fields['position']?.kind === 'point' ? [geometryRef('Point')] : []),
          { type: 'null' },
        ],
        description: 'The place; null if unknown.',
      },
      properties: {
        type: 'object',
        required: alwaysIn(members, returns.record).map(({ name }) => name),
        properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      },
    },
  }
  if (returns.kind === 'one') return { ...feature, properties: { ...feature.properties, meta: ref('schemas', 'Meta') } }
  return {
    type: 'object',
    required: ['type', 'features', 'total', 'updated_at', ...Object.keys(countMembers(returns)), 'meta'],
    properties: {
      type: { type: 'string', const: 'FeatureCollection' },
      bbox: { type: 'array', items: DOUBLE, minItems: 4, maxItems: 4, description: 'West, south, east, north.' },
      ...listMembers(isCounted(endpoint)),
      features: { type: 'array', items: feature },
      ...countMembers(returns),
      ...tailMembers(read.kind === 'changes'),
    },
  }
}

function listMembers(counted: boolean): Part {
  return {
    total: counted
      ? { ...INT32, minimum: 0, description: 'Records that match the request, on all pages.' }
      : { ...INT32, type: ['integer', 'null'], minimum: 0, description: 'Records that match the request; null if they were not counted.' },
    updated_at: { type: ['string', 'null'], format: 'date-time', description: 'Time of the data; null if there is none yet.' },
  }
}

function countMembers({ counts = {}, sideLists: asides = {} }: ListReturn): Part {
  return {
    ...Object.fromEntries(
      Object.entries(counts).flatMap(([name, column]) => jsonProperties(name, column).map(({ schema }) => [name, schema])),
    ),
    ...Object.fromEntries(membersOf(asides).map(({ name, schema }) => [name, schema])),
  }
}

function tailMembers(changes: boolean): Part {
  return {
    ...(changes
      ? {
          reset: { type: 'boolean', description: 'True if the log no longer reaches back to the cursor: reload the list.' },
          more: { type: 'boolean', description: 'True if more changes are available already.' },
        }
      : {}),
    next_cursor: { type: 'string', description: changes ? 'Cursor for the next poll.' : 'Cursor of the next page; absent on the last.' },
    meta: ref('schemas', 'Meta'),
  }
}

/** The schemas of the records of endpoints, by name. */
export function recordSchemas(endpoints: readonly Endpoint[]): Record<string, JsonSchema> {
  const schemas = [...namedRecords(endpoints)].map(([name, one]) => [name, withGeometryRefs(recordSchema(one, { strict: false }))])
  return Object.fromEntries(schemas) as Record<string, JsonSchema>
}

/**
 * Returns a hash of the description of an endpoint's replies. It is part of their tags, which change with the form of replies.
 */
export function replyVersion(endpoint: Endpoint): string {
  const contents = formatsOf(endpoint.returns).map((format) => contentOf(endpoint, format))
  return hash('sha256', JSON.stringify([contents, recordSchemas([endpoint]), commonSchemas()]), 'base64url')
}
