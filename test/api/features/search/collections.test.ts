import { expect, test } from 'vitest'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { collections } from '../../../../api/endpoints/search/catalog.ts'
import { detailPathOf } from '../../../../api/endpoints/search/collection.ts'
import { allParams } from '../../../../api/engine/request/request.ts'
import { pathParams } from '../../../../api/kernel/endpoint.ts'

/** The collections that the API's description promises. */
const PROMISED =
  'gas-stations marine-stations roads corridors cameras speed-cameras panels sensors counting-stations incidents hotspots provinces municipalities low-emission-zones rail-stations rail-routes rail-alerts rolling-stock weather-stations weather-alerts air-stations ports ferries vessels airports datasets'.split(
    ' ',
  )

test('the 26 promised collections are declared, each once, and then those beyond them', () => {
  expect(collections.map(({ id }) => id)).toEqual([...PROMISED, 'charging-sites'])
})

test('the detail path of a collection is an endpoint that takes its id', () => {
  for (const one of collections) {
    const endpoint = endpoints.find(({ path }) => path === detailPathOf(one))
    expect(endpoint?.path, one.id).toBe(detailPathOf(one))
    if (!endpoint) continue
    const query = new URLSearchParams(one.detail.split('?')[1] ?? '')
    expect([...query.keys()].filter((name) => !allParams(endpoint).has(name))).toEqual([])
    expect([...pathParams(detailPathOf(one)), ...[...query.values()].filter((value) => value === '{id}')], one.id).toHaveLength(1)
  }
})

test('no collection shows data for ENTERPRISE alone, and none is of an internal dataset', () => {
  for (const { id, from, slices } of collections) {
    const read = [...from, ...Object.values(slices).flatMap((slice) => slice.from)]
    expect(
      read.filter(({ visibility }) => visibility === 'internal').map((dataset) => dataset.id),
      id,
    ).toEqual([])
    expect(
      read.filter(({ plan }) => plan.live === 'ENTERPRISE').map((dataset) => dataset.id),
      id,
    ).toEqual([])
  }
})

test('words for a kind are in lower case, and none is of too many collections', () => {
  const uses = new Map<string, string[]>()
  for (const { id, words } of collections)
    for (const word of words) {
      expect(word, id).toBe(word.toLowerCase())
      uses.set(word, [...(uses.get(word) ?? []), id])
    }
  expect([...uses].filter(([, ids]) => ids.length > 2)).toEqual([])
})
