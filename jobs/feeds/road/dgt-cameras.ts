import { cameras } from '../../../lake/datasets/road/cameras.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { textAt } from '../../formats/xml.ts'
import type { Diagnostics } from '../define.ts'
import { imageLink } from './camera-links.ts'
import { dgtDeviceFeed } from './dgt-devices.ts'

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
