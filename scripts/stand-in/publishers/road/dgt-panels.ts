import { dgtDevices } from '../../formats/dgt-devices.ts'
import { dgtVmsMessages } from '../../formats/dgt-vms.ts'
import { keptOf } from '../../publisher.ts'
import { panelMessagesAt, panels } from '../../world/panels.ts'
import { dgtDocument } from './dgt-document.ts'

const HOUR = 3_600_000

const PANELS = { delay_ms: 0, spread_ms: 20_000, folder: 'dgt-vms' }

/** The messages of the panels: every two minutes. */
export const panelMessages = dgtDocument(
  { ...PANELS, feed: 'dgt_vms', every_ms: 120_000, capture: /^vms_messages_/ },
  (world, { publishedAt, stampedAt, variant }) =>
    dgtVmsMessages(keptOf(panelMessagesAt(world, publishedAt), variant), {
      publishedAt: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    }),
)

/** The positions of the panels: every hour. */
export const panelDevices = dgtDocument(
  { ...PANELS, feed: 'dgt_vms_devices', every_ms: HOUR, capture: /^vms_locations_/ },
  (world, { stampedAt, variant }) =>
    dgtDevices(
      keptOf(world.part(panels), variant).map((one) => ({ ...one, type: 'vms', direction: one.isPositive ? 'positive' : 'negative' })),
      { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes },
    ),
)
