import { queryReader } from '../../engine/request/request.ts'
import { ABOUT_FILTERS, EVENT_FILTERS, type EventFilter } from '../../events/filter.ts'
import type { Part } from '../../kernel/openapi-parts.ts'
import type { Param } from '../../kernel/params/params.ts'
import { Problem, problem } from '../../kernel/problems.ts'

const { topics, ...others } = EVENT_FILTERS

/** The members of a subscription's filter: the parameters of the stream, with topics called types as in Standard Webhooks. */
export const WEBHOOK_FILTERS = { types: topics, ...others }

const read = queryReader(WEBHOOK_FILTERS)

/** Returns the schema of a webhook's filter: in a request, null stands for an absent member. */
export function filterSchema({ inRequest }: { readonly inRequest: boolean }): Part {
  const orNull = (type: unknown): unknown => (inRequest ? [type, 'null'] : type)
  const members = Object.entries(WEBHOOK_FILTERS).map(([name, { about, schema, list }]) => [
    name,
    list
      ? { type: orNull('array'), items: schema, description: about }
      : { ...schema, type: orNull((schema as { readonly type?: unknown }).type), description: about },
  ])
  return { type: orNull('object'), additionalProperties: false, description: ABOUT_FILTERS, properties: Object.fromEntries(members) }
}

/** Reads the filter of a subscription, as JSON. Throws a problem that names every mistake. */
export function readWebhookFilter(given: Readonly<Record<string, unknown>>): EventFilter {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const isList = (WEBHOOK_FILTERS as Readonly<Record<string, Param>>)[name]?.list ?? false
    // A box is one value of four numbers; lists are several values.
    const texts = Array.isArray(value) && !isList ? [value.join()] : [value].flat()
    for (const text of texts) query.append(name, typeof text === 'object' ? JSON.stringify(text) : String(text))
  }
  try {
    const { types, ...rest } = read(`?${query}`)
    return { ...rest, topics: types }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = (error.options.errors ?? []).map(({ parameter = '', ...rest }) => ({ ...rest, pointer: `/filter/${parameter}` }))
    throw problem(error.code, `filter: ${error.message}`, { errors })
  }
}
