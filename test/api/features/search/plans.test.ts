import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { collections } from '../../../../api/endpoints/search/catalog.ts'
import { type Collection, detailPathOf } from '../../../../api/endpoints/search/collection.ts'
import { PLANS, type Plan } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../../service.ts'

const searchable: readonly Collection[] = collections
const planOf = (one: Collection): Plan => endpoints.find(({ path }) => path === detailPathOf(one))?.plan as Plan
const isBelow = (one: Plan, other: Plan): boolean => PLANS.indexOf(one) < PLANS.indexOf(other)

/** Datasets of a higher plan that a collection reads without showing their values, with the use. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  'municipalities mobility_zones': 'the number of inhabitants, a published figure, orders towns of the same name',
}

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
  await until(
    'all collections have documents',
    async () => (await paid('/api/search?q=adra')).status === 200 && (await filled()).length > 15,
  )
}, 60_000)
afterAll(() => service?.close())

const paid = async (path: string): Promise<Response> => service.get(path)
const filled = async (): Promise<Collection[]> => {
  const listed: Reply[] = (await service.json('/api/search/collections')).collections
  return searchable.filter((one) => (listed.find(({ id }) => id === one.id)?.documents ?? 0) > 0)
}
const asFree = async (path: string): Promise<Reply> => (await service.open(path)).json()

describe('a collection has the plan of what it shows', () => {
  test.each(searchable.map((one) => [one.id, one] as const))('%s: no dataset that it reads has a higher one', (id, one) => {
    const live = one.from.map((dataset) => [dataset.id, dataset.plan.live] as const)
    const history = Object.values(one.slices).flatMap(({ from }) => from.map((dataset) => [dataset.id, dataset.plan.live] as const))
    const higher = [...live, ...history].filter(([dataset, plan]) => isBelow(planOf(one), plan) && !NOT_SHOWN[`${id} ${dataset}`])
    expect(higher).toEqual([])
  })

  test('reads of the service itself show no rows: those that do are of the search', () => {
    const showing = endpoints.filter(({ read }) => read.kind === 'system' && read.search).map(({ path }) => path)
    expect(showing).toEqual(['/api/search', '/api/search/suggest', '/api/search/nearby', '/api/search/collections'])
  })
})

describe('a caller below the plan of a collection', () => {
  test('finds its documents by name, with title and link only, and with a key of the plan all of them', async () => {
    let checked = 0
    for (const one of await filled()) {
      if (planOf(one) === 'FREE') continue
      const around = await service.json(`/api/search/nearby?lat=40&lon=-3&radius=100000&collections=${one.id}`)
      const all: Reply = await service.json(`/api/search?q=a&collections=${one.id}&limit=1000`)
      const [hit] = [...around.things, ...all.hits]
      if (!hit) continue
      checked++
      const url = `/api/search?q=${encodeURIComponent(hit.title)}&collections=${one.id}`
      const [free, own] = [await asFree(url), await service.json(url)]
      const [shown, whole] = [free, own].map(({ hits }) => hits.find(({ id }: Reply) => id === hit.id))
      expect(whole, url).toMatchObject({ title: hit.title })
      expect(shown, url).toMatchObject({ title: hit.title, url: whole.url, plan: planOf(one) })
      expect([shown.subtitle, shown.lat ?? null, shown.lon ?? null, shown.province, shown.province_code, shown.distance_m]).toEqual(
        Array(6).fill(null),
      )
      expect(shown.highlights.filter(({ field }: Reply) => field === 'subtitle')).toEqual([])
    }
    expect(checked).toBeGreaterThan(3)
  })

  test('finds none of them by place: around a point, by a typed position, in a province, or through a suggestion with one', async () => {
    const restricted = (await filled()).filter((one) => planOf(one) !== 'FREE')
    for (const one of restricted) {
      const near = `collections=${one.id}`
      for (const path of [
        `/api/search/nearby?lat=40.4&lon=-3.7&radius=100000&${near}`,
        `/api/search/nearby?lat=36.8&lon=-2.4&radius=100000&${near}`,
        `/api/search?q=${encodeURIComponent('40.4168, -3.7038')}&${near}`,
        `/api/search?q=a&province=Madrid&${near}`,
      ]) {
        const reply = await asFree(path)
        expect(reply.things ?? reply.hits, path).toEqual([])
        expect(reply.counts, path).toEqual([])
        expect(reply.restricted, path).toEqual([{ collection: one.id, plan: planOf(one) }])
        expect((await service.json(path)).restricted, path).toEqual([])
      }
    }
    expect(restricted.length).toBeGreaterThan(3)
  })

  test('is never answered from the reply to a caller of a higher plan, nor the other way round', async () => {
    const url = '/api/search/nearby?lat=40.4&lon=-3.7&radius=100000'
    const etags = new Set<string | null>()
    for (const ask of [service.open, service.get, service.open, service.get]) {
      const response = await ask(url)
      etags.add(response.headers.get('etag'))
      const { counts } = (await response.json()) as Reply
      const plans = counts.map(({ collection }: Reply) => planOf(searchable.find(({ id }) => id === collection) as Collection))
      expect(plans.some((plan: Plan) => plan !== 'FREE')).toBe(ask === service.get)
    }
    expect(etags.size).toBe(2)
  })
})
