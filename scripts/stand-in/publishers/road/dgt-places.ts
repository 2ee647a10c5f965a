import { CAPITALS } from '../../../../lake/places/capitals.ts'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { dgtDetectorMeasurements, dgtDetectorSites, dgtSpeedCameraLocations } from '../../formats/datex1.ts'
import { dgtVmsMessages } from '../../formats/dgt-vms.ts'
import { escapeText, xmlOf } from '../../formats/xml.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { chance, pick } from '../../random.ts'
import { dgtCameras, dgtSpeedCameras } from '../../world/cameras.ts'
import { type ChargingSite, chargingSitesAt } from '../../world/charging-sites.ts'
import { detectors, measurementsAt } from '../../world/detectors.ts'
import { type Municipality, readGazetteer } from '../../world/municipalities.ts'
import { panelMessagesAt, panels } from '../../world/panels.ts'
import { provinceOf } from '../../world/provinces.ts'
import { isoLocal } from '../../world/rhythm.ts'
import type { RoadPoint } from '../../world/road-network.ts'
import type { World } from '../../world/world.ts'

const [HOUR, DAY] = [3_600_000, 86_400_000]

/** A camera or panel. */
interface Device {
  readonly id: number
  readonly road: string
  readonly point: RoadPoint
  readonly direction: string
  readonly destination: string | null
  /** When its record was last changed, ms. */
  readonly changedAt: number
}

/** A `DevicePublication`, every hour. `like` has the records of the fixture with and without a destination. */
function deviceStandIn(
  feed: string,
  { file, like, folder, capture }: { file: string; like: readonly [number, number]; folder: string; capture: RegExp },
  devicesOf: (world: World) => readonly Device[],
): FeedStandIn {
  return fixtureStandIn<Device>(feed, {
    file,
    element: 'ns2:device',
    items: devicesOf,
    like: ({ destination }) => like[destination === null ? 1 : 0],
    fields: {
      '@id': (_id, { item }) => item.id,
      'ns2:lastUpdateOfDeviceInformation': (_time, { item }) => isoLocal(item.changedAt),
      'loc:roadDestination': (_to, { item }) => item.destination ?? '',
      'loc:roadName': (_road, { item }) => item.road,
      'loc:latitude': (_lat, { item }) => item.point.lat,
      'loc:longitude': (_lon, { item }) => item.point.lon,
      'lse:kilometerPoint': (_km, { item }) => item.point.km,
      // With the article behind a comma, as in `CORUÑA, A`.
      'lse:province': (_name, { item }) => provinceOf(item.point.municipality.province).ministry.replace(/ \((\p{Lu}+)\)$/u, ', $1'),
      'lse:tpegDirectionRoad': (_direction, { item, nth, edition }) =>
        edition.variant.hasUnknownCodes && nth % 40 === 7 ? 'sideways' : item.direction,
      'fse:deviceUrl': (_url, { item }) => `https://etraffic.dgt.es/camarasEtraffic/${item.id}.jpg`,
    },
    publishedAt: everyPeriod(HOUR, 0, 20),
    captures: { folder, capturedAt: capturesNamed(capture) },
  })
}

const cameras = deviceStandIn('dgt_cameras', { file: 'v37.xml', like: [0, 1], folder: 'dgt-camaras', capture: /^camaras_/ }, (world) =>
  world.part(dgtCameras),
)

const panelDevices = deviceStandIn(
  'dgt_vms_devices',
  { file: 'devices.xml', like: [0, 2], folder: 'dgt-vms', capture: /^vms_locations_/ },
  (world) => world.part(panels).map((one) => ({ ...one, direction: one.isPositive ? 'positive' : 'negative' })),
)

/** The messages of the panels: every two minutes. */
const panelMessages = defineStandIn('dgt_vms', {
  publishedAt: everyPeriod(120_000, 0, 20),
  write: (world, { publishedAt, stampedAt, variant }) =>
    dgtVmsMessages(keptOf(panelMessagesAt(world, publishedAt), variant), { ...variant, publishedAt: stampedAt }),
  captures: { folder: 'dgt-vms', capturedAt: capturesNamed(/^vms_messages_/) },
})

/** The measurements of the detectors: every five minutes. */
const detectorMeasurements = defineStandIn('dgt_detectors', {
  publishedAt: everyPeriod(300_000, 60, 40),
  write: (world, { publishedAt, stampedAt, variant }) =>
    dgtDetectorMeasurements(keptOf(measurementsAt(world, publishedAt), variant), { ...variant, publishedAt: stampedAt }),
  captures: { folder: 'dgt-detectores', capturedAt: capturesNamed(/^medidas_/) },
})

const detectorSites = defineStandIn('dgt_detector_sites', {
  publishedAt: everyPeriod(DAY, 60, 40),
  write: (world, { stampedAt, variant }) =>
    dgtDetectorSites(keptOf(world.part(detectors), variant), { ...variant, publishedAt: stampedAt }),
  captures: { folder: 'dgt-detectores', capturedAt: capturesNamed(/^ubicaciones_/) },
})

/** The speed cameras: a publication that hardly ever changes. */
const speedCameras = defineStandIn('dgt_speed_cameras', {
  publishedAt: everyPeriod(30 * DAY, 0, 20),
  write: (world, { stampedAt, variant }) =>
    dgtSpeedCameraLocations(keptOf(world.part(dgtSpeedCameras), variant), { ...variant, publishedAt: stampedAt }),
  captures: { folder: 'dgt-radares', capturedAt: capturesNamed(/^radares_/) },
})

const FOLDER = '/datex2/v3/dgt/zbe/ControledZonePublication/'
const INDEX = 'index'
/** Corners of a zone; Madrid's has as many as the largest one published. */
const [CORNERS, MANY_CORNERS] = [400, 10_000]
const HOURS = ['00:00:00Z 23:59:59Z', '00:00:00Z 23:59:59Z', '07:00:00Z 20:00:00Z', '07:00:00Z 18:59:59Z'] as const

/** A zone of a municipality: all of them have `ZBE`, and Madrid one inside of it. */
interface Zone {
  readonly town: Municipality
  readonly kind: 'ZBE' | 'ZBEDEP Centro'
}

/** The municipalities with zones, by the names of their files. */
const zoneTowns = (): ReadonlyMap<string, Municipality> =>
  new Map(
    readGazetteer()
      .municipalities.filter(({ code }) => CAPITALS.has(code))
      .map((town) => [`${(town.name.split('/')[0] as string).replace(/[^\p{L}]/gu, '')}.xml`, town]),
  )

/** The outline of a zone: a wavy ring, clockwise. */
function cornersOf({ town, kind }: Zone): string {
  const radius = (kind === 'ZBE' ? 0.02 : 0.008) * (0.6 + 0.4 * chance('zone', town.code))
  const count = town.code === '28079' && kind === 'ZBE' ? MANY_CORNERS : CORNERS
  const corners = Array.from({ length: count + 1 }, (_, at) => {
    const turn = (-2 * Math.PI * (at % count)) / count
    const wave = radius * (1 + 0.1 * Math.sin(5 * turn))
    const [lat, lon] = [town.centre.lat + 0.75 * wave * Math.sin(turn), town.centre.lon + wave * Math.cos(turn)]
    return { 'loc:openlrCoordinates': { 'loc:latitude': lat.toFixed(7), 'loc:longitude': lon.toFixed(7) } }
  })
  return xmlOf({ 'loc:openlrPolygonCorners': corners })
}

const hoursOf = ({ town }: Zone): string[] => pick(HOURS, chance('zone hours', town.code)).split(' ')

const zoneFile = fixtureStandIn<Zone>('dgt_zones', {
  file: 'zones.xml',
  element: 'cz:controlledZone',
  isComplete: true,
  items(_world, { resource, variant }) {
    const town = zoneTowns().get(resource)
    if (!town || variant.missingBlocks.includes(resource)) return []
    return (town.code === '28079' ? (['ZBE', 'ZBEDEP Centro'] as const) : (['ZBE'] as const)).map((kind) => ({ town, kind }))
  },
  like: () => 0,
  shape: (record, zone) => record.replace(/<loc:openlrPolygonCorners>.*<\/loc:openlrPolygonCorners>/s, cornersOf(zone)),
  fields: {
    '@id': (id, { item, occurrence }) => (occurrence === 0 ? `${item.town.code}_${item.town.name} (${item.kind})` : id),
    // The name, then the labels.
    'com:value': (label, { item, occurrence, edition }) =>
      occurrence === 0 ? `${item.town.name} (${item.kind})` : occurrence === 1 && edition.variant.hasUnknownCodes ? 'H' : label,
    'com:overallStartTime': (_time, { item }) => `2025-0${1 + Math.floor(9 * chance('zone month', item.town.code))}-01T00:00:00Z`,
    'com:startTimeOfPeriod': (_time, { item }) => hoursOf(item)[0] as string,
    'com:endTimeOfPeriod': (_time, { item }) => hoursOf(item)[1] as string,
  },
  route: (path) => {
    if (!path.startsWith(FOLDER)) return null
    return decodeURIComponent(path.slice(FOLDER.length)) || INDEX
  },
  contentTypes: { [INDEX]: 'text/html;charset=UTF-8' },
  blocks: { known: /^[\p{L}]+\.xml$/u, usual: ['Madrid.xml'] },
})

/** The low-emission zones: a directory, as a web server lists it, of one file for each municipality. */
const lowEmissionZones: FeedStandIn = {
  ...zoneFile,
  write(world, edition) {
    const { resource, variant } = edition
    if (resource !== INDEX) return zoneFile.write(world, { ...edition, variant: { ...variant, share: 1 } })
    const files = [...zoneTowns().keys()].filter((name) => !variant.missingBlocks.includes(name))
    const links = keptOf(files, variant).map((name) => `<tr><td><a href="${encodeURIComponent(name)}">${escapeText(name)}</a></td></tr>`)
    return [
      '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
      `<html><head><title>Index of ${FOLDER.slice(0, -1)}</title></head><body><table>`,
      '<tr><th><a href="?C=N;O=D">Name</a></th></tr>',
      '<tr><td><a href="/datex2/v3/dgt/zbe/">Parent Directory</a></td></tr>',
      ...links,
      '</table></body></html>',
      '',
    ].join('\n')
  },
}

/** The texts of a site: its name, the lines of its address and its operator. The texts after them are names of its points. */
function textsOf({ station, operator }: ChargingSite): readonly string[] {
  const { dgt, community } = provinceOf(station.municipality.province)
  const address = [`Dirección: ${station.address}`, `Municipio: ${station.municipality.name}`, `Provincia: ${dgt}`]
  return [station.address.replace(/\s+/g, '_'), ...address, `Comunidad Autónoma: ${community}`, operator]
}

/** The register of charging points: once a day, too large for memory. */
const chargers = fixtureStandIn<ChargingSite>('dgt_chargers', {
  file: 'sites.xml',
  element: 'egi:energyInfrastructureSite',
  isPacked: true,
  items: (world, { publishedAt }) => chargingSitesAt(world, publishedAt),
  shape: (record, { points }) => record.replace(/<egi:refillPoint .*<\/egi:refillPoint>/s, (all) => all.repeat(points)),
  fields: {
    // Ids of the site, its opening hours, its operator, its station and its points.
    '@id': (id, { item, occurrence }) =>
      occurrence === 0 ? item.id : occurrence === 3 ? `${item.id}_1` : occurrence > 3 ? `${item.id}P${occurrence - 4}` : id,
    'com:value': (_text, { item, occurrence }) => textsOf(item)[occurrence] ?? `ES*${item.operator.slice(0, 3)}*E${item.id}${occurrence}`,
    'fac:lastUpdated': (_time, { item }) => isoLocal(item.updatedAt),
    'locx:postcode': (_code, { item }) => Number(item.station.postalCode),
    'loc:latitude': (_lat, { item }) => item.lat.toFixed(6),
    'loc:longitude': (_lon, { item }) => item.lon.toFixed(6),
    'egi:connectorType': (type, { nth, edition }) => (edition.variant.hasUnknownCodes && nth % 40 === 7 ? 'gbtDc' : type),
  },
  headers: { 'Content-Encoding': 'gzip' },
  // electrolineras_20260728T101816+0200.excerpt3.xml
  captures: { folder: 'dgt-electrolineras', capturedAt: capturesNamed(/_\d{8}T\d{6}\+0200/) },
})

/** All of DGT's feeds but its incidents. */
export const dgtPlaces: readonly FeedStandIn[] = [
  ...[panelMessages, panelDevices, detectorMeasurements, detectorSites],
  ...[lowEmissionZones, chargers, cameras, speedCameras],
]
