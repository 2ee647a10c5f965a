import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { AIR_STATION_TYPES } from './codes.ts'
import { mitecoIca } from './sources.ts'

/** Air quality stations. An empty publication is valid, so a missing station means nothing: use `is_active`. */
export const airQualityStations = defineDataset({
  id: 'air_quality_stations',
  domain: 'air',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
