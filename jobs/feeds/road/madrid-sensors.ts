import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { MADRID_PLACE, MADRID_ROAD } from './madrid-places.ts'
import { pointsOfCsv, readPoints } from './madrid-points.ts'

/** Madrid's catalogue of measuring points as it is now: a new edition each month. The editions there were are an archive of their own. */
export const madridSensors = defineFeed({
  id: 'madrid_sensors',
  domain: 'road',
  source: madrid,
  into: [trafficSensors],
  every_s: 86_400,
  plans: [
    {
      requests: [
        {
          name: 'points',
          url: 'https://datos.madrid.es/egob/catalogo/202468-263-intensidad-trafico.csv',
          accept: 'text/csv',
          maxBytes: 16_000_000,
          maxDecodedBytes: 16_000_000,
          timeout_ms: 60_000,
          expects: 'csv',
        },
      ],
    },
  ],
  // Growth has no bound: keys are unique, and where too little was once taken for the whole, the next whole edition has to put it right.
  bands: { traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 } },
  blocks: { traffic_sensors: { column: 'sensor_type' } },
  rows: readCatalogue,
})

/** The file says nothing of its date, so the time of the fetch stands. */
function* readCatalogue(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  const told = { into: trafficSensors, notes }
  for (const { bytes } of bodies) {
    const points = readPoints(pointsOfCsv(bytes, told), told)
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
}
