import { cameras } from '../../../lake/datasets/road/cameras.ts'
import { sct } from '../../../lake/datasets/road/sources.ts'
import { featureOf } from '../../formats/gml.ts'
import type { XmlElement } from '../../formats/xml.ts'
import type { RawRecord } from '../kit/binder.ts'
import { xmlFeed } from '../kit/record-feed.ts'
import { imageLink } from './camera-links.ts'
import { isDesignation } from './designation.ts'
import { namedPlace } from './named-place.ts'

/** Local name of the features. */
const FEATURE = 'cameres'
/** SCT's own images, and those of other operators; only Barcelona's is known to answer https. */
const HOSTS = {
  'mct.gencat.cat': { hasHttps: false },
  'emap.terrassa.cat': { hasHttps: false },
  'urgell.terrassa.cat': { hasHttps: false },
  'www.bcn.cat': { hasHttps: true },
}
/** The name of an image, as a value of a query or the end of a path. */
const IMAGE = /^[^/]+\.(?:gif|jpe?g|png)$/i
const ANDORRA = 'Andorra'

/**
 * The cameras of the Servei Català de Trànsit and of other operators on its map: WFS 1.0 with GML 2 points. `fid` changes with
 * each download, so the link identifies a camera.
 */
export const sctCameras = xmlFeed({
  id: 'sct_cameras',
  source: sct,
  into: cameras,
  every_s: 86_400,
  get: { name: 'cameras', url: 'https://www.gencat.cat/transit/opendata/cameres.xml', maxBytes: 8_000_000 },
  band: { atLeast: 1 },
  freshBy: 'fetch',
  root: 'FeatureCollection',
  each: 'featureMember',
  records: (member) => member.children.map(recordOf),
  columns: {
    ...{ road: 'carretera', place: 'municipi', km: 'pk', link: 'link', operator: 'font' },
    ...{ feature: 'feature_type', lat: 'point_lat', lon: 'point_lon' },
  },
  knows: ['geom'],
  needs: ['link'],
  nonEmptyFields: ['road', 'operator'],
  requireAny: { 'a position': ({ position }) => position !== null },
  duplicateWarning: 'another camera with the same link: left out',
  row: (r) => {
    const type = r.text('feature')
    if (type !== null && type !== FEATURE) r.unknownCode('sct_feature', type)
    const operator = r.text('operator')
    if (operator === ANDORRA) {
      r.warn('a camera in Andorra: left out')
      return null
    }
    const [link, stated, name] = [r.text('link'), r.text('road'), r.text('place')]
    const url = imageLink(link, HOSTS)
    if (url === null) r.warn('link of a camera is not to a known host: no link')
    // In towns `carretera` names the street or crossing.
    const road = stated !== null && isDesignation(stated) ? stated : null
    return {
      source: sct.id,
      camera_id: idOf(link),
      name: road === null ? [stated, name].filter((text) => text !== null).join(', ') || null : name,
      operator,
      road,
      km: r.number('km'),
      direction: 'UNKNOWN',
      destination: null,
      ...namedPlace(r.place({ position: r.position('lat', 'lon') })),
      image_url: url?.href ?? null,
      device_updated_at: null,
    }
  },
})

/** The fields of a feature, with its type and point. */
function recordOf(element: XmlElement): RawRecord {
  const { type, point } = featureOf(element)
  const texts = element.children.map(({ name, text }) => [name, text] as const)
  const all = [...texts, ['feature_type', type], ['point_lat', point?.lat], ['point_lon', point?.lon]] as const
  return { names: all.map(([name]) => name), values: all.map(([, value]) => value) }
}

/**
 * The id of a camera from its link: the image that the query names, else host and path. Other parts of a query, such as `a=1`,
 * only keep browsers from caching.
 */
function idOf(link: string): string {
  const url = URL.parse(link.trim())
  if (!url) return link.trim()
  const named = [...url.searchParams.values()].find((value) => IMAGE.test(value))
  return named === undefined ? `${url.host}${url.pathname}`.replaceAll('/', '_') : named.replace(/\.\w+$/, '')
}
