/** A part of the OpenAPI description, as parsed JSON. */
export type Json = Readonly<Record<string, unknown>>

/** A member of a reply, a parameter or a member of a body, as the reference shows it. */
export interface FieldDoc {
  readonly name: string
  /** Its type in words, such as `list of string`. */
  readonly type: string
  readonly unit: string | null
  readonly about: string
  /** The allowed or known values; empty if any value of the type may occur. */
  readonly codes: readonly string[]
  /** Limits in words, such as `1 to 100000`. */
  readonly limits: string
  /** False if it may be absent. */
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly fields: readonly FieldDoc[]
}

/** Deepest level of members that is shown. */
const MAX_DEPTH = 5
const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'instant', date: 'date', uri: 'URL', email: 'email address' }

/** Makes the function that lists the members of a schema; `components` are the description's schemas. */
export function fieldReader(components: Readonly<Record<string, Json>>): (schema: Json) => readonly FieldDoc[] {
  const resolved = (schema: Json): Json => {
    const ref = schema['$ref']
    return typeof ref === 'string' ? (components[ref.split('/').at(-1) as string] ?? {}) : schema
  }
  /** The alternatives of a schema that are not null. */
  const options = (schema: Json): readonly Json[] => {
    const { anyOf, oneOf } = schema
    const all = (anyOf ?? oneOf) as readonly Json[] | undefined
    return (all ? all.map(resolved) : [schema]).filter(({ type }) => type !== 'null')
  }
  const typeOf = (schema: Json): string => {
    const names = options(schema).map((one) => {
      const type = [one['type']].flat().filter((name) => name !== 'null')
      if (type[0] === 'array') return `list of ${typeOf(resolved((one['items'] ?? {}) as Json))}`
      return FORMATS[String(one['format'])] ?? (type.join(' or ') || (one['const'] === undefined ? 'any' : 'string'))
    })
    return [...new Set(names)].join(' or ')
  }
  const members = (schema: Json, depth: number): readonly FieldDoc[] => {
    if (depth > MAX_DEPTH) return []
    const found = options(schema).flatMap((one) => {
      if (one['items']) return members(resolved(one['items'] as Json), depth)
      const { properties = {}, required = [], additionalProperties: others } = one
      const named = Object.entries(properties as Record<string, Json>).map(([name, part]) =>
        field(name, part, { isRequired: (required as readonly string[]).includes(name), depth }),
      )
      return typeof others === 'object' ? [...named, field('{name}', others as Json, { isRequired: false, depth })] : named
    })
    return [...new Map(found.map((one) => [one.name, one])).values()]
  }
  const field = (name: string, part: Json, { isRequired, depth }: { readonly isRequired: boolean; readonly depth: number }): FieldDoc => {
    const schema = resolved(part)
    return {
      ...valueDoc({ ...schema, description: part['description'] ?? schema['description'] }, typeOf(schema)),
      name,
      isRequired,
      fields: members(schema, depth + 1),
    }
  }
  return (schema) => members(resolved(schema), 1)
}

/** Describes a parameter of the description like a member. */
export function parameterDoc(parameter: Json): FieldDoc {
  const schema = parameter['schema'] as Json
  const items = (schema['items'] ?? schema) as Json
  const type = FORMATS[String(items['format'])] ?? String(items['type'])
  return {
    ...valueDoc({ ...schema, ...items, description: parameter['description'] }, schema['items'] ? `list of ${type}` : type),
    name: parameter['name'] as string,
    isRequired: parameter['required'] === true,
  }
}

function valueDoc(schema: Json, type: string): Omit<FieldDoc, 'name' | 'isRequired'> {
  const items = (schema['items'] ?? {}) as Json
  const codes = schema['enum'] ?? schema['x-extensible-enum'] ?? items['enum'] ?? items['x-extensible-enum'] ?? []
  const text = (schema['description'] ?? '') as string
  const unit = (schema['x-unit'] ?? items['x-unit'] ?? null) as string | null
  return {
    type,
    unit,
    about: unit === null ? text : text.replace(` Unit: ${unit}.`, ''),
    codes: (codes as readonly unknown[]).filter((code) => code !== null).map(String),
    limits: limitsOf(schema),
    isNullable:
      [schema['type']].flat().includes('null') || ((schema['anyOf'] ?? []) as readonly Json[]).some((one) => one['type'] === 'null'),
    fields: [],
  }
}

function limitsOf({ minimum, maximum, minLength, maxLength, default: standard }: Json): string {
  const between = (least: unknown, most: unknown): string => {
    if (most === undefined) return least === undefined ? '' : `≥ ${least}`
    return least === undefined ? `≤ ${most}` : `${least} – ${most}`
  }
  const length = maxLength === undefined ? '' : `${between(minLength ?? 0, maxLength)} characters`
  return [between(minimum, maximum), length, standard === undefined ? '' : `default ${standard}`].filter((one) => one !== '').join(', ')
}
