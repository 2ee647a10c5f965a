import { col, orNull } from '../../schema/columns.ts'
import { PERCENT } from '../../schema/quantities.ts'
import { railDataset } from '../domains.ts'
import {
  DELAY_QUALITIES,
  POSITION_SOURCES,
  RAIL_MOVEMENTS,
  RAIL_NETWORKS,
  RAIL_PRODUCTS,
  TRAIN_COACHES,
  TRAIN_DIRECTIONS,
  TRIP_RELATIONSHIPS,
  VEHICLE_STATUSES,
  WHEELCHAIR_ACCESS,
} from './codes.ts'
import { fgc, renfe, renfeVisor } from './sources.ts'

/** An observation older than this is not current, ms. */
const CURRENT_FOR_MS = 600_000
/** How long the known trains of a missing núcleo stay current, ms. */
const HELD_FOR_MS = 3_600_000

/**
 * Train positions, every observation. Renfe's map has its own table (`rail_fleet`), since no licence permits its reuse; join by
 * network and train number. About a million rows a day of Renfe (270 to 320 commuter trains every 20 s, fewer at night) and a
 * tenth of that of FGC. Each differs in time at least, so these are observations, not states.
 */
export const railPositions = railDataset({
  id: 'rail_positions',
  title: 'Positions of trains',
  about:
    'Position, status, stop and platform of each running train, every observation; current for 10 minutes, or for an hour if its núcleo is missing.',
  sources: [renfe, fgc],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    network: col.code(2, 'Network the train belongs to.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
    source_id: col.string(3, "The source's id of the train in its publication; for FGC its circulation.", { example: 'VP_C1-23533' }),
    observed_at: col.instant(4, 'Time of the observation; of the publication if the train states none.', {
      example: '2026-05-26T09:35:55.000Z',
    }),
    vehicle_id: col.string(
      5,
      "Train number as the vehicle states it, which may differ from the trip's; for FGC the id of the unit.",
      orNull('23533'),
    ),
    trip_id: col.string(6, 'Trip of the timetable; null if the train states none.', orNull('3043M23533C1')),
    train_number: col.string(7, "Commercial number in the trip id, else the vehicle's; for FGC the circulation.", orNull('23533')),
    line: col.string(8, 'Line: in the trip id for Renfe, whose long-distance ids have none; as published for FGC.', orNull('C1')),
    nucleo_code: col.string(9, 'Commuter network (núcleo) in the trip id; long-distance ids have none.', orNull('30')),
    position: col.point([10, 11], 'Where it is.', orNull({ lat: 37.377792, lon: -5.979549 })),
    position_source: col.code(
      12,
      'GPS in transit, else STATION, as the source is known to report; null without position or status, and for FGC, which does not state it. Of 550 captured positions of standing or arriving trains, 420 are within 0.0003° of the station.',
      POSITION_SOURCES,
      orNull('STATION'),
    ),
    vehicle_status: col.code(13, 'Position relative to the stop.', VEHICLE_STATUSES, orNull('STOPPED_AT')),
    stop_id: col.string(
      14,
      "The stop of the status: five digits for Renfe, the network, a colon and the publisher's code for others.",
      orNull('51100'),
    ),
    platform: col.string(15, 'Platform in the label, as text; null if there is none.', orNull('1')),
    label: col.string(16, 'Label of the vehicle as published.', orNull('C1-23533-PLATF.(1)')),
    direction: col.code(17, 'Running direction; FGC only.', TRAIN_DIRECTIONS, orNull(null)),
    origin_stop_id: col.string(18, 'First stop of the train, as in `stop_id`; FGC only.', orNull(null)),
    destination_stop_id: col.string(19, 'Last stop of the train, as in `stop_id`; FGC only.', orNull(null)),
    next_stop_ids: col.list([20, 21], 'Remaining stops in running order; FGC only.', col.string(0, 'Stop, as in `stop_id`.'), orNull(null)),
    is_on_time: col.boolean(22, 'Whether the publisher reports the train as on time; FGC only.', orNull(null)),
    unit_type: col.string(23, 'Series of the unit as published; FGC only.', orNull(null)),
    occupied_coaches: col.list(
      [24, 25],
      'Coaches with a measured occupancy, in the order M1, MI, RI, M2; FGC only.',
      col.code(0, 'A coach.', TRAIN_COACHES),
      orNull(null),
    ),
    occupancies_pct: col.list(
      [26, 27],
      'Occupancy of those coaches, in the same order; FGC only.',
      col.integer(0, 'Share of the capacity of a coach in use.', { unit: '%' }),
      orNull(null),
    ),
    source_stop_id: col.string(28, "The stop of the status, by the publisher's code; FGC only.", orNull(null)),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: CURRENT_FOR_MS,
  heldFor_ms: HELD_FOR_MS,
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})

/**
 * State of each running or cancelled trip. Changelog mode: appending 200 to 350 commuter trips every 20 s would be 40 million
 * rows a month; state changes are some 100,000 rows a day (4,500 trips of 13 stops; how often arrivals move is unknown). Long
 * distance: 39,823 statements of 2026-03-28 are 16,757 rows. The last row that names a stop has its arrival delay.
 */
export const railTripUpdates = railDataset({
  id: 'rail_trip_updates',
  title: 'Live trips of the railway',
  about: 'Delay, next stop, cancelled stops and cancellation of each running trip, with every state.',
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    network: col.code(2, 'Network the trip belongs to.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
    trip_id: col.string(3, 'Trip of the timetable. The date in long-distance ids is the start of validity, not the running day.', {
      example: '5135M77432R4',
    }),
    observed_at: col.instant(4, 'Publication of this state.', { example: '2026-08-25T13:25:34.000Z' }),
    train_number: col.string(5, 'Commercial number in the trip id, with leading zeros.', orNull('77432')),
    line: col.string(6, 'Line in the trip id; long-distance ids have none.', orNull('R4')),
    nucleo_code: col.string(7, 'Commuter network (núcleo) in the trip id; long-distance ids have none.', orNull('51')),
    service_date: col.local_date(
      8,
      'Service day. Commuter trains: the day near the publication that matches the letter in the id. Others: the local date 3 h before the expected time minus the delay; if cancelled, the local date 5 h 10 min before the publication.',
      { example: '2026-08-25' },
    ),
    schedule_relationship: col.code(9, 'How the trip relates to the timetable.', TRIP_RELATIONSHIPS, { example: 'SCHEDULED' }),
    delay_s: col.integer(10, 'Delay as published, in whole minutes; negative if early.', { unit: 's', nullable: true, example: 1080 }),
    delay_quality: col.code(
      11,
      'DOUBTFUL if the delay is below -1800 s or above 21600 s; the delay stays as published.',
      DELAY_QUALITIES,
      orNull('OK'),
    ),
    next_stop_id: col.string(12, 'Next stop; it may also be a skipped stop.', orNull('78704')),
    expected_arrival_at: col.instant(13, 'Expected arrival at the next stop.', orNull('2026-08-25T13:27:59.000Z')),
    skipped_stop_ids: col.list(
      [14, 15],
      'Skipped stops; sorted, since the published order is not always the running order.',
      col.string(0, 'Station code.'),
      { example: [] },
    ),
    wheelchair_access: col.code(16, 'Whether the train can take a wheelchair.', WHEELCHAIR_ACCESS, orNull('WHEELCHAIR_INACCESSIBLE')),
  },
  entity: ['source', 'network', 'trip_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  order: ['network', 'trip_id', 'observed_at'],
})

/**
 * Delay, product and vehicles of trains on Renfe's map. It states no licence, so it has its own table, is off by default, and
 * must be named as a source. Join with `rail_positions` by network and train number (commuter: trip). About half a million rows a
 * day: 92 to 188 long-distance and 120 late commuter trains every 30 s, fewer at night.
 */
export const railFleet = railDataset({
  id: 'rail_fleet',
  title: "Trains on Renfe's map",
  about: "Delay, product, vehicle numbers and stops of each running train on Renfe's map, every observation; current for 10 minutes.",
  sources: [renfeVisor],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe_visor' }),
    network: col.code(2, 'Network the train belongs to.', RAIL_NETWORKS, { example: 'AVLDMD' }),
    source_id: col.string(3, "The map's id of the train: its trip in the commuter network, else its number.", { example: '18014' }),
    observed_at: col.instant(4, 'Publication of the map.', { example: '2026-03-11T15:14:20.000Z' }),
    train_number: col.string(5, 'Commercial number, leading zeros kept.', { example: '18014' }),
    trip_id: col.string(6, 'Trip of the timetable; commuter trains only.', orNull(null)),
    line: col.string(7, 'Line; commuter trains only.', orNull(null)),
    nucleo_code: col.string(
      8,
      "Commuter network (núcleo) with the timetable's number: the map's 50 for Rodalies becomes 51.",
      orNull(null),
    ),
    position: col.point([9, 10], 'Where it is.', orNull({ lat: 42.843834, lon: -2.408011 })),
    fixed_at: col.instant(11, 'Time of the satellite fix; long distance only.', orNull('2026-03-11T15:14:15.000Z')),
    delay_s: col.integer(12, 'Delay as published, in whole minutes; negative if early.', { unit: 's', nullable: true, example: 1620 }),
    delay_quality: col.code(
      13,
      'DOUBTFUL if the delay is below -1800 s or above 21600 s; the delay stays as published.',
      DELAY_QUALITIES,
      orNull('OK'),
    ),
    product: col.code(
      14,
      'Commercial product; long distance only. The map shows AVE_INT as AVE, AVANT_EXP as AVANT, TRENCELTA as INTERCITY and PROXIMIDAD as REGIONAL.',
      RAIL_PRODUCTS,
      orNull('MD'),
    ),
    corridor: col.string(15, 'Corridor as published; long distance only.', orNull('Madrid - Vitoria - Irún')),
    previous_stop_id: col.string(16, 'Last stop, or the current stop if it stands there.', orNull('11212')),
    next_stop_id: col.string(17, 'Next stop, or the current stop if it stands there.', orNull('11210')),
    expected_arrival_at: col.instant(18, 'Expected arrival at the next stop.', orNull('2026-03-11T15:18:00.000Z')),
    origin_stop_id: col.string(19, 'First stop of the train.', orNull('11511')),
    destination_stop_id: col.string(20, 'Last stop of the train.', orNull('10000')),
    is_accessible: col.boolean(21, 'Whether the train is reported as accessible.', orNull(false)),
    vehicle_numbers: col.list([22, 23], 'Numbers of its vehicles; long distance only.', col.string(0, 'Number of a vehicle.'), {
      example: ['449046'],
    }),
    series: col.list([24, 25], 'Series of its vehicles, the first three digits of their numbers, distinct.', col.string(0, 'Series.'), {
      example: ['449'],
    }),
    movement: col.code(26, 'How it moves; commuter trains only.', RAIL_MOVEMENTS, orNull(null)),
    progress_pct: col.decimal(27, 'Share of the section between two stops that it has covered; commuter trains only.', {
      ...PERCENT,
      scale: 1,
      nullable: true,
      example: null,
    }),
    platform: col.string(28, 'Platform, as text; commuter trains only.', orNull(null)),
    next_platform: col.string(29, 'Platform at the next stop, as text; commuter trains only.', orNull(null)),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  writeMode: 'append',
  currentFor_ms: CURRENT_FOR_MS,
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
