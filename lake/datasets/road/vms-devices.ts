import { allBut, BASQUE_COUNTRY, CATALONIA } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { ROAD_DIRECTIONS } from './codes.ts'
import { dgt } from './sources.ts'

/** The catalogue of variable-message panels and their positions. */
export const vmsDevices = defineDataset({
  id: 'vms_devices',
  domain: 'road',
  title: 'Variable-message panels',
  about:
    'Catalogue of variable-message panels on Spanish roads: road, kilometre, direction, position. Catalonia and the Basque Country have their own traffic authorities and are not included.',
  sources: [dgt],
  lacks: allBut('panels', BASQUE_COUNTRY, CATALONIA),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    panel_id: col.string(2, "The publisher's id of the panel.", { example: '61441' }),
    observed_at: col.instant(3, 'Publication of this state.', { example: '2026-09-06T17:05:01.469Z' }),
    road: col.string(4, 'Road designation as published.', orNull('M-607')),
    km: col.decimal(5, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 18.532 }),
    direction: col.code(6, 'Direction of traffic that it faces, along the road.', ROAD_DIRECTIONS, { example: 'NEGATIVE' }),
    destination: col.string(7, 'Destination of that direction, as published.', orNull('MADRID')),
    province_code: col.string(8, 'INE code of the province.', orNull('28')),
    municipality_code: col.string(9, 'INE code of the municipality that contains the position.', orNull('28079')),
    municipality: col.string(10, 'Official name of that municipality; the publisher states none.', orNull('Madrid')),
    position: col.point([11, 12], 'Where it is.', orNull({ lat: 40.56056, lon: -3.713396 })),
    device_updated_at: col.instant(13, 'When the publisher last changed its record.', orNull('2024-10-28T17:25:32.000Z')),
  },
  entity: ['source', 'panel_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
