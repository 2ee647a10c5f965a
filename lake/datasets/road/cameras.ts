import { allBut, BASQUE_COUNTRY } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { ROAD_DIRECTIONS } from './codes.ts'
import { dgt, madrid, sct } from './sources.ts'

/** Traffic cameras with the link to their image. */
export const cameras = defineDataset({
  id: 'cameras',
  domain: 'road',
  title: 'Traffic cameras',
  about:
    "Catalogue of traffic cameras of Spanish roads, of Catalonia and of Madrid's streets: position and link to the publisher's current image. Images are not stored.",
  sources: [dgt, sct, madrid],
  lacks: allBut('cameras', BASQUE_COUNTRY),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    camera_id: col.string(2, "The publisher's id of the camera; SCT has none, so there it is made from the link.", { example: '176130' }),
    observed_at: col.instant(3, 'Publication or fetch of this state.', { example: '2026-02-22T00:00:01.571Z' }),
    name: col.string(4, 'Name of the camera, or the place that the publisher states.', orNull(null)),
    operator: col.string(5, 'Operator, if the publisher names another one.', orNull(null)),
    road: col.string(6, 'Road designation as published.', orNull('A-62')),
    km: col.decimal(7, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 25.3 }),
    direction: col.code(8, 'Direction of traffic that it shows, along the road.', ROAD_DIRECTIONS, { example: 'NEGATIVE' }),
    destination: col.string(9, 'Destination of that direction, as published.', orNull('BURGOS')),
    province_code: col.string(10, 'INE code of the province.', orNull('09')),
    municipality_code: col.string(11, 'INE code of the municipality that contains the position.', orNull('09362')),
    municipality: col.string(12, 'Official name of that municipality.', orNull('Santa María del Campo')),
    position: col.point([13, 14], 'Where it is.', orNull({ lat: 42.2624, lon: -3.9403 })),
    image_url: col.string(15, "Link to the current image on the publisher's server; null without a link to a known host.", {
      nullable: true,
      example: 'https://etraffic.dgt.es/camarasEtraffic/176130.jpg',
    }),
    device_updated_at: col.instant(
      16,
      'When the publisher last changed its record; it does not concern the image.',
      orNull('2025-10-28T13:19:42.000Z'),
    ),
  },
  entity: ['source', 'camera_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
