import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { DELAY_QUALITIES, RAIL_MOVEMENTS, RAIL_NETWORKS, RAIL_PRODUCTS } from './codes.ts'
import { renfeVisor } from './sources.ts'

/** An observation older than this is not current, ms. */
const CURRENT_FOR_MS = 600_000

/**
 * Delay, product and vehicles of trains on Renfe's map. It states no licence, so it has its own table, is off by default, and
 * must be named as a source. Join with `rail_positions` by network and train number (commuter: trip). About half a million rows a
 * day: 92 to 188 long-distance and 120 late commuter trains every 30 s, fewer at night.
 */
export const railFleet = defineDataset({
  id: 'rail_fleet',
  domain: 'rail',
  title: "Trains on Renfe's map",
  about: "Delay, product, vehicle numbers and stops of each running train on Renfe's map, every observation; current for 10 minutes.",
  sources: [renfeVisor],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe_visor' }),
    network: col.code(2, 'Network the train belongs to.', RAIL_NETWORKS, { example: 'AVLDMD' }),
    source_id: col.string(3, "The map's id of the train: its trip in the commuter network, else its number.", { example: '18014' }),
    observed_at: col.instant(4, 'Publication of the map.', { example: '2026-03-11T15:14:20.000Z' }),
    train_number: col.string(5, 'Commercial number, leading zeros kept.', { example: '18014' }),
    trip_id: col.string(6, 'Trip of the timetable; commuter trains only.', { nullable: true, example: null }),
    line: col.string(7, 'Line; commuter trains only.', { nullable: true, example: null }),
    nucleo_code: col.string(8, "Commuter network (núcleo) with the timetable's number: the map's 50 for Rodalies becomes 51.", {
      nullable: true,
      example: null,
    }),
    position: col.point([9, 10], 'Where it is.', { nullable: true, example: { lat: 42.843834, lon: -2.408011 } }),
    fixed_at: col.instant(11, 'Time of the satellite fix; long distance only.', { nullable: true, example: '2026-03-11T15:14:15.000Z' }),
    delay_s: col.integer(12, 'Delay as published, in whole minutes; negative if early.', { unit: 's', nullable: true, example: 1620 }),
    delay_quality: col.code(13, 'DOUBTFUL if the delay is below -1800 s or above 21600 s; the delay stays as published.', DELAY_QUALITIES, {
      nullable: true,
      example: 'OK',
    }),
    product: col.code(
      14,
      'Commercial product; long distance only. The map shows AVE_INT as AVE, AVANT_EXP as AVANT, TRENCELTA as INTERCITY and PROXIMIDAD as REGIONAL.',
      RAIL_PRODUCTS,
      { nullable: true, example: 'MD' },
    ),
    corridor: col.string(15, 'Corridor as published; long distance only.', { nullable: true, example: 'Madrid - Vitoria - Irún' }),
    previous_stop_id: col.string(16, 'Last stop, or the current stop if it stands there.', { nullable: true, example: '11212' }),
    next_stop_id: col.string(17, 'Next stop, or the current stop if it stands there.', { nullable: true, example: '11210' }),
    expected_arrival_at: col.instant(18, 'Expected arrival at the next stop.', { nullable: true, example: '2026-03-11T15:18:00.000Z' }),
    origin_stop_id: col.string(19, 'First stop of the train.', { nullable: true, example: '11511' }),
    destination_stop_id: col.string(20, 'Last stop of the train.', { nullable: true, example: '10000' }),
    is_accessible: col.boolean(21, 'Whether the train is reported as accessible.', { nullable: true, example: false }),
    vehicle_numbers: col.list([22, 23], 'Numbers of its vehicles; long distance only.', col.string(0, 'Number of a vehicle.'), {
      example: ['449046'],
    }),
    series: col.list([24, 25], 'Series of its vehicles, the first three digits of their numbers, distinct.', col.string(0, 'Series.'), {
      example: ['449'],
    }),
    movement: col.code(26, 'How it moves; commuter trains only.', RAIL_MOVEMENTS, { nullable: true, example: null }),
    progress_pct: col.decimal(27, 'Share of the section between two stops that it has covered; commuter trains only.', {
      scale: 1,
      unit: '%',
      nullable: true,
      example: null,
      min: 0,
      max: 100,
    }),
    platform: col.string(28, 'Platform, as text; commuter trains only.', { nullable: true, example: null }),
    next_platform: col.string(29, 'Platform at the next stop, as text; commuter trains only.', { nullable: true, example: null }),
  },
  entity: ['source', 'network', 'source_id'],
  time: 'observed_at',
  writeMode: 'append',
  absence: 'keeps',
  currentFor_ms: CURRENT_FOR_MS,
  partition: [month('observed_at')],
  order: ['network', 'source_id', 'observed_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
