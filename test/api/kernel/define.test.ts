import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { railStockList } from '../../../api/endpoints/rail/stock.ts'
import { hotspotList } from '../../../api/endpoints/safety/hotspots.ts'
import { defineDomain } from '../../../api/kernel/domain.ts'
import { defineEndpoint } from '../../../api/kernel/endpoint.ts'
import { formatsOf } from '../../../api/kernel/formats.ts'
import { encodingFor } from '../../../api/kernel/http/encodings.ts'
import { matchesTag } from '../../../api/kernel/http/headers.ts'
import { formatFor } from '../../../api/kernel/http/representation.ts'
import { roadName, roadParam } from '../../../api/kernel/params/params-place.ts'
import { distanceM, isInside } from '../../../api/kernel/reads/geo.ts'
import { editDistance, nearest } from '../../../api/kernel/reads/suggest.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'

describe('suggestions', () => {
  test.each([
    ['severty', 'severity'],
    ['SEVERITY', 'severity'],
    ['provinec', 'province'],
    ['nothing', null],
    ['', null],
  ])('%s', (word, expected) => {
    expect(nearest(word, ['province', 'severity', 'type', 'limit'])).toBe(expected)
  })

  test('the distance is a metric that swaps count once in', () => {
    const word = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(word, word, (one, other) => {
        const distance = editDistance(one, other)
        expect(distance).toBe(editDistance(other, one))
        expect(distance === 0).toBe(one === other)
        expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length))
      }),
    )
    expect(editDistance('ab', 'ba')).toBe(1)
    expect(editDistance('kitten', 'sitting')).toBe(3)
  })
})

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['zstd, gzip', 'zstd'],
  ['*', 'br'],
  ['br;q=0, *;q=0.5', 'zstd'],
  ['identity', 'identity'],
  ['br;q=0', 'identity'],
  ['identity;q=0', 'identity'],
  ['BR', 'br'],
  ['br;q=nonsense', 'identity'],
] as const)('Accept-Encoding %s gives %s', (header, expected) => {
  expect(encodingFor(header)).toBe(expected)
})

test.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['application/geo+json', 'geojson'],
  ['application/geo+json, application/json', 'json'],
  ['application/geo+json, application/json;q=0.9', 'geojson'],
  ['application/json;q=0, */*', 'geojson'],
  ['text/html', null],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
] as const)('Accept %s gives %s', (header, expected) => {
  expect(formatFor(header, ['json', 'geojson'])).toBe(expected)
})

test.each([
  [undefined, 'geojson'],
  ['*/*', 'geojson'],
  ['application/json', 'json'],
  ['application/geo+json, application/json', 'geojson'],
  ['application/json, */*;q=0.1', 'json'],
] as const)('Accept %s gives %s where GeoJSON is preferred', (header, expected) => {
  expect(formatFor(header, formatsOf(hotspotList.returns))).toBe(expected)
})

test('an endpoint without positions cannot prefer GeoJSON', () => {
  expect(() => defineEndpoint({ ...railStockList, returns: { ...railStockList.returns, prefers: 'geojson' } } as never)).toThrow(
    '/api/trenes/flota: records without a place have no geojson',
  )
})

test('tags compare weakly', () => {
  expect(matchesTag('W/"a"', 'W/"a"')).toBe(true)
  expect(matchesTag('"b", "a"', 'W/"a"')).toBe(true)
  expect(matchesTag('*', 'W/"a"')).toBe(true)
  expect(matchesTag('"aa"', 'W/"a"')).toBe(false)
})

test.each([
  ['A-1', 'a1'],
  ['N-II', 'n2'],
  ['N-VIa', 'N-6A'],
  ['N-2', 'NII'],
  ['Ma-13A', 'MA 13 a'],
])('%s and %s are one road', (one, other) => expect(foldRoad(one)).toBe(foldRoad(other)))

test.each([
  ['N-I', 'N-11'],
  ['AS-I', 'AS-1'],
  ['NI-2', 'N-12'],
])('%s and %s are two roads', (one, other) => expect(foldRoad(one)).not.toBe(foldRoad(other)))

test.each([
  ['A7', 'A-7'],
  ['a 7', 'A-7'],
  ['N-II', 'N-2'],
  ['N430a', 'N-430A'],
  ['EXA1', 'EX-A1'],
  ['LUP2901', 'LU-P-2901'],
  ['CV35', 'CV-35'],
  ['M-30', 'M-30'],
  ['Camino 7 bis', 'CAMINO-7BIS'],
  ['Ronda', 'Ronda'],
])('%s is written %s in replies', (road, name) => {
  expect(roadName(road)).toBe(name)
  expect(foldRoad(name)).toBe(foldRoad(road))
})

test.each(['A-2/1', 'A-2/ 1', 'A-2/', '/A-2', 'A-2+1', 'A-2,A-3', 'A-2_1', 'A-2;1', '*', '-'])(
  '%s is not the designation of one road, and is not read as another',
  (text) => expect(() => roadParam.parse(text)).toThrow('expected a road designation'),
)

test.each([
  ['LU-P-S/N', 'LUPSN'],
  ['EP-8001/DI', 'EP8001DI'],
  ['PO-SC/3603', 'POSC3603'],
  ['CV/ PO-25', 'CVPO25'],
  ['C/ Termiñá', 'CTERMINA'],
  ['CG-2.2', 'CG22'],
  ['C.V. Hervás', 'CVHERVAS'],
  ['CHT Nº 6', 'CHTN6'],
  ['A–2', 'A2'],
])('%s is written so by publishers', (text, folded) => expect(roadParam.parse(text)).toBe(folded))

test('distances are those of the sphere', () => {
  // Madrid to Barcelona, city halls; 505.4 km on the sphere.
  expect(distanceM({ lat: 40.4168, lon: -3.7038 }, { lat: 41.3851, lon: 2.1734 })).toBeCloseTo(505_400, -3)
  expect(distanceM({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111_195, -1)
  expect(isInside({ kind: 'box', west: -4, south: 40, east: -3, north: 41 }, { lat: 41, lon: -4 })).toBe(true)
  expect(isInside({ kind: 'circle', lat: 40, lon: -3, radius_m: 10 }, null)).toBe(false)
})

test('an endpoint of the lake declares known values of its own parameters alone', () => {
  const { read } = railStockList
  const existingValues = { lines: { expected: 'expected a line', values: () => expect.unreachable() } }
  expect(() => defineEndpoint({ ...railStockList, read: { ...read, existingValues } } as never)).toThrow(
    '/api/trenes/flota: existingValues has values of lines, which is not a parameter',
  )
})

test('an endpoint is of the domain that lists it, and of no other', () => {
  const title = { es: 'Prueba', en: 'Test' }
  const [listed] = defineDomain({ id: 'test', title, endpoints: [{ ...hotspotList, domain: '' }] }).endpoints
  expect(listed).toMatchObject({ domain: 'test', path: hotspotList.path })
  expect(() => defineDomain({ id: 'other', title, endpoints: [listed as typeof hotspotList] })).toThrow('belongs to test, not to other')
})
