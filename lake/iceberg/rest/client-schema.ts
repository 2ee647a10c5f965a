import { UpdateRefused } from '../errors.ts'
import type { TableField } from '../types.ts'

/** A JSON object of a client; integers that do not fit in a number are bigints. */
export type Json = Readonly<Record<string, unknown>>

/** Primitive types of version 2 (spec, "Primitive Types"). */
const PRIMITIVE =
  /^(boolean|int|long|float|double|date|time|timestamp|timestamptz|string|uuid|binary|fixed\[[1-9]\d*\]|decimal\((?:[1-9]|[12]\d|3[0-8]), ?\d\d?\))$/
const NAME = /^[^\p{Cc}"`]{1,200}$/u
const MAX_FIELDS = 2000
const MAX_DEPTH = 20

/** The fields of a client's schema, the ids of its key, and its highest id. */
interface CheckedSchema {
  readonly fields: readonly TableField[]
  readonly identifiers: readonly number[]
  readonly highest: number
}

/**
 * Reads a schema of version 2 ("Schema" of the Iceberg REST specification). Throws `UpdateRefused` for types or defaults of later
 * versions, and for ids or names that occur twice.
 */
export function checkedSchema(given: unknown): CheckedSchema {
  const { fields, 'identifier-field-ids': identifiers = [] } = (given ?? {}) as Json
  const ids = new Set<number>()
  const read = checkedFields(fields, { ids, depth: 0 })
  if (!Array.isArray(identifiers) || !identifiers.every((id) => ids.has(id as number)))
    throw refuse('identifier-field-ids must be ids of its fields')
  return { fields: read, identifiers: identifiers as number[], highest: Math.max(0, ...ids) }
}

/** True if two types are the same but for blanks. */
export function sameType(one: unknown, other: unknown): boolean {
  const textOf = (type: unknown): string => JSON.stringify(type, sorted).replaceAll(' ', '')
  return textOf(one) === textOf(other)
}

const sorted = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [next]) => (one < next ? -1 : 1)))
    : value

interface Reading {
  readonly ids: Set<number>
  readonly depth: number
}

const refuse = (why: string): UpdateRefused => new UpdateRefused('add-schema', why)

function checkedFields(given: unknown, { ids, depth }: Reading): TableField[] {
  if (!Array.isArray(given) || given.length === 0) throw refuse('schema.fields must be a list of columns')
  const names = new Set<string>()
  return (given as Json[]).map((field) => {
    const { name, type, required = false, doc, 'initial-default': initial = null, 'write-default': write = null } = field ?? {}
    if (typeof name !== 'string' || !NAME.test(name)) throw refuse(`${String(name).slice(0, 60)} is no name of a column`)
    if (names.has(name.toLowerCase())) throw refuse(`there are two columns ${name}`)
    names.add(name.toLowerCase())
    if (initial !== null || write !== null) throw refuse(`column ${name} has a default value, which version 2 does not have`)
    takeId(field['id'], name, ids)
    return {
      ...{ id: field['id'] as number, name, required: required === true },
      type: checkedType(type, { name, ids, depth }) as TableField['type'],
      ...(typeof doc === 'string' ? { doc: doc.slice(0, 1000) } : {}),
    } as TableField
  })
}

function checkedType(type: unknown, { name, ids, depth }: Reading & { readonly name: string }): unknown {
  if (typeof type === 'string' && PRIMITIVE.test(type)) return type
  const nested = type as Json | null
  const kind = typeof type === 'object' ? nested?.['type'] : type
  if (depth > MAX_DEPTH || nested === null) throw refuse(`column ${name} is nested too deeply`)
  const within = { name, ids, depth: depth + 1 }
  const element = (part: 'element' | 'key' | 'value'): Json => {
    takeId(nested[`${part}-id`], name, ids)
    const required = part === 'key' ? {} : { [`${part}-required`]: nested[`${part}-required`] === true }
    return { [`${part}-id`]: nested[`${part}-id`], [part]: checkedType(nested[part], within), ...required }
  }
  if (typeof type === 'object' && kind === 'struct') return { type: 'struct', fields: checkedFields(nested['fields'], within) }
  if (typeof type === 'object' && kind === 'list') return { type: 'list', ...element('element') }
  if (typeof type === 'object' && kind === 'map') return { type: 'map', ...element('key'), ...element('value') }
  throw refuse(`column ${name} has the type ${String(kind).slice(0, 60)}, which version 2 does not have`)
}

function takeId(id: unknown, name: string, ids: Set<number>): void {
  if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) >= 2 ** 31) throw refuse(`column ${name} needs an id`)
  if (ids.has(id as number)) throw refuse(`column ${name} has the id ${String(id)} of another one`)
  if (ids.size >= MAX_FIELDS) throw refuse(`a schema has at most ${MAX_FIELDS} fields`)
  ids.add(id as number)
}

/** The ids of a schema's fields, those within others too. */
export function fieldIds(fields: readonly TableField[]): ReadonlySet<number> {
  const ids = new Set<number>()
  checkedFields(fields, { ids, depth: 0 })
  return ids
}
