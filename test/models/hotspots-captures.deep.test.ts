import { beforeAll, describe, expect, test } from 'vitest'
import { pointToUtm } from '../../lake/places/utm.ts'
import type { Mark } from '../../models/hotspots/density.ts'
import { findHotspots } from '../../models/hotspots/find.ts'
import { type HotspotRow, type HotspotSet, hotspotsOf } from '../../models/hotspots/sets.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { CITIES, type City, recordedAccidents, recordedBytes, recordedSet } from './recorded-accidents.ts'

const shared = sharedFolder()

/** Boxes around the cities. */
const BOXES = {
  madrid: { west: -3.89, south: 40.31, east: -3.51, north: 40.65 },
  barcelona: { west: 2.05, south: 41.31, east: 2.23, north: 41.47 },
} as const

/** The cells of a recorded file of text by the names of its header. */
function recordsOf(city: City, file: string): Record<string, string>[] {
  const [header = '', ...lines] = recordedBytes(shared as string, city, file)
    .toString()
    .replace('\ufeff', '')
    .trim()
    .split(/\r?\n/)
  const names = header.split(';')
  return lines.map((line) => Object.fromEntries(line.split(';').map((cell, at) => [names[at], cell.trim()])))
}

/** Accidents with somebody hurt, and those of them with coordinates, by the cells of the file alone. */
const COUNTED: Readonly<Record<City, (records: readonly Record<string, string>[]) => readonly [all: number, located: number]>> = {
  // One line a person: 14, 77 and nothing are no harm.
  madrid: (records) => {
    const hurt = records.filter((one) => /^[1-7]$/.test(one['cod_lesividad'] as string))
    const located = hurt.filter((one) => /^\d+(,\d+)?$/.test(one['coordenada_x_utm'] as string))
    return [new Set(hurt.map((one) => one['num_expediente'])).size, new Set(located.map((one) => one['num_expediente'])).size]
  },
  // One line an accident, some twice.
  barcelona: (records) => {
    const harm = ['Numero_morts', 'Numero_lesionats_greus', 'Numero_lesionats_lleus']
    const hurt = records.filter((one) => harm.some((name) => Number(one[name]) > 0))
    const located = hurt.filter((one) => one['Coordenada_UTM_X'] !== '-1')
    return [new Set(hurt.map((one) => one['Numero_expedient'])).size, new Set(located.map((one) => one['Numero_expedient'])).size]
  },
}

/** The kernel density at a place by its definition: each mark's share, one after the other. */
function densityAt(marks: readonly Mark[], set: Pick<HotspotSet, 'kernel' | 'bandwidth_m'>, x: number, y: number): number {
  let sum = 0
  for (const mark of marks) {
    const u = Math.hypot(mark.x - x, mark.y - y) / set.bandwidth_m
    const share = set.kernel === 'GAUSSIAN' ? Math.exp(-0.5 * u ** 2) / (2 * Math.PI) : (2 / Math.PI) * Math.max(0, 1 - u ** 2)
    sum += (mark.weight * share) / set.bandwidth_m ** 2
  }
  return sum
}

/** The number of black spots of some sets, by a tenth of the runs. */
const SPOTS: Readonly<Record<City, readonly (readonly [set: string, count: number])[]>> = {
  madrid: [
    ['epanechnikov.250.none', 81],
    ['gaussian.100.severity', 132],
  ],
  barcelona: [['epanechnikov.250.none', 87]],
}

/** How often a ring winds around a place, by the angles of its corners: 1 inside, 0 outside. */
function turnsAround(ring: readonly (readonly [number, number])[], lon: number, lat: number): number {
  const isPast = (at: 0 | 1, place: number): boolean =>
    ring.every((corner) => corner[at] < place) || ring.every((corner) => corner[at] > place)
  if (isPast(0, lon) || isPast(1, lat)) return 0
  let turned = 0
  for (const [at, [x, y]] of ring.slice(1).entries()) {
    const [x0, y0] = ring[at] as readonly [number, number]
    const angle = Math.atan2(y - lat, x - lon) - Math.atan2(y0 - lat, x0 - lon)
    turned += Math.atan2(Math.sin(angle), Math.cos(angle))
  }
  return Math.round(turned / (2 * Math.PI))
}

describe.skipIf(!shared).each(Object.keys(CITIES) as City[])('black spots of the captures: %s', (city) => {
  let accidents: Awaited<ReturnType<typeof recordedAccidents>>
  beforeAll(async () => {
    accidents = await recordedAccidents(shared as string, city)
  })

  test('are of two years, with the accidents that the files have by their own cells', () => {
    const { set, given, located } = recordedSet(accidents, `${city}.epanechnikov.250.none`)
    expect(set.editions).toEqual(city === 'madrid' ? ['madrid-2024', 'madrid-2025'] : ['barcelona-2019', 'barcelona-2022'])
    expect([given.length, located.length]).toEqual(city === 'madrid' ? [4963, 4961] : [16_461, 16_461])
    const counts = CITIES[city].files.slice(1).map((file) => COUNTED[city](recordsOf(city, file)))
    const sum = (at: 0 | 1): number => counts.reduce((total, one) => total + one[at], 0)
    expect([given.length, located.length]).toEqual([sum(0), sum(1)])
    // The edition of 2020 has no coordinates; it is left out, and nothing else with it.
    if (city === 'madrid') expect(accidents.some((one) => one.year === 2020 && one.position !== null)).toBe(false)
  })

  // A tenth of the 999 runs, for time. The significance of peaks is coarser (p ≥ 0.01), densities and polygons are the same.
  test.each(SPOTS[city])('%s: %i peaks of the density of their accidents, in the city, each in its polygon', async (name, count) => {
    const { set, given, located, marks } = recordedSet(accidents, `${city}.${name}`)
    const first = await hotspotsOf(set, { accidents: given, before: [], runs: 99 })
    expect(first).toHaveLength(count)
    const { west, south, east, north } = BOXES[city]
    for (const spot of first) {
      const { lat, lon } = spot.peak
      expect(lon > west && lon < east && lat > south && lat < north).toBe(true)
      const ring = spot.area[0] as HotspotRow['area'][number]
      expect(turnsAround(ring, lon, lat)).toBe(1)
      const inside = located.filter(({ position }) => position && turnsAround(ring, position.lon, position.lat) === 1)
      expect(spot.accidents).toBe(inside.length)
      expect(spot.accidents).toBeGreaterThanOrEqual(3)
      expect([spot.q_value <= 0.05, spot.p_value >= 0.01]).toEqual([true, true])
      // The peak is given to a centimetre.
      const { easting_m, northing_m } = pointToUtm(spot.peak, CITIES[city].zone)
      expect(Math.abs((densityAt(marks, set, easting_m, northing_m) * 1e6) / spot.density_km2 - 1)).toBeLessThan(1e-6)
    }
    expect(first.map(({ rank }) => rank)).toEqual(first.map((_, at) => at + 1))
    expect(first.map(({ density_km2 }) => density_km2)).toEqual(
      first.map(({ density_km2 }) => density_km2).sort((one, other) => other - one),
    )
    expect([first[0]?.score, first[0]?.years]).toEqual([100, city === 'madrid' ? [2024, 2025] : [2019, 2022]])
    expect(first[0]?.coverage).toBe(city === 'madrid' ? 0.9996 : 1)
    // Again, with those of before under other ids: these stay, and all else is the same.
    const before = first.map((spot) => ({ ...spot, hotspot_id: `old_${spot.rank}` }))
    expect(await hotspotsOf(set, { accidents: given, before, runs: 99 })).toEqual(before)
  })

  test('the density at each peak is the sum over all accidents, to 1e-9', async () => {
    const { set, marks } = recordedSet(accidents, `${city}.epanechnikov.250.none`)
    const found = await findHotspots(marks, { ...set, seed: set.name, runs: 99 })
    expect(found.length).toBeGreaterThan(50)
    for (const { x, y, density } of found) expect(Math.abs(densityAt(marks, set, x, y) / density - 1)).toBeLessThan(1e-9)
  })
})
