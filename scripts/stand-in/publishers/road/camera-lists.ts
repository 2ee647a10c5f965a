import { capturesNamed, defineStandIn } from '../../define.ts'
import { madridKml } from '../../formats/madrid-kml.ts'
import { sctCamerasGml } from '../../formats/sct-gml.ts'
import { madridSpeedCameraList, sctFixedList, sctTrailerList } from '../../formats/speed-camera-lists.ts'
import { type FeedStandIn, keptOf } from '../../publisher.ts'
import { catalanCameras, madridCameras } from '../../world/cameras.ts'
import { type CatalanSpeedCamera, catalanSpeedCameras, catalanTrailers, madridSpeedCameras } from '../../world/speed-cameras.ts'

/** One road in forty has an unknown carriageway. */
const withUnknown = (cameras: readonly CatalanSpeedCamera[], isOn: boolean): readonly CatalanSpeedCamera[] =>
  isOn ? cameras.map((one, nth) => (nth % 40 === 2 ? { ...one, road: `${one.road.split(' ')[0]} amunt` } : one)) : cameras

/** Catalonia's cameras and speed cameras. */
export const catalanCameraLists: readonly FeedStandIn[] = [
  defineStandIn('sct_cameras', {
    captures: { folder: 'sct-cameres', capturedAt: capturesNamed(/^cameres_wfs/) },
    write: (world, { stampedAt, variant }) =>
      sctCamerasGml(keptOf(world.part(catalanCameras), variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes }),
  }),
  defineStandIn('sct_speed_cameras', {
    captures: { folder: 'sct-radars', capturedAt: capturesNamed(/^radars_/) },
    write: (world, { variant }) => sctFixedList(keptOf(withUnknown(world.part(catalanSpeedCameras), variant.hasUnknownCodes), variant)),
  }),
  defineStandIn('sct_mobile_speed_cameras', {
    captures: { folder: 'sct-radars', capturedAt: capturesNamed(/^radars-remolc/) },
    write: (world, { variant }) => sctTrailerList(keptOf(withUnknown(world.part(catalanTrailers), variant.hasUnknownCodes), variant)),
  }),
]

/** Madrid's cameras and speed cameras. */
export const madridCameraLists: readonly FeedStandIn[] = [
  defineStandIn('madrid_cameras', {
    captures: { folder: 'madrid-camaras', capturedAt: capturesNamed(/^CCTV/) },
    write: (world, { variant }) => madridKml(keptOf(world.part(madridCameras), variant), variant),
  }),
  // RADARES_FIJOS_vDTT.csv: the notes state only the day before which it was published.
  defineStandIn('madrid_speed_cameras', {
    captures: { folder: 'madrid-radares', capturedAt: capturesNamed(/^RADARES/, '2025-10-10') },
    write: (world, { variant }) => madridSpeedCameraList(keptOf(world.part(madridSpeedCameras), variant), variant),
  }),
]
