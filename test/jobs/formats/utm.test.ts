import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCsv } from '../../../jobs/formats/csv.ts'
import { decodeText } from '../../../jobs/formats/text.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const METRES_PER_DEGREE = 111_320

/** Metres between two near positions. */
function metres(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  return Math.hypot(a.lat - b.lat, (a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180)) * METRES_PER_DEGREE
}

describe('UTM', () => {
  // About Madrid, Barcelona, A Coruña and Las Palmas.
  test.each([
    [30, 440_290.77, 4_474_257.34],
    [31, 430_000, 4_582_000],
    [29, 548_000, 4_801_000],
    [28, 458_000, 3_110_000],
  ])('zone %i comes back by the forward series', (zone, easting, northing) => {
    const point = utmToPoint(easting, northing, zone)
    const [x, y] = forward(point.lat, point.lon, zone)
    expect(Math.hypot(x - easting, y - northing)).toBeLessThan(0.02)
  })

  test('has the equator and the central meridian where they belong', () => {
    expect(utmToPoint(500_000, 0, 30)).toEqual({ lat: 0, lon: -3 })
    expect(utmToPoint(500_000, 4_427_757.218, 31).lat).toBeCloseTo(40, 6)
    expect(utmToPoint(500_000, 4_427_757.218, 31).lon).toBe(3)
  })

  test.skipIf(!shared)("agrees with the longitudes and latitudes of Madrid's own catalogue within 0.5 m", () => {
    const text = decodeText(readFileSync(join(shared as string, 'feeds/madrid-puntos-medida/pmed_ubicacion_2023-07.csv')))
    const table = readCsv(text, { delimiter: ';', requires: ['utm_x', 'utm_y', 'longitud', 'latitud'] })
    const number = (record: readonly string[], name: string): number => Number(record[table.at(name)])
    expect(table.records).toHaveLength(4746)
    const worst = Math.max(
      ...table.records.map((record) =>
        metres(utmToPoint(number(record, 'utm_x'), number(record, 'utm_y'), 30), {
          lat: number(record, 'latitud'),
          lon: number(record, 'longitud'),
        }),
      ),
    )
    expect(worst).toBeLessThan(0.02)
  })
})

/** The forward projection by another method: the series of Snyder, "Map Projections" (USGS 1395, 1987), eq. 8-9 to 8-13. */
function forward(lat: number, lon: number, zone: number): [number, number] {
  const f = 1 / 298.257222101
  const e2 = f * (2 - f)
  const ep2 = e2 / (1 - e2)
  const phi = (lat * Math.PI) / 180
  const a = 6378137
  const nu = a / Math.sqrt(1 - e2 * Math.sin(phi) ** 2)
  const t = Math.tan(phi) ** 2
  const c = ep2 * Math.cos(phi) ** 2
  const d = (((lon - (zone * 6 - 183)) * Math.PI) / 180) * Math.cos(phi)
  const m =
    a *
    ((1 - e2 / 4 - (3 * e2 ** 2) / 64 - (5 * e2 ** 3) / 256) * phi -
      ((3 * e2) / 8 + (3 * e2 ** 2) / 32 + (45 * e2 ** 3) / 1024) * Math.sin(2 * phi) +
      ((15 * e2 ** 2) / 256 + (45 * e2 ** 3) / 1024) * Math.sin(4 * phi) -
      ((35 * e2 ** 3) / 3072) * Math.sin(6 * phi))
  const x = 0.9996 * nu * (d + ((1 - t + c) * d ** 3) / 6 + ((5 - 18 * t + t ** 2 + 72 * c - 58 * ep2) * d ** 5) / 120) + 500_000
  const y =
    0.9996 *
    (m +
      nu *
        Math.tan(phi) *
        (d ** 2 / 2 + ((5 - t + 9 * c + 4 * c ** 2) * d ** 4) / 24 + ((61 - 58 * t + t ** 2 + 600 * c - 330 * ep2) * d ** 6) / 720))
  return [x, y]
}
