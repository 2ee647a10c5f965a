import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { DELAY_QUALITIES, RAIL_NETWORKS, TRIP_RELATIONSHIPS, WHEELCHAIR_ACCESS } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * State of each running or cancelled trip. Changelog mode: appending 200 to 350 commuter trips every 20 s would be 40 million
 * rows a month; state changes are some 100,000 rows a day (4,500 trips of 13 stops; how often arrivals move is unknown). Long
 * distance: 39,823 statements of 2026-03-28 are 16,757 rows. The last row that names a stop has its arrival delay.
 */
export const railTripUpdates = defineDataset({
  id: 'rail_trip_updates',
  domain: 'rail',
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
    train_number: col.string(5, 'Commercial number in the trip id, with leading zeros.', { nullable: true, example: '77432' }),
    line: col.string(6, 'Line in the trip id; long-distance ids have none.', { nullable: true, example: 'R4' }),
    nucleo_code: col.string(7, 'Commuter network (núcleo) in the trip id; long-distance ids have none.', {
      nullable: true,
      example: '51',
    }),
    service_date: col.local_date(
      8,
      'Service day. Commuter trains: the day near the publication that matches the letter in the id. Others: the local date 3 h before the expected time minus the delay; if cancelled, the local date 5 h 10 min before the publication.',
      { example: '2026-08-25' },
    ),
    schedule_relationship: col.code(9, 'How the trip relates to the timetable.', TRIP_RELATIONSHIPS, { example: 'SCHEDULED' }),
    delay_s: col.integer(10, 'Delay as published, in whole minutes; negative if early.', { unit: 's', nullable: true, example: 1080 }),
    delay_quality: col.code(11, 'DOUBTFUL if the delay is below -1800 s or above 21600 s; the delay stays as published.', DELAY_QUALITIES, {
      nullable: true,
      example: 'OK',
    }),
    next_stop_id: col.string(12, 'Next stop; it may also be a skipped stop.', { nullable: true, example: '78704' }),
    expected_arrival_at: col.instant(13, 'Expected arrival at the next stop.', { nullable: true, example: '2026-08-25T13:27:59.000Z' }),
    skipped_stop_ids: col.list(
      [14, 15],
      'Skipped stops; sorted, since the published order is not always the running order.',
      col.string(0, 'Station code.'),
      { example: [] },
    ),
    wheelchair_access: col.code(16, 'Whether the train can take a wheelchair.', WHEELCHAIR_ACCESS, {
      nullable: true,
      example: 'WHEELCHAIR_INACCESSIBLE',
    }),
  },
  entity: ['source', 'network', 'trip_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  partition: [month('observed_at')],
  order: ['network', 'trip_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
