import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { atfmColumns, dayColumns } from './atfm.ts'
import { ENROUTE_ENTITY_TYPES } from './codes.ts'
import { eurocontrol } from './sources.ts'

const REPORTED = { ...COUNT, nullable: true } as const

const airport = {
  iata: col.string(4, 'IATA code of the airport.', { example: 'MAD' }),
  icao: col.string(5, 'ICAO code as published.', { example: 'LEMD' }),
} as const

/** Common settings of EUROCONTROL's daily datasets. */
const daily = {
  domain: 'aviation',
  sources: [eurocontrol],
  time: 'day_starts_at',
  version: 'edition',
  isObservation: true,
  partition: [month('day_starts_at')],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/** Flights of each Spanish airport by day, as counted by the network manager. */
export const airportTraffic = defineDataset({
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
export const arrivalAtfmDelays = defineDataset({
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
export const enrouteAtfmDelays = defineDataset({
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
