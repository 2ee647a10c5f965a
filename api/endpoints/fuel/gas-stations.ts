import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { defineMemoryFilter } from '../../define/filter.ts'
import { booleanParam, listOf, textParam } from '../../define/params.ts'
import { roadFilter } from '../../filters/road.ts'
import {
  ABOUT_POSITION,
  ABOUT_ROAD,
  fuelParam,
  isOpen,
  STATION_DATASETS,
  type Station,
  sellsFilter,
  station,
  stationsOf,
} from './station.ts'
import { checkTown, stationAreaFilter, townFilter } from './station-place.ts'

/** `open_now`; the answer then changes with the minute. */
export const openNowFilter = defineMemoryFilter({
  name: 'open_now',
  param: booleanParam(
    'Only stations that are open (true) or closed (false) at this minute by their published hours; those whose hours are not understood count as closed.',
    { clock_s: 60 },
  ),
  matches: (wanted, now) => (one: Station) => isOpen(one, now) === wanted,
})

const operatorFilter = defineMemoryFilter({
  name: 'operator',
  param: listOf(textParam('Sign of the station; case, accents and punctuation do not matter.', { max: 60, example: 'REPSOL' })),
  matches: (operators) => {
    const wanted = new Set(operators.map(foldName))
    return ({ operator }: Station) => operator !== null && wanted.has(foldName(operator))
  },
  present: { operator: ({ operator }) => operator },
})

/** Filling stations with their prices. */
export const gasStationList = defineEndpoint({
  path: '/api/gas-stations',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Filling stations with prices per fuel, operator and coordinates',
  about: `Every station of the national register. A station that the newest publications no longer list has status MISSING. ${ABOUT_ROAD} ${ABOUT_POSITION}`,
  params: {},
  filters: [townFilter, roadFilter, sellsFilter(listOf(fuelParam)), operatorFilter, stationAreaFilter, openNowFilter],
  returns: listReturn('stations', station, {
    sorts: ['id', 'operator', 'municipality', 'road', 'km', 'updated_at'],
  }),
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    check: checkTown,
  },
  example: { province: 'Barcelona', fuel: 'DIESEL_A' },
})
