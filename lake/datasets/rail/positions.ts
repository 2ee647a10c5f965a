import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { POSITION_SOURCES, RAIL_NETWORKS, VEHICLE_STATUSES } from './codes.ts'
import { renfe } from './sources.ts'

/** An observation older than this is no longer where a train is, ms. */
const CURRENT_FOR_MS = 600_000
/** Of a núcleo that is missing it is known for so long which trains it had, ms. */
const HELD_FOR_MS = 3_600_000

/**
 * Where trains are, every observation. The fleet that Renfe's map shows is a table of its own (`rail_fleet`), since nobody says that it may
 * be reused: reads join the two by network and train number.
 *
 * Volume: 134 to 211 commuter trains in the captures, 270 to 320 in a full publication, every 20 s, and fewer at night: about a million
 * rows a day. Each differs from the one before by its time at least, so that they are observations and not states.
 */
export const railPositions = defineDataset({
  id: 'rail_positions',
  domain: 'rail',
  title: 'Positions of trains',
  about:
    'Position, status, stop and platform of each running train, every observation; current state for 10 minutes, while its núcleo is missing for an hour.',
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    network: col.code(2, 'Network the train belongs to.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
    source_id: col.string(3, "The source's id of the train in its publication.", { example: 'VP_C1-23533' }),
    observed_at: col.instant(4, 'Time of the observation; of the publication where the train states none.', {
      example: '2026-05-26T09:35:55.000Z',
    }),
    vehicle_id: col.string(5, 'Train number as the vehicle states it; it may differ from the one of its trip.', {
      nullable: true,
      example: '23533',
    }),
    trip_id: col.string(6, 'Trip of the timetable; null where the train states none.', { nullable: true, example: '3043M23533C1' }),
    train_number: col.string(7, 'Commercial number inside the trip id, else what the vehicle states.', {
      nullable: true,
      example: '23533',
    }),
    line: col.string(8, 'Line inside the trip id; long-distance ids have none.', { nullable: true, example: 'C1' }),
    nucleo_code: col.string(9, 'Commuter network (núcleo) inside the trip id; long-distance ids have none.', {
      nullable: true,
      example: '30',
    }),
    position: col.point([10, 11], 'Where it is.', { nullable: true, example: { lat: 37.377792, lon: -5.979549 } }),
    position_source: col.code(
      12,
      'GPS in transit, else STATION by what is known of the source; null without position or status. Of 550 that stand or arrive in the captures 420 are within 0.0003° of their station.',
      POSITION_SOURCES,
      { nullable: true, example: 'STATION' },
    ),
    vehicle_status: col.code(13, 'Where it is with regard to the stop.', VEHICLE_STATUSES, { nullable: true, example: 'STOPPED_AT' }),
    stop_id: col.string(14, 'The stop that the status is about.', { nullable: true, example: '51100' }),
    platform: col.string(15, 'Platform in the label, which is text; null where it has none.', { nullable: true, example: '1' }),
    label: col.string(16, 'Label of the vehicle as published.', { nullable: true, example: 'C1-23533-PLATF.(1)' }),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  land: 'append',
  absence: 'keeps',
  currentFor_ms: CURRENT_FOR_MS,
  heldFor_ms: HELD_FOR_MS,
  partition: [month('observed_at')],
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
