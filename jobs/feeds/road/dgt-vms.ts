import { dgt } from '../../../lake/datasets/road/sources.ts'
import { SPEED_LIMITS_KMH, vmsMessages } from '../../../lake/datasets/road/vms.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { xmlInstant } from '../../formats/dates.ts'
import { instant } from '../../formats/datex2.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, child, textAt, type XmlElement, xsiType } from '../../formats/xml.ts'
import { bodyOf, type Diagnostics, defineFeed } from '../define.ts'
import { presentRows } from '../presence.ts'

/** A pictogram that a page shows. */
type Pictogram = {
  readonly area: number
  readonly code: string
  readonly is_flashing: boolean
  readonly image_url: string | null
}

/** A page of a panel, as JSON has it. */
type PanelPage = {
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
function pagesOf(controller: XmlElement, diagnostics: Diagnostics): PanelPage[] {
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

type Message = FeedRow<typeof vmsMessages> & { readonly pages: readonly PanelPage[] }

/**
 * Fields that at least one panel of every publication has, by the publisher's names; without them panels would look blank or
 * empty.
 */
const ALWAYS: Readonly<Record<string, (message: Message) => boolean>> = {
  vmsMessage: ({ pages }) => pages.length > 0,
  timeLastSet: ({ pages }) => pages.some(({ set_at }) => set_at !== null),
  customPictogramCode: ({ pages }) => pages.some(({ pictograms }) => pictograms.length > 0),
  textLine: ({ pages }) => pages.some(({ lines }) => lines.length > 0),
}

/** The contents of DGT's variable-message panels: a VMS publication of DATEX II v3.7, all panels every few minutes. */
export const dgtVms = defineFeed({
  id: 'dgt_vms',
  source: dgt,
  into: [vmsMessages],
  every_s: 120,
  get: {
    name: 'messages',
    url: 'https://nap.dgt.es/datex2/v3/dgt/VmsPublication/datex2_v37.xml',
    maxBytes: 32_000_000,
    timeout_ms: 30_000,
    expects: 'xml',
  },
  bands: { vms_messages: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  *rows(bodies, _clock, diagnostics) {
    const query = {
      type: 'VmsPublication',
      each: 'vmsControllerStatus',
      header: (publishedAt: number) => diagnostics.publishedAt(publishedAt),
    }
    const row = (controller: XmlElement): Message | null => {
      const panel_id = attribute(child(controller, 'vmsControllerReference') ?? controller, 'id')?.trim()
      if (panel_id) return messageOf(panel_id, pagesOf(controller, diagnostics))
      diagnostics.reject(vmsMessages, 'panel without id', '')
      return null
    }
    yield* presentRows(vmsMessages, payloadElements(bodyOf(bodies).bytes, query), { what: 'panels', always: ALWAYS, row })
  },
})

function messageOf(panel_id: string, pages: readonly PanelPage[]): Message {
  const texts = new Set(pages.flatMap(({ lines }) => (lines.length > 0 ? [lines.join(' ')] : [])))
  const limits = pages.flatMap(({ speed_limit_kmh }) => speed_limit_kmh ?? [])
  const times = pages.flatMap(({ set_at }) => (set_at === null ? [] : (xmlInstant(set_at) ?? [])))
  const isShowing = pages.some(({ lines, pictograms }) => lines.length > 0 || pictograms.length > 0)
  return {
    source: dgt.id,
    panel_id,
    display: isShowing ? 'MESSAGE' : pages.length > 0 ? 'BLANK' : 'EMPTY',
    text: texts.size === 0 ? null : [...texts].join(' | '),
    speed_limit_kmh: limits.length === 0 ? null : Math.min(...limits),
    pages,
    shown_since: times.length === 0 ? null : Math.max(...times),
  }
}
