import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { batch, defineFeed } from '../define.ts'
import { MADRID_PLACE, MADRID_ROAD } from './madrid-places.ts'
import { pointsOfCsv, readPoints } from './madrid-points.ts'

/** Madrid's current catalogue of measuring points: a new edition each month. Past editions are an archive feed of their own. */
export const madridSensors = defineFeed({
  id: 'madrid_sensors',
  source: madrid,
  into: [trafficSensors],
  every_s: 86_400,
  get: {
    name: 'points',
    url: 'https://datos.madrid.es/egob/catalogo/202468-263-intensidad-trafico.csv',
    maxBytes: 16_000_000,
    expects: 'csv',
  },
  // Growth is unlimited: keys are unique, and after an incomplete edition was accepted, the next complete one must be
  // accepted too.
  bands: { traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 } },
  groups: { traffic_sensors: { column: 'sensor_type' } },
  /** The file has no date, so the fetch time counts. */
  *rows(bodies, _clock, diagnostics) {
    const target = { into: trafficSensors, diagnostics }
    for (const { bytes } of bodies) {
      const points = readPoints(pointsOfCsv(bytes, target), target)
      yield batch(
        trafficSensors,
        points.map((point) => ({
          source: MADRID_PLACE.source,
          listing: 'CATALOGUE',
          ...point,
          access_code: null,
          subarea: null,
          capacity_veh_h: null,
          ...MADRID_ROAD,
        })),
      )
    }
  },
})
