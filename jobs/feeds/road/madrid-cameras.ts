import { cameras } from '../../../lake/datasets/road/cameras.ts'
import { madrid } from '../../../lake/datasets/road/sources.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import type { RawRecord } from '../kit/binder.ts'
import { xmlFeed } from '../kit/record-feed.ts'
import { namedPlace } from './named-place.ts'

/** The cameras of Madrid's streets: KML 2.2, whose descriptions are HTML with a link to the image on a former host. */
export const madridCameras = xmlFeed({
  id: 'madrid_cameras',
  source: madrid,
  into: cameras,
  every_s: 86_400,
  get: { name: 'cameras', url: 'https://informo.madrid.es/informo/tmadrid/CCTV.kml', maxBytes: 8_000_000 },
  band: { atLeast: 1 },
  freshBy: 'fetch',
  root: 'kml',
  each: 'Placemark',
  records: (placemark) => [recordOf(placemark)],
  columns: { number: 'Numero', name: 'Nombre', lat: 'point_lat', lon: 'point_lon' },
  needs: ['number'],
  nonEmptyFields: ['name'],
  requireAny: { 'a position': ({ position }) => position !== null },
  row: (r) => {
    const number = r.text('number')
    const isNumber = /^\d{1,6}$/.test(number)
    if (!isNumber) r.warn('Numero is no number: no link')
    return {
      ...{ source: madrid.id, camera_id: number, name: r.text('name'), operator: null },
      ...{ road: null, km: null, direction: 'UNKNOWN', destination: null },
      ...namedPlace(r.place({ position: r.position('lat', 'lon') })),
      image_url: isNumber ? `https://informo.madrid.es/cameras/Camara${number}.jpg` : null,
      device_updated_at: null,
    }
  },
})

/** The extended data of a placemark, with its point: longitude, latitude and height. */
function recordOf(placemark: XmlElement): RawRecord {
  const data = child(placemark, 'ExtendedData')?.children ?? []
  const [lon, lat] = textAt(placemark, 'Point', 'coordinates')?.split(',') ?? []
  const all = [...data.map((one) => [attribute(one, 'name') ?? '', textAt(one, 'Value')] as const), ['point_lat', lat], ['point_lon', lon]]
  return { names: all.map(([name]) => name as string), values: all.map(([, value]) => value) }
}
