import { describe, expect, test } from 'vitest'
import { distanceM } from '../../lake/places/distance.ts'
import { isInRing } from '../../lake/places/rings.ts'
import { pointToUtm, utmToPoint } from '../../lake/places/utm.ts'
import { findAlong, type RoadMark } from '../../models/hotspots/along.ts'
import { displacement, falseDiscovery, poisson, seeded } from '../../models/hotspots/chance.ts'
import { areaOf, contourOf, regionOf } from '../../models/hotspots/contour.ts'
import { addStamps, addToRaster, densityOf, KERNELS, kernelAt, type Mark, rasterOver, stampOf } from '../../models/hotspots/density.ts'
import { findHotspots } from '../../models/hotspots/find.ts'
import { hotspotSets, hotspotsOf } from '../../models/hotspots/sets.ts'
import { inThread } from '../../models/in-thread.ts'

const BANDWIDTH_M = 100
const IN_THREAD = { file: new URL('../../models/hotspots/sets.ts', import.meta.url), name: 'hotspotsOf' }

/** Marks all over a square of the given size in metres. */
function scattered(seed: string, count: number, wide_m: number): Mark[] {
  const dice = seeded(seed)
  return Array.from({ length: count }, () => ({ x: 440_000 + dice() * wide_m, y: 4_474_000 + dice() * wide_m, weight: 1 }))
}

describe('densities', () => {
  test.each(KERNELS)('%s: the sum over all marks, wherever they are, and an integral of 1', (kernel) => {
    const marks = scattered('sum', 300, 2000).map((mark, at) => ({ ...mark, weight: 1 + (at % 3) }))
    const density = densityOf(marks, kernel, BANDWIDTH_M)
    for (const { x, y } of marks.slice(0, 20)) {
      const all = marks.reduce((sum, mark) => sum + mark.weight * kernelAt(kernel, (mark.x - x) ** 2 + (mark.y - y) ** 2, BANDWIDTH_M), 0)
      expect(density(x, y) / all - 1).toBeCloseTo(0, 9)
    }
    const step = 2
    let volume = 0
    for (let x = -800; x <= 800; x += step)
      for (let y = -800; y <= 800; y += step) volume += kernelAt(kernel, x * x + y * y, BANDWIDTH_M) * step * step
    expect(volume).toBeCloseTo(1, 3)
  })

  // Densities per m² by KernelDensity of scikit-learn 1.9.1 with rtol = atol = 0, times the sum of the weights.
  test.each([
    ['EPANECHNIKOV', 100, [0.000344076784982, 0, 0.000337607583544, 1.10998358758e-5, 0.000178203680806]],
    ['EPANECHNIKOV', 250, [0.000204023945716, 8.78459488409e-5, 0.000233964244161, 0.000181386598789, 7.33937910599e-5]],
    ['GAUSSIAN', 100, [0.000215210715843, 8.96742013654e-5, 0.000262569602585, 0.000168529626938, 9.26389145812e-5]],
    ['GAUSSIAN', 250, [0.000166547830503, 8.33005259318e-5, 0.0001330113327, 0.000156107672825, 5.62683756245e-5]],
  ] as const)('%s, %i m: those of scikit-learn', (kernel, bandwidth_m, expected) => {
    const marks = Array.from({ length: 60 }, (_, nth) => ({
      ...{ x: 1000 * ((nth * 0.6180339887) % 1), y: 1000 * ((nth * 0.7548776662) % 1), weight: [1, 3, 5][nth % 3] as number },
    }))
    const density = densityOf(marks, kernel, bandwidth_m)
    const [xs, ys] = [[500, 120, 740, 310, 1010] as const, [500, 880, 260, 405, 30] as const]
    for (const [nth, x] of xs.entries()) expect(Math.abs(density(x, ys[nth] as number) - (expected[nth] as number))).toBeLessThan(1e-14)
  })

  test('a raster has them at its cells; stamps are the same for marks at centres', () => {
    const marks = [{ x: 1000, y: 2000, weight: 2 }]
    const raster = rasterOver(marks, { step_m: 25, margin_m: 200, mostCells: 10_000 })
    const [exact, stamped] = [new Float64Array(raster.columns * raster.rows), new Float64Array(raster.columns * raster.rows)]
    addToRaster(raster, exact, { marks, kernel: 'EPANECHNIKOV', bandwidth_m: BANDWIDTH_M })
    addStamps(raster, stamped, { marks, stamp: stampOf('EPANECHNIKOV', BANDWIDTH_M, 25) })
    expect(exact.reduce((sum, value) => sum + value * 25 * 25, 0)).toBeCloseTo(2, 1)
    expect(stamped).toEqual(exact)
    expect(() => rasterOver([...marks, { x: 1e7, y: 0, weight: 1 }], { step_m: 25, margin_m: 0, mostCells: 1000 })).toThrow('at most 1000')
  })

  test.each(KERNELS)('%s: every cell has them, up to the edges of a raster that cuts kernels off', (kernel) => {
    // The first two marks are the corners, so that all marks are at centres of cells.
    const marks = [
      [0, 0],
      [500, 400],
      [100, 400],
      [475, 0],
      [250, 200],
    ].map(([x = 0, y = 0], at) => ({ x, y, weight: 1 + at }))
    const raster = rasterOver(marks, { step_m: 25, margin_m: 0, mostCells: 10_000 })
    expect([raster.x, raster.y, raster.columns, raster.rows]).toEqual([0, 0, 21, 17])
    const [exact, stamped] = [new Float64Array(21 * 17), new Float64Array(21 * 17)]
    addToRaster(raster, exact, { marks, kernel, bandwidth_m: 40 })
    addStamps(raster, stamped, { marks, stamp: stampOf(kernel, 40, 25) })
    const density = densityOf(marks, kernel, 40)
    // Rasters leave out the outer parts of the Gaussian kernel, stamps those beyond three bandwidths.
    const [near, far] = kernel === 'GAUSSIAN' ? [4e-7, 1.2e-5] : [1e-15, 1e-15]
    for (const at of exact.keys()) {
      const expected = density(25 * (at % 21), 25 * Math.floor(at / 21))
      expect(Math.abs((exact[at] as number) - expected), `cell ${at}`).toBeLessThanOrEqual(near)
      expect(Math.abs((stamped[at] as number) - expected), `stamped cell ${at}`).toBeLessThanOrEqual(far)
    }
  })
})

describe('chance', () => {
  test('the same seed gives the same; a Poisson number has its mean, displacements the spread of their kernel', () => {
    expect([seeded('a')(), seeded('a')()]).toEqual([seeded('a')(), seeded('a')()])
    const dice = seeded('mean')
    const numbers = Array.from({ length: 2000 }, () => poisson(100, dice))
    expect(numbers.reduce((sum, one) => sum + one, 0) / 2000).toSatisfy((mean: number) => mean > 99 && mean < 101)
    // The mean square distance is a third of the bandwidth's square for Epanechnikov, twice it for Gauss.
    for (const [kernel, expected] of [
      ['EPANECHNIKOV', 1 / 3],
      ['GAUSSIAN', 2],
    ] as const) {
      const squares = Array.from({ length: 20_000 }, () => displacement(kernel, dice)).map(([x, y]) => x * x + y * y)
      expect(squares.reduce((sum, one) => sum + one, 0) / 20_000 / expected).toSatisfy((share: number) => share > 0.97 && share < 1.03)
    }
  })

  test('q-values by Benjamini and Hochberg, of p-values in any order', () => {
    expect(falseDiscovery([0.04, 0.01, 0.5, 0.03]).map((q) => Math.round(q * 1e4) / 1e4)).toEqual([0.0533, 0.04, 0.5, 0.0533])
    expect(falseDiscovery([])).toEqual([])
  })
})

test('the contour at half the peak of one kernel is a circle', () => {
  const marks = [{ x: 1000, y: 2000, weight: 1 }]
  const raster = rasterOver(marks, { step_m: 5, margin_m: 150, mostCells: 1_000_000 })
  const values = new Float64Array(raster.columns * raster.rows)
  addToRaster(raster, values, { marks, kernel: 'EPANECHNIKOV', bandwidth_m: BANDWIDTH_M })
  const cell = values.indexOf(Math.max(...values))
  const ring = contourOf(raster, values, regionOf(raster, values, { cell, density: values[cell] as number }, new Set()))
  // 1 − r² is a half at r² = 1/2.
  expect(areaOf(ring) / (Math.PI * 0.5 * BANDWIDTH_M ** 2)).toSatisfy((share: number) => share > 0.99 && share < 1.01)
  expect([ring[0], isInRing(ring, [1000, 2000]), isInRing(ring, [1075, 2000])]).toEqual([ring.at(-1), true, false])
})

describe('hotspots', () => {
  const search = { kernel: 'EPANECHNIKOV', bandwidth_m: BANDWIDTH_M, seed: 'test', runs: 999 } as const
  const dice = seeded('cluster')
  const cluster = Array.from({ length: 25 }, () => ({ x: 441_500 + 40 * (dice() - 0.5), y: 4_475_500 + 40 * (dice() - 0.5), weight: 1 }))

  test('are where marks gather more than their surroundings explain, and nowhere else', async () => {
    const marks = [...scattered('around', 150, 3000), ...cluster]
    const found = await findHotspots(marks, search)
    expect(found).toHaveLength(1)
    const [spot] = found
    expect(Math.hypot((spot?.x ?? 0) - 441_500, (spot?.y ?? 0) - 4_475_500)).toBeLessThan(15)
    expect([spot?.p_value, (spot?.q_value ?? 1) <= 0.05]).toEqual([1 / 1000, true])
    expect(spot?.members.filter((nth) => nth >= 150)).toHaveLength(25)
    expect(spot?.density).toBe(densityOf(marks, 'EPANECHNIKOV', BANDWIDTH_M)(spot?.x ?? 0, spot?.y ?? 0))
    expect(await findHotspots(marks, search)).toEqual(found)
  })

  test('have their peak inside, and three marks or more: a shoulder of a higher peak is not a hotspot of its own', async () => {
    // Around one place, ever thinner: the heap has shoulders that the saddle cuts off, between marks.
    const shoulders = Array.from({ length: 5 }, (_, heap) => {
      const roll = seeded(`heap ${heap}`)
      return Array.from({ length: 60 }, () => {
        const [angle, apart] = [2 * Math.PI * roll(), 300 * roll() ** 2]
        return { x: 441_500 + 1500 * heap + apart * Math.cos(angle), y: 4_475_500 + apart * Math.sin(angle), weight: 1 }
      })
    }).flat()
    const found = await findHotspots([...scattered('around', 150, 8000), ...shoulders], { ...search, runs: 199 })
    expect(found.length).toBeGreaterThanOrEqual(5)
    expect(found.map(({ members }) => members.length).filter((count) => count < 3)).toEqual([])
    expect(found.every(({ ring, x, y }) => isInRing(ring, [x, y]))).toBe(true)
  })

  test('are absent in scattered marks, and in two marks', async () => {
    expect(await findHotspots(scattered('around', 150, 3000), search)).toEqual([])
    expect(await findHotspots(cluster.slice(0, 2), search)).toEqual([])
  })

  test('end on a signal', async () => {
    const aborted = AbortSignal.abort()
    await expect(findHotspots([...scattered('around', 50, 1000), ...cluster], { ...search, signal: aborted })).rejects.toThrow()
  })
})

describe('hotspots along roads', () => {
  const search = { kernel: 'EPANECHNIKOV', bandwidth_m: 250, seed: 'test', runs: 9999 } as const
  /** A place of a road that runs north-east, 10 m beside it. */
  const mark = (road: string, km: number, aside_m = 0): RoadMark => ({
    ...{ road, km, weight: 1, position: utmToPoint(440_000 + 800 * km + aside_m, 4_474_000 + 600 * km, 30) },
  })
  const even = (road: string, seed: string, count: number, long_km: number): RoadMark[] => {
    const dice = seeded(seed)
    return Array.from({ length: count }, () => mark(road, Math.round(10 * long_km * dice()) / 10, 20 * dice() - 10))
  }
  const cluster = (road: string, km: number, count: number): RoadMark[] =>
    Array.from({ length: count }, (_, nth) => mark(road, km + ((nth % 4) - 1.5) / 20))

  test.each(KERNELS)('%s: none on a road of even risk, whatever its accidents; one where accidents gather', async (kernel) => {
    const marks = ['A-1 28', 'N-2 19'].flatMap((road) => even(road, road, 120, 40))
    expect(await findAlong(marks, { ...search, kernel })).toEqual([])
    const [spot, ...others] = await findAlong([...marks, ...cluster('A-1 28', 31.2, 14)], { ...search, kernel })
    expect(others).toEqual([])
    expect(spot).toMatchObject({ road: 'A-1 28', km: expect.closeTo(31.2, 1), p_value: expect.toSatisfy((p: number) => p < 0.0005) })
    expect(spot?.members.filter((nth) => nth >= marks.length)).toHaveLength(14)
    expect(distanceM(spot?.peak ?? { lat: 0, lon: 0 }, mark('', 31.2).position)).toBeLessThan(100)
  })

  test('the density is that of the plane for a straight road', async () => {
    const marks = [...even('A-1 28', 'even', 100, 60), ...cluster('A-1 28', 31.2, 14)]
    const flat = marks.map(({ position, weight }) => {
      const { easting_m, northing_m } = pointToUtm(position, 30)
      return { x: easting_m, y: northing_m, weight }
    })
    const [spot] = await findAlong(marks, search)
    const { easting_m, northing_m } = pointToUtm(mark('', spot?.km ?? 0).position, 30)
    expect((spot?.density ?? 0) / densityOf(flat, 'EPANECHNIKOV', 250)(easting_m, northing_m)).toBeCloseTo(1, 1)
  })

  test('another road of the same name is a road of its own, and two marks are no hotspot', async () => {
    const elsewhere = cluster('A-1 28', 31.2, 14).map((one) => ({ ...one, position: { ...one.position, lat: one.position.lat + 1 } }))
    const mixed = [...elsewhere.slice(7), ...cluster('A-1 28', 31.2, 14).slice(7)].map((one, nth) => ({ ...one, km: 31.2 + nth / 1000 }))
    const [spot] = await findAlong([...even('A-1 28', 'even', 100, 60), ...mixed], search)
    expect((spot?.members ?? []).map((nth) => nth - 100).filter((nth) => nth >= 0 && nth < 7).length % 7).toBe(0)
    expect(await findAlong(cluster('A-1 28', 31.2, 2), search)).toEqual([])
    await expect(findAlong(elsewhere, { ...search, signal: AbortSignal.abort() })).rejects.toThrow()
  })

  test('a road is cut where positions contradict its kilometres: marks of two places are no cluster', async () => {
    const around = even('A-1 28', 'even', 100, 30)
    const marks = (apart_deg: number): RoadMark[] =>
      Array.from({ length: 14 }, (_, nth) => mark('A-1 28', 31.2 + nth / 1000)).map(({ position, ...rest }, nth) => ({
        ...{ ...rest, position: { ...position, lat: position.lat + (nth % 2) * apart_deg } },
      }))
    expect(await findAlong([...around, ...marks(0)], search)).toHaveLength(1)
    // 1.5 km are possible within a kilometre.
    expect(await findAlong([...around, ...marks(0.013)], search)).toHaveLength(1)
    expect(await findAlong([...around, ...marks(0.014)], search)).toEqual([])
  })

  test('expected marks are reflected at the ends of a road: an even risk is no hotspot there', async () => {
    expect(await findAlong(even('A-1 28', 'dense', 1500, 4), search)).toEqual([])
  })

  test('a shoulder of a higher peak is no hotspot of its own', async () => {
    const gathered = (km: number, count: number): RoadMark[] => Array.from({ length: count }, () => mark('A-1 28', km))
    const spots = (apart_km: number): Promise<readonly unknown[]> =>
      findAlong([...even('A-1 28', 'even', 60, 60), ...gathered(31.2, 30), ...gathered(31.2 + apart_km, 20)], search)
    expect(await spots(0.35)).toHaveLength(1)
    expect(await spots(0.6)).toHaveLength(2)
  })

  test('a set of the country: national editions with positions, by 250 and 500 m; outlines contain the accidents and the peak', async () => {
    expect(hotspotSets(['dgt-2023', 'dgt-2024'])).toEqual([])
    const sets = hotspotSets(['dgt-2023', 'dgt-2024', 'madrid-2024'], ['dgt-2024'])
    expect(sets.filter(({ source }) => source === 'dgt_accidents').map(({ bandwidth_m, editions }) => [bandwidth_m, editions])).toEqual(
      [250, 250, 500, 500, 250, 250, 500, 500].map((bandwidth_m) => [bandwidth_m, ['dgt-2024']]),
    )
    const set = sets.find(({ name }) => name === 'dgt_accidents.epanechnikov.250.none') as (typeof sets)[number]
    const marks = [...even('A-1', 'country', 100, 60), ...cluster('A-1', 31.2, 14)]
    const [one] = accidentsAt([]) as [Given[number]]
    const accidents = [
      ...marks.map(({ road, km, position }, nth) => ({ ...one, road, km, position, location_error_m: 40 + (nth % 3) })),
      ...marks.slice(0, 38).map(() => one),
    ]
    const spots = await hotspotsOf(set, { accidents, before: [], runs: 9999 })
    expect(spots).toHaveLength(1)
    const [spot] = spots
    expect(spot).toMatchObject({ source: 'dgt_accidents', streets: ['A-1'], position_error_m: 41, coverage: 0.75, province_code: '28' })
    const [ring = []] = spot?.area ?? []
    const isIn = ({ lat, lon }: { lat: number; lon: number }) => isInRing(ring, [lon, lat])
    expect([ring[0], isIn(spot?.peak ?? { lat: 0, lon: 0 })]).toEqual([ring.at(-1), true])
    expect(cluster('A-1', 31.2, 4).map(({ position }) => isIn(position))).toEqual([true, true, true, true])
    // As wide as the errors, as long as the stretch: 150 m of accidents and both errors.
    expect(spot?.area_m2).toSatisfy((area: number) => area > 150 * 80 && area < 500 * 110)
    expect((await hotspotsOf(set, { accidents, before: spots, runs: 9999 })).map(({ hotspot_id }) => hotspot_id)).toEqual([
      spot?.hotspot_id,
    ])
  })
})

describe('sets', () => {
  test('of each source with positions, its three newest years', () => {
    const sets = hotspotSets(['dgt-2024', 'madrid-2022', 'madrid-2025', 'madrid-2023', 'madrid-2024', 'barcelona-2022', 'catalonia'])
    expect(sets).toHaveLength(24)
    expect(sets.find(({ name }) => name === 'madrid.epanechnikov.250.none')?.editions).toEqual([
      'madrid-2023',
      'madrid-2024',
      'madrid-2025',
    ])
    expect(hotspotSets(['dgt-2024', 'madrid-x'])).toEqual([])
  })

  test('of years that have not landed older ones take no place: no year is more than three years older than the newest', () => {
    const editionsOf = (...years: number[]): unknown => hotspotSets(years.map((year) => `madrid-${year}`))[0]?.editions
    expect(editionsOf(2020, 2025, 2024)).toEqual(['madrid-2024', 'madrid-2025'])
    expect(editionsOf(2012, 2019, 2022)).toEqual(['madrid-2019', 'madrid-2022'])
    expect(editionsOf(2020)).toEqual(['madrid-2020'])
    // The inputs of a set give the same set again.
    expect(hotspotSets(['madrid-2019', 'madrid-2022'])[0]?.editions).toEqual(['madrid-2019', 'madrid-2022'])
  })

  test('a year without located accidents counts neither among the years nor in the coverage', async () => {
    const [set] = hotspotSets(['madrid-2024', 'madrid-2025'])
    if (!set) throw new Error('no set')
    const accidents = accidentsAt([...scattered('around', 30, 3000), ...clusterAt(441_500)])
    const unlocated = accidents.map((one) => ({ ...one, year: 2024, period_end: Date.UTC(2026, 0), position: null }))
    const alone = await hotspotsOf(set, { accidents, before: [], runs: 99 })
    expect(alone).toHaveLength(1)
    expect(await hotspotsOf(set, { accidents: [...unlocated, ...accidents], before: [], runs: 99 })).toEqual(alone)
    expect(await hotspotsOf(set, { accidents: unlocated, before: [], runs: 99 })).toEqual([])
  })

  test('ids stay with the nearest peak within a bandwidth; persons and kinds are those of the accidents inside', async () => {
    const [set] = hotspotSets(['madrid-2025'])
    if (!set) throw new Error('no set')
    const given = accidentsAt([...scattered('around', 30, 3000), ...clusterAt(441_500)])
    const first = await hotspotsOf(set, { accidents: given, before: [], runs: 999 })
    expect(first).toHaveLength(1)
    expect(first[0]).toMatchObject({
      hotspot_set: set.name,
      rank: 1,
      score: 100,
      years: [2025],
      province_code: '28',
      streets: ['CALL. EJEMPLO'],
      coverage: 0.9821,
    })
    expect(first[0]?.by_type).toEqual({ REAR_END: first[0]?.accidents })
    expect(first[0]?.killed).toBe(first[0]?.accidents)
    const moved = await hotspotsOf(set, {
      accidents: accidentsAt([...scattered('around', 30, 3000), ...clusterAt(441_530)]),
      before: first,
      runs: 999,
    })
    expect(moved.map(({ hotspot_id }) => hotspot_id)).toEqual(first.map(({ hotspot_id }) => hotspot_id))
    const other = await hotspotsOf(set, {
      accidents: accidentsAt([...scattered('around', 30, 3000), ...clusterAt(441_900)]),
      before: first,
      runs: 999,
    })
    expect(other[0]?.hotspot_id).not.toBe(first[0]?.hotspot_id)
    expect(other[0]?.hotspot_id).toMatch(/^hs_[0-9a-z]{12}$/)
  })

  test('a thread finds the same, bit for bit, leaves this one free, and ends on a signal', async () => {
    const [set] = hotspotSets(['madrid-2025'])
    if (!set) throw new Error('no set')
    const given = { accidents: accidentsAt([...scattered('around', 60, 3000), ...clusterAt(441_500)]), before: [] }
    const here = await hotspotsOf(set, given)
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const there = await inThread<typeof hotspotsOf>({ ...IN_THREAD, signal: new AbortController().signal }, set, given)
    clearInterval(ticking)
    expect(there).toStrictEqual(here)
    expect(there.length).toBeGreaterThan(0)
    expect(ticks).toBeGreaterThan(3)
    const stop = new AbortController()
    const stopped = inThread<typeof hotspotsOf>({ ...IN_THREAD, signal: stop.signal }, set, { ...given, runs: 10_000_000 })
    setTimeout(() => stop.abort(new Error('enough')), 200)
    await expect(stopped).rejects.toThrow('enough')
    const { signal } = new AbortController()
    await expect(inThread<typeof hotspotsOf>({ ...IN_THREAD, signal }, { ...set, source: 'nowhere' }, given)).rejects.toThrow()
  })
})

test('UTM forth is the inverse of back', () => {
  for (const [x, y, zone] of [
    [440_000, 4_474_000, 30],
    [430_500, 4_583_000, 31],
    [200_000, 3_100_000, 28],
  ] as const) {
    const { easting_m, northing_m } = pointToUtm(utmToPoint(x, y, zone), zone)
    expect(Math.hypot(easting_m - x, northing_m - y)).toBeLessThan(0.01)
  }
})

function clusterAt(x: number): Mark[] {
  const dice = seeded('cluster')
  return Array.from({ length: 25 }, () => ({ x: x + 40 * (dice() - 0.5), y: 4_475_500 + 40 * (dice() - 0.5), weight: 1 }))
}

type Given = Parameters<typeof hotspotsOf>[1]['accidents']

/** Accidents at marks, and one without a position. */
function accidentsAt(marks: readonly Mark[]): Given {
  const one = {
    year: 2025,
    period_end: Date.UTC(2025, 3),
    severity: 'FATAL',
    hour_local: 9,
    accident_type: 'REAR_END',
    province_code: '28',
    municipality_code: '28079',
  }
  const rest = { road: null, street: 'CALL. EJEMPLO, 3, 3', killed_24h: 1, hospitalised_24h: 0, slight_24h: 0 }
  return [
    ...marks.map(({ x, y }) => ({ ...one, ...rest, position: utmToPoint(x, y, 30) })),
    { ...one, ...rest, position: null },
  ] as unknown as Given
}
