import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { isInside } from '../../define/geo.ts'
import { booleanParam, listOf, textParam } from '../../define/params.ts'
import { geoParams, isAt, isOnRoad, placeParams, roadParams } from '../../define/params-place.ts'
import { ABOUT_ROAD, fuelParam, isOpen, STATION_DATASETS, type Station, station, stationsOf } from './station.ts'

/** `open_now`; the answer then changes with the minute. */
export const openNowParam = booleanParam(
  'Only stations that are open (true) or closed (false) at this minute by their published hours; those whose hours are not understood count as closed.',
  { clock_s: 60 },
)

/** True where a station sells one of the products; products that nobody asks for are all right. */
export function sells(one: Station, products: readonly string[] | null): boolean {
  return !products || products.some((product) => Object.hasOwn(one.prices, product))
}

/** Filling stations with their prices. */
export const gasStationList = defineEndpoint({
  path: '/api/gas-stations',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Filling stations with prices per fuel, operator and coordinates',
  about: `Every station of the national register. A station that the newest publications no longer list has status MISSING. ${ABOUT_ROAD}`,
  params: {
    place: placeParams,
    stretch: roadParams,
    fuel: listOf(fuelParam),
    operator: listOf(textParam('Sign of the station; case, accents and punctuation do not matter.', { max: 60, example: 'REPSOL' })),
    geo: geoParams,
    open_now: openNowParam,
  },
  returns: {
    kind: 'list',
    name: 'stations',
    record: station,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'operator', 'municipality', 'road', 'km', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'live',
    from: STATION_DATASETS,
    records: stationsOf,
    pick: (records, p, now) => {
      const operators = p.operator && new Set(p.operator.map(foldName))
      return records.filter(
        (one) =>
          isAt(p.place, one) &&
          isOnRoad(p.stretch, one) &&
          sells(one, p.fuel) &&
          (!operators || (one.operator !== null && operators.has(foldName(one.operator)))) &&
          (!p.geo || isInside(p.geo, one.position)) &&
          (p.open_now === null || isOpen(one, now) === p.open_now),
      )
    },
  },
  example: { province: 'Barcelona', fuel: 'DIESEL_A' },
})
