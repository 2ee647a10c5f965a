import { RAIL_NETWORKS, RAIL_NUCLEOS } from '../../../lake/datasets/rail/codes.ts'
import { railFleet } from '../../../lake/datasets/rail/fleet.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { State, StatesOf } from '../../define/endpoint.ts'
import { meaning, nested, optional, record, type ValueOf } from '../../define/fields.ts'
import { stateFields } from '../tail.ts'
import { DELAY_SOURCES, productField } from './codes.ts'

const { columns } = railPositions
const [said, map] = [railTripUpdates.columns, railFleet.columns]

/** How a train was found in the timetable. */
export const TRAIN_MATCHES = defineCodes('train_match', 'How a running train was found in the timetable.', {
  BY_TRIP: ['Por el viaje: su identificador está en el horario de su día', 'By its trip: the id is in the timetable of its day'],
  BY_TRAIN_NUMBER: [
    'Por el número de tren, pues su identificador es de otra versión del horario',
    'By its train number, as the id is of another version of the timetable',
  ],
  UNMATCHED: ['Sin correspondencia en el horario', 'Not in the timetable'],
})

/** What to say of where records come from. */
export const ABOUT_TRAINS =
  'Positions, trip updates and timetables are open data. What is under `map`, a delay whose `delay_source` is MAP and records whose `source` is `renfe_visor` ' +
  "come from Renfe's map of trains, for which no licence is stated: `meta.sources` has both."

const fields = {
  id: col.string(0, 'Public id: network, train number and, of commuter trains, line; the same over the whole run and on every day.', {
    example: 'CERCANIAS-23533-C1',
  }),
  network: col.code(0, 'Network whose feed tells the position.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
  nucleo_code: col.code(
    0,
    'Commuter network (núcleo), likewise by either timetable; null for other trains and where no trip is stated.',
    RAIL_NUCLEOS,
    {
      nullable: true,
      example: '30',
    },
  ),
  line: meaning(
    columns.line,
    'Line of commuter rail, of a train that the timetables of both networks have also where the other feed tells its position; null for other trains.',
  ),
  product: productField(
    'Commercial product by the timetable; null where the train is not found in it, and for commuter trains unless the timetables of both networks have them.',
  ),
  train_number: columns.train_number,
  position: columns.position,
  position_source: columns.position_source,
  vehicle_status: columns.vehicle_status,
  stop_id: columns.stop_id,
  stop_name: col.string(0, 'Name of that stop by the timetable of the day.', { nullable: true, example: 'San Bernardo' }),
  platform: columns.platform,
  delay_s: meaning(said.delay_s, 'Delay as published, in whole minutes; negative where early. Null where nobody states one.'),
  delay_quality: said.delay_quality,
  delay_source: col.code(0, 'Who states the delay; trip updates go before the map.', DELAY_SOURCES, {
    nullable: true,
    example: 'TRIP_UPDATE',
  }),
  schedule_relationship: optional(
    said.schedule_relationship,
    'How the trip relates to the timetable; null where no trip update speaks of it.',
  ),
  trip_id: columns.trip_id,
  matched_trip_id: col.string(0, 'Trip of the timetable that the train is; null where it is not found.', {
    nullable: true,
    example: '3043M23533C1',
  }),
  other_train_id: col.string(
    0,
    "The train's id by the trip of the other network's timetable that is the same train; it is found under both. Null where only one timetable has it.",
    { nullable: true, example: null },
  ),
  other_trip_id: col.string(0, 'That trip; of several parts the nearest in time.', { nullable: true, example: null }),
  match: col.code(0, 'How it was found in the timetable.', TRAIN_MATCHES, { example: 'BY_TRIP' }),
  service_date: col.local_date(0, 'Service day of the trip; null where neither timetable nor trip update tells it.', {
    nullable: true,
    example: '2026-05-26',
  }),
  origin_id: col.string(0, 'First stop of the trip by the timetable.', { nullable: true, example: '51200' }),
  origin: col.string(0, 'Its name.', { nullable: true, example: 'Utrera' }),
  destination_id: col.string(0, 'Last stop of the trip by the timetable.', { nullable: true, example: '50600' }),
  destination: col.string(0, 'Its name.', { nullable: true, example: 'Lora del Río' }),
  map: nested.object(
    "What Renfe's map of trains says of it, for which no licence is stated; null where it is not on the map.",
    {
      observed_at: map.observed_at,
      delay_s: map.delay_s,
      delay_quality: map.delay_quality,
      product: map.product,
      corridor: map.corridor,
      vehicle_numbers: map.vehicle_numbers,
      series: map.series,
      is_accessible: map.is_accessible,
      movement: map.movement,
      progress_pct: map.progress_pct,
      platform: map.platform,
      next_platform: map.next_platform,
      previous_stop_id: map.previous_stop_id,
      next_stop_id: map.next_stop_id,
      expected_arrival_at: map.expected_arrival_at,
      origin_id: map.origin_stop_id,
      destination_id: map.destination_stop_id,
    },
    { nullable: true },
  ),
  source: meaning(columns.source, 'Who states the position.'),
  source_id: columns.source_id,
  observed_at: meaning(columns.observed_at, 'Time of the position; of the publication where the train states none.'),
  age_s: col.integer(0, 'How much older the position is than the newest publication of positions.', { unit: 's', example: 0 }),
  ...stateFields(columns.observed_at),
} as const

/** A running train. */
export const train = record('Train', 'A running train.', fields)

/** A stop that a train has yet to make. */
const nextStop = {
  stop_id: col.string(0, 'Station.', { example: '51100' }),
  name: col.string(0, 'Its name by the timetable.', { nullable: true, example: 'San Bernardo' }),
  stop_sequence: col.integer(0, 'Place of the stop in the trip; null where the train is not in the timetable.', {
    unit: '1',
    nullable: true,
    example: 7,
  }),
  arrival_at: col.instant(0, 'Planned arrival.', { nullable: true, example: '2026-05-26T09:24:00.000Z' }),
  departure_at: col.instant(0, 'Planned departure.', { nullable: true, example: '2026-05-26T09:25:00.000Z' }),
  expected_arrival_at: col.instant(
    0,
    'Arrival as the trip update expects it at the next stop, else the planned one and the delay; null where no believable delay is stated and at stops that are not made.',
    { nullable: true, example: '2026-05-26T09:42:00.000Z' },
  ),
  expected_departure_at: col.instant(
    0,
    'The planned departure and the delay, but neither before the planned one nor before the expected arrival; null likewise.',
    {
      nullable: true,
      example: '2026-05-26T09:43:00.000Z',
    },
  ),
  is_skipped: col.boolean(0, 'True where the train will not make the stop.', { example: false }),
} as const

/** A running train with the stops before it. */
export const trainDetail = record('TrainDetail', 'A running train with its next stops.', {
  ...fields,
  next_stops: nested.objects(
    'The stops that it has yet to leave, the one that the position is about first; of a train that is not in the timetable only the next one, where it is stated.',
    nextStop,
  ),
})

/** A running train, as lists have it. */
export type Train = ValueOf<typeof fields>
/** A stop before a train. */
export type NextStop = ValueOf<typeof nextStop>

/** The current states that trains are made of. */
export const TRAIN_STATES = [railPositions, railTripUpdates, railFleet] as const
/** They as endpoints get them. */
export type TrainStates = StatesOf<typeof TRAIN_STATES>
export type PositionRow = State<typeof railPositions>['rows'][number]
export type TripUpdateRow = State<typeof railTripUpdates>['rows'][number]
export type MapRow = State<typeof railFleet>['rows'][number]
