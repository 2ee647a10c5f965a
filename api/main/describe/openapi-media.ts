import { essenceOf } from '../../kernel/formats.ts'
import type { Part } from '../../kernel/openapi-parts.ts'
import { LIMIT_BY_FORMAT } from '../../kernel/params/params-page.ts'

/** Media types of the description for programs that read JSON. */
const KEPT: readonly string[] = [essenceOf('json'), 'application/problem+json']
/** Parameters of other media types only. */
const OF_OTHERS: readonly unknown[] = ['dialect', 'codec', 'decimals']

/**
 * Parameters whose values do not become names in clients: members such as `name` (every enumeration of Kotlin and Java has one),
 * and a parameter that is a reserved word (`operator`).
 */
const UNNAMED: readonly unknown[] = ['fields', 'sort', 'operator']

/**
 * Returns the description without the other media types of bodies that exist as JSON, for generators of clients: they take one
 * type, or none. Bodies without a JSON form stay. Parameters have the values that JSON allows; no client sends the events.
 */
export function onlyJson({ webhooks: _events, ...description }: Part): Part {
  const { components, ...rest } = jsonIn(description) as Part & { readonly components: Part }
  const { schemas, ...others } = components as { readonly schemas: Part }
  const text = JSON.stringify([rest, components])
  const used = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  return { ...rest, components: { schemas: Object.fromEntries(used), ...others } }
}

function jsonIn(part: unknown): unknown {
  if (Array.isArray(part)) return part.filter((one) => !OF_OTHERS.includes(queryName(one))).map(jsonIn)
  if (typeof part !== 'object' || part === null) return part
  const inside = Object.entries(queryName(part) === null ? part : parameterOf(part as Part))
  return Object.fromEntries(inside.map(([name, value]) => [name, name === 'content' ? jsonContent(value as Part) : jsonIn(value)]))
}

/** The contents of a body by media type. A property of that name in a schema has no media types, and stays. */
function jsonContent(content: Part): unknown {
  const kept = Object.entries(content).filter(([type]) => KEPT.includes(type))
  return jsonIn(kept.length > 0 ? Object.fromEntries(kept) : content)
}

function queryName(part: unknown): unknown {
  const { in: place, name } = (part ?? {}) as { readonly in?: unknown; readonly name?: unknown }
  return place === 'query' ? name : null
}

function parameterOf(parameter: Part): Part {
  const { name, schema, description } = parameter as { readonly name: string; readonly schema: Part; readonly description: string }
  if (UNNAMED.includes(name)) return { ...parameter, schema: withoutEnum(schema) }
  if (name === 'format') return { ...parameter, schema: { ...schema, enum: ['json'] } }
  const most = schema[LIMIT_BY_FORMAT] as Part | undefined
  if (!most) return parameter
  const { [LIMIT_BY_FORMAT]: _most, ...limit } = schema
  return { ...parameter, description: description.replace(/ At most .*$/, ''), schema: { ...limit, maximum: most['json'] } }
}

function withoutEnum({ enum: _values, items, ...schema }: Part): Part {
  return { ...schema, ...(items === undefined ? {} : { items: withoutEnum(items as Part) }) }
}
