import { Problem, problem } from '../define/problems.ts'
import { EVENT_FILTERS, type EventFilter } from '../events/filter.ts'
import { queryReader } from '../http/request.ts'

const read = queryReader(EVENT_FILTERS)
/** What a filter calls the topics: as in Standard Webhooks, types. */
const NAMES: Readonly<Record<string, string>> = { types: 'topics' }

/** Names of the members of a filter. */
export const FILTER_NAMES: readonly string[] = Object.keys(EVENT_FILTERS).map((name) => (name === 'topics' ? 'types' : name))

/** Reads the filter of a subscription: the parameters of the stream, as JSON. Throws a problem that names every mistake. */
export function readWebhookFilter(given: Readonly<Record<string, unknown>>): EventFilter {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const parameter = name === 'topics' ? '?' : (NAMES[name] ?? name)
    // A box is one value of four numbers, other lists are several values.
    const texts = Array.isArray(value) && name !== 'bbox' ? value : [Array.isArray(value) ? value.join() : value]
    for (const text of texts) query.append(parameter, typeof text === 'object' ? JSON.stringify(text) : String(text))
  }
  try {
    return read(`?${query}`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = (error.options.errors ?? []).map(({ parameter = '', ...rest }) => {
      const name = parameter === 'topics' ? 'types' : parameter
      return { ...rest, pointer: `/filter/${name}`, ...(rest.allowed?.includes('topics') ? { allowed: FILTER_NAMES } : {}) }
    })
    throw problem(error.code, `filter: ${error.message}`, { errors })
  }
}
