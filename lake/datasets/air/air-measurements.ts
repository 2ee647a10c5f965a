import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { AIR_POLLUTANTS, AIR_VALIDITY, CONCENTRATION_UNITS } from './codes.ts'
import { barcelonaAir, madridAir } from './sources.ts'

/** Hourly concentrations. Hours to come, and the newest ones that have no valid value yet, have no row. */
export const airMeasurements = defineDataset({
  id: 'air_measurements',
  domain: 'air',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
