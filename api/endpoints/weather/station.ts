import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { defineEndpoint, keyedList, type State } from '../../kernel/endpoint.ts'
import { field, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField, provinceName, stateFields } from '../common-fields.ts'
import { mergedListings } from '../listings.ts'
import { ABOUT_ROADS, NOWHERE, nearFields, nearStretch, pointsOfRoad, stretchParams } from './near-road.ts'

/** The page about weather. */
export const WEATHER_PAGE = defineMethodPage('weather', new URL('./weather.md', import.meta.url))

const { columns } = weatherStations

/** The station id as a path parameter. */
export const stationId = required(textParam("The publisher's id of the station (indicativo climatológico).", { max: 10, example: '3195' }))

/** Fields of a station. */
export const stationFields = {
  id: columns.station_id,
  name: columns.name,
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'altitude_m', 'synop_code', 'position'),
  listings: field.list('Where the station is described: INVENTORY, OBSERVATION or both.', field.text('Name of a listing.'), [
    'INVENTORY',
    'OBSERVATION',
  ]),
  ...originFields(columns, { source_id: columns.station_id }),
} as const

export type Station = ValueOf<typeof stationFields>

const { source: _source, station_id: _station, ...measured } = weatherObservations.columns
const observed = stateFields(weatherObservations.columns.observed_at)

/** A station with its last observation. */
export const stationDetail = record('WeatherStationDetail', 'A weather station with its last observation.', {
  ...stationFields,
  last_observation: nested.maybe('Its measurements in the last known hour, at most two days old; null if it has reported nothing since.', {
    ...measured,
    updated_at: observed.updated_at,
    is_stale: observed.is_stale,
  }),
})

type StationRow = StateRow<typeof weatherStations> & { readonly is_stale: boolean }

/** The stations of a state by source and id. The inventory takes precedence, and observations fill gaps. */
export const stationsOf = memo((state: State<typeof weatherStations>): ReadonlyMap<string, Station> => {
  const listed = Map.groupBy(state.rows, (row) => stationKey(row.source, row.station_id))
  return new Map([...listed].map(([key, rows]) => [key, merged(rows)]))
})

/** Key of `stationsOf`. */
export function stationKey(source: string, id: string): string {
  return `${source}/${id}`
}

function merged(rows: readonly StationRow[]): Station {
  const one = mergedListings(rows)
  return { ...one, id: one.station_id, province: provinceName(one.province_code), source_id: one.station_id }
}

/** A station in the list. */
const listedStation = record('WeatherStation', 'A weather station.', { ...stationFields, ...nearFields })

const INVENTORY =
  "Stations of AEMET's inventory and of its hourly observations; most are in both. The inventory takes precedence, and observations fill gaps."
const HOURLY =
  'Observations cover the hour that ends at `observed_at` and are not validated yet. Values that the station does not measure are null.'

/** The catalogue of weather stations. */
export const weatherStationList = defineEndpoint({
  path: '/api/clima/estaciones',
  plan: 'FREE',
  summary: 'Catalogue of weather stations',
  summary_es: 'Catálogo de estaciones meteorológicas',
  about: `${INVENTORY} Only those with the listing OBSERVATION have hourly values. ${ABOUT_ROADS}`,
  statistic: { grain: 'One weather station.', method: INVENTORY },
  params: { stretch: stretchParams },
  filters: [placeFilter, areaFilter],
  returns: keyedList('stations', listedStation, ['id', 'source'], {
    sorts: ['id', 'distance_m', 'altitude_m', 'updated_at'],
    needs: { distance_m: ['road'] },
  }),
  read: {
    kind: 'memory',
    from: [weatherStations],
    lake: [roadPoints],
    needs: [],
    answer: async ({ states: [state], cached: slice }, p) => {
      const points = p.stretch.road === null ? [] : await slice(pointsOfRoad, p.stretch.road)
      const stations = [...stationsOf(state).values()].map((one) => ({ ...one, ...NOWHERE }))
      return nearStretch(stations, p.stretch, points)
    },
  },
  example: { province: 'Madrid', limit: '5' },
})

/** One weather station. */
export const weatherStationById = defineEndpoint({
  path: '/api/clima/estaciones/{id}',
  plan: 'FREE',
  summary: 'One weather station with its last hourly observation',
  summary_es: 'Una estación meteorológica con su última observación horaria',
  about: HOURLY,
  statistic: { grain: 'One weather station, and one hour of its values.', method: `${INVENTORY} ${HOURLY}` },
  params: { id: stationId },
  returns: { kind: 'one', record: stationDetail },
  read: {
    kind: 'memory',
    from: [weatherStations, weatherObservations],
    answer: ({ states: [stations, observations] }, { id }) => {
      const found = [...stationsOf(stations).values()].find((one) => one.id === id)
      if (!found) return null
      const last = observations.rows.find((row) => stationKey(row.source, row.station_id) === stationKey(found.source, id))
      return { ...found, last_observation: last ?? null }
    },
  },
  example: { id: '3195' },
})
