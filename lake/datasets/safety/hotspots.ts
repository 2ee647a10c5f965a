import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { COUNT, PERCENT, SHARE } from '../../schema/quantities.ts'
import { safetyDataset } from '../domains.ts'
import { accidentPositions } from './accident-places.ts'

/** Kernels of the hotspot density. */
export const HOTSPOT_KERNELS = defineCodes('hotspot_kernel', 'Kernel of a density.', {
  EPANECHNIKOV: ['Epanechnikov', 'Epanechnikov'],
  GAUSSIAN: ['Gauss', 'Gaussian'],
})

/** Weight of an accident. */
export const HOTSPOT_WEIGHTINGS = defineCodes('hotspot_weighting', 'Weight of an accident in a density.', {
  NONE: ['Cada accidente cuenta uno', 'Each accident counts as one'],
  SEVERITY: ['Mortal 5, grave 3, leve 1', 'Fatal 5, serious 3, slight 1'],
})

/** Bandwidths of the hotspot search, m. */
export const HOTSPOT_BANDWIDTHS_M = [100, 250, 500] as const

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })

/**
 * Black spots: places with more accidents with victims than expected by chance. Each set (source, kernel, bandwidth, weighting)
 * is a version, rebuilt when its years change: the source's three newest, none over three years older than the newest.
 */
export const accidentHotspots = safetyDataset({
  id: 'accident_hotspots',
  title: 'Black spots',
  about:
    'Clusters of located accidents with victims, by kernel density, with their significance: in the cities of Madrid and Barcelona, and along the roads of Spain where a road and kilometre can be located.',
  sources: accidentPositions.sources,
  columns: {
    hotspot_set: col.string(1, 'Set of parameters: source, kernel, bandwidth, weighting.', { example: 'madrid.epanechnikov.250.none' }),
    hotspot_id: col.string(2, 'Public id; after a rebuild it moves to the nearest peak within one bandwidth.', {
      example: 'hs_4kq7v2m9x1tz',
    }),
    data_until: col.instant(3, 'End of the last accident used.', { example: '2025-04-30T22:00:00.000Z' }),
    source: col.string(4, 'Source of the accidents.', { example: 'madrid' }),
    years: col.list([5, 6], 'Years of the accidents; years without any position are excluded.', col.integer(0, 'Year.', { unit: '1' }), {
      example: [2024, 2025],
    }),
    kernel: col.code(7, 'Kernel of the density.', HOTSPOT_KERNELS, { example: 'EPANECHNIKOV' }),
    bandwidth_m: col.integer(8, 'Bandwidth of the kernel.', { unit: 'm', example: 250 }),
    weighting: col.code(9, 'Weight of an accident.', HOTSPOT_WEIGHTINGS, { example: 'NONE' }),
    rank: count(10, 'Rank among the hotspots of the set, by the density at the peak, from 1.', 1),
    score: col.decimal(11, 'Percentile of the density at the peak among the hotspots of the set.', { ...PERCENT, scale: 1, example: 100 }),
    accidents: count(12, 'Accidents inside the polygon.', 32),
    killed: count(13, 'Persons killed in them, within 24 hours.', 0),
    serious: count(14, 'Persons in hospital for more than a day.', 3),
    slight: count(15, 'Persons hurt otherwise.', 35),
    density_km2: col.float(16, 'Weighted accidents per square kilometre at the peak.', { unit: '1', example: 412.5 }),
    p_value: col.decimal(
      17,
      'Share of random runs that reach the peak, with the observed one; rounded up. There are 999 runs in a city, up to 99,999 on a road.',
      { ...SHARE, example: 0.001 },
    ),
    q_value: col.decimal(18, 'False discovery rate (Benjamini and Hochberg).', { ...SHARE, example: 0.004 }),
    peak: col.point([19, 20], 'Position of the greatest density.', { example: { lat: 40.3983, lon: -3.6661 } }),
    area: col.polygon(
      21,
      'Contour of the density at half the peak, or at the saddle to a higher one; on a road, around the accidents of that stretch.',
      {
        example: {
          type: 'Polygon',
          coordinates: [
            [
              [-3.6671, 40.3973],
              [-3.6651, 40.3973],
              [-3.6651, 40.3993],
              [-3.6671, 40.3973],
            ],
          ],
        },
      },
    ),
    area_m2: col.float(22, 'Its area in square metres.', { unit: '1', example: 119_630 }),
    province_code: col.string(23, 'INE code of the province.', { example: '28' }),
    municipality_code: col.string(24, 'INE code of the municipality.', orNull('28079')),
    streets: col.list([25, 26], 'Most frequent streets or roads of its accidents, at most three.', col.string(0, 'Street or road.'), {
      example: ['AVDA. ALBUFERA'],
    }),
    coverage: col.decimal(
      27,
      'Share of the source’s accidents with victims in those years with a position, which is exact enough for the bandwidth.',
      { ...SHARE, example: 0.9985 },
    ),
    by_year: col.json(28, 'Accidents by year.', { example: { '2024': 14, '2025': 18 } }),
    by_hour: col.json(29, 'Accidents by local hour.', { example: { '9': 2, '14': 5 } }),
    by_type: col.json(30, 'Accidents by kind (accident_type); UNKNOWN if the source states none.', { example: { REAR_END: 12 } }),
    by_severity: col.json(31, 'Accidents by severity (accident_severity).', { example: { SLIGHT: 29, SERIOUS: 3 } }),
    position_error_m: col.integer(32, 'Median position error of its accidents; null where the source publishes positions.', {
      unit: 'm',
      nullable: true,
      example: null,
      min: 0,
    }),
  },
  entity: ['hotspot_set', 'hotspot_id'],
  time: 'data_until',
  version: 'hotspot_set',
  order: ['hotspot_set', 'rank'],
})
