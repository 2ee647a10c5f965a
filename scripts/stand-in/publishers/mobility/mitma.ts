import { pointToUtm } from '../../../../lake/places/utm.ts'
import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import {
  type MobilityDay,
  mitmaRss,
  mobilityTrips,
  mobilityV1Trips,
  overnightStays,
  packed,
  v1ZoneRelation,
  type ZoneLevel,
  zoneList,
  zoneRelation,
  zonesAt,
} from '../../formats/mitma.ts'
import { dbfTable, shapePoints, shapePolygons } from '../../formats/shapefile.ts'
import type { Edition, FeedStandIn, TextToPack } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { type MobilityZone, mobilityZones } from '../../world/mobility-zones.ts'
import { localTime } from '../../world/rhythm.ts'
import type { World } from '../../world/world.ts'

/** Foreign zones in the shapefiles of every level: two of the 117. */
const ABROAD = [
  { id: 'FR101', lat: 48.857, lon: 2.343 },
  { id: 'PT16D', lat: 40.641, lon: -8.654 },
] as const

/** A file of a shapefile of zones. */
interface ShapeFile {
  readonly what: 'dbf' | 'shp'
  readonly level: ZoneLevel
  readonly publishedAt: number
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/**
 * A file of the shapefile of a level's centroids: its table, whose only field is `ID`, or its points. All points are in ETRS89 /
 * UTM 30N, including the Canaries and foreign zones. Each month a few of them move by some metres.
 */
function zoneCentroids(zones: readonly MobilityZone[], file: ShapeFile): Buffer {
  const kept = listedOf([...zonesAt(zones, file.level), ...ABROAD], file)
  if (file.what === 'dbf') return tableOf(kept, file)
  return shapePoints(
    kept.map(({ id, ...place }) => {
      const [x, y] = cornerOf(place.lon, place.lat)
      return { x: x + (chance('moved', id, file.publishedAt) < 0.05 ? 12 : 0), y }
    }),
  )
}

/** The same for the polygons of a level: a square around each centroid, the larger the more municipalities a zone has. */
function zonePolygons(zones: readonly MobilityZone[], file: ShapeFile): Buffer {
  const kept = listedOf([...zonesAt(zones, file.level), ...ABROAD.map((zone) => ({ ...zone, municipalities: [] }))], file)
  if (file.what === 'dbf') return tableOf(kept, file)
  return shapePolygons(kept.map(({ lon, lat, municipalities }) => [squareAt(lon, lat, 0.02 * (1 + municipalities.length))]))
}

function listedOf<T>(listed: readonly T[], { share }: ShapeFile): readonly T[] {
  return listed.slice(0, Math.floor(listed.length * share))
}

function tableOf(zones: readonly { readonly id: string }[], { hasUnknownCodes }: ShapeFile): Buffer {
  return dbfTable(
    hasUnknownCodes ? ['ID', 'FUENTE'] : ['ID'],
    zones.map(({ id }) => (hasUnknownCodes ? [id, 'IGN'] : [id])),
  )
}

function cornerOf(lon: number, lat: number): readonly [x: number, y: number] {
  const { easting_m, northing_m } = pointToUtm({ lat, lon }, 30)
  return [easting_m, northing_m]
}

function squareAt(lon: number, lat: number, half: number): (readonly [x: number, y: number])[] {
  const corners = [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
    [-1, -1],
  ] as const
  return corners.map(([east, north]) => cornerOf(lon + half * east, lat + half * north))
}

const HOST = 'https://movilidad-opendata.mitma.es'
/** Delay of a month's publication, in months, and the number of months in the list. */
const LATE_MONTHS = 2
const LISTED_MONTHS = 2
/** Share of days that do not exist. */
const MISSING = 0.01
const STAYS: Daily = { kind: 'Pernoctaciones', word: 'municipios' }

/** A new month on the first of each. */
const MONTHLY = { publishedAt: monthlyOn(1) } as const

const stays = defineStandIn('mitma_overnight_stays', {
  path: '/RSS.xml',
  route(path) {
    if (path === '/RSS.xml') return 'rss'
    return dayIn(path, STAYS)
  },
  ...MONTHLY,
  contentTypes: { rss: 'application/xml' },
  write: (world, edition) =>
    edition.resource === 'rss'
      ? mitmaRss(listedUrls(world.seed, edition.publishedAt), edition.stampedAt)
      : written(world, overnightStays(dayOf(world, edition))),
  captures: {
    folder: 'mitma-movilidad/v2',
    archive: {
      resourceOf: (file) => /^(\d{8})_Pernoctaciones_municipios\.csv\.gz$/.exec(file)?.[1] ?? null,
      index: 'rss',
      list: (days) =>
        mitmaRss(
          days.map((day) => `${HOST}${pathOf(STAYS, day)}`),
          0,
        ),
    },
  },
})

/** The trips of a level; `word` is the level's word in names and folders. */
const tripsAt = (feed: string, word: string, level: ZoneLevel): FeedStandIn =>
  defineStandIn(feed, {
    ...MONTHLY,
    // The list contains all files; its route is above.
    route: (path) => dayIn(path, { kind: 'Viajes', word }),
    write: (world, edition) => written(world, mobilityTrips(dayOf(world, edition, level), edition.publishedAt)),
  })

const trips: readonly FeedStandIn[] = [
  tripsAt('mitma_trips', 'municipios', 'municipios'),
  tripsAt('mitma_district_trips', 'distritos', 'distritos'),
  tripsAt('mitma_gau_trips', 'GAU', 'gaus'),
]

const V1_HOST = 'https://opendata-movilidad.mitma.es'
/** The last days of the study of 2020 and 2021, without the missing one. */
const V1_DAYS = ['20210509', '20210508', '20210507', '20210506', '20210505', '20210504', '20210503', '20210502', '20210430']
const v1Path = (day: string): string =>
  `/maestra1-mitma-municipios/ficheros-diarios/${day.slice(0, 4)}-${day.slice(4, 6)}/${day}_maestra_1_mitma_municipio.txt.gz`

/** Trips of the completed study, on a separate host with a separate list. */
const v1Trips = defineStandIn('mitma_v1_trips', {
  ...MONTHLY,
  path: v1Path('20210509'),
  contentTypes: { rss: 'application/xml' },
  route(path) {
    if (path === '/RSS.xml') return 'rss'
    const [, day = ''] = /\/(\d{8})_\w+\.txt\.gz$/.exec(path) ?? []
    return path === v1Path(day) ? day : null
  },
  write: (world, edition) =>
    edition.resource === 'rss'
      ? mitmaRss(
          V1_DAYS.map((day) => `${V1_HOST}${v1Path(day)}`),
          edition.stampedAt,
        )
      : written(world, mobilityV1Trips(dayOf(world, edition), edition.publishedAt)),
})

const v1Zones = defineStandIn('mitma_v1_zones', {
  ...MONTHLY,
  write: (world, { publishedAt, variant }) => v1ZoneRelation(world.part(mobilityZones), { publishedAt, ...variant }),
  captures: {
    folder: 'mitma-movilidad/v1',
    // The date of its commit (provenance in the notes).
    capturedAt: capturesNamed(/^relaciones_municipio_mitma\.csv$/, '2021-03-19'),
  },
})

const zones = defineStandIn('mitma_zones', {
  ...MONTHLY,
  write: (world, { publishedAt, variant }) =>
    zoneRelation(world.part(mobilityZones), { publishedAt, ...variant, archives: world.archives }),
  captures: {
    folder: 'mitma-movilidad/v2/zonificacion',
    // The date of its commit (provenance in the notes).
    capturedAt: capturesNamed(/^relacion_ine_zonificacionMitma\.csv\.gz$/, '2024-07-16'),
  },
})

const NAMES = /^\/zonificacion\/zonificacion_(\w+)\/((?:nombres|poblacion)_(\w+))\.csv$/
/** The folders of the lists of zones, by the word for their level. */
const FOLDERS: Readonly<Record<string, string>> = { distritos: 'distritos', municipios: 'municipios', gaus: 'GAU' }

const zoneNames = defineStandIn('mitma_zone_names', {
  ...MONTHLY,
  path: '/zonificacion/zonificacion_municipios/nombres_municipios.csv',
  route(path) {
    const [, folder, resource, level = ''] = NAMES.exec(path) ?? []
    return resource !== undefined && FOLDERS[level] === folder ? resource : null
  },
  write(world, { resource, publishedAt, variant }) {
    const [what, level] = resource.split('_') as ['nombres' | 'poblacion', ZoneLevel]
    return zoneList(world.part(mobilityZones), { what, level, publishedAt, ...variant })
  },
  captures: {
    folder: 'mitma-movilidad/v2/zonificacion',
    archive: { resourceOf: (file) => /^((?:nombres|poblacion)_(?:distritos|municipios|gaus))\.csv$/.exec(file)?.[1] ?? null },
  },
})

const CENTROIDS = /^\/zonificacion\/zonificacion_(\w+)\/zonificacion_(\w+)_centroides\.(dbf|shp)$/

const zonePoints = defineStandIn('mitma_zone_points', {
  ...MONTHLY,
  path: '/zonificacion/zonificacion_municipios/zonificacion_municipios_centroides.shp',
  route: (path) => shapefileIn(path, CENTROIDS),
  write(world, { resource, publishedAt, variant }) {
    const [level, what] = resource.split('.') as [ZoneLevel, 'dbf' | 'shp']
    return zoneCentroids(world.part(mobilityZones), { what, level, publishedAt, ...variant })
  },
  captures: {
    folder: 'mitma-movilidad/v2/zonificacion',
    archive: {
      resourceOf: (file) => {
        const [, level, what] = /^zonificacion_(distritos|municipios|gaus)_centroides\.(dbf|shp)$/.exec(file) ?? []
        return what === undefined ? null : `${level}.${what}`
      },
    },
  },
})

const AREAS = /^\/zonificacion\/zonificacion_(\w+)\/zonificacion_(distritos|municipios|gaus)\.(dbf|shp)$/

const zoneAreas = defineStandIn('mitma_zone_areas', {
  path: '/zonificacion/zonificacion_municipios/zonificacion_municipios.shp',
  route: (path) => shapefileIn(path, AREAS),
  // Borders have not changed since they were published.
  publishedAt: () => Date.UTC(2023, 3, 19),
  write(world, { resource, publishedAt, variant }) {
    const [level, what] = resource.split('.') as [ZoneLevel, 'dbf' | 'shp']
    return zonePolygons(world.part(mobilityZones), { what, level, publishedAt, ...variant })
  },
})

/** The ministry's studies of mobility: a list of all files, and daily files, published by month. */
export const mitmaMobility: readonly FeedStandIn[] = [stays, ...trips, zones, zoneNames, zonePoints, zoneAreas, v1Trips, v1Zones]

/** A kind of daily files: the topic, and the level's word in names and folders. */
interface Daily {
  readonly kind: 'Pernoctaciones' | 'Viajes'
  readonly word: string
}

function pathOf({ kind, word }: Daily, day: string): string {
  const month = `${day.slice(0, 4)}-${day.slice(4, 6)}`
  return `/estudios_basicos/por-${word}/${kind.toLowerCase()}/ficheros-diarios/${month}/${day}_${kind}_${word}.csv.gz`
}

/** A file of a shapefile of zones, in the folder of its level. */
function shapefileIn(path: string, pattern: RegExp): string | null {
  const [, folder, level = '', what] = pattern.exec(path) ?? []
  return what !== undefined && FOLDERS[level] === folder ? `${level}.${what}` : null
}

function dayIn(path: string, daily: Daily): string | null {
  const [, day = ''] = /\/(\d{8})_\w+\.csv\.gz$/.exec(path) ?? []
  return path === pathOf(daily, day) ? day : null
}

const listedUrls = (seed: number, publishedAt: number): string[] =>
  listedDays(seed, publishedAt).flatMap((day) =>
    [...['municipios', 'distritos', 'GAU'].map((word): Daily => ({ kind: 'Viajes', word })), STAYS].map(
      (daily) => `${HOST}${pathOf(daily, day)}`,
    ),
  )

/** A daily file: packed at once if it is short, otherwise while it is sent. */
function written({ archives }: World, text: Iterable<string>): Buffer | TextToPack {
  return archives === 'full' ? { text } : packed(text)
}

function dayOf(world: World, { resource, variant }: Edition, level: ZoneLevel = 'municipios'): MobilityDay {
  const { share, hasUnknownCodes } = variant
  const { seed, archives } = world
  return { seed, archives, day: resource, zones: zonesAt(world.part(mobilityZones), level), share, hasUnknownCodes }
}

/** The days (YYYYMMDD) in the list as of an instant (ms), the newest first. */
function listedDays(seed: number, publishedAt: number): string[] {
  const { year, month } = localTime(publishedAt)
  const end = Date.UTC(year, month - 1 - LATE_MONTHS + 1, 1)
  const begin = Date.UTC(year, month - 1 - LATE_MONTHS + 1 - LISTED_MONTHS, 1)
  const days: string[] = []
  for (let at = end - 86_400_000; at >= begin; at -= 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
    if (chance(seed, 'no mobility', day) >= MISSING) days.push(day)
  }
  return days
}
