import { parseInstant } from '../../../../lake/schema/time.ts'
import { dgtVmsDevices, dgtVmsMessages } from '../../formats/dgt-vms.ts'
import { type FeedStandIn, keptOf, newestStamp } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { panelMessagesAt, panels } from '../../world/panels.ts'

const FOLDER = '/datex2/v3/dgt/'
const HOUR = 3_600_000

/** A feed about panels: one document, made anew every `every_ms`. */
function panelFeed(
  of: { readonly feed: string; readonly path: string; readonly every_ms: number; readonly capture: RegExp },
  write: FeedStandIn['write'],
): FeedStandIn {
  const { feed, every_ms, capture } = of
  const path = `${FOLDER}${of.path}`
  const stamp = (seed: number, step: number): number => step * every_ms + (hash(seed, feed, step) % 20_000)
  return {
    feed,
    hosts: ['nap.dgt.es'],
    path,
    route: (asked) => (asked === path ? { kind: 'document', resource: 'national' } : null),
    publishedAt: newestStamp(every_ms, stamp),
    contentType: 'application/xml',
    validators: 'etag',
    headers: {},
    blocks: { known: /^(?!)/, usual: [] },
    hasOldLayout: false,
    write,
    captures: {
      folder: 'dgt-vms',
      // vms_messages_datex2_v37_20260903T005157+0200.excerpt12.xml
      capturedAt(file) {
        if (!capture.test(file)) return null
        const [, year, month, day, hour, minute, second, zone] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)([+-]\d\d)00/.exec(file) ?? []
        return year === undefined ? null : parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}:00`)
      },
    },
  }
}

/** What the panels show: every two minutes. */
export const panelMessages = panelFeed(
  { feed: 'dgt_vms', path: 'VmsPublication/datex2_v37.xml', every_ms: 120_000, capture: /^vms_messages_/ },
  (world, { publishedAt, stampedAt, variant }) =>
    dgtVmsMessages(keptOf(panelMessagesAt(world, publishedAt), variant), {
      publishedAt: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    }),
)

/** Where the panels are: every hour. */
export const panelDevices = panelFeed(
  { feed: 'dgt_vms_devices', path: 'DevicePublication/vms_datex2_v37.xml', every_ms: HOUR, capture: /^vms_locations_/ },
  (world, { stampedAt, variant }) =>
    dgtVmsDevices(keptOf(world.part(panels), variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes }),
)
