import { dgt } from '../../../lake/datasets/road/sources.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms-devices.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { instant, readLocation } from '../../formats/datex2.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, FormatError } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { directionOf, statedPosition } from './dgt-measures.ts'

type Device = FeedRow<typeof vmsDevices>

/** Fields of all devices of a publication, by the publisher's names. */
const ALWAYS: Readonly<Record<string, (device: Device) => boolean>> = {
  roadName: ({ road }) => road !== null,
  kilometerPoint: ({ km }) => km !== null,
  pointCoordinates: ({ position }) => position !== null,
  province: ({ province_code }) => province_code !== null,
  tpegDirectionRoad: ({ direction }) => direction !== 'UNKNOWN',
}

/** DGT's catalogue of variable-message panels: a device publication of DATEX II v3.7. */
export const dgtVmsDevices = defineFeed({
  id: 'dgt_vms_devices',
  domain: 'road',
  source: dgt,
  into: [vmsDevices],
  every_s: 3600,
  plans: [
    {
      requests: [
        {
          name: 'devices',
          url: 'https://nap.dgt.es/datex2/v3/dgt/DevicePublication/vms_datex2_v37.xml',
          accept: 'application/xml, text/xml;q=0.9',
          maxBytes: 32_000_000,
          maxDecodedBytes: 32_000_000,
          timeout_ms: 30_000,
          expects: 'xml',
        },
      ],
    },
  ],
  bands: { vms_devices: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  freshBy: 'fetch',
  rows,
})

function* rows(bodies: readonly FeedBody[], _clock: unknown, diagnostics: Diagnostics): Generator<Batch> {
  const [body] = bodies
  if (!body) throw new FormatError('dgt_vms_devices: there is no body')
  const presence = watchPresence('devices', ALWAYS)
  const query = { type: 'DevicePublication', each: 'device', header: (publishedAt: number) => diagnostics.publishedAt(publishedAt) }
  for (const elements of payloadElements(body.bytes, query)) {
    const devices = elements.flatMap((element) => deviceOf(element, diagnostics) ?? [])
    for (const device of devices) presence.see(device)
    yield batch(vmsDevices, devices)
  }
  presence.end()
}

/** The panel of a device; null if it is not a panel, or has no id. */
function deviceOf(element: XmlElement, diagnostics: Diagnostics): Device | null {
  const panel_id = attribute(element, 'id')?.trim()
  const type = textAt(element, 'typeOfDevice')
  if (type !== 'vms') {
    diagnostics.unknownCode('dgt_device_type', type ?? '')
    return null
  }
  if (!panel_id) {
    diagnostics.reject(vmsDevices, 'device without id', textAt(element, 'lastUpdateOfDeviceInformation') ?? '')
    return null
  }
  const place = child(element, 'pointLocation')
  if (!place) {
    diagnostics.reject(vmsDevices, 'device without pointLocation', panel_id)
    return null
  }
  const location = readLocation(place, diagnostics)
  const stated = { province: location.from?.province ?? null, position: statedPosition(location.from) }
  const { municipality_code, ...resolved } = resolvePlace(stated, (problem) => diagnostics.warn(problem))
  return {
    source: dgt.id,
    panel_id,
    road: location.road,
    km: location.from?.km ?? null,
    direction: directionOf({ location }),
    destination: location.destination,
    ...resolved,
    municipality_code,
    municipality: municipality_code === null ? null : (municipalityByCode(municipality_code)?.name ?? null),
    device_updated_at: instant(element, 'lastUpdateOfDeviceInformation', diagnostics),
  }
}
