import { col, orNull } from '../../schema/columns.ts'
import { HEADWAY, TRIP_DIRECTION } from '../../schema/quantities.ts'
import { railDataset } from '../domains.ts'
import { nap } from '../maritime/sources.ts'
import { stopTimeColumns, TRANSIT_TIMETABLE, versionColumns } from '../transit/timetable.ts'
import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_ROUTE_TYPES, RAIL_STOP_USES, TIMETABLE_CHANGES, TIMETABLE_PARTS } from './codes.ts'
import { crtm, fgc, fgv, renfe } from './sources.ts'

/** The first columns of every railway timetable table: ids 1 to 3. */
export const VERSION_COLUMNS = versionColumns(RAIL_NETWORKS, {
  network: 'CERCANIAS',
  version: 'cercanias-2026-08-22',
  valid_from: '2026-08-21T22:00:00.000Z',
})

/** Common settings of railway timetable datasets. */
export const TIMETABLE = { ...TRANSIT_TIMETABLE, sources: [renfe, fgc, crtm, fgv, nap] } as const

const STATION_ID_ABOUT =
  "Renfe's stations: five digits, assigned by the infrastructure manager. Others: the network, a colon and the publisher's id, such as FGC:PC."

/** Stations and stops of a timetable, used by its trips or not. */
export const railStations = railDataset({
  ...TIMETABLE,
  id: 'rail_stations',
  title: 'Rail stations',
  about: 'Stations and stops that a timetable names, one row per version.',
  columns: {
    ...VERSION_COLUMNS,
    stop_id: col.string(4, STATION_ID_ABOUT, {
      example: '17000',
    }),
    name: col.string(5, 'Name as published.', { example: 'Madrid-Chamartín-Clara Campoamor' }),
    position: col.point([6, 7], 'Position; null if none or an impossible one is published.', orNull({ lat: 40.471179, lon: -3.682952 })),
    has_wheelchair_boarding: col.boolean(8, 'Whether some trains can be boarded in a wheelchair; null if not stated.', orNull(true)),
    timezone: col.string(9, "Time zone of the place; timetable times still use Madrid's.", orNull(null)),
  },
  entity: ['timetable_version', 'stop_id'],
})

/** Routes of a timetable. A line has many: at least one per pair of termini. Their tracks are in `rail_shapes`, by trip. */
export const railRoutes = railDataset({
  ...TIMETABLE,
  id: 'rail_routes',
  title: 'Rail routes',
  about: 'Routes of a timetable: line or product, colours, and the termini from names and ids.',
  columns: {
    ...VERSION_COLUMNS,
    route_id: col.string(4, "The publisher's id of the route, after the network and a colon for networks other than Renfe's.", {
      example: '10T0001C1',
    }),
    nucleo_code: col.code(5, 'Commuter network; the first two characters of a commuter route id.', RAIL_NUCLEOS, orNull('10')),
    short_name: col.string(
      6,
      'Line, case-sensitive; for long and medium distance, the code of the product (list rail_product).',
      orNull('C1'),
    ),
    long_name: col.string(7, 'Name as published, without padding.', orNull('Principe Pio - Aeropuerto-T4')),
    origin_name: col.string(8, 'First of the two names in the long name of a commuter route.', orNull('Principe Pio')),
    destination_name: col.string(9, 'Second of them.', orNull('Aeropuerto-T4')),
    route_type: col.code(10, 'Kind of service.', RAIL_ROUTE_TYPES, { example: 'RAIL' }),
    color: col.string(
      11,
      'Colour as six hexadecimal digits in upper case; null if the published text colour is the same.',
      orNull('75B6E0'),
    ),
    text_color: col.string(12, 'Text colour on it; null if the same colour is published (white on white).', orNull('FFFFFF')),
    origin_stop_id: col.string(13, 'Station at the start of a route id of the other network.', orNull(null)),
    destination_stop_id: col.string(14, 'Second station in the id.', orNull(null)),
  },
  entity: ['timetable_version', 'route_id'],
})

/**
 * Tracks of lines. A dataset of their own, since trips name them: a route has several tracks, and a track serves several routes.
 */
export const railShapes = railDataset({
  ...TIMETABLE,
  id: 'rail_shapes',
  title: 'Rail line shapes',
  about:
    'Geometry of lines, complete as published; commuter rail only. Trips run on all or part of a track, in either direction; a few run beyond its ends.',
  columns: {
    ...VERSION_COLUMNS,
    shape_id: col.string(4, "The publisher's id.", { example: '10_C5_INV' }),
    nucleo_code: col.code(5, 'Commuter network; the first two characters of the id.', RAIL_NUCLEOS, orNull('10')),
    line: col.string(6, 'Line in the id.', orNull('C5')),
    is_inverse: col.boolean(7, 'True for the same track in reverse, from the id.', { example: true }),
    points: col.integer(8, 'Points of the geometry.', { unit: '1', example: 1021, min: 2 }),
    geometry: col.line(
      9,
      'The complete line as published. Its order is not the direction of travel: about half of the trips run against it.',
      {
        example: {
          type: 'LineString',
          coordinates: [
            [-3.8669, 40.3244],
            [-3.8612, 40.3231],
          ],
        },
      },
    ),
  },
  entity: ['timetable_version', 'shape_id'],
})

/** Trips of a timetable: a train on the days of its service. */
export const railTrips = railDataset({
  ...TIMETABLE,
  id: 'rail_trips',
  title: 'Rail trips',
  about: 'Trips of a timetable, each on the days of its service in rail_calendar.',
  columns: {
    ...VERSION_COLUMNS,
    trip_id: col.string(4, "The publisher's id; outside commuter rail, trips get new ids every night.", {
      example: '1032S19799C1',
    }),
    route_id: col.string(5, 'Route.', { example: '10T0001C1' }),
    service_id: col.string(6, 'Days on which it runs, in rail_calendar; an id has different days in another version.', {
      example: '1032S',
    }),
    nucleo_code: col.code(7, 'Commuter network; the first two characters of a commuter trip id.', RAIL_NUCLEOS, orNull('10')),
    train_number: col.string(
      8,
      'Number of the train, five digits: the commercial number, or the one in a commuter trip id.',
      orNull('19799'),
    ),
    variant: col.string(9, 'Variant of the train, from the id; commuter trips have none.', orNull(null)),
    validity_start: col.local_date(10, 'Date at the end of the id: the first day of validity, not the running day.', orNull(null)),
    headsign: col.string(11, 'Destination as shown to travellers, if published.', orNull(null)),
    service_mark: col.string(12, 'Kind of service published instead of a destination: CIVIS, an express.', orNull(null)),
    direction: col.integer(13, 'Direction of travel, 0 or 1, if published.', { ...TRIP_DIRECTION, example: null }),
    block_id: col.string(14, 'Trips with the same block are run by the same train.', orNull('1032S19799')),
    shape_id: col.string(
      15,
      'Track of the whole line, in rail_shapes; the trip may run on part of it, in either direction.',
      orNull('10_C1'),
    ),
    is_wheelchair_accessible: col.boolean(16, 'Whether a wheelchair can ride; null if not stated.', orNull(true)),
    headway_s: col.integer(
      17,
      'Interval of a departure that the publisher states as a frequency: its times are approximate; null for exact times.',
      { ...HEADWAY, example: null },
    ),
  },
  entity: ['timetable_version', 'trip_id'],
  order: ['timetable_version', 'route_id', 'trip_id'],
})

/** Every stop of every trip. Files are sorted by station, so that a station's departures are close together. */
export const railStopTimes = railDataset({
  ...TIMETABLE,
  id: 'rail_stop_times',
  title: 'Rail stop times',
  about: 'When each trip arrives at and leaves each of its stops.',
  columns: {
    ...VERSION_COLUMNS,
    ...stopTimeColumns({
      trip: ['Trip.', '1032S19799C1'],
      sequence: 'Rising number of the stop in the trip; the first may be any number.',
      stop: ['Station, in rail_stations.', '17000'],
      arrival: 'Arrival, Madrid time',
      time: '05:30:00',
      uses: RAIL_STOP_USES,
    }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
  order: ['timetable_version', 'stop_id', 'trip_id'],
})

/** The days of each service: one row a day, with ranges, weekdays and exceptions resolved. */
export const railCalendar = railDataset({
  ...TIMETABLE,
  id: 'rail_calendar',
  title: 'Rail service days',
  about: 'The days on which each service of a timetable runs, one row a day.',
  columns: {
    ...VERSION_COLUMNS,
    service_id: col.string(4, "The publisher's id of the service.", { example: '1032S' }),
    service_date: col.local_date(5, 'Day on which it runs; trips may go on after midnight.', { example: '2026-08-22' }),
    nucleo_code: col.code(6, 'Commuter network; the first two characters of a commuter service id.', RAIL_NUCLEOS, orNull('10')),
  },
  entity: ['timetable_version', 'service_id', 'service_date'],
  order: ['timetable_version', 'service_date', 'service_id'],
})

/**
 * Differences between each timetable version and the previous one of its network; derived. Trains match by stable keys, since ids
 * change nightly: number and variant, or line and number for commuter trains. Only days that both versions cover are compared.
 * Later days of a long-distance train count separately, as its published end can move by weeks.
 */
export const railTimetableChanges = railDataset({
  ...TIMETABLE,
  id: 'rail_timetable_changes',
  title: 'Changes of rail timetables',
  about: 'Stations, routes, lines and trains that are in a timetable version but not in the previous one, or the reverse.',
  columns: {
    ...VERSION_COLUMNS,
    previous_version: col.string(4, 'Previous version of the same network, used for the comparison.', {
      example: 'cercanias-2026-08-21',
    }),
    what: col.code(5, 'What has changed.', TIMETABLE_PARTS, { example: 'TRIP' }),
    change: col.code(
      6,
      "ADDED or GONE. For trains also EXTENDED, if the days are after the train's last one in the previous version, and SHORTENED, if they are after its last remaining one.",
      TIMETABLE_CHANGES,
      { example: 'ADDED' },
    ),
    subject_id: col.string(
      7,
      'Its key: station code; route id; network and line; or network, line, train number and variant, where present.',
      { example: '10/C1/19799' },
    ),
    name: col.string(8, 'Name of the station, route or line, if it has one.', orNull(null)),
    nucleo_code: col.code(9, 'Commuter network.', RAIL_NUCLEOS, orNull('10')),
    line: col.string(10, 'Line of commuter rail; for other trains, the code of their product (list rail_product).', orNull('C1')),
    train_number: col.string(11, 'Number of the train; trips only.', orNull('19799')),
    variant: col.string(12, 'Variant of the train; long-distance trips only.', orNull(null)),
    service_days: col.integer(13, 'Days, among those that both versions cover, on which the train runs in only one of them; trips only.', {
      unit: '1',
      nullable: true,
      example: 20,
      min: 1,
    }),
    first_day: col.local_date(14, 'First of those days.', orNull('2026-08-24')),
    last_day: col.local_date(15, 'Last of them.', orNull('2026-09-18')),
  },
  entity: ['timetable_version', 'what', 'change', 'subject_id'],
})
