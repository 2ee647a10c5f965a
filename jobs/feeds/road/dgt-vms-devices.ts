import { dgt } from '../../../lake/datasets/road/sources.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms-devices.ts'
import { dgtDeviceFeed } from './dgt-devices.ts'

/** DGT's catalogue of variable-message panels: a device publication of DATEX II v3.7. */
export const dgtVmsDevices = dgtDeviceFeed({
  id: 'dgt_vms_devices',
  into: vmsDevices,
  type: 'vms',
  url: 'https://nap.dgt.es/datex2/v3/dgt/DevicePublication/vms_datex2_v37.xml',
  row: ({ id, ...device }) => ({ source: dgt.id, panel_id: id, ...device }),
})
