import type { Endpoint } from '../../api/define/endpoint.ts'
import { endpointId, pathParams } from '../../api/define/endpoint.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { allParams } from '../../api/http/request.ts'
import type { FuzzedService, TestKey } from './service.ts'

/** What the hooks of Schemathesis are told; see hooks.py. */
export interface FuzzPlan {
  readonly key: string
  readonly spare: readonly TestKey[]
  /** By operation, the ids of things that there are, by the name of the path's parameter. */
  readonly ids: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * By operation, the parameters that may be refused for the sake of others or of what rows have, whose schema cannot say it: members of a
   * group, those whose values only the lake tells, and those of the page that only go with a representation or without one another.
   */
  readonly joint: Readonly<Record<string, readonly string[]>>
  /** File that the hooks write what came of it to. */
  readonly figures: string
}

/** Parameters of the page that are refused for the sake of others. */
const JOINT_PAGE = ['limit', 'cursor', 'since', 'sort', 'fields', 'dialect', 'codec']

/** Parameters that an endpoint itself refuses for the sake of others, by operation. */
const OWN_JOINT: Readonly<Record<string, readonly string[]>> = {
  // Which directions a route has, only its trains say.
  trenes_rutas_by_id_horarios: ['direction'],
  // Nobody tells where long-distance trains stop: there is nothing of them by station.
  trenes_puntualidad: ['network'],
  // Which versions its schema has, only the table says.
  datasets_by_id_schema: ['version'],
  // Of which studies anything has landed, only the table says; and each view has parameters of its own.
  movilidad: ['study', 'view', 'origin', 'destination', 'road', 'interval'],
  // Each view has parameters of its own, and one series at a time is told of.
  trafico_prediccion: ['view', 'sensor', 'station', 'corridor', 'horizon', 'at'],
  // Which years there are maps of, only the table says.
  movilidad_imd: ['year'],
  movilidad_corredores: ['year'],
  movilidad_corredores_by_id: ['year'],
  // Which levels and zones, too.
  movilidad_od: ['study', 'level', 'origin', 'destination'],
  // Several hours of all Spain would be too much; a stretch may be none; and of which accidents there are estimates, only the table says.
  prediccion_riesgo: ['hours', 'basis'],
  prediccion_riesgo_by_road: ['km_from', 'km_to', 'basis'],
}

/** What the hooks need to know of the service. */
export async function fuzzPlan(service: FuzzedService, figures: string): Promise<FuzzPlan> {
  const ids: Record<string, Record<string, string>> = {}
  for (const endpoint of endpoints) {
    const found = await someId(service, endpoint)
    if (found) ids[endpointId(endpoint.path)] = found
  }
  // What ends a key has one of its own to begin with: others find one by following what /api/keys answers, or by chance.
  for (const [at, operation] of ['keys_by_id_rotate', 'keys_by_id_revoke'].entries())
    ids[operation] = { id: (service.spare.at(-1 - at) as TestKey).id }
  const joint = Object.fromEntries(endpoints.map((endpoint) => [endpointId(endpoint.path), jointParams(endpoint)]))
  return { key: service.key, spare: service.spare, ids, joint, figures }
}

function jointParams(endpoint: Endpoint): string[] {
  const { read } = endpoint
  const members = Object.values(endpoint.params).flatMap((one) => (one.kind === 'group' ? Object.keys(one.members) : []))
  const omitting = read.kind === 'lake' && read.omit ? [read.omit.by] : []
  const known = read.kind === 'lake' ? Object.keys(read.known ?? {}) : []
  return [...members, ...omitting, ...known, ...(OWN_JOINT[endpointId(endpoint.path)] ?? []), ...JOINT_PAGE].filter((name) =>
    allParams(endpoint).has(name),
  )
}

/** The id of something under a path with one parameter: the first of the list that the path belongs to. */
async function someId({ url, key }: FuzzedService, { path }: Endpoint): Promise<Record<string, string> | null> {
  const [name, ...others] = pathParams(path)
  const list = endpoints.find((one) => one.path === path.split('/{')[0])
  if (name === undefined || others.length > 0 || list?.returns.kind !== 'list') return null
  const response = await fetch(`${url}${list.path}?limit=1`, { headers: { 'X-API-Key': key, Accept: 'application/json' } })
  if (!response.ok) throw new Error(`${list.path} answers ${response.status} before anything was tried: ${await response.text()}`)
  const reply = (await response.json()) as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  const id = reply[list.returns.name]?.[0]?.[list.returns.id ?? name]
  return typeof id === 'string' ? { [name]: id } : null
}
