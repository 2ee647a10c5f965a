import { dgt } from '../../../lake/datasets/road/sources.ts'
import { vmsMessages } from '../../../lake/datasets/road/vms-messages.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { xmlInstant } from '../../formats/dates.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, child, type XmlElement } from '../../formats/xml.ts'
import { bodyOf, defineFeed } from '../define.ts'
import { presentRows } from '../presence.ts'
import { type PanelPage, pagesOf } from './vms-pages.ts'

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
