import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { neededBy } from '../../../api/kernel/params/params-page.ts'
import { exampleService } from '../example-service.ts'
import type { Reply, TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** The field of the parameter `ids`. */
const idName = (returns: Endpoint['returns']): string => (returns.kind === 'list' ? returns.id : undefined) ?? 'id'

const lists = endpoints.flatMap((endpoint) => (endpoint.returns.kind === 'list' ? [{ endpoint, returns: endpoint.returns }] : []))

/** The parameters that a 400 names, each of them in its detail too. */
async function blamed(path: string, init: Parameters<TestService['ask']>[1] = {}): Promise<string[]> {
  const response = await service.ask(path, init)
  expect(response.status, path).toBe(400)
  const problem = (await response.json()) as Reply
  expect(problem.code).toBe('invalid-parameter')
  const names = problem.errors.map((one: Reply) => one.parameter)
  for (const name of names) expect(problem.detail).toContain(name)
  return names
}

describe('a sort by a field that other parameters provide', () => {
  const path = '/api/gas-stations/cheapest?fuel=DIESEL_A'
  const point = '&lat=41.51&lon=1.90'

  test.each(['distance_m', '-distance_m', 'DISTANCE_M'])('is refused without them: %s', async (sort) => {
    expect(await blamed(`${path}&sort=${sort}`)).toEqual(['sort', 'lat', 'lon'])
    expect(await blamed(`${path}&sort=${sort}&bbox=1,41,2,42`)).toEqual(['sort', 'lat', 'lon'])
    expect(await blamed(`${path}&sort=${sort}&province=08`)).toEqual(['sort', 'lat', 'lon'])
    expect((await service.get(`${path}&sort=${sort}${point}`)).status).toBe(200)
  })

  test('is taken without them by no list', async () => {
    const found = lists.flatMap(({ endpoint, returns }) =>
      returns.sorts.flatMap((field) => {
        const names = neededBy(endpoint, field).flat()
        return names.length === 0 ? [] : [{ endpoint, returns, field, names }]
      }),
    )
    expect(found.map(({ endpoint, field }) => `${endpoint.path} ${field}`)).toContain('/api/gas-stations/cheapest distance_m')
    for (const { endpoint, returns, field, names } of found) {
      expect(returns.sorts).toContain(field)
      const params = allParams(endpoint)
      for (const name of names) expect([...params.keys()]).toContain(name)
      for (const name of names) expect(params.get('sort')?.about).toContain(name)
      const without = Object.fromEntries([...names, 'radius'].map((name) => [name, null]))
      expect(await blamed(requestOf(endpoint, { ...without, sort: field }))).toEqual(['sort', ...names])
    }
  })
})

describe('long-distance trains by station', () => {
  const path = '/api/trenes/puntualidad'

  test.each(['station=17000', 'group_by=station', 'group_by=line,station'])('are refused, as nothing sets their end: %s', async (query) => {
    for (const network of ['AVLDMD', 'AVLDMD,AVLDMD']) expect(await blamed(`${path}?${query}&network=${network}`)).toEqual(['network'])
    for (const network of ['', '&network=CERCANIAS', '&network=CERCANIAS,AVLDMD'])
      expect((await service.get(`${path}?${query}${network}`)).status).toBe(200)
    expect((await service.get(`${path}?group_by=line&network=AVLDMD`)).status).toBe(200)
  })
})

describe('metrics and fields that leave nothing', () => {
  const path = '/api/trafico/sensores/3409/historico?metrics=occupancy_pct'

  test.each(['intensity_veh_h', 'intensity_veh_h,intensity_max_veh_h,speed_kmh'])('are refused: fields=%s', async (fields) => {
    expect(await blamed(`${path}&fields=${fields}`)).toEqual(['metrics', 'fields'])
    expect((await service.ask(`${path}&fields=${fields}`, { method: 'HEAD' })).status).toBe(400)
    expect(await blamed(`${path}&fields=${fields}`, { headers: { 'If-None-Match': '*' } })).toEqual(['metrics', 'fields'])
  })

  test('return the intersection', async () => {
    const { history } = await service.json(`${path}&fields=intensity_veh_h,period_start,occupancy_pct`)
    expect(history.map((one: Reply) => Object.keys(one))).toEqual([['period_start', 'occupancy_pct']])
  })
})

describe('ids and updated_since', () => {
  test('are taken where records have an id of their own and a time of their last change, and nowhere else', () => {
    for (const { endpoint, returns } of lists) {
      const taken = [...allParams(endpoint).keys()]
      const isFollowed = endpoint.read.kind === 'changes'
      // Ids of several collections are not valid by themselves.
      const hasId = !isFollowed && returns.key.includes(idName(returns)) && !returns.key.includes('collection')
      expect(taken.includes('ids'), `${endpoint.path} ids`).toBe(hasId)
      const hasTime = !isFollowed && 'updated_at' in returns.record.fields
      // A manifest takes a snapshot in place of an instant.
      expect(taken.includes('updated_since') && !('updated_since' in endpoint.params), `${endpoint.path} updated_since`).toBe(hasTime)
    }
  })

  test.each(lists.map(({ endpoint }) => [endpoint.path, endpoint] as const))(
    'choose, or are refused as unknown: %s',
    async (_path, endpoint) => {
      const taken = allParams(endpoint)
      const first = await service.json(requestOf(endpoint))
      const [one] = first[endpoint.returns.kind === 'list' ? endpoint.returns.name : '']
      for (const [name, all, none] of [
        ['ids', `other,${one[idName(endpoint.returns)]}`, 'other'],
        ['updated_since', '2000-01-01', '2100-01-01'],
      ] as const) {
        const [kept, gone] = await Promise.all([all, none].map((value) => service.json(requestOf(endpoint, { [name]: value }))))
        if (name in endpoint.params) continue
        if (!taken.has(name)) {
          expect(kept).toMatchObject({ status: 400, code: 'unknown-parameter', errors: [{ parameter: name }] })
          expect(kept.errors[0].allowed).not.toContain(name)
          continue
        }
        const listName = endpoint.returns.kind === 'list' ? endpoint.returns.name : ''
        expect(kept[listName], name).toEqual(name === 'ids' ? [one] : first[listName])
        expect(gone[listName], name).toEqual([])
      }
    },
  )
})

test('numbers may have an exponent, as programs write small ones', async () => {
  for (const lon of ['5e-05', '-3.7E0', '1.1125369292536007e-308'])
    expect((await service.get(`/api/gas-stations?lat=40.4&lon=${encodeURIComponent(lon)}`)).status, lon).toBe(200)
  for (const lon of ['5e', '1e3', '0x10', 'e5', '1e5000'])
    expect(await blamed(`/api/gas-stations?lat=40.4&lon=${encodeURIComponent(lon)}`), lon).toContain('lon')
})
