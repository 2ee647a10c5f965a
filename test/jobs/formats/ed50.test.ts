import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ED50_ERROR_M, ed50UtmToPoint } from '../../../jobs/formats/ed50.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

const apart_m = (one: { lat: number; lon: number }, other: { lat: number; lon: number }): number =>
  Math.hypot((one.lat - other.lat) * 111_132, (one.lon - other.lon) * 111_320 * Math.cos((one.lat * Math.PI) / 180))

test('ED50 is some 220 m from ETRS89 in Barcelona', () => {
  const [x, y] = [430_000, 4_583_000] as const
  const off = apart_m(ed50UtmToPoint(x, y, 31), utmToPoint(x, y, 31))
  expect(off).toSatisfy((metres: number) => metres > 215 && metres < 230)
})

test.skipIf(!shared)("Barcelona's coordinates are those of its own degrees, to less than the error that is stated", () => {
  const text = gunzipSync(
    readFileSync(join(shared as string, 'feeds/barcelona-accidentes/accidents_causa_conductor_gu_bcn_2022.csv.gz')),
  ).toString()
  const off = text.split(/\r?\n/).flatMap((line) => {
    const [x, y, lon, lat] = line.split(',').slice(-4).map(Number) as [number, number, number, number]
    return x > 400_000 && !line.startsWith('"') ? [apart_m(ed50UtmToPoint(x, y, 31), { lat, lon })] : []
  })
  expect(off).toHaveLength(9168)
  expect(Math.max(...off)).toBeLessThan(ED50_ERROR_M)
  expect(off.reduce((sum, one) => sum + one, 0) / off.length).toBeLessThan(0.7)
})
