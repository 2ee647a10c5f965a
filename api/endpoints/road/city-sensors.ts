import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineEndpoint, type StatesOf } from '../../define/endpoint.ts'
import { isInside } from '../../define/geo.ts'
import { geoParams } from '../../define/params-place.ts'
import { CITIES, cityId, sourceOf } from './cities.ts'
import { levelsParam, type Reading, readingList, readingsOf } from './traffic-intensity.ts'

type States = StatesOf<readonly [typeof trafficReadings, typeof trafficSensors]>

/** The readings of a state of readings, and the sensors that they were told with. */
const known = new WeakMap<States[0], { readonly sensors: States[1]; readonly readings: readonly Reading[] }>()

function readingsKept(states: States): readonly Reading[] {
  const [readings, sensors] = states
  const there = known.get(readings)
  if (there?.sensors === sensors) return there.readings
  const made = readingsOf(states)
  known.set(readings, { sensors, readings: made })
  return made
}

/** The sensors of a city now. */
export const citySensors = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}',
  domain: 'road',
  plan: 'PRO',
  summary: 'Live traffic at the sensors of a city',
  about:
    'The last reading of each sensor of the city, as /api/trafico/intensidad has them, as GeoJSON unless asked otherwise. A city whose traffic centre is not read yet is refused.',
  params: {
    ciudad: cityId,
    geo: geoParams,
    level_of_service: levelsParam,
  },
  returns: { ...readingList, prefers: 'geojson' },
  read: {
    kind: 'kept',
    from: [trafficReadings, trafficSensors],
    lake: [],
    needs: [],
    answer: async ({ states }, p) => {
      if (!CITIES.has(p.ciudad)) return null
      const source = sourceOf(p.ciudad)
      return readingsKept(states).filter(
        (one) =>
          one.source === source &&
          (!p.level_of_service || (one.level_of_service !== null && p.level_of_service.includes(one.level_of_service))) &&
          (!p.geo || isInside(p.geo, one.position)),
      )
    },
  },
  example: { ciudad: 'madrid', limit: '5' },
})
