import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_ROUTE_TYPES } from '../../../lake/datasets/rail/codes.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import { col } from '../../../lake/schema/columns.ts'
import { meaning, optional } from '../../define/fields.ts'
import { withExample } from '../tail.ts'
import { BOARD_STATUSES, DELAY_SOURCES, productField } from './codes.ts'

const terminus = (about: string) => withExample(optional(railStations.columns.stop_id, about), null)
const terminusName = (about: string) => withExample(optional(railStations.columns.name, about), null)

/** The fields of a train on a board. */
export const boardFields = {
  service_date: col.local_date(0, 'Service day of the train, which may have begun before midnight.', { example: '2026-08-22' }),
  network: col.code(
    0,
    'Network whose trip is shown. Of a train that the timetables of both let stop here that which goes on for longer, or on a board of arrivals has come for longer, else that of commuter rail.',
    RAIL_NETWORKS,
    { example: 'CERCANIAS' },
  ),
  trip_id: meaning(railTrips.columns.trip_id, "The publisher's id of the trip; long-distance trips get new ones every night."),
  stop_sequence: optional(railStopTimes.columns.stop_sequence, 'Place of the stop in the trip; null for a train that no timetable has.'),
  route_id: optional(railTrips.columns.route_id, 'Route; null for a train that no timetable has.'),
  train_number: railTrips.columns.train_number,
  train_id: col.string(0, 'Id of the train in /api/trenes/posiciones while it runs; null where it has no number.', {
    nullable: true,
    example: 'CERCANIAS-19799-C1',
  }),
  other_trip_id: withExample(
    optional(
      railTrips.columns.trip_id,
      "The trip of the other network's timetable that is the same train, which has the same number: many regional trains are published in both, whole or in parts. Null for a train that only one has.",
    ),
    null,
  ),
  other_train_id: col.string(
    0,
    'The id of the train by that trip, which begins with the network; under either id /api/trenes/posiciones/{id} has the train, whichever feed tells it.',
    { nullable: true, example: null },
  ),
  line: withExample(
    optional(railRoutes.columns.short_name, "Line of commuter rail, also where the other network's trip is shown; null for other trains."),
    'C1',
  ),
  nucleo_code: col.code(0, 'Commuter network, likewise; null for other trains.', RAIL_NUCLEOS, { nullable: true, example: '10' }),
  product: productField(
    'Product of other trains; null for commuter rail. A train that both timetables let stop here has both, line and product.',
  ),
  route_type: col.code(0, 'What runs; null for a train that no timetable has.', RAIL_ROUTE_TYPES, { nullable: true, example: 'RAIL' }),
  service_mark: railTrips.columns.service_mark,
  origin_id: terminus('First stop of the trip; null where only one stop of it is published.'),
  origin: terminusName('Its name.'),
  destination_id: terminus('Last stop of the trip, which is where it goes; null where only one stop of it is published.'),
  destination: terminusName('Its name.'),
  scheduled_at: col.instant(
    0,
    'Planned time of the departure or arrival; of a train that no timetable has the expected one less its delay.',
    { example: '2026-08-22T03:30:00.000Z' },
  ),
  expected_at: col.instant(
    0,
    'Planned time and delay together; an early train waits for its departure. Null where no delay is known that can be believed.',
    { nullable: true, example: null },
  ),
  delay_s: col.integer(
    0,
    'Delay of the train as published, of the trip that is shown before that of the other network; in whole minutes, negative where early. Null where none is known that can be believed, for stops more than 4 h ahead, and where the train does not stop or has been.',
    { unit: 's', nullable: true, example: null },
  ),
  delay_source: col.code(0, 'What the delay is told by.', DELAY_SOURCES, { nullable: true, example: null }),
  is_live: col.boolean(0, 'True where something is said of the train now; false for what is only in the timetable.', { example: false }),
  status: col.code(
    0,
    'What becomes of the train here. One that two feeds tell of is cancelled where one says so and the other does not say that it runs.',
    BOARD_STATUSES,
    { example: 'SCHEDULED' },
  ),
  platform: withExample(
    optional(
      railPositions.columns.platform,
      'Platform of a train that stands here or is about to; null until then, and where none is told.',
    ),
    null,
  ),
  pickup_type: optional(
    railStopTimes.columns.pickup_type,
    'Whether travellers get on here; null where nothing is said, which means regularly.',
  ),
  drop_off_type: optional(railStopTimes.columns.drop_off_type, 'Whether travellers get off here, likewise.'),
  is_wheelchair_accessible: railTrips.columns.is_wheelchair_accessible,
  occupancy_pct: col.integer(0, 'Share of its seats that are taken; no source tells it, so it is always null.', {
    unit: '%',
    nullable: true,
    example: null,
  }),
} as const
