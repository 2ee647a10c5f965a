import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_OPERATORS, TRAIN_COACHES } from '../../../lake/datasets/rail/codes.ts'
import { railFleet } from '../../../lake/datasets/rail/fleet.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { stateFields } from '../common-fields.ts'
import { DELAY_SOURCES, productField } from './codes.ts'

const { columns } = railPositions
const [said, map] = [railTripUpdates.columns, railFleet.columns]

/** Methods of matching a train to the timetable. */
export const TRAIN_MATCHES = defineCodes('train_match', 'How a running train was found in the timetable.', {
  BY_TRIP: ['Por el viaje: su identificador está en el horario de su día', 'By trip: the id is in the timetable of its day'],
  BY_TRAIN_NUMBER: [
    'Por el número de tren, pues su identificador es de otra versión del horario',
    'By train number, because the id is from another version of the timetable',
  ],
  UNMATCHED: ['Sin correspondencia en el horario', 'Not in the timetable'],
})

/** Description of the sources of records. */
export const ABOUT_TRAINS =
  'Positions, trip updates and timetables are open data of Renfe and FGC. Data under `map`, a delay with `delay_source` MAP and records with `source` `renfe_visor` ' +
  "come from Renfe's map of trains, which states no licence: `meta.sources` lists all."

const fields = {
  id: col.string(
    0,
    'Public id: network, train number and, for commuter trains, line. It is the same over the whole run and on every day.',
    {
      example: 'CERCANIAS-23533-C1',
    },
  ),
  network: col.code(0, 'Network whose feed reports the position.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
  operator: col.code(0, 'Company that operates the train.', RAIL_OPERATORS, { example: 'RENFE' }),
  nucleo_code: col.code(
    0,
    'Commuter network (núcleo), by either timetable; null for other trains and without a stated trip.',
    RAIL_NUCLEOS,
    {
      nullable: true,
      example: '30',
    },
  ),
  line: meaning(
    columns.line,
    'Line of commuter rail or FGC, also for a train in the timetables of both networks whose position the other feed reports; null for other trains.',
  ),
  product: productField(
    'Commercial product by the timetable; null if the train is not in it, and for commuter trains unless they are in the timetables of both networks.',
  ),
  ...pick(columns, 'train_number', 'position', 'position_source', 'vehicle_status', 'stop_id', 'source_stop_id'),
  stop_name: col.string(0, 'Name of that stop by the timetable of the day.', { nullable: true, example: 'San Bernardo' }),
  platform: columns.platform,
  delay_s: meaning(said.delay_s, 'Delay as published, in whole minutes; negative if early. Null if not stated.'),
  delay_quality: said.delay_quality,
  delay_source: col.code(0, 'Source of the delay; trip updates take precedence over the map.', DELAY_SOURCES, {
    nullable: true,
    example: 'TRIP_UPDATE',
  }),
  is_on_time: columns.is_on_time,
  direction: columns.direction,
  unit_id: col.string(0, 'Id of the unit; FGC only.', { nullable: true, example: null }),
  unit_type: columns.unit_type,
  occupancy: nested.objects('Occupancy of the coaches that measure it, in the order M1, MI, RI, M2; FGC only, otherwise empty.', {
    coach: col.code(0, 'The coach.', TRAIN_COACHES, { example: 'M1' }),
    occupancy_pct: col.integer(0, 'Share of its capacity in use; above 100 if the publisher says so.', { unit: '%', example: 12 }),
  }),
  schedule_relationship: optional(said.schedule_relationship, 'Relation of the trip to the timetable; null without a trip update.'),
  trip_id: columns.trip_id,
  matched_trip_id: col.string(0, 'Timetable trip of the train; null if not found.', {
    nullable: true,
    example: '3043M23533C1',
  }),
  other_train_id: col.string(
    0,
    "Id of the same train by its trip in the other network's timetable; the train is found under both. Null if only one timetable has it.",
    { nullable: true, example: null },
  ),
  other_trip_id: col.string(0, 'That trip; if it has several parts, the nearest in time.', { nullable: true, example: null }),
  match: col.code(0, 'How it was found in the timetable.', TRAIN_MATCHES, { example: 'BY_TRIP' }),
  service_date: col.local_date(0, 'Service day of the trip; null if neither timetable nor trip update states it.', {
    nullable: true,
    example: '2026-05-26',
  }),
  origin_id: col.string(0, 'First stop of the trip by the timetable; for FGC as published.', { nullable: true, example: '51200' }),
  origin: col.string(0, 'Its name.', { nullable: true, example: 'Utrera' }),
  destination_id: col.string(0, 'Last stop of the trip by the timetable; for FGC as published.', { nullable: true, example: '50600' }),
  destination: col.string(0, 'Its name.', { nullable: true, example: 'Lora del Río' }),
  map: nested.object(
    "Data of Renfe's map of trains, which states no licence; null if the train is not on the map.",
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
  source: meaning(columns.source, 'Source of the position.'),
  source_id: columns.source_id,
  observed_at: meaning(columns.observed_at, 'Time of the position; the publication time if the train states none.'),
  age_s: col.integer(0, "Age of the position relative to the newest publication of its operator's positions.", { unit: 's', example: 0 }),
  ...stateFields(columns.observed_at),
} as const

/** A running train. */
export const train = record('Train', 'A running train.', fields)

/** A stop ahead of a train. */
const nextStop = {
  stop_id: col.string(0, 'Station.', { example: '51100' }),
  name: col.string(0, 'Its name by the timetable.', { nullable: true, example: 'San Bernardo' }),
  stop_sequence: col.integer(0, 'Position of the stop in the trip; null if the train is not in the timetable.', {
    unit: '1',
    nullable: true,
    example: 7,
  }),
  arrival_at: col.instant(0, 'Planned arrival.', { nullable: true, example: '2026-05-26T09:24:00.000Z' }),
  departure_at: col.instant(0, 'Planned departure.', { nullable: true, example: '2026-05-26T09:25:00.000Z' }),
  expected_arrival_at: col.instant(
    0,
    'Arrival that the trip update expects at the next stop, else planned arrival plus delay; null without a credible delay and at skipped stops.',
    { nullable: true, example: '2026-05-26T09:42:00.000Z' },
  ),
  expected_departure_at: col.instant(
    0,
    'Planned departure plus delay, but neither before the planned time nor before the expected arrival; null without a credible delay and at skipped stops.',
    {
      nullable: true,
      example: '2026-05-26T09:43:00.000Z',
    },
  ),
  is_skipped: col.boolean(0, 'True if the train will skip the stop.', { example: false }),
} as const

/** A running train with the stops ahead. */
export const trainDetail = record('TrainDetail', 'A running train with its next stops.', {
  ...fields,
  next_stops: nested.objects(
    'The remaining stops, beginning with the one of the position. For a train that is not in the timetable, only the next one, if stated; for FGC all, without times.',
    nextStop,
  ),
})

/** A running train, as lists show it. */
export type Train = ValueOf<typeof fields>
/** A stop ahead of a train. */
export type NextStop = ValueOf<typeof nextStop>

/** The current states that trains are computed from. */
export const TRAIN_STATES = [railPositions, railTripUpdates, railFleet] as const
/** The same, as endpoints receive them. */
export type TrainStates = StatesOf<typeof TRAIN_STATES>
export type PositionRow = State<typeof railPositions>['rows'][number]
export type TripUpdateRow = State<typeof railTripUpdates>['rows'][number]
export type MapRow = State<typeof railFleet>['rows'][number]
