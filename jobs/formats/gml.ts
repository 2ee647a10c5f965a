import type { Point } from '../../lake/schema/columns.ts'
import { decimalNumber } from './numbers.ts'
import { attribute, child, textAt, type XmlElement } from './xml.ts'

/** A feature of a WFS collection: its type, its fields as published and its point, unchecked. */
export interface GmlFeature {
  /** Local name of the element: the feature type. */
  readonly type: string
  /** The server's id of the feature; some servers change it with each answer. */
  readonly fid: string | null
  readonly point: Point | null
  /** Text of a field, trimmed; null if missing or empty. */
  readonly text: (field: string) => string | null
}

/** Geometry elements; their parent is the field that contains them. */
const POINT = 'Point'

/**
 * A feature of a WFS 1.0 `FeatureCollection` with GML 2 points. Names are local: publishers choose prefixes and namespaces.
 * `schemaLocation` and `srsName` are ignored: x comes before y, so in EPSG:4326 longitude comes before latitude.
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
 * The position of a GML 2 point, longitude first; null if there is none. The element declares its notation: `decimal` mark,
 * `cs` between coordinates, `ts` between tuples (`.`, `,` and a blank by default). Numbers in another notation are NaN, which
 * the caller counts.
 */
function gmlPoint(point: XmlElement | undefined): Point | null {
  const coordinates = child(point, 'coordinates')
  if (!coordinates || coordinates.text === '') return null
  const decimal = attribute(coordinates, 'decimal') || '.'
  const between = attribute(coordinates, 'cs') || ','
  const tuples = attribute(coordinates, 'ts') || ' '
  const parts = coordinates.text.split(tuples)[0]?.split(between) ?? []
  // A third coordinate is a height; more mean that the decimal mark differs from the declared one.
  const [lon = Number.NaN, lat = Number.NaN] = parts.length > 3 ? [] : parts.map((part) => decimalNumber(part, decimal))
  return { lat, lon }
}
