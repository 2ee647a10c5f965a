import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { adsbLol, openflights, ourairports } from './sources.ts'

const COUNT = { nullable: true, unit: '1', min: 0 } as const

/** Longest gap between two positions of an aircraft that counts as a movement, minutes. */
export const MOVEMENT_GAP_MIN = 10
/** Greatest distance of an aircraft on the ground from its airport, m. It covers the runways. */
export const AIRPORT_RADIUS_M = 6000

/**
 * Observed departures and arrivals by airport and day: counts only, which identify no aircraft. Derived from adsb.lol positions
 * and airport positions, so it shares their namespace and licence.
 */
export const airportObservedDays = defineDataset({
  id: 'airport_observed_days',
  domain: 'aviation',
  namespace: 'adsb_lol',
  title: 'Observed movements of airports by day',
  about: `Departures and arrivals by airport and date that ADS-B receivers observed: an aircraft on the ground within ${AIRPORT_RADIUS_M / 1000} km of the airport, and in the air within ${MOVEMENT_GAP_MIN} minutes before or after. A lower bound: reception near the ground is incomplete. Not comparable with the figures of Aena or EUROCONTROL.`,
  sources: [adsbLol, ourairports, openflights],
  columns: {
    month: col.string(1, 'Month of the date, YYYY-MM.', { example: '2026-10' }),
    iata: col.string(2, 'IATA code of the airport.', { example: 'MAD' }),
    local_date: col.local_date(3, 'Date at the airport.', { example: '2026-10-25' }),
    period_start: col.instant(4, "Begin of the date by Madrid's clock.", { example: '2026-10-24T22:00:00.000Z' }),
    observed_departures: col.integer(5, 'Observed departures; null if no aircraft was received on the ground there.', {
      ...{ ...COUNT, example: 512 },
    }),
    observed_arrivals: col.integer(6, 'Observed arrivals; null if no aircraft was received on the ground there.', {
      ...{ ...COUNT, example: 507 },
    }),
    ground_positions: col.integer(7, 'Received positions of aircraft on the ground at the airport.', {
      unit: '1',
      min: 0,
      example: 21_483,
    }),
    coverage: col.decimal(8, 'Share of the minutes of the date with positions from anywhere, 0 to 1.', {
      ...{ scale: 6, unit: '1', min: 0, max: 1, example: 0.9986 },
    }),
  },
  entity: ['month', 'iata', 'local_date'],
  version: 'month',
  time: 'period_start',
  order: ['iata', 'local_date'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
