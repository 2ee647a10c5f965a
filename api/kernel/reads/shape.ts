import type { Column, Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type JsonSchema, jsonProperties } from '../../../lake/schema/json.ts'
import { DEGREE_DECIMALS, roundedTo, rounderOf } from '../../../lake/schema/precision.ts'
import { type Field, type Fields, isNested, type Nested, type RecordShape } from '../fields.ts'

/** One member of a record's JSON object. */
export interface Member {
  /** Its name in JSON. */
  readonly name: string
  /** The field it comes from; the two members of a point share one. */
  readonly field: string
  readonly schema: JsonSchema
  /** An example value for the documentation, from its declaration. */
  readonly example: Json
  /** Converts the field's value in a record to its JSON value. */
  readonly json: (value: unknown) => Json
}

/** A JSON object, as records are written. */
export type JsonObject = { [name: string]: Json }

/** The JSON members of a record's fields, in order. */
export function membersOf(fields: Fields): Member[] {
  return Object.entries(fields).flatMap(([field, declared]) => memberOf(field, declared))
}

/**
 * The JSON Schema of a record in replies without `fields`. Strict: all members and no others. Otherwise as documented: without
 * the fields that only some replies have, and open to new members.
 */
export function recordSchema(
  shape: Pick<RecordShape, 'about' | 'fields' | 'sometimes' | 'omitsNull'>,
  options: { readonly strict: boolean },
): JsonSchema {
  const members = membersOf(shape.fields)
  const always = alwaysIn(members, options.strict ? { ...shape, sometimes: [] } : shape)
  return {
    type: 'object',
    description: shape.about,
    properties: Object.fromEntries(members.map((member) => [member.name, member.schema])),
    required: always.map((member) => member.name),
    ...(options.strict ? { additionalProperties: false } : {}),
  }
}

/** The JSON Schema of a record that always has all of its members, and may get more. */
export function wholeRecord(fields: Fields): JsonSchema {
  const { description: _about, additionalProperties: _open, ...schema } = recordSchema({ about: '', fields }, { strict: true })
  return schema
}

/** The members that every reply without `fields` has; null is a value. */
export function alwaysIn(
  members: readonly Member[],
  { sometimes = [], omitsNull = [] }: Partial<Pick<RecordShape, 'sometimes' | 'omitsNull'>>,
): Member[] {
  return members.filter(({ field }) => !sometimes.includes(field) && !omitsNull.includes(field))
}

/** A record as a JSON object, from the examples of its fields. */
export function exampleOf(fields: Fields): JsonObject {
  return Object.fromEntries(membersOf(fields).map((member) => [member.name, member.example]))
}

/** Returns a function that writes a record as a JSON object, with all members or only some. */
export function recordWriter(shape: RecordShape, only?: ReadonlySet<string>): (record: AnyRow) => JsonObject {
  const members = membersOf(shape.fields).filter((member) => !only || only.has(member.name))
  return (record) => {
    const object: JsonObject = {}
    for (const member of members) if (!isLeftOut(shape, member, record)) object[member.name] = member.json(record[member.field])
    return object
  }
}

function isLeftOut({ omitsNull }: RecordShape, { field }: Member, record: AnyRow): boolean {
  return omitsNull !== undefined && record[field] === null && omitsNull.includes(field)
}

/**
 * Returns a function that writes a record as JSON text, with all members except some: equal to `JSON.stringify` of
 * `recordWriter`'s object.
 */
export function recordTextWriter(shape: RecordShape, except: readonly string[] = []): (record: AnyRow) => string {
  const members = membersOf(shape.fields).filter((member) => !except.includes(member.name))
  const writers = members.map((member, at) => {
    const write = memberTextWriter(member, at === 0 ? '' : ',')
    return shape.omitsNull?.includes(member.field) ? (record: AnyRow) => (isLeftOut(shape, member, record) ? '' : write(record)) : write
  })
  return (record) => {
    let text = '{'
    for (const write of writers) text += write(record)
    return `${text}}`
  }
}

/** Writes one member. Consecutive records often share a value, so the last text is cached. */
function memberTextWriter({ name, field, json }: Member, before: string): (record: AnyRow) => string {
  const begin = `${before}${JSON.stringify(name)}:`
  let last: unknown
  let text = ''
  return (record) => {
    const held = record[field]
    if (held === last && text !== '') return text
    last = held
    const value = json(held)
    text = begin + textOf(value)
    return text
  }
}

/** Characters that JSON escapes: quote, backslash, controls and surrogates (JSON escapes only unpaired ones). */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** The result of `JSON.stringify`, faster for numbers and plain texts. */
function textOf(value: Json): string {
  if (typeof value === 'string') return ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`
  return typeof value === 'number' && Number.isFinite(value) ? numberText(value) : JSON.stringify(value)
}

/** Most hundredths that are written digit by digit: V8 stores integers up to here without an object. */
const MOST_HUNDREDTHS = 2 ** 30

/**
 * The result of `String` for a number, faster for one or two decimals: two integers are cheaper than a search for a double's
 * shortest digits. If division by 10 or 100 gives the number back, its digits are the shortest ones.
 */
function numberText(value: number): string {
  const hundredths = Math.round(value * 100)
  if (hundredths / 100 !== value || hundredths < 1 || hundredths > MOST_HUNDREDTHS) return String(value)
  const whole = Math.floor(hundredths / 100)
  const rest = hundredths - whole * 100
  if (rest === 0) return String(whole)
  if (rest % 10 === 0) return `${whole}.${rest / 10}`
  return rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`
}

function memberOf(name: string, field: Field): Member[] {
  if (isNested(field)) return [{ name, field: name, schema: nestedSchema(field), example: nestedExample(field), json: nestedJson(field) }]
  return jsonProperties(name, field).map((property) => {
    const [example = null] = (property.schema['examples'] ?? []) as Json[]
    return { ...property, json: inPrecision(field, property.json), field: name, example }
  })
}

/** Writes values as `json` does, rounded to the precision of their column. */
function inPrecision(column: Column, json: Member['json']): Member['json'] {
  if (column.kind === 'point')
    return (value) => {
      const degrees = json(value)
      return typeof degrees === 'number' ? roundedTo(degrees, DEGREE_DECIMALS) : degrees
    }
  const round = rounderOf(column)
  return round ? (value) => json(round(value)) : json
}

function nestedExample({ kind, fields, keys }: Nested): Json {
  const example = exampleOf(fields)
  if (kind === 'object') return example
  if (kind === 'objects') return [example]
  const [code = ''] = Object.keys(keys?.codes ?? {})
  return { [code]: example }
}

function nestedSchema(field: Nested): JsonSchema {
  const inner = recordSchema(field, { strict: true })
  if (field.kind === 'objects')
    return { type: field.nullable ? ['array', 'null'] : 'array', description: field.about, items: { ...inner, description: 'One entry.' } }
  if (field.kind === 'map') {
    const codes = Object.keys(field.keys?.codes ?? {})
    return {
      type: 'object',
      description: field.about,
      propertyNames: { type: 'string' },
      additionalProperties: { ...inner, description: `By code of the list ${field.keys?.id}: ${codes.join(', ')}.` },
      'x-code-list': field.keys?.id,
    }
  }
  return { ...inner, type: field.nullable ? ['object', 'null'] : 'object' }
}

function nestedJson(field: Nested): (value: unknown) => Json {
  const members = membersOf(field.fields)
  const one = (record: AnyRow): JsonObject => {
    const object: JsonObject = {}
    for (const member of members) object[member.name] = member.json(record[member.field])
    return object
  }
  if (field.kind === 'objects') return (value) => (value as readonly AnyRow[] | null)?.map(one) ?? null
  if (field.kind === 'map')
    return (value) => Object.fromEntries(Object.entries(value as Record<string, AnyRow>).map(([key, entry]) => [key, one(entry)]))
  return (value) => (value === null ? null : one(value as AnyRow))
}
