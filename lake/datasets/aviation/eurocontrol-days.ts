import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { atfmColumns, dayColumns } from './atfm.ts'
import { ENROUTE_ENTITY_TYPES } from './codes.ts'
import { eurocontrol } from './sources.ts'

const COUNT = { unit: '1', min: 0 } as const
const REPORTED = { ...COUNT, nullable: true } as const

const airport = {
  iata: col.string(4, 'IATA code of the airport.', { example: 'MAD' }),
  icao: col.string(5, 'ICAO code as published.', { example: 'LEMD' }),
} as const

/** What the daily datasets of EUROCONTROL have in common. */
const daily = {
  domain: 'aviation',
  sources: [eurocontrol],
  time: 'day_starts_at',
  version: 'edition',
  land: 'replace',
  isObservation: true,
  partition: [month('day_starts_at')],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/** Flights of each Spanish airport by day, as the network manager counts them. */
export const airportTraffic = defineDataset({
  ...daily,
  id: 'airport_traffic',
  title: 'Airport traffic by day',
  about:
    'Instrument flights that departed from and arrived at Spanish airports in each day of UTC, as EUROCONTROL counts them and as airports report them.',
  columns: {
    ...dayColumns,
    ...airport,
    departures: col.integer(6, 'Departures, counted by the network manager.', { ...COUNT, example: 620 }),
    arrivals: col.integer(7, 'Arrivals, counted by the network manager.', { ...COUNT, example: 618 }),
    movements: col.integer(8, 'Departures and arrivals.', { ...COUNT, example: 1238 }),
    reported_departures: col.integer(9, 'IFR departures that the airport reports; null where it reports none.', {
      ...REPORTED,
      example: 621,
    }),
    reported_arrivals: col.integer(10, 'IFR arrivals that the airport reports; null where it reports none.', { ...REPORTED, example: 618 }),
  },
  entity: ['edition', 'local_date', 'icao'],
  order: ['iata', 'local_date'],
})

/** Delays of arrivals at Spanish airports by regulations of their traffic. */
export const arrivalAtfmDelays = defineDataset({
  ...daily,
  id: 'arrival_atfm_delays',
  title: 'Arrival ATFM delays by day',
  about: 'Delay of flights to Spanish airports by regulations at these airports (ATFM), by day of UTC and cause.',
  columns: {
    ...dayColumns,
    ...airport,
    arrivals: col.integer(6, 'Arrivals.', { ...COUNT, example: 618 }),
    ...atfmColumns(7),
  },
  entity: ['edition', 'local_date', 'icao'],
  order: ['iata', 'local_date'],
})

/** Delays en route by regulations in Spanish airspace. */
export const enrouteAtfmDelays = defineDataset({
  ...daily,
  id: 'enroute_atfm_delays',
  title: 'En-route ATFM delays by day',
  about:
    'Delay of flights by regulations in Spanish airspace (ATFM), by day of UTC and cause: of the provider ENAIRE, and of the flight information regions. ' +
    'A flight through both regions counts once in Spain, so that Spain is less than its regions together.',
  columns: {
    ...dayColumns,
    edition: col.string(1, 'Kind of entity and year of the file, which is published again whole as it grows.', { example: 'ansp-2024' }),
    entity_type: col.code(4, 'Provider or flight information regions.', ENROUTE_ENTITY_TYPES, { example: 'ANSP' }),
    entity: col.string(5, 'Name as published: ENAIRE, Spain, Spain Continental or Spain Canarias.', { example: 'ENAIRE' }),
    flights: col.integer(6, 'Flights in the airspace.', { ...COUNT, example: 6811 }),
    ...atfmColumns(7),
  },
  entity: ['edition', 'local_date', 'entity_type', 'entity'],
  order: ['entity_type', 'entity', 'local_date'],
})
