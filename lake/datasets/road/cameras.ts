import { allBut, BASQUE_COUNTRY } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { ROAD_DIRECTIONS, SPEED_CAMERA_TYPES } from './codes.ts'
import { dgt, madrid, sct } from './sources.ts'

/** Traffic cameras with the link to their image. */
export const cameras = roadDataset({
  id: 'cameras',
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
})

/** Announced speed cameras: fixed ones, sections of average speed, and sites of mobile ones. */
export const speedCameras = roadDataset({
  id: 'speed_cameras',
  title: 'Speed cameras',
  about:
    "Speed cameras that the traffic authorities announce, with those of Madrid's streets: fixed ones, sections with control of the average speed, and sites of mobile ones.",
  sources: [dgt, sct, madrid],
  lacks: allBut('speed cameras', BASQUE_COUNTRY),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    speed_camera_id: col.string(2, "The publisher's id; SCT has none, so there it is road and kilometre.", { example: 'GUID_CVM_900001' }),
    observed_at: col.instant(3, 'Fetch that gave this state.', { example: '2026-10-01T06:00:00.000Z' }),
    type: col.code(4, 'Kind of speed camera.', SPEED_CAMERA_TYPES, { example: 'SECTION' }),
    name: col.string(5, 'Name or place, as published.', orNull(null)),
    road: col.string(6, 'Road designation as published; null for a street.', orNull('Z-40')),
    km: col.decimal(7, 'Kilometre point; of a section, its begin.', {
      ...{ scale: 3, unit: 'km', nullable: true, example: 26.6, min: 0, max: 2000 },
    }),
    km_to: col.decimal(8, 'End of a section; lower than `km` against the kilometres.', {
      ...{ scale: 3, unit: 'km', nullable: true, example: 29.7, min: 0, max: 2000 },
    }),
    direction: col.code(9, 'Direction of traffic that it controls, along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    source_direction: col.string(10, 'Direction as published: a destination or a text.', orNull('MADRID')),
    lanes: col.string(11, 'Lanes that it controls, as published.', orNull(null)),
    speed_limit_kmh: col.integer(12, 'Speed limit; null if not stated, as by DGT.', {
      ...{ unit: 'km/h', nullable: true, example: null, min: 5, max: 150 },
    }),
    province_code: col.string(13, 'INE code of the province.', orNull('50')),
    municipality_code: col.string(14, 'INE code of the municipality that contains the position.', orNull('50297')),
    municipality: col.string(15, 'Official name of that municipality.', orNull('Zaragoza')),
    position: col.point(
      [16, 17],
      'Where it is; of a section, its begin in the direction of travel.',
      orNull({ lat: 41.6088, lon: -0.915697 }),
    ),
    to: col.point([18, 19], 'End of a section.', orNull({ lat: 41.6192, lon: -0.9496 })),
  },
  entity: ['source', 'speed_camera_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
