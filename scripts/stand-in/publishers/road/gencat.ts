import { pointToUtm } from '../../../../lake/places/utm.ts'
import { capturesNamed } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { everyPeriod, type FeedStandIn } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { CATALONIA, type PlaceOnRoad, placesAlong } from '../../world/along-roads.ts'
import { type RegionIncident, regionIncidentsAt } from '../../world/region-incidents.ts'
import type { Scale, World } from '../../world/world.ts'

const MINUTE = 60_000
/** The server's id in the ids of features, which differ in each answer. */
const SERVER = '6a6e10fd'
const SENSES = { positive: 'Creixent', negative: 'Decreixent', both: 'Ambdos sentits', unknown: 'Ambdos sentits' } as const
/** Effect and level of traffic, by its detail. */
const TRAFFIC: Readonly<Record<string, readonly [effect: string, level: number]>> = {
  slowTraffic: ['Circulació intensa', 2],
  queuingTraffic: ['Circulació amb retencions', 3],
  stationaryTraffic: ['Circulació amb congestió', 4],
}

/** The record of the fixture for an incident: an accident, traffic, a barrier, a landslide, snow, maintenance or a regulation. */
function likeOf({ kind, number }: RegionIncident): number {
  const [type] = kind.record
  const draw = hash('sct', number)
  if (type === 'AbnormalTraffic') return draw % 4 === 1 ? 0 : 1
  if (type === 'MaintenanceWorks') return draw % 8 === 1 ? 3 : 5
  return type === 'ConstructionWorks' ? 2 : type === 'Activities' ? 6 : 4
}

/** The effect on traffic or on the road, and its level of 1 to 5. */
function effectOf({ detail, impact }: RegionIncident): readonly [effect: string, level: number] {
  return TRAFFIC[detail] ?? (impact === 'impossible' ? ['Calçada tallada', 5] : ['Calçada restringida', 2])
}

const incidents = fixtureStandIn<RegionIncident>('sct_incidents', {
  file: 'incidents.xml',
  element: 'gml:featureMember',
  isComplete: true,
  // The national access point has some more.
  items: (world, { publishedAt, variant }) =>
    regionIncidentsAt(world, publishedAt, 'SCT').filter(
      ({ number, from }) => hash('sct', number) % 4 > 0 && !variant.missingBlocks.includes(from.municipality.province),
    ),
  like: likeOf,
  fields: {
    '@fid': (_id, { nth, edition }) => `mct2_v_afectacions_data.fid-${SERVER}_${edition.stampedAt.toString(16)}_${nth.toString(16)}`,
    'gml:coordinates': (_point, { item }) => `${item.from.lon},${item.from.lat}`,
    'cite:identificador': (_id, { item }) => item.number,
    'cite:carretera': (_road, { item }) => item.road.name,
    'cite:pk_inici': (_km, { item }) => item.from.km.toFixed(2),
    'cite:pk_fi': (_km, { item }) => (item.to?.km ?? Math.max(0, item.from.km - 1)).toFixed(2),
    'cite:data': (_time, { item }) => new Date(item.versionAt).toUTCString(),
    'cite:nivell': (_level, { item }) => effectOf(item)[1],
    'cite:sentit': (_sense, { item }) => SENSES[item.direction],
    'cite:descripcio': (_effect, { item }) => effectOf(item)[0],
  },
  publishedAt: everyPeriod(MINUTE, 0, 20),
  contentType: 'text/xml',
  blocks: { known: /^(08|17|25|43)$/, usual: ['43'] },
  captures: {
    folder: 'sct-incidencies',
    // incidenciesGML_20260203T19GMT.xml: the name has the hour only, so the minute after its newest report, 19:35:57, is used.
    capturedAt: capturesNamed(/^incidenciesGML_(\d{4})(\d\d)(\d\d)T(\d\d)GMT\.xml.*/, '$1-$2-$3T$4:36Z'),
  },
})

/** Places on Catalan roads, as many as the scale wants. */
const placesOf =
  (word: string, counts: Readonly<Record<Scale, number>>) =>
  (world: World): readonly PlaceOnRoad[] =>
    placesAlong(world, { count: counts[world.scale], word, isIn: (province) => CATALONIA.has(province) })

const cameras = fixtureStandIn<PlaceOnRoad>('sct_cameras', {
  file: 'cameras.xml',
  element: 'gml:featureMember',
  items: placesOf('catalan cameras', { full: 160, small: 20 }),
  // The first two are on roads, the others in towns.
  like: (_place, nth) => nth % 4,
  fields: {
    '@fid': (_id, { nth, edition }) => `cameres.fid-${SERVER}_${edition.stampedAt.toString(16)}_${nth.toString(16)}`,
    'gml:coordinates': (point, { item, nth }) => (nth % 4 < 2 ? `${item.point.lon},${item.point.lat}` : aside(point, nth)),
    'cite:carretera': (name, { item, nth }) => (nth % 4 < 2 ? item.stretch.road.name : `${name} ${nth}`),
    'cite:municipi': (name, { item, nth }) => (nth % 4 < 2 ? item.point.municipality.name.toUpperCase() : name),
    'cite:pk': (_km, { item }) => item.point.km.toFixed(2),
    'cite:link': (link, { nth }) => link.replace(/(?=\.(?:jpe?g|gif)(?:&|\?| |$))/, String(nth)),
  },
  captures: { folder: 'sct-cameres', capturedAt: capturesNamed(/^cameres_wfs/) },
})

/** A point some hundred metres away. */
function aside(point: string, nth: number): string {
  const [lon = 0, lat = 0] = point.split(',').map(Number)
  return [lon + 0.001 * (nth % 9), lat - 0.0007 * (nth % 7)].map((degrees) => degrees.toFixed(6)).join()
}

const comma = (value: number): string => String(Math.round(value * 10_000) / 10_000).replace('.', ',')

/** A list of speed cameras, separated by tabs, in UTM zone 31. One road in forty is unknown if the variant has unknown codes. */
function speedCameraList(id: string, folder: RegExp, items: (world: World) => readonly PlaceOnRoad[]): FeedStandIn {
  return fixtureStandIn<PlaceOnRoad>(id, {
    file: '../sct_mobile_speed_cameras/list.txt',
    hasFixedColumns: true,
    items,
    fields: {
      Via: (_road, { item, nth, edition }) =>
        edition.variant.hasUnknownCodes && nth % 40 === 2 ? `${item.stretch.road.name} amunt` : item.stretch.road.name,
      PK: (_km, { item }) => comma(item.point.km),
      X: (_x, { item }) => comma(pointToUtm(item.point, 31).easting_m),
      Y: (_y, { item }) => comma(pointToUtm(item.point, 31).northing_m),
    },
    captures: { folder: 'sct-radars', capturedAt: capturesNamed(folder) },
  })
}

const trailers = speedCameraList('sct_mobile_speed_cameras', /^radars-remolc/, placesOf('trailers', { full: 60, small: 6 }))
const inTabs = speedCameraList('sct_speed_cameras', /^radars_/, placesOf('catalan speed cameras', { full: 247, small: 40 }))
const WIDTH = 12
/**
 * The fixed ones: a title and columns of a fixed width. One row in thirty names the side of the road,
 * one is a section, and one lacks the commas of its coordinates.
 */
const fixed: FeedStandIn = {
  ...inTabs,
  write(world, edition) {
    const [header = [], ...rows] = String(inTabs.write(world, edition))
      .trim()
      .split('\r\n')
      .map((line) => line.split('\t'))
    const odd = rows.map(([road = '', km = '', limit = '', x = '', y = ''], nth) => [
      nth % 30 === 4 ? `${road} nord` : road,
      nth % 30 === 9 && !km.includes(',') ? `${km}-${Number(km) + 3}` : km,
      limit,
      ...(nth % 28 === 9 ? [x, y].map((text) => text.replace(',', '')) : [x, y]),
    ])
    const lines = [header, ...odd].map((cells) => cells.map((cell) => cell.padEnd(WIDTH - 1).concat(' ')).join(''))
    return ['(ETRS89)', '', ...lines, ' '.repeat(WIDTH)].join('\n')
  },
}

/** Generalitat de Catalunya: the incidents of the Servei Català de Trànsit, every minute, its cameras and speed cameras. */
export const gencat: readonly FeedStandIn[] = [incidents, cameras, fixed, trailers]
