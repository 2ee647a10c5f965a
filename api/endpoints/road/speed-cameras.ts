import { speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { SPEED_CAMERA_TYPES } from '../../../lake/datasets/road/codes.ts'
import { lengthM, longestRoadM } from '../../../lake/places/lines.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, maybe, pick, projection, record, type StateRow } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { codeParam, listOf, oneOf } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, placeFields } from '../common-fields.ts'
import { type Posts, ROAD_TABLES, roadPosts } from './posts.ts'

const { columns } = speedCameras
type Row = StateRow<typeof speedCameras>

/** The public id of a speed camera, because ids of publishers may be equal. */
export function speedCameraId({ source, speed_camera_id }: Pick<Row, 'source' | 'speed_camera_id'>): string {
  return `${source}-${speed_camera_id}`
}

const speedCamera = record('SpeedCamera', 'An announced speed camera, or a section with control of the average speed.', {
  id: field.text("Source and the publisher's id.", 'dgt-GUID_CVM_900001'),
  ...pick(columns, 'type', 'name', 'road', 'km', 'km_to', 'direction', 'source_direction', 'lanes', 'speed_limit_kmh'),
  ...placeFields(columns),
  ...pick(columns, 'position', 'to'),
  geometry: maybe.line('Line of a section along the located road; null for a point, and where the road is not located.', {
    type: 'LineString',
    coordinates: [
      [-0.915697, 41.6088],
      [-0.9301, 41.6122],
      [-0.9496, 41.6192],
    ],
  }),
  ...originFields(columns, { source_id: columns.speed_camera_id }),
})

const { geometry: _, ...published } = speedCamera.fields

/** A speed camera in events, which do not locate its road: without the line. */
export const publishedSpeedCamera = record('SpeedCameraEvent', 'An announced speed camera after a change, as published.', published)

/** The record of a row, without the line of a section. */
export const toSpeedCamera = projection(speedCameras, speedCamera, {
  id: speedCameraId,
  geometry: () => null,
})

/** The speed cameras of a state, with lines where the posts of the road are known. */
const speedCamerasOf = memo((state: State<typeof speedCameras>, posts: Posts | null) =>
  state.rows.map((row) => ({ ...toSpeedCamera(row), geometry: posts && sectionLine(row, posts) })),
)

/** The line of a section along the posts of its road, between its published ends where both are; null if not located. */
export function sectionLine({ road, km, km_to, province_code, position, to }: Row, posts: Posts): Line | null {
  if (road === null || km === null || km_to === null || km === km_to) return null
  const line = posts.line(foldRoad(road), { km_from: km, km_to, province_code, near: position })?.line
  if (!line) return null
  const drawn: Line = position && to ? [[position.lon, position.lat], ...line.slice(1, -1), [to.lon, to.lat]] : line
  return lengthM(drawn) <= longestRoadM(Math.abs(km_to - km)) ? drawn : null
}

/** The announced speed cameras of the country. */
export const speedCameraList = defineEndpoint({
  path: '/api/radares',
  plan: 'FREE',
  summary: 'Speed cameras: fixed ones, sections and sites of mobile ones',
  summary_es: 'Radares: fijos, de tramo y emplazamientos de móviles',
  about:
    "Announced speed cameras of DGT (without speed limits), Catalonia's SCT (with speed limits and sites of trailers, MOBILE_SITE) and Madrid's streets. A section has both ends, or one of them for SCT, and its line if the road is located. A fixed camera may be an empty cabin. The lists of the Basque Country and Navarra state no terms and are left out; DGT's has cameras in Navarra.",
  filters: [
    columnFilter('type', listOf(codeParam('Kind of speed camera.', SPEED_CAMERA_TYPES, { example: 'SECTION' })), 'type'),
    placeFilter,
    roadFilter,
    columnFilter('source', oneOf('Source of the cameras.', ['dgt', 'sct', 'madrid'], { example: 'dgt' }), 'source'),
    areaFilter,
  ],
  returns: listReturn('speed_cameras', speedCamera, { sorts: ['id', 'road', 'km', 'speed_limit_kmh', 'updated_at'] }),
  read: {
    kind: 'memory',
    from: [speedCameras],
    lake: ROAD_TABLES,
    needs: [],
    answer: async ({ states: [state], optional }) => speedCamerasOf(state, await optional(roadPosts, '')),
  },
  example: { type: 'SECTION', limit: '5' },
})
