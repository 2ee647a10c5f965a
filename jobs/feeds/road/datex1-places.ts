import type { Point } from '../../../lake/schema/columns.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { textAt, type XmlElement } from '../../formats/xml.ts'
import type { Diagnostics } from '../define.ts'

/** The position of a point of DATEX II v1.0, unchecked; null without one. */
export function coordinatesOf(point: XmlElement | undefined): Point | null {
  const [lat, lon] = ['latitude', 'longitude'].map((name) => pointNumber(textAt(point, 'pointCoordinates', name) ?? ''))
  return lat == null || lon == null ? null : { lat, lon }
}

/** The kilometre of a reference point of DATEX II v1.0, from metres; null if missing or impossible for a road. */
export function kilometreOf(reference: XmlElement | undefined, diagnostics: Diagnostics): number | null {
  const text = textAt(reference, 'referencePointDistance')
  const metres = text === null ? null : pointNumber(text)
  if (metres === null) return null
  if (metres >= 0 && metres <= 2_000_000) return Math.round(metres) / 1000
  diagnostics.warn('referencePointDistance is no number of metres from 0 to 2000000')
  return null
}

/** The INE code of the province in the extension of a reference point, with its zero. */
export function provinceCodeOf(extension: XmlElement | undefined): string | null {
  return textAt(extension, 'provinceINEIdentifier')?.padStart(2, '0') ?? null
}
