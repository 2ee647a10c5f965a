import { onlyOf } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT_DIRECTIONS } from './codes.ts'
import { madrid } from './sources.ts'

/** Permanent count stations, one row per direction. */
export const trafficCountStations = defineDataset({
  id: 'traffic_count_stations',
  domain: 'road',
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
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
