import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { type SimulatedService, startSimulatedService } from '../helpers/simulated-service.ts'

/** Feeds arrive in turn, and a history exists once its feed has landed: every 10 s by `LAND_EVERY_S`. */
const FIRST_DATA_MS = 150_000
/** By day trains run everywhere and beacons are active, by night hardly any. */
const HOUR = Number(new Intl.DateTimeFormat('en', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23' }).format())
const IS_NIGHT = HOUR < 7 || HOUR >= 22
const OF_THE_DAY = ['/api/trenes/posiciones', '/api/trenes/alertas', '/api/v16', '/api/v16/history']
/** Lists of past events, or with data only after a day or weeks: a service that has just started may have none. */
const MAY_BE_EMPTY = [
  '/api/incidents/history',
  '/api/trenes/alertas/historico',
  '/api/combustible/tendencia',
  '/api/geo/pk',
  '/api/trafico/intensidad/historico',
  '/api/trenes/recorridos',
  '/api/datasets/{id}/quality',
  '/api/aviacion/aeropuertos/{iata}/historico',
  ...(IS_NIGHT ? OF_THE_DAY : []),
]

let service: SimulatedService
let url: string
let headers: Readonly<Record<string, string>>
let paths: Readonly<Record<string, { readonly get?: Operation }>>

interface Operation {
  readonly 'x-example-request': string
  readonly parameters: readonly { readonly name: string; readonly example?: string; readonly 'x-example-id-from'?: string }[]
}

beforeAll(async () => {
  service = await startSimulatedService()
  url = service.url
  headers = { 'X-API-Key': await service.key('ENTERPRISE'), Accept: 'application/json' }
  paths = ((await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: typeof paths }).paths
})
afterAll(() => service?.stop())

/** The records of a reply; null if it is a single record. */
function listIn(body: object): readonly Record<string, string>[] | null {
  return Object.entries(body).find(([name, value]) => name !== 'errors' && Array.isArray(value))?.[1] ?? null
}

/** Describes the error in the reply to a path's example request; null if it is right. */
async function wrongWith(path: string): Promise<string | null> {
  const { 'x-example-request': shown, parameters } = paths[path]?.get as Operation
  let request = shown
  for (const { name, example, 'x-example-id-from': list } of parameters) {
    if (!list || !example) continue
    const [first] =
      listIn((await (await fetch(`${url}${list}${list.includes('?') ? '&' : '?'}limit=1&fields=${name}`, { headers })).json()) as object) ??
      []
    if (!first) return MAY_BE_EMPTY.includes(list.split('?')[0] as string) ? null : `${list} has nothing yet`
    request = request.replace(example, encodeURIComponent(first[name] as string))
  }
  const response = await fetch(`${url}${request}`, { headers })
  const body = (await response.json()) as object
  if (response.status !== 200) return `${response.status} to ${request}: ${JSON.stringify(body).slice(0, 300)}`
  const isEmpty = endpoints.find((one) => one.path === path)?.returns.kind === 'list' && listIn(body)?.length === 0
  return isEmpty && !MAY_BE_EMPTY.includes(path) ? `nothing is in what answers ${request}` : null
}

test.each(endpoints.map(({ path }) => path))('the example request of %s works on the day on which it is shown', async (path) => {
  const until = Date.now() + FIRST_DATA_MS
  let wrong = await wrongWith(path)
  for (; wrong !== null && Date.now() < until; wrong = await wrongWith(path)) await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(wrong).toBeNull()
})
