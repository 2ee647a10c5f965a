import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { HEADWAY, TRIP_DIRECTION } from '../../schema/quantities.ts'
import { maritimeDataset } from '../domains.ts'
import { stopTimeColumns, TRANSIT_STOP_USES, TRANSIT_TIMETABLE, versionColumns } from '../transit/timetable.ts'
import { nap } from './sources.ts'

/** Operators that publish ferry timetables as GTFS. */
export const FERRY_OPERATORS = defineCodes('ferry_operator', 'Operator whose timetable a ferry route is in.', {
  BALEARIA: ['Baleària', 'Baleària'],
  FRED_OLSEN: ['Fred. Olsen Express', 'Fred. Olsen Express'],
  VIZCAYA_BRIDGE: ['Puente Bizkaia (transbordador)', 'Vizcaya Bridge (transporter bridge)'],
})

/** Kinds of ferry service, by GTFS route type: 4, 1000 to 1099 and 1200. */
export const FERRY_KINDS = defineCodes('ferry_kind', 'Kind of ferry service, by its GTFS route type.', {
  FERRY: ['Transbordador', 'Ferry, passengers or vehicles not stated'],
  CAR_FERRY: ['Transbordador de vehículos', 'Car ferry'],
  PASSENGER_FERRY: ['Transbordador de pasajeros', 'Passenger ferry'],
  OTHER: ['Otro transporte por agua', 'Other water transport'],
})

/** The first columns of every ferry timetable table: ids 1 to 3. */
const FERRY_VERSION_COLUMNS = versionColumns(FERRY_OPERATORS, {
  network: 'BALEARIA',
  version: 'balearia-2026-08-01',
  valid_from: '2026-07-31T22:00:00.000Z',
})

/** Common settings of ferry timetable datasets. */
const FERRY_TIMETABLE = { ...TRANSIT_TIMETABLE, sources: [nap] } as const

/** Ports and terminals of a ferry timetable. */
export const ferryStops = maritimeDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_stops',
  title: 'Ferry terminals',
  about: 'Terminals in a ferry timetable, one row per version.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    stop_id: col.string(4, "The publisher's id of the terminal.", { example: 'DEN' }),
    name: col.string(5, 'Name as published.', { example: 'Dénia' }),
    position: col.point([6, 7], 'Position; null if none or an impossible one is published.', orNull({ lat: 38.8417, lon: 0.1166 })),
    parent_station: col.string(8, 'Station that the terminal belongs to, if one is published.', orNull(null)),
    has_wheelchair_boarding: col.boolean(9, 'Whether some sailings can be boarded in a wheelchair; null if not stated.', orNull(true)),
    timezone: col.string(10, "Time zone of the place; timetable times still use the operator's time zone.", orNull('Europe/Madrid')),
  },
  entity: ['timetable_version', 'stop_id'],
})

/** Routes of a ferry timetable. Trips of a route can go in both directions. */
export const ferryRoutes = maritimeDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_routes',
  title: 'Ferry routes',
  about: 'Routes of a ferry timetable with their operator, and time zone.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    route_id: col.string(4, "The publisher's id of the route.", { example: 'DEN-IBZ' }),
    agency_name: col.string(5, 'Operator as the timetable names it.', orNull('Baleària')),
    agency_url: col.string(6, "The operator's page.", { nullable: true, example: 'https://www.balearia.com' }),
    short_name: col.string(7, 'Short name of the route.', orNull(null)),
    long_name: col.string(8, 'Long name of the route.', orNull('Dénia - Ibiza')),
    route_type: col.integer(9, 'Route type of GTFS: 4, 1000 to 1099 or 1200.', { unit: '1', example: 4, min: 0, max: 1999 }),
    kind: col.code(10, 'Kind of service, by the route type.', FERRY_KINDS, { example: 'FERRY' }),
    timezone: col.string(11, 'Time zone of the operator; all times of the timetable are in it.', { example: 'Europe/Madrid' }),
  },
  entity: ['timetable_version', 'route_id'],
})

/** Sailings of a timetable, each on the days of its service. */
export const ferryTrips = maritimeDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_trips',
  title: 'Ferry sailings',
  about: 'Sailings of a ferry timetable, each on the days of its service in ferry_calendar.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    trip_id: col.string(4, "The publisher's id; with `@` and the time of departure if the timetable states a frequency.", {
      example: 'DEN-IBZ-0800',
    }),
    route_id: col.string(5, 'Route.', { example: 'DEN-IBZ' }),
    service_id: col.string(6, 'Days on which it runs, in ferry_calendar.', { example: 'SUMMER' }),
    short_name: col.string(7, 'Public name of the sailing.', orNull(null)),
    headsign: col.string(8, 'Destination as shown to travellers.', orNull('Ibiza')),
    direction: col.integer(9, 'Direction of travel, 0 or 1, if published.', { ...TRIP_DIRECTION, example: 0 }),
    is_car_allowed: col.boolean(10, 'Whether cars are carried; null if not stated.', orNull(true)),
    is_bike_allowed: col.boolean(11, 'Whether bicycles are carried; null if not stated.', orNull(true)),
    is_wheelchair_accessible: col.boolean(12, 'Whether a wheelchair can ride; null if not stated.', orNull(true)),
    headway_s: col.integer(13, 'Time between departures if the timetable states a frequency instead of exact times; else null.', {
      ...HEADWAY,
      example: null,
    }),
  },
  entity: ['timetable_version', 'trip_id'],
  order: ['timetable_version', 'route_id', 'trip_id'],
})

/** Every call of every sailing. */
export const ferryStopTimes = maritimeDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_stop_times',
  title: 'Ferry calls',
  about: 'When each sailing arrives at and leaves each of its terminals.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    ...stopTimeColumns({
      trip: ['Sailing.', 'DEN-IBZ-0800'],
      sequence: 'Place of the call in the sailing, rising; it may begin anywhere.',
      stop: ['Terminal, in ferry_stops.', 'DEN'],
      arrival: "Arrival on the operator's clock",
      time: '08:00:00',
      uses: TRANSIT_STOP_USES,
    }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
})

/** The days of each service: one row a day, with ranges, weekdays and exceptions resolved. */
export const ferryCalendar = maritimeDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_calendar',
  title: 'Ferry service days',
  about: 'The days on which each service of a ferry timetable runs, one row a day.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    service_id: col.string(4, "The publisher's id of the service.", { example: 'SUMMER' }),
    service_date: col.local_date(5, 'Day on which it runs; sailings may go on after midnight.', { example: '2026-08-22' }),
  },
  entity: ['timetable_version', 'service_id', 'service_date'],
  order: ['timetable_version', 'service_date', 'service_id'],
})
