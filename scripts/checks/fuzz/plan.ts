import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { endpointId, pathParams } from '../../../api/kernel/endpoint.ts'
import type { FuzzedService, TestKey } from './service.ts'

/** The input of Schemathesis' hooks; see hooks.py. */
export interface FuzzPlan {
  readonly key: string
  readonly spare: readonly TestKey[]
  /** By operation, existing ids by the name of the path's parameter. */
  readonly ids: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * By operation, the parameters that may be refused because of other parameters or of the data, which no schema can express:
   * members of a group, values that only the lake knows, and page parameters that need or exclude others.
   */
  readonly joint: Readonly<Record<string, readonly string[]>>
  /** File for the hooks' results. */
  readonly figures: string
}

/** Page parameters that may be refused because of others. */
const JOINT_PAGE = ['limit', 'cursor', 'since', 'sort', 'fields', 'dialect', 'codec', 'decimals']

/** Parameters that an endpoint itself refuses because of others, by operation. */
const OWN_JOINT: Readonly<Record<string, readonly string[]>> = {
  // A route's directions depend on its trains.
  trenes_rutas_by_id_horarios: ['direction'],
  // Stops of long-distance trains are not published: they have no punctuality by station.
  trenes_puntualidad: ['network'],
  // The versions of its schema depend on the table.
  datasets_by_id_schema: ['version'],
  // The landed studies depend on the table; and each view has its own parameters.
  movilidad: ['study', 'view', 'origin', 'destination', 'road', 'interval'],
  // Each view has its own parameters, and a request is for one series.
  trafico_prediccion: ['view', 'sensor', 'station', 'corridor', 'horizon', 'at'],
  // The years with maps depend on the table.
  movilidad_imd: ['year'],
  movilidad_corredores: ['year'],
  movilidad_corredores_by_id: ['year'],
  // Levels and zones depend on the table too.
  movilidad_od: ['study', 'level', 'origin', 'destination'],
  // Only some products have forecasts, and the bulletin only those of all Spain.
  prediccion_combustible: ['fuel', 'series'],
  // Several hours of all Spain are too many; a stretch may not exist; the bases of the estimates depend on the table.
  prediccion_riesgo: ['hours', 'basis'],
  prediccion_riesgo_by_road: ['km_from', 'km_to', 'basis'],
}

/** The hooks' input for a service. */
export async function fuzzPlan(service: FuzzedService, figures: string): Promise<FuzzPlan> {
  const ids: Record<string, Record<string, string>> = {}
  for (const endpoint of endpoints) {
    const found = await someId(service, endpoint)
    if (found) ids[endpointId(endpoint.path)] = found
  }
  // Each operation that ends a key starts with its own; the others are found from the answers of /api/keys, or by chance.
  for (const [at, operation] of ['keys_by_id_rotate', 'keys_by_id_revoke'].entries())
    ids[operation] = { id: (service.spare.at(-1 - at) as TestKey).id }
  const joint = Object.fromEntries(
    endpoints.flatMap((endpoint) => {
      const [id, own] = [endpointId(endpoint.path), jointParams(endpoint)]
      return [[id, own] as const, ...(endpoint.takesBody ? [[`${id}_by_body`, own] as const] : [])]
    }),
  )
  return { key: service.key, spare: service.spare, ids, joint, figures }
}

function jointParams(endpoint: Endpoint): string[] {
  const { read } = endpoint
  const members = Object.values(endpoint.params).flatMap((one) => (one.kind === 'group' ? Object.keys(one.members) : []))
  const omitting = read.kind === 'lake' && read.omit ? [read.omit.by] : []
  const known = read.kind === 'lake' ? Object.keys(read.existingValues ?? {}) : []
  return [...members, ...omitting, ...known, ...(OWN_JOINT[endpointId(endpoint.path)] ?? []), ...JOINT_PAGE].filter((name) =>
    allParams(endpoint).has(name),
  )
}

/** The id of a thing under a path with one parameter: the first in the list of that path. */
async function someId({ url, key }: FuzzedService, { path }: Endpoint): Promise<Record<string, string> | null> {
  const [name, ...others] = pathParams(path)
  const list = endpoints.find((one) => one.path === path.split('/{')[0])
  if (name === undefined || others.length > 0 || list?.returns.kind !== 'list') return null
  const ask = (request: string): Promise<Response> =>
    fetch(`${url}${request}`, { headers: { 'X-API-Key': key, Accept: 'application/json' } })
  const plain = await ask(`${list.path}?limit=1`)
  // A list that needs an area takes that of its example.
  const response = plain.status === 400 ? await ask(requestOf(list, { limit: '1' })) : plain
  // Streams publish nothing to a service that only polls.
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${list.path} answers ${response.status} before the first test: ${await response.text()}`)
  const reply = (await response.json()) as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  const id = reply[list.returns.name]?.[0]?.[list.returns.id ?? name]
  return typeof id === 'string' ? { [name]: id } : null
}
