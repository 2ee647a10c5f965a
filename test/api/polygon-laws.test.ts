import { beforeAll, expect, test } from 'vitest'
import { geometryKindOf } from '../../api/define/fields.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { requestOf } from '../../api/http/example-request.ts'
import { ringArea } from '../../lake/places/rings.ts'
import { isValidArea } from '../../lake/places/valid-area.ts'
import type { MultiPolygon } from '../../lake/schema/columns.ts'
import { exampleService } from './example-service.ts'
import type { Reply, TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

test('polygons in replies are valid, with outer rings counter-clockwise and holes clockwise', async () => {
  const areal = endpoints.filter(({ returns }) => ['polygon', 'multipolygon'].includes(geometryKindOf(returns.record.fields) ?? ''))
  const seen: string[] = []
  for (const endpoint of areal) {
    const reply = (await service.json(requestOf(endpoint, { format: 'geojson' }))) as Reply
    const features: Reply[] = endpoint.returns.kind === 'list' ? reply.features : [reply]
    const areas = features.flatMap(({ geometry }): MultiPolygon[] =>
      geometry === null ? [] : [geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates],
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
