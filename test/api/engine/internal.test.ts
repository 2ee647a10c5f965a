import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { openState, type ServiceState } from '../../../api/engine/state/state.ts'
import { datasetsOf, lakeOf } from '../../../api/kernel/endpoint.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { datasets } from '../../../lake/catalog.ts'
import { openLive } from '../../../lake/live/read.ts'
import { startService, type TestService } from '../service.ts'

const internal = datasets.filter(({ visibility }) => visibility === 'internal')
let service: TestService
let state: ServiceState
let close: () => Promise<void>
beforeAll(async () => {
  service = await startService()
  // The description of the API and the index of the search are made at the first request.
  for (const path of ['/openapi.json', '/api/search?q=a']) await service.get(path)
  // A state of its own, as the service opens one: it knows no live data and needs none here.
  const live = openLive({ redisUrl: '/nowhere/redis.sock', onError: () => undefined })
  state = await openState({ store: service.lake.store, live, clock: Date.now, onError: () => undefined })
  close = () => live.close()
})
afterAll(async () => {
  state.close()
  await close()
  await service.close()
})

test('there is one', () => {
  expect(internal.map(({ id }) => id)).toContain('api_usage')
})

describe.each(internal.map((dataset) => [dataset.id, dataset] as const))('%s is kept for the service itself', (id, dataset) => {
  test('no list of datasets has it, and no endpoint or feed', () => {
    expect(state.system().datasets.length).toBe(datasets.length - internal.length)
    expect(state.system().datasets).not.toContain(dataset)
    for (const endpoint of endpoints) {
      expect(datasetsOf(endpoint), endpoint.path).not.toContain(dataset)
      expect(lakeOf(endpoint), endpoint.path).not.toContain(dataset)
    }
    for (const feed of feeds) expect(feed.into, feed.id).not.toContain(dataset)
  })

  test('the descriptions of the service and its data do not name it, its source or its codes', async () => {
    const lists = Object.values(dataset.columns).flatMap(({ codes }) => codes?.id ?? [])
    const known = new Set(datasets.filter((one) => !internal.includes(one)).flatMap(({ sources }) => sources))
    const own = dataset.sources.filter((source) => !known.has(source)).map((source) => source.id)
    const published: string[] = []
    const paths = ['/openapi.json', '/api/plans', '/api/sources', '/api/codes', '/api/freshness']
    paths.push(...endpoints.filter(({ read }) => read.kind === 'system').map((endpoint) => requestOf(endpoint)))
    paths.push('/api/datasets', ...datasets.filter((one) => !internal.includes(one)).map((one) => `/api/datasets/${one.id}`))
    for (const path of paths) {
      const response = await service.get(path)
      expect(response.status, path).toBe(200)
      published.push(await response.text())
    }
    for (const name of [id, ...lists, ...own]) for (const text of published) expect(text.includes(name), name).toBe(false)
  })

  test.each(['', '/schema', '/quality'])('it has no card, schema or figures: /api/datasets/<id>%s', async (rest) => {
    const response = await service.get(`/api/datasets/${id}${rest}`)
    expect(response.status).toBe(404)
    expect(((await response.json()) as { detail: string }).detail).not.toContain('did you mean')
  })
})
