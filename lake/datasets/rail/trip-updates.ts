import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { DELAY_QUALITIES, RAIL_NETWORKS, TRIP_RELATIONSHIPS, WHEELCHAIR_ACCESS } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * What is said of each running or cancelled trip: one row a state, not one a publication.
 *
 * Volume, which is why it lands `changes`: 200 to 350 commuter trips every 20 s would be 0.9 to 1.5 million rows a day of `append`, some
 * 40 million a month. A statement changes when the train has left a stop or its delay or expected arrival moved; at some 4,500 trips a day of
 * 13 stops (1,867,794 stop_times of 138,716 trips) that is from 100,000 rows a day on. How often expected arrivals move between stops is not
 * known from the captures; at worst the rows are those of `append`. Of long distance, 39,823 statements of 2026-03-28 are 16,757 rows.
 *
 * It has what the reads need. The current state is what a departure board joins. For punctuality the last row of a trip that names a stop has
 * the delay that it arrived there with: the next one names the next stop, or is ENDED; trips that have a row are the observed ones, and a
 * month is one partition.
 */
export const railTripUpdates = defineDataset({
  id: 'rail_trip_updates',
  domain: 'rail',
  title: 'Live trips of the railway',
  about: 'Delay, next stop, cancelled stops and cancellation of each running trip, each state it went through.',
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    network: col.code(2, 'Network the trip belongs to.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
    trip_id: col.string(3, 'Trip of the timetable. Of long distance its date is the start of validity, not the running day.', {
      example: '5135M77432R4',
    }),
    observed_at: col.instant(4, 'Publication that gave this state.', { example: '2026-08-25T13:25:34.000Z' }),
    train_number: col.string(5, 'Commercial number inside the trip id, leading zeros kept.', { nullable: true, example: '77432' }),
    line: col.string(6, 'Line inside the trip id; long-distance ids have none.', { nullable: true, example: 'R4' }),
    nucleo_code: col.string(7, 'Commuter network (núcleo) inside the trip id; long-distance ids have none.', {
      nullable: true,
      example: '51',
    }),
    service_date: col.local_date(
      8,
      'Service day: for commuter trains the day near the publication that the id names by its letter; else the local date 3 h before the time that the train would have without its delay, and of a cancelled one the local date 5 h 10 min before the publication.',
      { example: '2026-08-25' },
    ),
    schedule_relationship: col.code(9, 'How the trip relates to the timetable.', TRIP_RELATIONSHIPS, { example: 'SCHEDULED' }),
    delay_s: col.integer(10, 'Delay as published, in whole minutes; negative where early.', { unit: 's', nullable: true, example: 1080 }),
    delay_quality: col.code(11, 'DOUBTFUL where the delay is below -1800 s or above 21600 s; it is kept as published.', DELAY_QUALITIES, {
      nullable: true,
      example: 'OK',
    }),
    next_stop_id: col.string(12, 'Next stop; it may be among the skipped ones too.', { nullable: true, example: '78704' }),
    expected_arrival_at: col.instant(13, 'Expected arrival at the next stop.', { nullable: true, example: '2026-08-25T13:27:59.000Z' }),
    skipped_stop_ids: col.list(
      [14, 15],
      'Stops that the train will not make; sorted, for the published order is not always that of running.',
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
  land: 'changes',
  absence: 'ends',
  partition: [month('observed_at')],
  order: ['network', 'trip_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
