import { expect, test } from 'vitest'
import { readShapePolygons } from '../../jobs/formats/shapefile.ts'
import { ringArea } from '../../lake/places/rings.ts'
import { utmToPoint } from '../../lake/places/utm.ts'
import { isValidArea } from '../../lake/places/valid-area.ts'
import type { Line, MultiPolygon } from '../../lake/schema/columns.ts'
import { zonePolygons } from '../../scripts/stand-in/formats/mitma-shapes.ts'
import { alertZones } from '../../scripts/stand-in/world/alert-zone-shapes.ts'
import { mobilityZones } from '../../scripts/stand-in/world/mobility-zones.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'

const isClosed = (ring: Line): boolean => ring.length >= 4 && String(ring[0]) === String(ring.at(-1))

test("warning zones are closed, clockwise like AEMET's, and intersect neither themselves nor each other", () => {
  const zones = makeWorld(1).part(alertZones)
  expect(zones.length).toBeGreaterThan(200)
  for (const { code, rings } of zones) {
    expect(rings.length, code).toBeGreaterThan(0)
    for (const ring of rings) expect([isClosed(ring), ringArea(ring) < 0], code).toEqual([true, true])
    expect(isValidArea(rings.map((ring) => [ring])), code).toBe(true)
  }
})

test.each(['distritos', 'municipios', 'gaus'] as const)('zones of mobility are valid areas: %s', (level) => {
  const file = { what: 'shp', level, publishedAt: Date.UTC(2024, 0, 1), share: 1, hasUnknownCodes: false } as const
  const placeOf = (x: number, y: number): Line[0] => {
    const { lat, lon } = utmToPoint(x, y, 30)
    return [lon, lat]
  }
  const areas = [...readShapePolygons(zonePolygons(makeWorld(1, 'small').part(mobilityZones), file), placeOf)] as MultiPolygon[]
  expect(areas.length).toBeGreaterThan(100)
  for (const [nth, area] of areas.entries()) {
    for (const polygon of area)
      for (const [at, ring] of polygon.entries()) expect([isClosed(ring), ringArea(ring) < 0 === at > 0], String(nth)).toEqual([true, true])
    expect(isValidArea(area), String(nth)).toBe(true)
  }
})
