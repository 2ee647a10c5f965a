import { SPEED_LIMITS_KMH } from '../../../lake/datasets/road/vms-messages.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { instant } from '../../formats/datex2.ts'
import { attribute, child, textAt, type XmlElement, xsiType } from '../../formats/xml.ts'
import type { Diagnostics } from '../define.ts'

/** A pictogram that a page shows. */
type Pictogram = {
  readonly area: number
  readonly code: string
  readonly is_flashing: boolean
  readonly image_url: string | null
}

/** A page of a panel, as JSON has it. */
export type PanelPage = {
  /** ISO 8601. */
  readonly set_at: string | null
  readonly lines: readonly string[]
  readonly is_flashing: boolean
  readonly speed_limit_kmh: number | null
  readonly pictograms: readonly Pictogram[]
}

/** The code of a blank area. */
const BLANK = '0'
/** A speed limit sign: R301 with the speed in km/h, as in `R30180I`. */
const SPEED_LIMIT = /^R301(\d{2,3})I$/
/** Pictograms are linked only on the publisher's own hosts. */
const IMAGE = /^https:\/\/(?:[\w-]+\.)*dgt\.es\//

/**
 * A controller's pages, in order of number. Elements are doubled: the outer one has the number, the inner one of the same name
 * the content.
 */
export function pagesOf(controller: XmlElement, diagnostics: Diagnostics): PanelPage[] {
  return inOrder(controller, 'vmsStatus', 'vmsIndex').flatMap((status) =>
    inOrder(status, 'vmsMessage', 'messageIndex').map((message) => pageOf(message, diagnostics)),
  )
}

function pageOf(message: XmlElement, diagnostics: Diagnostics): PanelPage {
  const lines: string[] = []
  const pictograms: Pictogram[] = []
  let isFlashing = false
  for (const { index, element } of numbered(message, 'displayAreaSettings', 'displayAreaIndex')) {
    const type = xsiType(element)
    if (type === 'TextDisplay') {
      for (const line of inOrder(element, 'textLine', 'lineIndex')) {
        lines.push(...linesOf(textAt(line, 'textLine')))
        isFlashing ||= textAt(line, 'lineFlashing') === 'true'
      }
    } else if (type === 'PictogramDisplay') {
      const pictogram = pictogramOf(index, element)
      if (pictogram) pictograms.push(pictogram)
    } else diagnostics.unknownCode('dgt_vms_display', type ?? '')
  }
  const set_at = instant(message, 'timeLastSet', diagnostics)
  return {
    set_at: set_at === null ? null : isoInstant(set_at),
    lines,
    is_flashing: isFlashing,
    speed_limit_kmh: speedLimit(pictograms, diagnostics),
    pictograms,
  }
}

function pictogramOf(area: number, element: XmlElement): Pictogram | null {
  const code = textAt(element, 'pictogram', 'customPictogramCode')
  if (code === null || code === BLANK) return null
  const url = textAt(element, 'pictogramDisplayUrl')
  return {
    area,
    code,
    is_flashing: textAt(element, 'pictogram', 'pictogramFlashing') === 'true',
    image_url: url !== null && IMAGE.test(url) ? url : null,
  }
}

/** The lowest speed limit among pictograms, km/h. */
function speedLimit(pictograms: readonly Pictogram[], diagnostics: Diagnostics): number | null {
  const { min, max } = SPEED_LIMITS_KMH
  const limits = pictograms.flatMap(({ code }) => {
    const [, digits] = SPEED_LIMIT.exec(code) ?? []
    if (digits === undefined) return []
    const limit = Number(digits)
    // The check of rows would reject the panel with its message.
    if (limit >= min && limit <= max) return [limit]
    diagnostics.warn(`speed limit outside ${min} to ${max} km/h`)
    return []
  })
  return limits.length === 0 ? null : Math.min(...limits)
}

/** The physical lines of a text: separated by LF or CR LF, centred with blanks, some only blanks. */
function linesOf(text: string | null): string[] {
  return (text ?? '').split(/[\r\n]+/).flatMap((line) => line.trim().replace(/\s+/gu, ' ') || [])
}

/** The contents of an element's numbered children, in order of number. */
function inOrder(parent: XmlElement, name: string, indexName: string): XmlElement[] {
  return numbered(parent, name, indexName).map(({ element }) => element)
}

function numbered(parent: XmlElement, name: string, indexName: string): { readonly index: number; readonly element: XmlElement }[] {
  return parent.children
    .flatMap((outer) => {
      const element = outer.name === name ? child(outer, name) : undefined
      const index = Number(attribute(outer, indexName) ?? 0)
      return element ? [{ index: Number.isInteger(index) ? index : 0, element }] : []
    })
    .sort((one, other) => one.index - other.index)
}
