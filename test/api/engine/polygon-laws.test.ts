import { beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { featureOf, featurePieces } from '../../../api/engine/answers/compose.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { type Fields, geometryKindOf, isNested } from '../../../api/kernel/fields.ts'
import { formatsOf } from '../../../api/kernel/formats.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import { isGeometry, type MultiPolygon } from '../../../lake/schema/columns.ts'
import { exampleService } from '../example-service.ts'
import type { Reply, TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** Lists whose records have places inside that are not their own: changes of things, and the ports of a ferry route. */
const PLACES_INSIDE = ['/api/incidents/changes', '/api/maritimo/ferries', '/api/panels/changes', '/api/weather/alerts/changes']

test('every list of things with a place has GeoJSON, and a thing without its shape is drawn as its point', () => {
  const hasPlace = (fields: Fields): boolean =>
    Object.values(fields).some((field) => (isNested(field) ? hasPlace(field.fields) : field.kind === 'point' || isGeometry(field.kind)))
  const lists = endpoints.filter(({ returns }) => returns.kind === 'list' && hasPlace(returns.record.fields))
  const without = lists.filter(({ returns }) => !formatsOf(returns).includes('geojson'))
  expect(without.map(({ path }) => path).sort()).toEqual(PLACES_INSIDE)
  const point = { type: 'Point', coordinates: [-3.7, 40.4] }
  const shaped = endpoints.filter(({ returns: { record } }) => geometryKindOf(record.fields) !== null && 'position' in record.fields)
  expect(shaped.map(({ path }) => path)).toContain('/api/trafico/ciudades/{ciudad}')
  for (const { path, returns } of shaped) {
    const row = { geometry: null, area: null, position: { lat: 40.4, lon: -3.7 } }
    expect([path, featureOf(returns, row, {}).geometry]).toEqual([path, point])
    const page = { total: 1, updated_at: null, name: '', next_cursor: null, meta: {} as never }
    const [text = ''] = featurePieces(page, [row], { fields: returns.record.fields, write: () => '' })
    expect([path, JSON.parse(text).bbox]).toEqual([path, [-3.7, 40.4, -3.7, 40.4]])
  }
})

test('polygons in replies are valid, with outer rings counter-clockwise and holes clockwise', async () => {
  const areal = endpoints.filter(({ returns }) => ['polygon', 'multipolygon'].includes(geometryKindOf(returns.record.fields) ?? ''))
  const seen: string[] = []
  for (const endpoint of areal) {
    const reply = (await service.json(requestOf(endpoint, { format: 'geojson' }))) as Reply
    const features: Reply[] = endpoint.returns.kind === 'list' ? reply.features : [reply]
    const areas = features.flatMap(({ geometry }): MultiPolygon[] =>
      geometry === null || geometry.type === 'Point' ? [] : [geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates],
    )
    if (areas.length > 0) seen.push(endpoint.path)
    for (const area of areas) {
      expect(isValidArea(area), endpoint.path).toBe(true)
      for (const [at, ring] of area.flatMap((polygon) => [...polygon.entries()])) {
        expect([ring.length >= 4, ring.at(-1)], endpoint.path).toEqual([true, ring[0]])
        expect(ringArea(ring) > 0, endpoint.path).toBe(at === 0)
      }
    }
  }
  // Zones of mobility have their outlines from files, which the tests of these look at.
  expect(seen).toEqual(expect.arrayContaining(['/api/accidentes/hotspots', '/api/weather/alerts', '/api/weather/alerts/{id}']))
})
