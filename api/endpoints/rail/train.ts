import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_OPERATORS, TRAIN_COACHES } from '../../../lake/datasets/rail/codes.ts'
import { railFleet, railPositions, railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { stateFields } from '../common-fields.ts'
import { DELAY_SOURCES, productField } from './codes.ts'

/**
 * The public id of a running train: network, train number and, if any, line. Stable over the run and across days, while
 * long-distance trip ids change every night. Two trains of a day share a number 281 times among 115,493 of the commuter
 * timetable of 2026-06-13, always on two lines. Without a number, the id in the publication.
 */
export function trainId(train: NamedTrain & { readonly source_id: string }): string {
  return numberedTrainId(train) ?? idOf(train, train.source_id)
}

/**
 * The same for data that only names a train, in a timetable or alert; null without a number. The line comes from the trip id:
 * all 138,716 commuter trips of 2026-08-22 name the line of their route.
 */
export function numberedTrainId(train: NamedTrain): string | null {
  return train.train_number === null ? null : idOf(train, train.train_number)
}

/** The same for a timetable trip. */
export function trainIdOf(trip: {
  readonly network: string
  readonly train_number: string | null
  readonly route: { readonly short_name: string | null; readonly nucleo_code: string | null }
}): string | null {
  const { network, train_number, route } = trip
  return numberedTrainId({ network, train_number, line: route.nucleo_code === null ? null : route.short_name })
}

/** Identifying properties of a train. */
interface NamedTrain {
  readonly network: string
  readonly train_number: string | null
  /** Line for commuter rail; null for other trains. */
  readonly line: string | null
}

function idOf({ network, line }: NamedTrain, name: string): string {
  return line === null ? `${network}-${name}` : `${network}-${name}-${line}`
}

/** The train id as a path parameter. */
export const trainIdParam = required(
  textParam('Id of the train: network, train number and, of commuter trains, line.', { max: 60, example: 'CERCANIAS-23533-C1' }),
)

/** The network in the first part of an id. */
export function networkOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}

const { columns } = railPositions
const [said, map] = [railTripUpdates.columns, railFleet.columns]

/** Methods of matching a train to the timetable. */
const TRAIN_MATCHES = defineCodes('train_match', 'How a running train was found in the timetable.', {
  BY_TRIP: ['Por el viaje: su identificador está en el horario de su día', 'By trip: the id is in the timetable of its day'],
  BY_TRAIN_NUMBER: [
    'Por el número de tren, pues su identificador es de otra versión del horario',
    'By train number, because the id is from another version of the timetable',
  ],
  UNMATCHED: ['Sin correspondencia en el horario', 'Not in the timetable'],
})

/** Description of the sources of records. */
export const ABOUT_TRAINS =
  "Open data of Renfe and FGC. Data under `map` comes from Renfe's map, which states no licence; `meta.sources` lists all."

/** The page about live data of trains. */
export const TRAINS_PAGE = defineMethodPage('trains', new URL('./trains.md', import.meta.url))

/** What the map says of a train. */
export const mapFields = {
  ...pick(map, 'observed_at', 'delay_s', 'delay_quality', 'product', 'corridor', 'vehicle_numbers', 'series', 'is_accessible'),
  ...pick(map, 'movement', 'progress_pct', 'platform', 'next_platform', 'previous_stop_id', 'next_stop_id', 'expected_arrival_at'),
  origin_id: map.origin_stop_id,
  destination_id: map.destination_stop_id,
} as const

/** A stop ahead of a train. */
export const nextStop = {
  stop_id: field.text('Station.', '51100'),
  name: maybe.text('Its name by the timetable.', 'San Bernardo'),
  stop_sequence: maybe.integer('Position of the stop in the trip; null if the train is not in the timetable.', '1', 7),
  arrival_at: maybe.instant('Planned arrival.', '2026-05-26T09:24:00.000Z'),
  departure_at: maybe.instant('Planned departure.', '2026-05-26T09:25:00.000Z'),
  expected_arrival_at: maybe.instant(
    'Arrival that the trip update expects at the next stop, else planned arrival plus delay; null without a credible delay and at skipped stops.',
    '2026-05-26T09:42:00.000Z',
  ),
  expected_departure_at: maybe.instant(
    'Planned departure plus delay, but neither before the planned time nor before the expected arrival; null without a credible delay and at skipped stops.',
    '2026-05-26T09:43:00.000Z',
  ),
  is_skipped: field.boolean('True if the train will skip the stop.', false),
} as const

const fields = {
  id: field.text(
    'Public id: network, train number and, for commuter trains, line. It is the same over the whole run and on every day.',
    'CERCANIAS-23533-C1',
  ),
  network: field.code('Network whose feed reports the position.', RAIL_NETWORKS, 'CERCANIAS'),
  operator: field.code('Company that operates the train.', RAIL_OPERATORS, 'RENFE'),
  nucleo_code: maybe.code(
    'Commuter network (núcleo), by either timetable; null for other trains and without a stated trip.',
    RAIL_NUCLEOS,
    '30',
  ),
  line: meaning(
    columns.line,
    'Line of commuter rail or FGC, also for a train in the timetables of both networks whose position the other feed reports; null for other trains.',
  ),
  product: productField(
    'Commercial product by the timetable; null if the train is not in it, and for commuter trains unless they are in the timetables of both networks.',
  ),
  ...pick(columns, 'train_number', 'position', 'position_source', 'vehicle_status', 'stop_id', 'source_stop_id'),
  stop_name: maybe.text('Name of that stop by the timetable of the day.', 'San Bernardo'),
  platform: columns.platform,
  delay_s: meaning(said.delay_s, 'Delay as published, in whole minutes; negative if early. Null if not stated.'),
  delay_quality: said.delay_quality,
  delay_source: maybe.code('Source of the delay; trip updates take precedence over the map.', DELAY_SOURCES, 'TRIP_UPDATE'),
  is_on_time: columns.is_on_time,
  direction: columns.direction,
  unit_id: maybe.text('Id of the unit; FGC only.', null),
  unit_type: columns.unit_type,
  occupancy: nested.objects('Occupancy of the coaches that measure it, in the order M1, MI, RI, M2; FGC only, otherwise empty.', {
    coach: field.code('The coach.', TRAIN_COACHES, 'M1'),
    occupancy_pct: field.integer('Share of its capacity in use; above 100 if the publisher says so.', '%', 12),
  }),
  schedule_relationship: optional(said.schedule_relationship, 'Relation of the trip to the timetable; null without a trip update.'),
  trip_id: columns.trip_id,
  matched_trip_id: maybe.text('Timetable trip of the train; null if not found.', '3043M23533C1'),
  other_train_id: maybe.text(
    "Id of the same train by its trip in the other network's timetable; the train is found under both. Null if only one timetable has it.",
    null,
  ),
  other_trip_id: maybe.text('That trip; if it has several parts, the nearest in time.', null),
  match: field.code('How it was found in the timetable.', TRAIN_MATCHES, 'BY_TRIP'),
  service_date: maybe.date('Service day of the trip; null if neither timetable nor trip update states it.', '2026-05-26'),
  origin_id: maybe.text('First stop of the trip by the timetable; for FGC as published.', '51200'),
  origin: maybe.text('Its name.', 'Utrera'),
  destination_id: maybe.text('Last stop of the trip by the timetable; for FGC as published.', '50600'),
  destination: maybe.text('Its name.', 'Lora del Río'),
  next_stop: nested.maybe(
    'The stop that it goes to or, while it stands at one, goes to next; null if neither timetable nor publisher says it.',
    {
      ...pick(nextStop, 'stop_id', 'name', 'expected_arrival_at'),
      lat: maybe.float('Latitude of the station by the timetable, WGS84.', 'deg', 37.379),
      lon: maybe.float('Its longitude.', 'deg', -5.9797),
    },
  ),
  map: nested.maybe("Data of Renfe's map of trains, which states no licence; null if the train is not on the map.", mapFields),
  source: meaning(columns.source, 'Source of the position.'),
  source_id: columns.source_id,
  observed_at: meaning(columns.observed_at, 'Time of the position; the publication time if the train states none.'),
  age_s: field.integer("Age of the position relative to the newest publication of its operator's positions.", 's', 0),
  ...stateFields(columns.observed_at),
} as const

/** A running train. */
export const train = record('Train', 'A running train.', fields)

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
