import { zstdCompressSync } from 'node:zlib'
import type { Plan } from '../../../lake/schema/dataset.ts'
import { geometriesOf, type Shape } from '../../browser/spain-picture.ts'
import type { LocalText } from '../../kernel/language.ts'
import { type FieldDoc, fieldReader, type Json, parameterDoc } from './fields.ts'

/** A parameter of an operation. */
export interface ParameterDoc extends FieldDoc {
  readonly in: 'path' | 'query' | 'header'
  /** Its value in the example request, else null. */
  readonly example: string | null
  /** Another value that it may have; null if unknown. */
  readonly other: string | null
  /** The request of a list whose first record has a current value; null if the example's stays. */
  readonly id_from: string | null
}

/** What lists of operations show. */
export interface OperationIndex {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: LocalText
  /** The plan that it needs; null if it needs none. */
  readonly plan: Plan | null
  /** True if an answer may take a query of the tables. */
  readonly isQuery: boolean
  readonly hasPlaces: boolean
}

/** One operation, as its page shows it. */
export interface OperationDoc extends OperationIndex {
  readonly about: string
  /** What longer periods need; null if there is no such rule. */
  readonly wider: { readonly beyond_hours: number; readonly plan: Plan } | null
  readonly isDeprecated: boolean
  /** Path of the page that explains how its data is made; null if there is none. */
  readonly explained: string | null
  readonly parameters: readonly ParameterDoc[]
  readonly body: { readonly about: string; readonly type: string; readonly fields: readonly FieldDoc[]; readonly example: unknown } | null
  readonly reply: {
    readonly status: string
    readonly about: string
    readonly fields: readonly FieldDoc[]
    /** JSON, a text, or null. */
    readonly example: unknown
    readonly formats: readonly { readonly type: string; readonly plan: Plan | null }[]
  }
  readonly shapes: readonly Shape[]
  /** Path and query of the example request. */
  readonly request: string
}

/** The operations of the description by group, for the pages of the reference. */
export interface Reference {
  /** Changes with its content. */
  readonly version: string
  readonly groups: readonly { readonly id: string; readonly operations: readonly OperationIndex[] }[]
  /** The operations of each group in full: JSON of `OperationDoc[]`, compressed with zstd. */
  readonly packed: Readonly<Record<string, Uint8Array<ArrayBuffer>>>
}

/** Makes the reference from the OpenAPI description, whose operations have `summary_es`. It takes some 100 ms. */
export function referenceOf(description: Json, version: string): Reference {
  const { schemas } = description['components'] as { readonly schemas: Readonly<Record<string, Json>> }
  const fieldsOf = fieldReader(schemas)
  const all = Object.entries(description['paths'] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      group: groupOf(operation),
      doc: operationDoc(path, method, operation, fieldsOf),
    })),
  )
  const groups = [...Map.groupBy(all, ({ group }) => group)].map(([id, list]) => ({ id, docs: list.map(({ doc }) => doc) }))
  const index = ({ id, method, path, summary, plan, isQuery, hasPlaces }: OperationDoc): OperationIndex => ({
    ...{ id, method, path, summary, plan, isQuery, hasPlaces },
  })
  return {
    version,
    groups: groups.map(({ id, docs }) => ({ id, operations: docs.map(index) })),
    packed: Object.fromEntries(groups.map(({ id, docs }) => [id, new Uint8Array(zstdCompressSync(JSON.stringify(docs)))])),
  }
}

/** The group of an operation: its first tag, but webhooks have a group of their own. */
function groupOf(operation: Json): string {
  const tags = operation['tags'] as readonly [string, ...string[]]
  return tags.includes('webhooks') ? 'webhooks' : tags[0]
}

function operationDoc(path: string, method: string, operation: Json, fieldsOf: (schema: Json) => readonly FieldDoc[]): OperationDoc {
  const plan = (operation['x-plan'] ?? null) as Plan | null
  const { content, ...reply } = replyDoc(operation, fieldsOf)
  const shown = content['application/geo+json']?.['example'] ?? reply.example
  const shapes = geometriesOf(shown)
  const asked = new URL((operation['x-example-request'] ?? path) as string, 'http://example.invalid')
  const explained = (operation['externalDocs'] as Json | undefined)?.['url']
  const parameters = ((operation['parameters'] ?? []) as readonly Json[]).map((one) => parameterOf(one, asked.searchParams))
  const inPath = parameters.reduce(
    (text, one) => (one.in === 'path' ? text.replace(`{${one.name}}`, encodeURIComponent(one.example ?? one.name)) : text),
    path,
  )
  return {
    id: operation['operationId'] as string,
    method: method.toUpperCase(),
    path,
    summary: { es: (operation['summary_es'] ?? operation['summary']) as string, en: operation['summary'] as string },
    plan,
    isQuery: operation['x-reads'] === 'lake',
    hasPlaces: shapes.length > 0,
    about: String(operation['description'] ?? '').replace(/^Plan: \w+\. ?/, ''),
    wider: (operation['x-plan-wider'] ?? null) as OperationDoc['wider'],
    isDeprecated: operation['deprecated'] === true,
    explained: typeof explained === 'string' ? new URL(explained).pathname : null,
    parameters,
    body: bodyDoc(operation, fieldsOf),
    reply,
    shapes,
    request: `${inPath}${asked.search}`,
  }
}

function parameterOf(parameter: Json, asked: URLSearchParams): ParameterDoc {
  const name = parameter['name'] as string
  const isInPath = parameter['in'] === 'path'
  const other = parameter['example'] ?? parameter['x-example']
  return {
    ...parameterDoc(parameter),
    in: parameter['in'] as ParameterDoc['in'],
    example: isInPath ? String(parameter['example'] ?? name) : asked.get(name),
    other: other === undefined ? null : String(other),
    id_from: (parameter['x-example-id-from'] ?? null) as string | null,
  }
}

function bodyDoc(operation: Json, fieldsOf: (schema: Json) => readonly FieldDoc[]): OperationDoc['body'] {
  const body = operation['requestBody'] as { readonly description?: string; readonly content: Readonly<Record<string, Json>> } | undefined
  if (!body) return null
  const [type, part = {}] = Object.entries(body.content)[0] ?? ['']
  return { about: body.description ?? '', type, fields: fieldsOf((part['schema'] ?? {}) as Json), example: part['example'] ?? null }
}

function replyDoc(operation: Json, fieldsOf: (schema: Json) => readonly FieldDoc[]) {
  const [status, reply] = Object.entries(operation['responses'] as Record<string, Json>).find(([code]) => code.startsWith('2')) ?? ['', {}]
  const content = (reply['content'] ?? {}) as Readonly<Record<string, Json>>
  const json = content['application/json'] ?? Object.values(content)[0] ?? {}
  return {
    content,
    status,
    about: (reply['description'] ?? '') as string,
    fields: json['schema'] ? fieldsOf(json['schema'] as Json) : [],
    example: json['example'] ?? null,
    formats: Object.entries(content).map(([type, part]) => ({ type, plan: (part['x-plan'] ?? null) as Plan | null })),
  }
}
