import { cameras } from '../../../lake/datasets/road/cameras.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { instant, readLocation } from '../../formats/datex2.ts'
import { payloadElements } from '../../formats/datex2-payload.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import { batch, bodyOf, type Diagnostics, defineFeed, type Feed } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { imageLink } from './camera-links.ts'
import { directionOf, statedPosition } from './datex-incident.ts'
import { type NamedPlace, namedPlace } from './named-place.ts'

/** What all devices state, with their place. */
interface Device extends NamedPlace {
  readonly id: string
  readonly road: string | null
  readonly km: number | null
  readonly direction: string
  readonly destination: string | null
  readonly device_updated_at: number | null
}

/** A catalogue of devices of one type, `camera` or `vms`. */
interface DeviceCatalogue<D extends Dataset> {
  readonly id: string
  readonly into: D
  readonly type: string
  readonly url: string
  /** The row of a device; `element` has what only this type states. */
  readonly row: (device: Device, element: XmlElement, diagnostics: Diagnostics) => FeedRow<D>
}

/** Fields that at least one device of every publication has, by the publisher's names. */
const ALWAYS: Readonly<Record<string, (device: Device) => boolean>> = {
  roadName: ({ road }) => road !== null,
  kilometerPoint: ({ km }) => km !== null,
  pointCoordinates: ({ position }) => position !== null,
  province: ({ province_code }) => province_code !== null,
  tpegDirectionRoad: ({ direction }) => direction !== 'UNKNOWN',
}

/** Declares the feed of a catalogue of DGT: a device publication of DATEX II v3.6 or v3.7, made every hour. */
export function dgtDeviceFeed<D extends Dataset>({ id, into, type, url, row }: DeviceCatalogue<D>): Feed {
  return defineFeed({
    id,
    source: dgt,
    into: [into],
    every_s: 3600,
    get: { name: 'devices', url, maxBytes: 32_000_000, timeout_ms: 30_000, expects: 'xml' },
    bands: { [into.id]: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
    freshBy: 'fetch',
    *rows(bodies, _clock, diagnostics) {
      const body = bodyOf(bodies)
      const presence = watchPresence('devices', ALWAYS)
      const header = (publishedAt: number): void => diagnostics.publishedAt(publishedAt)
      for (const elements of payloadElements(body.bytes, { type: 'DevicePublication', each: 'device', header }))
        yield batch(
          into,
          elements.flatMap((element) => {
            const device = deviceOf(element, { into, type }, diagnostics)
            if (device === null) return []
            presence.see(device)
            return row(device, element, diagnostics)
          }),
        )
      presence.end()
    },
  })
}

/** The device of an element; null if it has another type, or no id or place, which is counted. */
function deviceOf(element: XmlElement, of: { readonly into: Dataset; readonly type: string }, diagnostics: Diagnostics): Device | null {
  const id = attribute(element, 'id')?.trim()
  const type = textAt(element, 'typeOfDevice')
  if (type !== of.type) {
    diagnostics.unknownCode('dgt_device_type', type ?? '')
    return null
  }
  const place = child(element, 'pointLocation')
  if (!id || !place) {
    const sample = id ?? textAt(element, 'lastUpdateOfDeviceInformation') ?? ''
    diagnostics.reject(of.into, id ? 'device without pointLocation' : 'device without id', sample)
    return null
  }
  const location = readLocation(place, diagnostics)
  const stated = { province: location.from?.province ?? null, position: statedPosition(location.from) }
  return {
    id,
    road: location.road,
    km: location.from?.km ?? null,
    direction: directionOf({ location }),
    destination: location.destination,
    ...namedPlace(resolvePlace(stated, (problem) => diagnostics.warn(problem))),
    device_updated_at: instant(element, 'lastUpdateOfDeviceInformation', diagnostics),
  }
}

/** DGT's catalogue of variable-message panels: a device publication of DATEX II v3.7. */
export const dgtVmsDevices = dgtDeviceFeed({
  id: 'dgt_vms_devices',
  into: vmsDevices,
  type: 'vms',
  url: 'https://nap.dgt.es/datex2/v3/dgt/DevicePublication/vms_datex2_v37.xml',
  row: ({ id, ...device }) => ({ source: dgt.id, panel_id: id, ...device }),
})

/** Hosts that `deviceUrl` names: the former one, which redirects, and the present one. */
const HOSTS = { 'infocar.dgt.es': { hasHttps: true }, 'etraffic.dgt.es': { hasHttps: true } }

/** DGT's catalogue of cameras: a device publication of DATEX II v3.6 or v3.7. */
export const dgtCameras = dgtDeviceFeed({
  id: 'dgt_cameras',
  into: cameras,
  type: 'camera',
  url: 'https://nap.dgt.es/datex2/v3/dgt/DevicePublication/camaras_datex2_v37.xml',
  row: ({ id, ...device }, element, diagnostics) => ({
    source: dgt.id,
    camera_id: id,
    name: null,
    operator: null,
    ...device,
    image_url: linkOf(id, textAt(element, 'deviceUrl'), diagnostics),
  }),
})

/** The link of a camera that states one, built from its number: what the publication states is only checked. */
function linkOf(id: string, stated: string | null, diagnostics: Diagnostics): string | null {
  if (stated === null) return null
  if (!/^\d{1,12}$/.test(id)) {
    diagnostics.warn('id of a camera is no number: no link')
    return null
  }
  if (imageLink(stated, HOSTS)?.pathname.endsWith(`/${id}.jpg`) !== true) diagnostics.warn('deviceUrl is not that of the camera')
  return `https://etraffic.dgt.es/camarasEtraffic/${id}.jpg`
}
