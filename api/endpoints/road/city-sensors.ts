import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineEndpoint, type StatesOf } from '../../define/endpoint.ts'
import { memo } from '../../define/memo.ts'
import { areaFilter } from '../../filters/area.ts'
import { CITIES, cityId, sourceOf } from './cities.ts'
import { levelFilter, type Reading, readingList, readingsOf } from './traffic-intensity.ts'

/** The readings of one source; made once for each state of readings and sensors. */
const readingsOfSource = memo(
  (states: StatesOf<readonly [typeof trafficReadings, typeof trafficSensors]>, source: string): readonly Reading[] =>
    readingsOf(states).filter((one) => one.source === source),
  (states, source) => [...states, source],
)

/** The sensors of a city now. */
export const citySensors = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}',
  domain: 'road',
  plan: 'PRO',
  summary: 'Live traffic at the sensors of a city',
  about:
    'The last reading of each sensor of the city, as /api/trafico/intensidad has them, as GeoJSON unless asked otherwise. A city whose traffic centre is not read yet is refused.',
  params: { ciudad: cityId },
  filters: [areaFilter, levelFilter],
  returns: { ...readingList, prefers: 'geojson' },
  read: {
    kind: 'memory',
    from: [trafficReadings, trafficSensors],
    isOfAny: true,
    answer: async ({ states }, p) => {
      if (!CITIES.has(p.ciudad)) return null
      return readingsOfSource(states, sourceOf(p.ciudad))
    },
  },
  example: { ciudad: 'madrid', limit: '5' },
})
