import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { type Endpoint, type ListReturn, pathParams } from '../../../api/kernel/endpoint.ts'
import { essenceOf, formatsOf, isTable } from '../../../api/kernel/formats.ts'
import { isoInstant, madridDate } from '../../../lake/schema/time.ts'

/** A request for data, the same for every caller. */
export interface Ask {
  readonly endpoint: Endpoint
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Ids that lists contain, by path of the list. */
export type KnownIds = ReadonlyMap<string, readonly string[]>

/** Number of things of each list that are requested by id. */
const IDS = 2
/** Parameters of examples for which the stand-in may have no data: without them a request has an answer. */
const WIDE = Object.freeze({ from: null, to: null, date: null, at: null, province: null, nucleo: null })

/** Paths of the lists whose items have a path of their own. */
export function listsOfThings(): string[] {
  const parents = new Set(endpoints.flatMap(({ path }) => (path.includes('/{id}') ? [path.slice(0, path.indexOf('/{id}'))] : [])))
  return endpoints.filter(({ path }) => parents.has(path)).map(({ path }) => path)
}

/** The first few ids in the body of a list. */
export function idsIn(path: string, body: string): string[] {
  const { returns } = endpoints.find((one) => one.path === path) as Endpoint
  const { name, id = 'id' } = returns as ListReturn
  const records = (JSON.parse(body) as Record<string, readonly Record<string, string>[]>)[name] ?? []
  return records.slice(0, IDS).map((record) => record[id] as string)
}

/**
 * Requests of every endpoint: its example, the example without times and places, known and unknown ids, every format, and invalid
 * requests. Requests that depend on the clock use the instant `moment` (ms). Endpoints about fetches are left out: their answer
 * changes with each fetch.
 */
export function asksOf(ids: KnownIds, moment: number): Ask[] {
  const asks: Ask[] = []
  for (const endpoint of endpoints) {
    const { read, returns } = endpoint
    const isMoving = 'clockGranularity_s' in read && read.clockGranularity_s !== undefined
    if (isMoving && read.kind === 'system') continue
    const add = (url: string, headers: Ask['headers'] = {}): void => void asks.push({ endpoint, path: url, headers })
    const example = requestOf(endpoint)
    add(example)
    add(`${example}${example.includes('?') ? '&' : '?'}limt=3`)
    const wide = { ...WIDE, ...(isMoving ? momentOf(endpoint, moment) : {}) }
    for (const thing of thingsOf(endpoint, ids))
      for (const format of formatsOf(returns)) {
        const values = { ...wide, ...thing, limit: null }
        add(requestOf(endpoint, { ...values, format, ...(isTable(format) ? {} : { lang: 'en' }) }))
        add(requestOf(endpoint, values), { Accept: essenceOf(format) })
      }
  }
  return asks
}

/** The given number of different history queries, so that the engine executes each one and none is answered from memory. */
export function queriesOf(ids: KnownIds, count: number): Ask[] {
  const listed = endpoints.filter(({ read, returns }) => read.kind === 'lake' && returns.kind === 'list')
  const asks: Ask[] = []
  for (let limit = 1; asks.length < count; limit++)
    for (const endpoint of listed)
      for (const thing of thingsOf(endpoint, ids).slice(0, 1))
        asks.push({ endpoint, path: requestOf(endpoint, { ...WIDE, ...thing, limit: String(limit) }), headers: {} })
  return asks.slice(0, count)
}

function momentOf({ params }: Endpoint, moment: number): Record<string, string> {
  return { ...('at' in params ? { at: isoInstant(moment) } : {}), ...('date' in params ? { date: madridDate(moment) } : {}) }
}

/** Path parameters of the requested things; one empty set for a list. */
function thingsOf({ path }: Endpoint, ids: KnownIds): Record<string, string>[] {
  if (pathParams(path).length === 0) return [{}]
  return (ids.get(path.slice(0, path.indexOf('/{id}'))) ?? []).map((id) => ({ id }))
}
