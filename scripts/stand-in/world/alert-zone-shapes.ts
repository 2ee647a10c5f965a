import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { merge } from 'topojson-client'
import { alertZone } from '../../../lake/datasets/weather/alert-zones.ts'
import { loadAtlas } from '../../../lake/places/atlas.ts'
import { simplifiedLine } from '../../../lake/places/lines.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { withoutLoops } from '../formats/simple-ring.ts'
import { ALERT_ZONES } from './alert-zones.ts'
import { defineWorldPart } from './world.ts'

/** A warning zone, with rings of [lon, lat]. */
export interface AlertZone {
  readonly code: string
  readonly name: string
  readonly province_code: string
  readonly is_coastal: boolean
  readonly rings: readonly Line[]
}

type Topology = Parameters<typeof merge>[0]
type Collection = Extract<Topology['objects'][string], { type: 'GeometryCollection' }>
type Shape = Extract<Parameters<typeof merge>[1], readonly unknown[]>[number]

/** Real zones have some fifty corners, to hundredths of a degree. */
const TOLERANCE_M = 1500
const HUNDREDTHS = 100
/** Least area of a ring, in squared degrees, times two: islets are left out. */
const LEAST_AREA = 0.002
/** Half the width of a coastal zone, degrees. */
const COAST = { lat: 0.12, lon: 0.2 }

/**
 * The zones of the plan Meteoalerta with their real names and approximate positions. A land zone consists of the municipalities
 * of its province that are nearest to its centre; a sea zone is a box.
 */
export const alertZones = defineWorldPart((): readonly AlertZone[] => {
  const found = ALERT_ZONES.flatMap(([code, name, lat, lon]) => {
    const about = alertZone(code)
    return about ? [{ code, name, lat, lon, ...about }] : []
  })
  const path = createRequire(import.meta.url).resolve('es-atlas/es/municipalities.json')
  const topology = JSON.parse(readFileSync(path, 'utf8')) as Topology
  const shapes = new Map((topology.objects['municipalities'] as Collection).geometries.map((shape) => [String(shape.id), shape as Shape]))
  const onLand = Map.groupBy(
    found.filter(({ is_coastal }) => !is_coastal),
    ({ province_code }) => province_code,
  )
  const members = new Map<string, Shape[]>(found.map(({ code }) => [code, []]))
  for (const { code, west, east, south, north } of loadAtlas().municipalities) {
    const away = (zone: { readonly lat: number; readonly lon: number }): number =>
      (zone.lat - (south + north) / 2) ** 2 + ((zone.lon - (west + east) / 2) * 0.77) ** 2
    const zones = (onLand.get(code.slice(0, 2)) ?? []).toSorted((one, other) => away(one) - away(other))
    const shape = shapes.get(code)
    if (zones[0] && shape) members.get(zones[0].code)?.push(shape)
  }
  return found.map(({ lat, lon, ...zone }) => {
    // A small world has warnings for few zones only.
    let rings: readonly Line[] | undefined
    return {
      ...zone,
      get rings() {
        rings ??= zone.is_coastal ? [boxOf(lat, lon)] : ringsOf(merge(topology, members.get(zone.code) ?? []).coordinates)
        return rings
      },
    }
  })
})

/** The outlines of polygons, clockwise as in AEMET's data: holes are municipalities of other provinces. */
function ringsOf(polygons: readonly (readonly (readonly number[][])[])[]): Line[] {
  const outlines = polygons.map(([outer]) => outlineOf((outer ?? []).map(([lon = 0, lat = 0]) => [lon, lat] as const)))
  const large = outlines.filter((ring) => ring.length > 3).sort((one, other) => Math.abs(ringArea(other)) - Math.abs(ringArea(one)))
  return large
    .filter((ring, nth) => nth === 0 || Math.abs(ringArea(ring)) > LEAST_AREA)
    .map((ring) => (ringArea(ring) > 0 ? ring.toReversed() : ring))
}

/** A simplified outline of a ring. */
function outlineOf(ring: Line): Line {
  return withoutLoops(rounded(simplifiedLine(ring, TOLERANCE_M)))
}

function boxOf(lat: number, lon: number): Line {
  const [south, north, west, east] = [lat - COAST.lat, lat + COAST.lat, lon - COAST.lon, lon + COAST.lon]
  return rounded([
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ])
}

function rounded(line: Line): Line {
  const corners = line.map(([lon, lat]) => [Math.round(lon * HUNDREDTHS) / HUNDREDTHS, Math.round(lat * HUNDREDTHS) / HUNDREDTHS] as const)
  return corners.filter(([lon, lat], at) => at === 0 || lon !== corners[at - 1]?.[0] || lat !== corners[at - 1]?.[1])
}
