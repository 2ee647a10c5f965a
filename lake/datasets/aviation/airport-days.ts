import { type Column, col, type Json, orNull } from '../../schema/columns.ts'
import { month } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { aviationDataset } from '../domains.ts'
import { ATFM_CAUSES, ENROUTE_ENTITY_TYPES } from './codes.ts'
import { adsbLol, aena, eurocontrol, openflights, ourairports } from './sources.ts'

const REPORTED = { ...COUNT, nullable: true } as const

/** Punctuality of flights and EUROCONTROL movements by airport and day. No feed fills it. */
export const airportDays = aviationDataset({
  id: 'airport_days',
  title: 'Airports by day',
  about:
    'Flights, punctuality, cancellations and delay of each Spanish airport for each past day, from the flights that Aena publishes. Also EUROCONTROL movements and arrival ATFM delays for the UTC day of the same date. Values that a source lacks are null.',
  sources: [aena, eurocontrol],
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2026-10' }),
    iata: col.string(2, 'IATA code of the airport.', { example: 'MAD' }),
    local_date: col.local_date(3, 'Day for which flights are scheduled, at the airport.', { example: '2026-10-26' }),
    period_start: col.instant(4, 'Begin of the day in Madrid.', { example: '2026-10-25T23:00:00.000Z' }),
    flights: col.integer(5, 'Departures and arrivals that were scheduled.', { ...REPORTED, example: 1150 }),
    movements: col.integer(6, 'Departures and arrivals that took place.', { ...REPORTED, example: 1136 }),
    cancelled: col.integer(7, 'Cancelled flights.', { ...REPORTED, example: 12 }),
    diverted: col.integer(8, 'Flights that were diverted to another airport.', { ...REPORTED, example: 2 }),
    punctual: col.integer(9, 'Movements that were at most 15 minutes late.', { ...REPORTED, example: 902 }),
    delay_minutes: col.integer(10, 'Delay of all movements together; early ones count as 0.', {
      ...REPORTED,
      unit: 'min',
      example: 14_320,
    }),
    nm_movements: col.integer(11, "Departures and arrivals, by EUROCONTROL's network manager.", { ...REPORTED, example: 1141 }),
    atfm_arrivals: col.integer(12, 'Arrivals counted for the ATFM delay.', { ...REPORTED, example: 570 }),
    atfm_delay_minutes: col.integer(13, 'ATFM delay of arrivals by regulations at the airport.', {
      ...REPORTED,
      unit: 'min',
      example: 120,
    }),
    atfm_cause: col.code(14, 'Main cause of the ATFM delay; null if there is no delay.', ATFM_CAUSES, orNull('WEATHER')),
  },
  entity: ['month', 'iata', 'local_date'],
  time: 'period_start',
  version: 'month',
  order: ['iata', 'period_start'],
})

/** Longest gap between two positions of an aircraft that counts as a movement, minutes. */
export const MOVEMENT_GAP_MIN = 10
/** Greatest distance of an aircraft on the ground from its airport, m. It covers the runways. */
export const AIRPORT_RADIUS_M = 6000

/**
 * Observed departures and arrivals by airport and day: counts only, which identify no aircraft. Derived from adsb.lol positions
 * and airport positions, so it shares their namespace and licence.
 */
export const airportObservedDays = aviationDataset({
  id: 'airport_observed_days',
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
      ...{ ...REPORTED, example: 512 },
    }),
    observed_arrivals: col.integer(6, 'Observed arrivals; null if no aircraft was received on the ground there.', {
      ...{ ...REPORTED, example: 507 },
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
})

/** The columns that all datasets of daily ATFM delays share; `id` is the field id of the first. */
export function atfmColumns(id: number): {
  readonly delay_minutes: Column<number>
  readonly delayed_flights: Column<number>
  readonly delayed_15_flights: Column<number>
  readonly leading_cause: Column<string | null>
  readonly causes: Column<Json>
} {
  return {
    delay_minutes: col.integer(id, 'Minutes of ATFM delay; 0 if no flight was delayed.', { unit: 'min', min: 0, example: 120 }),
    delayed_flights: col.integer(id + 1, 'Flights with an ATFM delay.', { ...COUNT, example: 8 }),
    delayed_15_flights: col.integer(id + 2, 'Flights with an ATFM delay of more than 15 minutes.', { ...COUNT, example: 3 }),
    leading_cause: col.code(id + 3, 'Main cause of these minutes; null if there was no delay.', ATFM_CAUSES, {
      ...{ nullable: true, example: 'WEATHER' },
    }),
    causes: col.json(id + 4, 'Minutes by cause, largest first; causes without delay are omitted.', {
      lists: [ATFM_CAUSES],
      example: [
        { cause: 'WEATHER', minutes: 90 },
        { cause: 'ATC_CAPACITY', minutes: 30 },
      ],
    }),
  }
}

/** The first columns of all daily EUROCONTROL datasets. */
export const dayColumns = {
  edition: col.string(1, 'Year of the file, which is republished in full as it grows.', { example: '2024' }),
  local_date: col.local_date(2, 'Day, in UTC.', { example: '2024-07-01' }),
  day_starts_at: col.instant(3, 'Begin of the day, 00 UTC.', { example: '2024-07-01T00:00:00.000Z' }),
} as const

const airport = {
  iata: col.string(4, 'IATA code of the airport.', { example: 'MAD' }),
  icao: col.string(5, 'ICAO code as published.', { example: 'LEMD' }),
} as const

/** Common settings of EUROCONTROL's daily datasets. */
const daily = {
  sources: [eurocontrol],
  time: 'day_starts_at',
  version: 'edition',
  isObservation: true,
  partition: [month('day_starts_at')],
} as const

/** Flights of each Spanish airport by day, as counted by the network manager. */
export const airportTraffic = aviationDataset({
  ...daily,
  id: 'airport_traffic',
  title: 'Airport traffic by day',
  about:
    'Instrument flights that departed from and arrived at Spanish airports on each UTC day, as counted by EUROCONTROL and as reported by airports.',
  columns: {
    ...dayColumns,
    ...airport,
    departures: col.integer(6, 'Departures, counted by the network manager.', { ...COUNT, example: 620 }),
    arrivals: col.integer(7, 'Arrivals, counted by the network manager.', { ...COUNT, example: 618 }),
    movements: col.integer(8, 'Departures and arrivals.', { ...COUNT, example: 1238 }),
    reported_departures: col.integer(9, 'IFR departures that the airport reports; null if it reports none.', {
      ...REPORTED,
      example: 621,
    }),
    reported_arrivals: col.integer(10, 'IFR arrivals that the airport reports; null if it reports none.', { ...REPORTED, example: 618 }),
  },
  entity: ['edition', 'local_date', 'icao'],
  order: ['iata', 'local_date'],
})

/** Arrival delays at Spanish airports caused by traffic regulations. */
export const arrivalAtfmDelays = aviationDataset({
  ...daily,
  id: 'arrival_atfm_delays',
  title: 'Arrival ATFM delays by day',
  about: 'Delay of arrivals at Spanish airports caused by ATFM regulations there, by UTC day and cause.',
  columns: {
    ...dayColumns,
    ...airport,
    arrivals: col.integer(6, 'Arrivals.', { ...COUNT, example: 618 }),
    ...atfmColumns(7),
  },
  entity: ['edition', 'local_date', 'icao'],
  order: ['iata', 'local_date'],
})

/** En-route delays caused by regulations in Spanish airspace. */
export const enrouteAtfmDelays = aviationDataset({
  ...daily,
  id: 'enroute_atfm_delays',
  title: 'En-route ATFM delays by day',
  about:
    'Delay of flights caused by ATFM regulations in Spanish airspace, by UTC day and cause, for the provider ENAIRE and for the flight information regions. ' +
    'A flight through both regions counts once in Spain, so Spain is less than the sum of its regions.',
  columns: {
    ...dayColumns,
    edition: col.string(1, 'Kind of entity and year of the file, which is republished in full as it grows.', { example: 'ansp-2024' }),
    entity_type: col.code(4, 'Provider or flight information regions.', ENROUTE_ENTITY_TYPES, { example: 'ANSP' }),
    entity: col.string(5, 'Name as published: ENAIRE, Spain, Spain Continental or Spain Canarias.', { example: 'ENAIRE' }),
    flights: col.integer(6, 'Flights in the airspace.', { ...COUNT, example: 6811 }),
    ...atfmColumns(7),
  },
  entity: ['edition', 'local_date', 'entity_type', 'entity'],
  order: ['entity_type', 'entity', 'local_date'],
})
