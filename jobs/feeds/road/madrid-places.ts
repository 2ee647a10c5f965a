import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Diagnostics } from '../define.ts'

/** Common fields of all sensors of Madrid's traffic centre. */
export const MADRID_PLACE = Object.freeze({ source: 'madrid', city: 'madrid', municipality_code: '28079' })

/** Columns that only interurban roads have: Madrid's sensors are on streets, without road or kilometre. */
export const MADRID_ROAD = Object.freeze({
  ...{ province_code: '28', road: null, km: null, direction: null, destination: null },
  ...{ site_kind: null, source_site_kind: null, source_direction: null },
})

/**
 * UTM 30N bounds of the city and its accesses, metres; the sensors of 2018 to 2024 are within 429060–450773 and
 * 4464901–4485213.
 */
const BOX = { west: 420_000, east: 460_000, south: 4_455_000, north: 4_505_000 }

/**
 * The position of UTM 30N coordinates (ETRS89, EPSG:25830; null: not given). Coordinates that are not numbers or outside the
 * city, as in editions damaged by a spreadsheet (`438.963.314.634.858`), give null and are counted.
 */
export function madridPosition(x: number | null, y: number | null, diagnostics: Diagnostics): Point | null {
  if (x === null && y === null) return null
  if (x === null || y === null || !(x > BOX.west && x < BOX.east && y > BOX.south && y < BOX.north)) {
    diagnostics.warn('coordinates outside the UTM box of Madrid: position left out')
    return null
  }
  return utmToPoint(x, y, 30)
}
