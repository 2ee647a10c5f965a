import { feedById } from '../../../../jobs/feeds/catalog.ts'
import type { FeedRequest } from '../../../../jobs/feeds/define.ts'
import { madridKml } from '../../formats/madrid-kml.ts'
import { sctCamerasGml } from '../../formats/sct-gml.ts'
import { madridSpeedCameraList, sctFixedList, sctTrailerList } from '../../formats/speed-camera-lists.ts'
import { type FeedStandIn, keptOf } from '../../publisher.ts'
import { catalanCameras, madridCameras } from '../../world/cameras.ts'
import { type CatalanSpeedCamera, catalanSpeedCameras, catalanTrailers, madridSpeedCameras } from '../../world/speed-cameras.ts'

/** A list that changes at most once a day: a file on a plain web server, where the feed's declaration says. */
function dailyList(id: string, captures: FeedStandIn['captures'], write: FeedStandIn['write']): FeedStandIn {
  const [request] = feedById(id).plans[0]?.requests as [FeedRequest]
  const { hostname, pathname } = new URL(request.url)
  return {
    feed: id,
    hosts: [hostname],
    path: pathname,
    route: (path) => (path === pathname ? { kind: 'document', resource: 'all' } : null),
    publishedAt: (_seed, now) => now - (now % 86_400_000),
    contentType: request.accept.split(',')[0] as string,
    validators: 'etag',
    headers: {},
    blocks: { known: /^(?!)/, usual: [] },
    hasOldLayout: false,
    write,
    captures,
  }
}

/** Captures whose names have the day (`20260917`) or only the month (`201702`). */
function dated(folder: string, pattern: RegExp): FeedStandIn['captures'] {
  return {
    folder,
    capturedAt(file) {
      const [, year, month, day = '01'] = pattern.test(file) ? (/_(\d{4})(\d\d)(\d\d)?\./.exec(file) ?? []) : []
      return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day))
    },
  }
}

/** One road in forty has an unknown carriageway. */
const withUnknown = (cameras: readonly CatalanSpeedCamera[], isOn: boolean): readonly CatalanSpeedCamera[] =>
  isOn ? cameras.map((one, nth) => (nth % 40 === 2 ? { ...one, road: `${one.road.split(' ')[0]} amunt` } : one)) : cameras

/** Catalonia's cameras and speed cameras. */
export const catalanCameraLists: readonly FeedStandIn[] = [
  dailyList('sct_cameras', dated('sct-cameres', /^cameres_wfs/), (world, { stampedAt, variant }) =>
    sctCamerasGml(keptOf(world.part(catalanCameras), variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes }),
  ),
  dailyList('sct_speed_cameras', dated('sct-radars', /^radars_/), (world, { variant }) =>
    sctFixedList(keptOf(withUnknown(world.part(catalanSpeedCameras), variant.hasUnknownCodes), variant)),
  ),
  dailyList('sct_mobile_speed_cameras', dated('sct-radars', /^radars-remolc/), (world, { variant }) =>
    sctTrailerList(keptOf(withUnknown(world.part(catalanTrailers), variant.hasUnknownCodes), variant)),
  ),
]

/** Madrid's cameras and speed cameras. */
export const madridCameraLists: readonly FeedStandIn[] = [
  dailyList('madrid_cameras', dated('madrid-camaras', /^CCTV/), (world, { variant }) =>
    madridKml(keptOf(world.part(madridCameras), variant), variant),
  ),
  // RADARES_FIJOS_vDTT.csv: the notes state only the day before which it was published.
  dailyList(
    'madrid_speed_cameras',
    { folder: 'madrid-radares', capturedAt: (file) => (/^RADARES/.test(file) ? Date.UTC(2025, 9, 10) : null) },
    (world, { variant }) => madridSpeedCameraList(keptOf(world.part(madridSpeedCameras), variant), variant),
  ),
]
