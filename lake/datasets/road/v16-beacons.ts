import { allBut, BASQUE_COUNTRY } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { ROAD_DIRECTIONS } from './codes.ts'
import { COMPASS_DIRECTIONS } from './incident-codes.ts'
import { dgt } from './sources.ts'

/** Connected V16 emergency beacons. The public id identifies one activation and nothing else. */
export const v16Beacons = defineDataset({
  id: 'v16_beacons',
  domain: 'road',
  title: 'V16 emergency beacons',
  about: 'Active connected V16 beacons of stopped vehicles, one row per state of an activation.',
  sources: [dgt],
  lacks: allBut('V16 beacons', BASQUE_COUNTRY),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    source_id: col.string(2, "The source's own id of the activation; never published by the API.", { example: '1234567' }),
    beacon_id: col.string(3, 'Public id of one activation.', { example: 'v16_4H7K2QX9M1TZ' }),
    first_seen_at: col.instant(4, 'First publication that contained it.', { example: '2026-01-02T12:23:28.413Z' }),
    observed_at: col.instant(5, 'Publication of this state.', { example: '2026-01-02T12:23:28.413Z' }),
    activated_at: col.instant(6, 'Activation time stated by the source.', { example: '2026-01-02T12:10:02.000Z' }),
    road: col.string(7, 'Road designation as published.', orNull('A-7')),
    km: col.decimal(8, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 531.214 }),
    direction: col.code(9, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    province_code: col.string(10, 'INE code of the province.', orNull('30')),
    municipality_code: col.string(11, 'INE code of the municipality.', orNull('30024')),
    municipality: col.string(12, 'Municipality as published, else the name for its code.', orNull('Lorca')),
    position: col.point([13, 14], 'Position of the beacon.', orNull({ lat: 37.6712, lon: -1.7017 })),
    compass_direction: col.code(15, 'Direction of travel by the compass.', COMPASS_DIRECTIONS, orNull('NORTH_EAST')),
  },
  entity: ['source', 'source_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  life: { id: 'beacon_id', prefix: 'v16', since: 'first_seen_at' },
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
