import { type Endpoint, type ListReturn, pathParams } from '../../api/define/endpoint.ts'
import { essenceOf, formatsOf, isTable } from '../../api/define/formats.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { requestOf } from '../../api/http/example-request.ts'
import { isoInstant, madridDate } from '../../lake/schema/time.ts'

/** A request of data, the same for whoever sends it. */
export interface Ask {
  readonly endpoint: Endpoint
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Ids of things that lists show, by the path of the list. */
export type KnownIds = ReadonlyMap<string, readonly string[]>

/** Things of each list that are asked for by their id. */
const IDS = 2
/** Parameters of examples that the stand-in may have nothing for: without them there is an answer. */
const WIDE = Object.freeze({ from: null, to: null, date: null, at: null, province: null, nucleo: null })

/** The lists that show ids of things which have a path of their own. */
export function listsOfThings(): string[] {
  const parents = new Set(endpoints.flatMap(({ path }) => (path.includes('/{id}') ? [path.slice(0, path.indexOf('/{id}'))] : [])))
  return endpoints.filter(({ path }) => parents.has(path)).map(({ path }) => path)
}

/** Ids in the body of a list, the first few. */
export function idsIn(path: string, body: string): string[] {
  const { returns } = endpoints.find((one) => one.path === path) as Endpoint
  const { name, id = 'id' } = returns as ListReturn
  const records = (JSON.parse(body) as Record<string, readonly Record<string, string>[]>)[name] ?? []
  return records.slice(0, IDS).map((record) => record[id] as string)
}

/**
 * Requests of every endpoint: its example, the same without times and places, of things that there are and that there are not, in every
 * format, and with mistakes. What depends on the clock is asked as of a moment (ms) that is given; what tells of fetches is left out, as it
 * is another answer after each of them.
 */
export function asksOf(ids: KnownIds, moment: number): Ask[] {
  const asks: Ask[] = []
  for (const endpoint of endpoints) {
    const { read, returns } = endpoint
    const isMoving = 'clock_s' in read && read.clock_s !== undefined
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

/** So many queries of history that no other request is like, so that each is made by the engine and not found in memory. */
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

/** The path parameters of the things that are asked for; one of none for a list. */
function thingsOf({ path }: Endpoint, ids: KnownIds): Record<string, string>[] {
  if (pathParams(path).length === 0) return [{}]
  return (ids.get(path.slice(0, path.indexOf('/{id}'))) ?? []).map((id) => ({ id }))
}
