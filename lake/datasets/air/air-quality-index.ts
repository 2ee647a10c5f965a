import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { AIR_POLLUTANTS, AIR_QUALITY_LEVELS } from './codes.ts'
import { mitecoIca } from './sources.ts'

/** The published index of stations by hour. Hours without an index have no row. */
export const airQualityIndex = defineDataset({
  id: 'air_quality_index',
  domain: 'air',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
