import { instantOf } from '../../../lake/schema/time.ts'
import { type MobilityDay, mitmaRss, mobilityTrips, overnightStays, type ZoneLevel, zoneList, zoneRelation } from '../formats/mitma.ts'
import type { Edition, FeedStandIn, Publisher } from '../publisher.ts'
import { chance } from '../random.ts'
import { mobilityZones } from '../world/mobility-zones.ts'
import { localTime } from '../world/rhythm.ts'
import type { World } from '../world/world.ts'

const HOST = 'https://movilidad-opendata.mitma.es'
/** Months after which a month is published, and months that the list has. */
const LATE_MONTHS = 2
const LISTED_MONTHS = 2
/** Share of days that do not exist. */
const MISSING = 0.01

const stays: FeedStandIn = {
  feed: 'mitma_overnight_stays',
  hosts: ['movilidad-opendata.mitma.es'],
  path: '/RSS.xml',
  route(path) {
    if (path === '/RSS.xml') return { kind: 'document', resource: 'rss' }
    return dayIn(path, 'Pernoctaciones')
  },
  // A new month on the first of each.
  publishedAt(_seed, now) {
    const { year, month } = localTime(now)
    return instantOf(`${year}-${String(month).padStart(2, '0')}-01`, '00:00')
  },
  contentType: 'application/gzip',
  contentTypes: { rss: 'application/xml' },
  validators: 'etag',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write: (world, edition) =>
    edition.resource === 'rss'
      ? mitmaRss(listedUrls(world.seed, edition.publishedAt), edition.stampedAt)
      : overnightStays(dayOf(world, edition)),
  captures: {
    folder: 'mitma-movilidad/v2',
    capturedAt: () => null,
    archive: {
      resourceOf: (file) => /^(\d{8})_Pernoctaciones_municipios\.csv\.gz$/.exec(file)?.[1] ?? null,
      index: 'rss',
      list: (days) =>
        mitmaRss(
          days.map((day) => `${HOST}${pathOf('Pernoctaciones', day)}`),
          0,
        ),
    },
  },
}

const trips: FeedStandIn = {
  ...stays,
  feed: 'mitma_trips',
  path: '/estudios_basicos/por-municipios/viajes/ficheros-diarios/2022-01/20220101_Viajes_municipios.csv.gz',
  // The list has both, and is answered above.
  route: (path) => dayIn(path, 'Viajes'),
  write: (world, edition) => mobilityTrips(dayOf(world, edition), edition.publishedAt),
}

const RELATION = '/zonificacion/relacion_ine_zonificacionMitma.csv'

const zones: FeedStandIn = {
  ...stays,
  feed: 'mitma_zones',
  path: RELATION,
  route: (path) => (path === RELATION ? { kind: 'document', resource: 'relation' } : null),
  contentType: 'text/csv',
  write: (world, { publishedAt, variant }) => zoneRelation(world.part(mobilityZones), { publishedAt, ...variant }),
  captures: {
    folder: 'mitma-movilidad/v2/zonificacion',
    // Of its commit (provenance in the notes).
    capturedAt: (file) => (file === 'relacion_ine_zonificacionMitma.csv.gz' ? Date.UTC(2024, 6, 16) : null),
  },
}

const NAMES = /^\/zonificacion\/zonificacion_(\w+)\/((?:nombres|poblacion)_(\w+))\.csv$/
/** The folders of the lists of zones, by the word for their level. */
const FOLDERS: Readonly<Record<string, string>> = { distritos: 'distritos', municipios: 'municipios', gaus: 'GAU' }

const zoneNames: FeedStandIn = {
  ...zones,
  feed: 'mitma_zone_names',
  path: '/zonificacion/zonificacion_municipios/nombres_municipios.csv',
  route(path) {
    const [, folder, resource, level = ''] = NAMES.exec(path) ?? []
    return resource !== undefined && FOLDERS[level] === folder ? { kind: 'document', resource } : null
  },
  write(world, { resource, publishedAt, variant }) {
    const [what, level] = resource.split('_') as ['nombres' | 'poblacion', ZoneLevel]
    return zoneList(world.part(mobilityZones), { what, level, publishedAt, ...variant })
  },
  captures: {
    folder: 'mitma-movilidad/v2/zonificacion',
    capturedAt: () => null,
    archive: { resourceOf: (file) => /^((?:nombres|poblacion)_(?:distritos|municipios|gaus))\.csv$/.exec(file)?.[1] ?? null },
  },
}

/** The ministry's studies of mobility: a list of all files, and files of days, published by months. */
export const mitmaMobility: Publisher = {
  name: 'Ministerio de Transportes y Movilidad Sostenible',
  feeds: [stays, trips, zones, zoneNames],
}

type Kind = 'Pernoctaciones' | 'Viajes'

const pathOf = (kind: Kind, day: string): string =>
  `/estudios_basicos/por-municipios/${kind.toLowerCase()}/ficheros-diarios/${day.slice(0, 4)}-${day.slice(4, 6)}/${day}_${kind}_municipios.csv.gz`

function dayIn(path: string, kind: Kind): { kind: 'document'; resource: string } | null {
  const [, day = ''] = /\/(\d{8})_\w+\.csv\.gz$/.exec(path) ?? []
  return path === pathOf(kind, day) ? { kind: 'document', resource: day } : null
}

const listedUrls = (seed: number, publishedAt: number): string[] =>
  listedDays(seed, publishedAt).flatMap((day) => [`${HOST}${pathOf('Viajes', day)}`, `${HOST}${pathOf('Pernoctaciones', day)}`])

function dayOf(world: World, { resource, variant }: Edition): MobilityDay {
  const { share, hasUnknownCodes } = variant
  return { seed: world.seed, day: resource, zones: world.part(mobilityZones), share, hasUnknownCodes }
}

/** The days (YYYYMMDD) that the list has as of an instant (ms), the newest first. */
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
