import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { DELAY_QUALITIES, RAIL_MOVEMENTS, RAIL_NETWORKS, RAIL_PRODUCTS } from './codes.ts'
import { renfeVisor } from './sources.ts'

/** An observation older than this is no longer what a train does, ms. */
const CURRENT_FOR_MS = 600_000

/**
 * What Renfe's map says of each train, beside the open positions: delay, product, vehicles. A table of its own, since no licence is stated:
 * reads join it to `rail_positions` by network and train number (commuter trains by trip), and name its source where they do.
 *
 * Volume: 92 to 188 long-distance trains by day in the captures and some 120 commuter trains late in the evening, every 30 s, fewer at night:
 * about half a million rows a day. It is off unless the operator turns it on.
 */
export const railFleet = defineDataset({
  id: 'rail_fleet',
  domain: 'rail',
  title: "Trains of Renfe's map",
  about:
    'Delay, product, vehicle numbers and stops of each running train by the map of Renfe, every observation; current state for 10 minutes.',
  sources: [renfeVisor],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe_visor' }),
    network: col.code(2, 'Network the train belongs to.', RAIL_NETWORKS, { example: 'AVLDMD' }),
    source_id: col.string(3, "The map's id of the train: its trip on the commuter network, else its number.", { example: '18014' }),
    observed_at: col.instant(4, 'Publication of the map.', { example: '2026-03-11T15:14:20.000Z' }),
    train_number: col.string(5, 'Commercial number, leading zeros kept.', { example: '18014' }),
    trip_id: col.string(6, 'Trip of the timetable; of commuter trains only.', { nullable: true, example: null }),
    line: col.string(7, 'Line; of commuter trains only.', { nullable: true, example: null }),
    nucleo_code: col.string(8, 'Commuter network (núcleo) as the timetable numbers it: the map has 50 for Rodalies, which is 51.', {
      nullable: true,
      example: null,
    }),
    position: col.point([9, 10], 'Where it is.', { nullable: true, example: { lat: 42.843834, lon: -2.408011 } }),
    fixed_at: col.instant(11, 'Time of the satellite fix; of long distance only.', { nullable: true, example: '2026-03-11T15:14:15.000Z' }),
    delay_s: col.integer(12, 'Delay as published, in whole minutes; negative where early.', { unit: 's', nullable: true, example: 1620 }),
    delay_quality: col.code(13, 'DOUBTFUL where the delay is below -1800 s or above 21600 s; it is kept as published.', DELAY_QUALITIES, {
      nullable: true,
      example: 'OK',
    }),
    product: col.code(
      14,
      'Commercial product; of long distance only. The map has AVE_INT as AVE, AVANT_EXP as AVANT, TRENCELTA as INTERCITY and PROXIMIDAD as REGIONAL.',
      RAIL_PRODUCTS,
      { nullable: true, example: 'MD' },
    ),
    corridor: col.string(15, 'Corridor as published; of long distance only.', { nullable: true, example: 'Madrid - Vitoria - Irún' }),
    previous_stop_id: col.string(16, 'Last stop, or the one it stands at.', { nullable: true, example: '11212' }),
    next_stop_id: col.string(17, 'Next stop, or the one it stands at.', { nullable: true, example: '11210' }),
    expected_arrival_at: col.instant(18, 'Expected arrival at the next stop.', { nullable: true, example: '2026-03-11T15:18:00.000Z' }),
    origin_stop_id: col.string(19, 'First stop of the train.', { nullable: true, example: '11511' }),
    destination_stop_id: col.string(20, 'Last stop of the train.', { nullable: true, example: '10000' }),
    is_accessible: col.boolean(21, 'Whether the train is said to be accessible.', { nullable: true, example: false }),
    vehicle_numbers: col.list([22, 23], 'Numbers of its vehicles; of long distance only.', col.string(0, 'Number of a vehicle.'), {
      example: ['449046'],
    }),
    series: col.list([24, 25], 'Series of its vehicles, the first three digits of their numbers, each once.', col.string(0, 'Series.'), {
      example: ['449'],
    }),
    movement: col.code(26, 'How it moves; of commuter trains only.', RAIL_MOVEMENTS, { nullable: true, example: null }),
    progress_pct: col.decimal(27, 'Share of the section between two stops that it has run; of commuter trains only.', {
      scale: 1,
      unit: '%',
      nullable: true,
      example: null,
      min: 0,
      max: 100,
    }),
    platform: col.string(28, 'Platform, which is text; of commuter trains only.', { nullable: true, example: null }),
    next_platform: col.string(29, 'Platform at the next stop, which is text; of commuter trains only.', { nullable: true, example: null }),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  land: 'append',
  absence: 'keeps',
  currentFor_ms: CURRENT_FOR_MS,
  partition: [month('observed_at')],
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
