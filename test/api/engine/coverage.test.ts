import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { gapOf } from '../../../api/engine/answers/coverage.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import { exampleService } from '../example-service.ts'
import type { Reply } from '../service.ts'

const BASQUE = ['01', '20', '48']
const CATALAN = ['08', '17', '25', '43']
const but = (...codes: string[]): string[] => provinces.map(({ code }) => code).filter((code) => !codes.includes(code))

/** Provinces without data, by the affected lists. */
const GAPS: Readonly<Record<string, readonly string[]>> = {
  '/api/v16': BASQUE,
  '/api/v16/stats': BASQUE,
  '/api/v16/history': BASQUE,
  '/api/panels': [...BASQUE, ...CATALAN].sort(),
  '/api/panels/changes': [...BASQUE, ...CATALAN].sort(),
  '/api/camaras': BASQUE,
  '/api/radares': BASQUE,
  '/api/movilidad/estaciones': but('28'),
}

const gaps = endpoints.flatMap((endpoint) => {
  const gap = gapOf(endpoint)
  return gap ? [[endpoint.path, endpoint, gap] as const] : []
})

test('lists whose sources lack provinces are those of the datasets that declare it', () => {
  expect(Object.fromEntries(gaps.map(([path, , gap]) => [path, gap.province_codes]))).toEqual(GAPS)
})

describe.each(gaps)('%s', (path, endpoint, gap) => {
  const coverageOf = async (query: Readonly<Record<string, string>>): Promise<Reply> => {
    const service = await exampleService()
    const { pathname, searchParams } = new URL(requestOf(endpoint), service.url)
    for (const name of ['province', 'municipality', 'road', 'lat', 'lon', 'radius', 'bbox']) searchParams.delete(name)
    for (const [name, value] of Object.entries(query)) searchParams.set(name, value)
    const response = await service.get(`${pathname}?${searchParams}`, { 'X-API-Key': await service.key('ENTERPRISE') })
    expect(response.status, path).toBe(200)
    return ((await response.json()) as Reply).meta.coverage
  }
  const provinces_without_data = gap.province_codes

  test('lists the provinces without a source, and notes it when one of them is requested', async () => {
    expect(await coverageOf({})).toEqual({ provinces_without_data, note: null })
    expect(await coverageOf({ province: 'Madrid' })).toEqual({ provinces_without_data, note: null })
    for (const province of ['Bizkaia', '20']) expect(await coverageOf({ province })).toEqual({ provinces_without_data, note: gap.note })
  })

  test.skipIf(!('place' in endpoint.params))('knows the province of a municipality', async () => {
    expect((await coverageOf({ municipality: 'Bilbao' })).note).toBe(gap.note)
    expect((await coverageOf({ municipality: 'Getafe' })).note).toBeNull()
  })
})

test('a list whose feed an operator has to turn on names the provinces while it is off', () => {
  const list = endpoints.find(({ path }) => path === '/api/incidents') as (typeof endpoints)[number]
  const of = (enabled: boolean): readonly string[] => gapOf(list, [{ id: 'trafikoa_incidents', enabled }])?.province_codes ?? []
  expect([of(true), of(false), gapOf(list)]).toEqual([[], BASQUE, null])
})

test('a dataset of the catalogue says which provinces it has no data of', async () => {
  const service = await exampleService()
  const lacking = async (id: string): Promise<string[]> => (await service.json(`/api/datasets/${id}`)).provinces_without_data
  expect(await lacking('animal_accidents')).toEqual([...BASQUE, ...CATALAN, '51', '52'].sort())
  expect(await lacking('fuel_stations')).toEqual([])
})
