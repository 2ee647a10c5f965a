import { col, orNull } from '../../schema/columns.ts'
import { airDataset } from '../domains.ts'
import { AIR_POLLUTANTS, AIR_QUALITY_LEVELS, AIR_STATION_TYPES, AIR_VALIDITY, CONCENTRATION_UNITS } from './codes.ts'
import { barcelonaAir, madridAir, mitecoIca } from './sources.ts'

/** Air quality stations. An empty publication is valid, so a missing station means nothing: use `is_active`. */
export const airQualityStations = airDataset({
  id: 'air_quality_stations',
  title: 'Air quality stations',
  about: 'Stations of the national air quality index: name, type, place and whether they are active.',
  sources: [mitecoIca],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco_ica' }),
    station_id: col.string(2, "National code: INE's code of the municipality and three digits of the station.", { example: '28079004' }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2026-09-02T22:50:00.000Z' }),
    name: col.string(4, 'Name as published.', { example: 'PLAZA DE ESPAÑA' }),
    type: col.code(5, 'What mainly pollutes the air there.', AIR_STATION_TYPES, orNull('TRAFFIC')),
    is_active: col.boolean(6, 'False for stations that the publisher marks as inactive.', { example: true }),
    province_code: col.string(7, 'INE code of the province, from the code of the station.', orNull('28')),
    municipality_code: col.string(8, 'INE code of the municipality, from the code of the station.', orNull('28079')),
    position: col.point([9, 10], 'Where it is.', orNull({ lat: 40.42389, lon: -3.71222 })),
  },
  entity: ['source', 'station_id'],
  time: 'observed_at',
  writeMode: 'changes',
})

/** The published index of stations by hour. Hours without an index have no row. */
export const airQualityIndex = airDataset({
  id: 'air_quality_index',
  title: 'Air quality index by station and hour',
  about:
    'The national air quality index (ICA) as published for each active station and hour. If an hour is published several times, the first counts. Hours without an index have no row.',
  sources: [mitecoIca],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco_ica' }),
    station_id: col.string(2, 'National code of the station.', { example: '28079004' }),
    observed_at: col.instant(3, 'Hour of the index, as published (UTC).', { example: '2026-09-02T21:00:00.000Z' }),
    level: col.code(4, 'Level: that of the worst pollutant.', AIR_QUALITY_LEVELS, { example: 'FAIRLY_GOOD' }),
    is_partial: col.boolean(5, 'True if pollutants that the station measures are missing.', { example: false }),
    pollutants: col.list([6, 7], 'The pollutants that set the level; usually one.', col.code(0, 'A pollutant.', AIR_POLLUTANTS), {
      example: ['O3'],
    }),
  },
  entity: ['source', 'station_id'],
  time: 'observed_at',
  writeMode: 'append',
})

/** Hourly concentrations. Hours to come, and the newest ones that have no valid value yet, have no row. */
export const airMeasurements = airDataset({
  id: 'air_measurements',
  title: 'Air measurements by hour',
  about:
    'Hourly mean concentrations of pollutants, not yet validated, of the networks of Madrid and Barcelona. If an hour is published several times, the first counts.',
  sources: [madridAir, barcelonaAir],
  columns: {
    source: col.string(1, 'Source of the measurement.', { example: 'madrid_air' }),
    station_id: col.string(2, 'National code of the station.', { example: '28079004' }),
    pollutant: col.code(3, 'Pollutant.', AIR_POLLUTANTS, { example: 'NO2' }),
    hour_begins_at: col.instant(4, 'Begin of the hour.', { example: '2026-09-02T20:00:00.000Z' }),
    value: col.decimal(5, 'Mean concentration of the hour; null if invalid or impossible.', {
      ...{ scale: 2, unitIn: 'unit', nullable: true, example: 38, min: 0, max: 100_000 },
    }),
    unit: col.code(6, 'Unit of the value: mg/m3 of CO and hydrocarbons, µg/m3 of all others.', CONCENTRATION_UNITS, { example: 'ug/m3' }),
    validity: col.code(7, 'Whether the publisher calls it valid.', AIR_VALIDITY, { example: 'VALID' }),
  },
  entity: ['source', 'station_id', 'pollutant'],
  time: 'hour_begins_at',
  writeMode: 'append',
})
