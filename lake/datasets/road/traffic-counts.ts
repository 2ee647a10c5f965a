import { onlyOf } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { roadDataset } from '../domains.ts'
import { COUNT_DIRECTIONS, COUNT_QUALITIES } from './codes.ts'
import { madrid } from './sources.ts'

/** Permanent count stations, one row per direction. */
export const trafficCountStations = roadDataset({
  id: 'traffic_count_stations',
  title: 'Traffic count stations',
  about: 'Permanent count stations by direction: street, position, and direction of traffic.',
  sources: [madrid],
  lacks: onlyOf('count stations', 'the city of Madrid', ['28']),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'madrid' }),
    station_id: col.string(2, 'Id of the station, as counts name it.', { example: 'ES01' }),
    direction: col.code(3, 'Direction: the number of the row among those of its station.', COUNT_DIRECTIONS, { example: '1' }),
    observed_at: col.instant(4, 'Fetch of this state: the list has no date.', {
      example: '2023-10-19T00:00:00.000Z',
    }),
    name: col.string(5, 'Street.', { example: 'Paseo de la Castellana' }),
    heading: col.string(6, 'Direction of traffic (N-S, S-N, E-O, O-E; O is west); null if there is none this way.', orNull('S-N')),
    is_counted: col.boolean(7, 'False for the missing direction of a one-way street.', { example: true }),
    position: col.point([8, 9], 'Where it is.', { example: { lat: 40.431927, lon: -3.689109 } }),
    municipality_code: col.string(10, 'INE code of the municipality.', { example: '28079' }),
  },
  entity: ['source', 'station_id', 'direction'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

/**
 * Hourly counts of permanent stations in local time. Files always have 24 hours: a local hour that the clock change skips or
 * repeats stays without an instant.
 */
export const trafficCountsHourly = roadDataset({
  id: 'traffic_counts_hourly',
  title: 'Hourly traffic counts',
  about: 'Vehicles counted at permanent stations, by direction and hour of local time, with a quality for each count.',
  sources: [madrid],
  columns: {
    source: col.string(1, 'Source of the count.', { example: 'madrid' }),
    month: col.string(2, 'Month of the file; it is republished in full.', { example: '2023-01' }),
    station_id: col.string(3, "The publisher's id of the station.", { example: 'ES01' }),
    direction: col.code(4, 'Direction, in traffic_count_stations.', COUNT_DIRECTIONS, { example: '1' }),
    local_date: col.local_date(5, 'Day, Madrid time.', { example: '2023-01-09' }),
    hour: col.integer(6, 'Hour of the count, Madrid time: 8 is 08:00 to 09:00.', {
      unit: 'h',
      example: 8,
      min: 0,
      max: 23,
    }),
    day_starts_at: col.instant(7, 'Begin of the day.', { example: '2023-01-08T23:00:00.000Z' }),
    starts_at: col.instant(8, 'Begin of the hour; null if the clock change skips or repeats the hour.', orNull('2023-01-09T07:00:00.000Z')),
    is_clock_change: col.boolean(9, 'True for the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
    vehicles: col.integer(10, 'Vehicles, as published: 9999 is a ceiling, and 0 may mean that the counter did not work (see quality).', {
      unit: '1',
      example: 2040,
      min: 0,
      max: 9999,
    }),
    quality: col.code(11, 'Quality of the count.', COUNT_QUALITIES, { example: 'OK' }),
  },
  entity: ['month', 'station_id', 'direction', 'local_date', 'hour'],
  time: 'day_starts_at',
  version: 'month',
  isObservation: true,
})
