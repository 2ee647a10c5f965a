import { dgtDevices } from '../../formats/dgt-devices.ts'
import { dgtSpeedCameraLocations } from '../../formats/dgt-speed-cameras.ts'
import { keptOf } from '../../publisher.ts'
import { dgtCameras } from '../../world/cameras.ts'
import { dgtSpeedCameras } from '../../world/speed-cameras.ts'
import { dgtDocument } from './dgt-document.ts'

/** The cameras: every hour. */
export const cameraDevices = dgtDocument(
  {
    ...{ feed: 'dgt_cameras' },
    ...{ every_ms: 3_600_000, delay_ms: 0, spread_ms: 20_000, folder: 'dgt-camaras', capture: /^camaras_/ },
  },
  (world, { stampedAt, variant }) =>
    dgtDevices(
      keptOf(world.part(dgtCameras), variant).map((one) => ({
        ...one,
        type: 'camera',
        url: `https://etraffic.dgt.es/camarasEtraffic/${one.id}.jpg`,
      })),
      { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes },
    ),
)

/** The speed cameras: a publication that hardly ever changes. */
export const speedCameraLocations = dgtDocument(
  {
    ...{ feed: 'dgt_speed_cameras' },
    ...{ every_ms: 30 * 86_400_000, delay_ms: 0, spread_ms: 20_000, folder: 'dgt-radares', capture: /^radares_/ },
  },
  (world, { stampedAt, variant }) =>
    dgtSpeedCameraLocations(keptOf(world.part(dgtSpeedCameras), variant), {
      publishedAt: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    }),
)
