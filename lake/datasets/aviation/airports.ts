import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { AIRPORT_TYPES } from './codes.ts'
import { openflights, ourairports } from './sources.ts'

/** Spanish airports with an IATA code. */
export const airports = defineDataset({
  id: 'airports',
  domain: 'aviation',
  title: 'Airports',
  about: 'Spanish airports and heliports with an IATA code: names, codes, height and position.',
  sources: [ourairports, openflights],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'ourairports' }),
    iata: col.string(2, 'IATA code.', { example: 'MAD' }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2026-08-22T06:00:00.000Z' }),
    icao: col.string(4, 'ICAO code; null if it has none.', orNull('LEMD')),
    name: col.string(5, 'Name as published.', { example: 'Adolfo Suárez Madrid–Barajas Airport' }),
    type: col.code(6, 'Kind of airport; null where the source does not grade airports.', AIRPORT_TYPES, orNull('LARGE_AIRPORT')),
    municipality: col.string(7, 'Town served, as published.', orNull('Madrid')),
    province_code: col.string(8, 'INE code of the province that the position is in.', orNull('28')),
    municipality_code: col.string(9, 'INE code of the municipality that the position is in.', orNull('28079')),
    has_scheduled_service: col.boolean(10, 'True if scheduled flights use it; null if the source does not state it.', orNull(true)),
    elevation_m: col.integer(11, 'Height above the sea.', { unit: 'm', nullable: true, example: 609, min: -100, max: 4000 }),
    time_zone: col.string(12, 'IANA zone of its clocks.', { example: 'Europe/Madrid' }),
    keywords: col.string(13, 'Other names in use, as published.', orNull('Barajas')),
    position: col.point([14, 15], 'Where it is.', orNull({ lat: 40.471926, lon: -3.56264 })),
  },
  entity: ['iata'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
