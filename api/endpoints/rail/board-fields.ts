import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_ROUTE_TYPES } from '../../../lake/datasets/rail/codes.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railRoutes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { meaning, optional } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { withExample } from '../common-fields.ts'
import { BOARD_STATUSES, DELAY_SOURCES, productField } from './codes.ts'

const terminus = (about: string) => withExample(optional(railStations.columns.stop_id, about), null)
const terminusName = (about: string) => withExample(optional(railStations.columns.name, about), null)

/** The fields of a train on a board. */
export const boardFields = {
  service_date: field.date('Service day of the train; it may have begun before midnight.', '2026-08-22'),
  network: field.code(
    'Network of the trip shown. If both timetables have the train stop here: the one that continues longer or, on an arrival board, has run longer, else commuter rail.',
    RAIL_NETWORKS,
    'CERCANIAS',
  ),
  trip_id: meaning(railTrips.columns.trip_id, "The publisher's id of the trip; long-distance trips get new ones every night."),
  stop_sequence: optional(railStopTimes.columns.stop_sequence, 'Position of the stop in the trip; null for a train outside the timetable.'),
  route_id: optional(railTrips.columns.route_id, 'Route; null for a train outside the timetable.'),
  train_number: railTrips.columns.train_number,
  train_id: maybe.text('Id of the train in /api/trenes/posiciones while it runs; null without a train number.', 'CERCANIAS-19799-C1'),
  other_trip_id: withExample(
    optional(
      railTrips.columns.trip_id,
      "The trip in the other network's timetable that is the same train, with the same number: many regional trains are published in both, whole or in parts. Null for a train in one timetable only.",
    ),
    null,
  ),
  other_train_id: maybe.text(
    'The train id for that trip, which begins with the network. /api/trenes/posiciones/{id} accepts either id, whichever feed reports the train.',
    null,
  ),
  line: withExample(
    optional(
      railRoutes.columns.short_name,
      'Line of commuter rail, even if the trip of the other network is shown; null for other trains.',
    ),
    'C1',
  ),
  nucleo_code: maybe.code('Commuter network, even if the trip of the other network is shown; null for other trains.', RAIL_NUCLEOS, '10'),
  product: productField(
    'Product of non-commuter trains; null for commuter rail. A train that stops here in both timetables has both line and product.',
  ),
  route_type: maybe.code('Type of vehicle; null for a train outside the timetable.', RAIL_ROUTE_TYPES, 'RAIL'),
  service_mark: railTrips.columns.service_mark,
  origin_id: terminus('First stop of the trip; null if only one stop is published.'),
  origin: terminusName('Its name.'),
  destination_id: terminus('Last stop of the trip, its destination; null if only one stop is published.'),
  destination: terminusName('Its name.'),
  scheduled_at: field.instant(
    'Planned time of the departure or arrival; for a train outside the timetable, the expected time less the delay.',
    '2026-08-22T03:30:00.000Z',
  ),
  expected_at: maybe.instant('Planned time plus delay; an early train waits for its departure time. Null without a credible delay.', null),
  delay_s: maybe.integer(
    "Delay of the train as published, preferably for the trip shown, else for the other network's; in whole minutes, negative if early. Null without a credible delay, for stops more than 4 h ahead, and if the train does not stop here or has left.",
    's',
    null,
  ),
  delay_source: maybe.code('Source of the delay.', DELAY_SOURCES, null),
  is_live: field.boolean('True if there is live data of the train; false if only the timetable has it.', false),
  status: field.code(
    'Status of the train at this stop. A train in two feeds is cancelled if one says so and the other does not say that it runs.',
    BOARD_STATUSES,
    'SCHEDULED',
  ),
  platform: withExample(
    optional(
      railPositions.columns.platform,
      'Platform of a train that is at the station or about to arrive; null before that, and if none is published.',
    ),
    null,
  ),
  pickup_type: optional(railStopTimes.columns.pickup_type, 'Whether passengers may board here; null if not stated, which means yes.'),
  drop_off_type: optional(railStopTimes.columns.drop_off_type, 'Whether passengers may get off here; null if not stated, which means yes.'),
  headway_s: railTrips.columns.headway_s,
  is_wheelchair_accessible: railTrips.columns.is_wheelchair_accessible,
  occupancy_pct: maybe.integer('Share of its seats that are taken. No source publishes it, so it is always null.', '%', null),
} as const
