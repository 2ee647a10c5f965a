import { cameras } from '../../../lake/datasets/road/cameras.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, pick, projection, record } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { oneOf, required, textParam } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, placeFields } from '../common-fields.ts'

const { columns } = cameras

/** The public id of a camera, because ids of publishers may be equal. */
export function cameraId({ source, camera_id }: { readonly source: string; readonly camera_id: string }): string {
  return `${source}-${camera_id}`
}

/** A camera in replies and events. */
export const camera = record('Camera', "A traffic camera with the link to the publisher's current image.", {
  id: field.text("Source and the publisher's id.", 'dgt-176130'),
  ...pick(columns, 'name', 'operator', 'road', 'km', 'direction', 'destination'),
  ...placeFields(columns),
  ...pick(columns, 'position', 'image_url', 'device_updated_at'),
  ...originFields(columns, { source_id: columns.camera_id }),
})

/** The record of a row. */
export const toCamera = projection(cameras, camera, { id: cameraId })
const camerasOf = memo((state: State<typeof cameras>) => state.rows.map(toCamera))

const ABOUT_IMAGES =
  "`image_url` is the image on the publisher's server, which renews it every few minutes. Images are not stored here, and no source states when one was taken. Links to unknown hosts are null."

/** The cameras of the country. */
export const cameraList = defineEndpoint({
  path: '/api/camaras',
  plan: 'FREE',
  summary: 'Traffic cameras with the link to their current image',
  summary_es: 'Cámaras de tráfico con el enlace a su imagen actual',
  about: `Cameras of DGT, of Catalonia's SCT with those of Barcelona and Terrassa on its map, and of Madrid's streets. SCT and Madrid state no direction. ${ABOUT_IMAGES} The terms of the Basque Country's cameras do not allow listing.`,
  filters: [
    placeFilter,
    roadFilter,
    columnFilter('source', oneOf('Source of the cameras.', ['dgt', 'sct', 'madrid'], { example: 'dgt' }), 'source'),
    areaFilter,
  ],
  returns: listReturn('cameras', camera, { sorts: ['id', 'road', 'km', 'updated_at'] }),
  read: { kind: 'memory', from: [cameras], records: ([state]) => camerasOf(state) },
  example: { source: 'dgt', limit: '5' },
})

/** One camera. */
export const cameraById = defineEndpoint({
  path: '/api/camaras/{id}',
  plan: 'FREE',
  summary: 'One traffic camera with the link to its current image',
  summary_es: 'Una cámara de tráfico con el enlace a su imagen actual',
  about: ABOUT_IMAGES,
  params: { id: required(textParam("Source and the publisher's id.", { max: 160, example: 'dgt-176130' })) },
  returns: { kind: 'one', record: camera },
  read: {
    kind: 'memory',
    from: [cameras],
    answer: ({ states: [state] }, { id }) => camerasOf(state).find((one) => one.id === id) ?? null,
  },
  example: { id: 'dgt-176130' },
})
