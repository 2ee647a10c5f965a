import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import type { State } from '../../kernel/endpoint.ts'
import { nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field } from '../../kernel/reply-fields.ts'
import { originFields, provinceField, provinceName, stateFields } from '../common-fields.ts'

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

type Station = ValueOf<typeof stationFields>

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
  // INVENTORY sorts before OBSERVATION.
  const [first, ...others] = rows.toSorted((one, other) => (one.listing < other.listing ? -1 : 1)) as [StationRow, ...StationRow[]]
  const fill = <K extends keyof StationRow>(name: K): StationRow[K] =>
    first[name] ?? others.find((row) => row[name] !== null)?.[name] ?? first[name]
  const province_code = fill('province_code')
  return {
    id: first.station_id,
    name: first.name,
    province: provinceName(province_code),
    province_code,
    municipality_code: fill('municipality_code'),
    altitude_m: fill('altitude_m'),
    synop_code: fill('synop_code'),
    position: fill('position'),
    listings: [first, ...others].map((row) => row.listing),
    source: first.source,
    source_id: first.station_id,
    observed_at: Math.max(...rows.map((row) => row.observed_at)),
    updated_at: Math.max(...rows.map((row) => row.updated_at)),
    status: rows.some((row) => row.status === 'ACTIVE') ? 'ACTIVE' : first.status,
    is_stale: rows.every((row) => row.is_stale),
  }
}
