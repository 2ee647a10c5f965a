import type { Point } from '../../lake/schema/columns.ts'
import { attribute, child, textAt, type XmlElement } from './xml.ts'

/** A feature of a WFS collection: its type, its fields as published and its point, unchecked. */
export interface GmlFeature {
  /** Local name of the element: the feature type. */
  readonly type: string
  /** The server's id of the feature; made anew with each answer by some. */
  readonly fid: string | null
  readonly point: Point | null
  /** Text of a field, trimmed; null where it is absent or empty. */
  readonly text: (field: string) => string | null
}

/** Elements that hold a geometry; their owner is the field they stand in. */
const POINT = 'Point'

/**
 * A feature of a WFS 1.0 `FeatureCollection` with GML 2 points. Names are local: prefixes and namespaces are the publisher's. Neither
 * `schemaLocation` nor any `srsName` is looked up: coordinates are x before y, which in EPSG:4326 is longitude before latitude.
 */
export function featureOf(element: XmlElement): GmlFeature {
  const owner = element.children.find((field) => child(field, POINT))
  return {
    type: element.name,
    fid: attribute(element, 'fid') ?? null,
    point: gmlPoint(child(owner, POINT)),
    text: (field) => textAt(element, field),
  }
}

/**
 * The position of a GML 2 point, longitude first; null where there is none. The element itself says how its numbers are written: `decimal`
 * is the mark of decimals, `cs` stands between the coordinates of one tuple, `ts` between tuples (`.`, `,` and a blank unless told).
 * Numbers that do not follow that are NaN: the caller counts them.
 */
function gmlPoint(point: XmlElement | undefined): Point | null {
  const coordinates = child(point, 'coordinates')
  if (!coordinates || coordinates.text === '') return null
  const decimal = attribute(coordinates, 'decimal') || '.'
  const between = attribute(coordinates, 'cs') || ','
  const tuples = attribute(coordinates, 'ts') || ' '
  const parts = coordinates.text.split(tuples)[0]?.split(between) ?? []
  // A third coordinate would be a height; more are a mark of decimals that is not what the element says.
  const [lon = Number.NaN, lat = Number.NaN] = parts.length > 3 ? [] : parts.map((part) => numberOf(part.trim(), decimal))
  return { lat, lon }
}

function numberOf(text: string, decimal: string): number {
  const [whole = '', part = '0', ...more] = text.split(decimal)
  return /^[+-]?\d+$/.test(whole) && /^\d+$/.test(part) && more.length === 0 ? Number(`${whole}.${part}`) : Number.NaN
}
