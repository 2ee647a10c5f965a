import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { POSITION_SOURCES, RAIL_NETWORKS, TRAIN_COACHES, TRAIN_DIRECTIONS, VEHICLE_STATUSES } from './codes.ts'
import { fgc, renfe } from './sources.ts'

/** An observation older than this is not current, ms. */
const CURRENT_FOR_MS = 600_000
/** How long the known trains of a missing núcleo stay current, ms. */
const HELD_FOR_MS = 3_600_000

/**
 * Train positions, every observation. Renfe's map has its own table (`rail_fleet`), since no licence permits its reuse; join by
 * network and train number. About a million rows a day of Renfe (270 to 320 commuter trains every 20 s, fewer at night) and a
 * tenth of that of FGC. Each differs in time at least, so these are observations, not states.
 */
export const railPositions = defineDataset({
  id: 'rail_positions',
  domain: 'rail',
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
    vehicle_id: col.string(5, "Train number as the vehicle states it, which may differ from the trip's; for FGC the id of the unit.", {
      nullable: true,
      example: '23533',
    }),
    trip_id: col.string(6, 'Trip of the timetable; null if the train states none.', { nullable: true, example: '3043M23533C1' }),
    train_number: col.string(7, "Commercial number in the trip id, else the vehicle's; for FGC the circulation.", {
      nullable: true,
      example: '23533',
    }),
    line: col.string(8, 'Line: in the trip id for Renfe, whose long-distance ids have none; as published for FGC.', {
      nullable: true,
      example: 'C1',
    }),
    nucleo_code: col.string(9, 'Commuter network (núcleo) in the trip id; long-distance ids have none.', {
      nullable: true,
      example: '30',
    }),
    position: col.point([10, 11], 'Where it is.', { nullable: true, example: { lat: 37.377792, lon: -5.979549 } }),
    position_source: col.code(
      12,
      'GPS in transit, else STATION, as the source is known to report; null without position or status, and for FGC, which does not state it. Of 550 captured positions of standing or arriving trains, 420 are within 0.0003° of the station.',
      POSITION_SOURCES,
      { nullable: true, example: 'STATION' },
    ),
    vehicle_status: col.code(13, 'Position relative to the stop.', VEHICLE_STATUSES, { nullable: true, example: 'STOPPED_AT' }),
    stop_id: col.string(14, "The stop of the status: five digits for Renfe, the network, a colon and the publisher's code for others.", {
      nullable: true,
      example: '51100',
    }),
    platform: col.string(15, 'Platform in the label, as text; null if there is none.', { nullable: true, example: '1' }),
    label: col.string(16, 'Label of the vehicle as published.', { nullable: true, example: 'C1-23533-PLATF.(1)' }),
    direction: col.code(17, 'Running direction; FGC only.', TRAIN_DIRECTIONS, { nullable: true, example: null }),
    origin_stop_id: col.string(18, 'First stop of the train, as in `stop_id`; FGC only.', { nullable: true, example: null }),
    destination_stop_id: col.string(19, 'Last stop of the train, as in `stop_id`; FGC only.', { nullable: true, example: null }),
    next_stop_ids: col.list([20, 21], 'Remaining stops in running order; FGC only.', col.string(0, 'Stop, as in `stop_id`.'), {
      nullable: true,
      example: null,
    }),
    is_on_time: col.boolean(22, 'Whether the publisher reports the train as on time; FGC only.', { nullable: true, example: null }),
    unit_type: col.string(23, 'Series of the unit as published; FGC only.', { nullable: true, example: null }),
    occupied_coaches: col.list(
      [24, 25],
      'Coaches with a measured occupancy, in the order M1, MI, RI, M2; FGC only.',
      col.code(0, 'A coach.', TRAIN_COACHES),
      { nullable: true, example: null },
    ),
    occupancies_pct: col.list(
      [26, 27],
      'Occupancy of those coaches, in the same order; FGC only.',
      col.integer(0, 'Share of the capacity of a coach in use.', { unit: '%' }),
      { nullable: true, example: null },
    ),
    source_stop_id: col.string(28, "The stop of the status, by the publisher's code; FGC only.", { nullable: true, example: null }),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  writeMode: 'append',
  absence: 'keeps',
  currentFor_ms: CURRENT_FOR_MS,
  heldFor_ms: HELD_FOR_MS,
  partition: [month('observed_at')],
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
