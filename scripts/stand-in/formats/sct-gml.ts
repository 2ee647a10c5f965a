import type { CatalanCamera } from '../world/cameras.ts'
import type { CatalanIncident } from '../world/catalan-incidents.ts'
import { escapeText } from './xml.ts'

// As written by GeoServer 1, with the address of its schemas, which is on an internal machine.
const headOf = (feature: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><wfs:FeatureCollection xmlns="http://www.opengis.net/wfs" xmlns:wfs="http://www.opengis.net/wfs"' +
  ' xmlns:gml="http://www.opengis.net/gml" xmlns:cite="http://www.opengeospatial.net/cite" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
  ' xsi:schemaLocation="http://www.opengeospatial.net/cite http://localhost:8080/sct-gis/wfs?service=WFS&amp;version=1.0.0&amp;request=DescribeFeatureType' +
  `&amp;typeName=cite%3A${feature} http://www.opengis.net/wfs http://localhost:8080/sct-gis/schemas/wfs/1.0.0/WFS-basic.xsd">` +
  '<gml:boundedBy><gml:null>unknown</gml:null></gml:boundedBy>'
/** Ids of features differ in each answer: the server's id, the time in ms and a count, all hexadecimal. */
const SERVER = '6a6e10fd'
const COUNT_FROM = 0x4cac

/** The incidents of the Servei Català de Trànsit: UTF-8 on one line, without a line end. `publishedAt` in ms. */
export function sctGml(incidents: readonly CatalanIncident[], publishedAt: number): string {
  return collection('mct2_v_afectacions_data', incidents.map(fieldsOf), publishedAt)
}

/** Its cameras in the same form. With `hasUnknownCodes` one camera in forty has an unknown field. */
export function sctCamerasGml(
  cameras: readonly CatalanCamera[],
  { publishedAt, hasUnknownCodes }: { readonly publishedAt: number; readonly hasUnknownCodes: boolean },
): string {
  const fields = cameras.map((camera, nth) => cameraFields(camera) + (hasUnknownCodes && nth % 40 === 7 ? field('enfocament', 'nord') : ''))
  return collection('cameres', fields, publishedAt)
}

function collection(feature: string, fields: readonly string[], publishedAt: number): string {
  const features = fields.map((text, at) => {
    const fid = `${feature}.fid-${SERVER}_${publishedAt.toString(16)}_${(COUNT_FROM + at).toString(16)}`
    return `<gml:featureMember><cite:${feature} fid="${fid}">${text}</cite:${feature}></gml:featureMember>`
  })
  return `${headOf(feature)}${features.join('')}</wfs:FeatureCollection>`
}

function fieldsOf(incident: CatalanIncident): string {
  const { kind, cause, from } = incident
  const [type, typeText] = kind.type
  return [
    pointOf(from),
    field('identificador', incident.id),
    field('tipus', type),
    field('subtipus', cause.subtype),
    field('carretera', incident.road.name),
    field('pk_inici', from.km.toFixed(2)),
    field('pk_fi', incident.to_km.toFixed(2)),
    field('causa', cause.text),
    incident.heading === null ? '' : field('cap_a', incident.heading),
    field('data', new Date(incident.reportedAt).toUTCString()),
    field('nivell', incident.level),
    field('sentit', incident.direction),
    incident.effect === '' ? '' : field('descripcio', incident.effect),
    field('descripcio_tipus', typeText),
    field('font', 'SCT'),
  ].join('')
}

function cameraFields({ lon, lat, road, place, km, link, operator }: CatalanCamera): string {
  return [
    pointOf({ lon, lat }),
    field('carretera', road),
    field('municipi', place),
    km === null ? '' : field('pk', km.toFixed(2)),
    field('link', link).replaceAll('\r', '&#13;'),
    field('font', operator),
  ].join('')
}

function pointOf({ lon, lat }: { readonly lon: number; readonly lat: number }): string {
  const coordinates = '<gml:coordinates xmlns:gml="http://www.opengis.net/gml" decimal="." cs="," ts=" ">'
  return `<cite:geom><gml:Point srsName="http://www.opengis.net/gml/srs/epsg.xml#4326">${coordinates}${lon},${lat}</gml:coordinates></gml:Point></cite:geom>`
}

function field(name: string, value: string | number): string {
  return `<cite:${name}>${escapeText(String(value))}</cite:${name}>`
}
