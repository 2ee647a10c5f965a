import { LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { noDataYet } from '../../define/no-data.ts'
import { required, textParam } from '../../define/params.ts'

/** A city whose traffic is told of. */
interface City {
  readonly name: string
  /** INE code of its municipality. */
  readonly municipality_code: string
  /** Source of its live readings; null where its traffic centre is not read. */
  readonly source: string | null
}

/** The cities, by id. */
export const CITIES: ReadonlyMap<string, City> = new Map([
  ['madrid', { name: 'Madrid', municipality_code: '28079', source: LIVE_SOURCE }],
  ['barcelona', { name: 'Barcelona', municipality_code: '08019', source: null }],
  ['valencia', { name: 'València', municipality_code: '46250', source: null }],
])

/** The id of a city, as a path has it. */
export const cityId = required(textParam(`The city: ${[...CITIES.keys()].join(', ')}.`, { max: 40, example: 'madrid' }))

/** The source of a city's readings; of a city that there is none of a name that no reading has. Throws where its centre is not read. */
export function sourceOf(city: string): string {
  const source = CITIES.get(city)?.source
  if (source === null)
    throw noDataYet(`Nothing of the traffic centre of ${city} has arrived yet`, {
      missing: [trafficReadings],
      waits_for: ['a feed of that centre, which is not read so far'],
      retry_after_s: 3600,
    })
  return source ?? ''
}
