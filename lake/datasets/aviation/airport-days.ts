import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { ATFM_CAUSES } from './codes.ts'
import { aena, eurocontrol } from './sources.ts'

const COUNT = { nullable: true, unit: '1', min: 0 } as const

/** Punctuality of flights and EUROCONTROL movements by airport and day. No feed fills it. */
export const airportDays = defineDataset({
  id: 'airport_days',
  domain: 'aviation',
  title: 'Airports by day',
  about:
    'Flights, punctuality, cancellations and delay of each Spanish airport for each past day, from the flights that Aena publishes. Also EUROCONTROL movements and arrival ATFM delays for the UTC day of the same date. Values that a source lacks are null.',
  sources: [aena, eurocontrol],
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2026-10' }),
    iata: col.string(2, 'IATA code of the airport.', { example: 'MAD' }),
    local_date: col.local_date(3, 'Day for which flights are scheduled, at the airport.', { example: '2026-10-26' }),
    period_start: col.instant(4, 'Begin of the day in Madrid.', { example: '2026-10-25T23:00:00.000Z' }),
    flights: col.integer(5, 'Departures and arrivals that were scheduled.', { ...COUNT, example: 1150 }),
    movements: col.integer(6, 'Departures and arrivals that took place.', { ...COUNT, example: 1136 }),
    cancelled: col.integer(7, 'Cancelled flights.', { ...COUNT, example: 12 }),
    diverted: col.integer(8, 'Flights that were diverted to another airport.', { ...COUNT, example: 2 }),
    punctual: col.integer(9, 'Movements that were at most 15 minutes late.', { ...COUNT, example: 902 }),
    delay_minutes: col.integer(10, 'Delay of all movements together; early ones count as 0.', { ...COUNT, unit: 'min', example: 14_320 }),
    nm_movements: col.integer(11, "Departures and arrivals, by EUROCONTROL's network manager.", { ...COUNT, example: 1141 }),
    atfm_arrivals: col.integer(12, 'Arrivals counted for the ATFM delay.', { ...COUNT, example: 570 }),
    atfm_delay_minutes: col.integer(13, 'ATFM delay of arrivals by regulations at the airport.', { ...COUNT, unit: 'min', example: 120 }),
    atfm_cause: col.code(14, 'Main cause of the ATFM delay; null if there is no delay.', ATFM_CAUSES, orNull('WEATHER')),
  },
  entity: ['month', 'iata', 'local_date'],
  time: 'period_start',
  version: 'month',
  order: ['iata', 'period_start'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
