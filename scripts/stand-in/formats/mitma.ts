import { gzipSync } from 'node:zlib'
import { chance, hash } from '../random.ts'
import type { MobilityZone } from '../world/mobility-zones.ts'
import type { Archives } from '../world/world.ts'
import { inPieces } from './lines.ts'

/** The input of a daily file. */
export interface MobilityDay {
  readonly seed: number
  /** YYYYMMDD. */
  readonly day: string
  readonly zones: readonly MobilityZone[]
  readonly archives: Archives
  /** Share of the zones in the file. */
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/**
 * Numbers per zone: other zones for overnight stays, other zones for trips, and hours in which people set out. Full archives have
 * some 515,000 lines of stays a day, like the recorded one, and ten million lines of trips between municipal zones: 137 MB
 * packed, like 2024-03-01.
 */
const SIZES = {
  short: { elsewhere: 12, destinations: 6, hours: [7, 8, 13, 14, 15, 18, 20] },
  full: { elsewhere: 139, destinations: 52, hours: Array.from({ length: 24 }, (_, hour) => hour) },
} as const satisfies Record<Archives, unknown>

/** Overnight stays of a day, in pieces: `|`, LF, decimal points; the zone of residence is a district. */
export function overnightStays(day: MobilityDay): Generator<string> {
  return inPieces(`fecha|zona_residencia|zona_pernoctacion|personas${day.hasUnknownCodes ? '|fuente' : ''}`, stayLines(day))
}

function* stayLines(of: MobilityDay): Generator<string> {
  const { seed, day, zones, archives, hasUnknownCodes } = of
  for (const zone of toldOf(of))
    for (const district of zone.districts) {
      const residents = zone.population / zone.districts.length
      const places = new Set([zone])
      for (let at = 0; at < SIZES[archives].elsewhere; at++)
        places.add(zones[hash(seed, 'sleeps', district, day, at) % zones.length] as MobilityZone)
      for (const place of places) {
        const part = place === zone ? 0.9 : 0.01 * chance(seed, 'sleepers', district, place.id, day)
        yield `${day}|${district}|${place.id}|${estimate(residents * part)}${hasUnknownCodes ? '|telefonia' : ''}`
      }
    }
}

const TRIPS_HEADER =
  'fecha|periodo|origen|destino|distancia|actividad_origen|actividad_destino|estudio_origen_posible|estudio_destino_posible|residencia|renta|edad|sexo|viajes|viajes_km'
const BANDS = [
  ['0.5-2', 1.1],
  ['2-10', 5],
  ['10-50', 22],
  ['>50', 140],
] as const
const INCOMES = ['<10', '10-15', '>15']

/** A line of trips. */
interface TripLine {
  readonly hour: number
  readonly origin: string
  readonly destination: string
  readonly band: string
  readonly province: string
  readonly income: string
  readonly trips: number
  readonly length: number
}

/**
 * Trips of a day: for each zone within itself and to some others, a line for each income. Each revision changes the estimates of
 * some zones.
 */
function* tripLines(of: MobilityDay, revision: number): Generator<TripLine> {
  const { seed, day, zones, archives, hasUnknownCodes } = of
  const { destinations, hours } = SIZES[archives]
  for (const zone of toldOf(of)) {
    const others = Array.from({ length: destinations }, (_, at) => zones[hash(seed, 'trips', zone.id, at) % zones.length] as MobilityZone)
    const edition = chance('revised', zone.id, revision) < 0.05 ? revision : 0
    for (const other of new Set([zone, ...others])) {
      const near = other === zone ? hash(seed, 'near', zone.id) % 2 : zone.province === other.province ? 2 : 3
      const [band, km] = BANDS[near] as (typeof BANDS)[number]
      for (const hour of hours)
        for (const income of INCOMES) {
          const u = chance(seed, 'trip', zone.id, other.id, hour, income, day, edition)
          const trips = (zone.population / (other === zone ? 40 : 4000)) * (0.5 + u)
          const length = trips * km * (0.9 + 0.2 * u)
          const shown = hasUnknownCodes && hour === 20 ? '50-75' : band
          yield { hour, origin: zone.id, destination: other.id, band: shown, province: zone.province, income, trips, length }
        }
    }
  }
}

/** Trips of a day in the format of the study since 2022, in pieces. */
export function mobilityTrips(day: MobilityDay, revision: number): Generator<string> {
  return inPieces(
    TRIPS_HEADER,
    tripLines(day, revision).map(
      ({ hour, origin, destination, band, province, income, trips, length }) =>
        `${day.day}|${hour}|${origin}|${destination}|${band}|casa|frecuente|no|no|${province}|${income}|NA|NA|${estimate(trips)}|${estimate(length)}`,
    ),
  )
}

const V1_TRIPS_HEADER = 'fecha|origen|destino|actividad_origen|actividad_destino|residencia|edad|periodo|distancia|viajes|viajes_km'
const V1_BANDS: Readonly<Record<string, string>> = { '0.5-2': '0005-002', '2-10': '002-005', '10-50': '010-050', '>50': '100+' }

/**
 * Trips of a day in the format of the study of 2020 and 2021, in pieces: other columns in another order, no income, other bands.
 */
export function mobilityV1Trips(day: MobilityDay, revision: number): Generator<string> {
  return inPieces(
    V1_TRIPS_HEADER,
    tripLines(day, revision).map(({ hour, origin, destination, band, province, trips, length }) =>
      [
        ...[day.day, origin, destination, 'casa', 'otros', province, 'NA', String(hour).padStart(2, '0')],
        ...[V1_BANDS[band] ?? '005-009', estimate(trips), estimate(length)],
      ].join('|'),
    ),
  )
}

/** The zones in a file. */
function toldOf({ zones, share }: MobilityDay): readonly MobilityZone[] {
  return zones.slice(0, Math.floor(zones.length * share))
}

/** A number in the ministry's format: at least one decimal, at most three. */
function estimate(value: number): string {
  const text = String(Math.round(value * 1000) / 1000)
  return text.includes('.') ? text : `${text}.0`
}

/** A file, packed as by the ministry. */
export function packed(text: Iterable<string>): Buffer {
  return gzipSync([...text].join(''), { level: 1 })
}

/** The ministry's list of files: an item for each, the newest first. */
export function mitmaRss(urls: readonly string[], builtAt: number): string {
  const item = (url: string): string => `    <item>
      <title>
        <![CDATA[${url.slice(url.lastIndexOf('/') + 1)}]]>
      </title>
      <link>${url}</link>
      <guid isPermaLink="true">${url}</guid>
      <pubDate>${new Date(builtAt).toUTCString()}</pubDate>
    </item>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss
  xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:atom="http://www.w3.org/2005/Atom" version="2.0">
  <channel>
    <title>
      <![CDATA[Opendata Movilidad MITMA]]>
    </title>
    <link>https://www.mitma.es/ministerio/covid-19/evolucion-movilidad-big-data/opendata-movilidad</link>
    <generator>RSS for Node</generator>
    <lastBuildDate>${new Date(builtAt).toUTCString()}</lastBuildDate>
${urls.map(item).join('\n')}
  </channel>
</rss>
`
}

/** Land that several municipalities share: a zone at every level, without a population. */
const SHARED_LAND = '34011153001'

/** The urban area of a zone: its own if it has several districts, otherwise the zone itself. */
const gauOf = ({ id, province, districts }: Pick<MobilityZone, 'id' | 'province' | 'districts'>): string =>
  districts.length > 1 ? `GAU ${province}` : id

/** The ministry's words for the levels of zones. */
export type ZoneLevel = 'distritos' | 'municipios' | 'gaus'

/**
 * The zones of a level, from the municipal ones; an urban area may contain several of those. If a population cannot be divided
 * evenly among districts, the first one gets the rest.
 */
export function zonesAt(zones: readonly MobilityZone[], level: ZoneLevel): readonly MobilityZone[] {
  if (level === 'municipios') return zones
  if (level === 'gaus') return urbanAreas(zones)
  return zones.flatMap((zone) => {
    const count = zone.districts.length
    const each = Math.floor(zone.population / count)
    return zone.districts.map((id, at) => ({
      ...zone,
      id,
      name: count > 1 ? `${zone.name} distrito 0${at + 1}` : zone.name,
      population: each + (at === 0 ? zone.population - each * count : 0),
    }))
  })
}

function urbanAreas(zones: readonly MobilityZone[]): readonly MobilityZone[] {
  return [...Map.groupBy(zones, gauOf)].map(([id, parts]) => ({
    ...(parts[0] as MobilityZone),
    id,
    municipalities: parts.flatMap(({ municipalities }) => municipalities),
    population: parts.reduce((sum, { population }) => sum + population, 0),
  }))
}

/**
 * Names or populations of the zones of a level: `|`, CRLF. Names have a header, and municipal ones an unnamed column before them.
 * Populations have no header, decimals, and `NA` for shared land. Each month a few zones grow and some grouped ones change their
 * spelling.
 */
export function zoneList(
  zones: readonly MobilityZone[],
  list: {
    readonly what: 'nombres' | 'poblacion'
    readonly level: ZoneLevel
    readonly publishedAt: number
    readonly share: number
    readonly hasUnknownCodes: boolean
  },
): string {
  const { what, level, publishedAt, share, hasUnknownCodes } = list
  const listed = zonesAt(zones, level).map(({ id, name, population }) => ({
    ...{ id, name },
    population: population + (chance('grown', id, publishedAt) < 0.1 ? 1 : 0),
  }))
  const kept = listed.slice(0, Math.floor(listed.length * share))
  if (what === 'poblacion') return lineEnded([...kept.map(({ id, population }) => `${id}|${population}.0`), `${SHARED_LAND}|NA`])
  const first = (at: number | null): string => (level === 'municipios' ? `${at ?? ''}|` : '')
  const more = (text: string): string => (hasUnknownCodes ? `|${text}` : '')
  const spelt = (id: string, name: string): string =>
    chance('spelt', id, publishedAt) < 0.2 ? name.replace('agregacion', 'agregación') : name
  const all = [...kept, { id: SHARED_LAND, name: 'Parzonería de Encía' }]
  return lineEnded([
    `${first(null)}ID|name${more('fuente')}`,
    ...all.map(({ id, name }, at) => `${first(at)}${id}|${spelt(id, name)}${more('IGN')}`),
  ])
}

const lineEnded = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`

/** The zone of each municipality in the study of 2020 and 2021: `|`, LF. Each month a few municipalities join a group. */
export function v1ZoneRelation(
  zones: readonly MobilityZone[],
  edition: { readonly publishedAt: number; readonly share: number; readonly hasUnknownCodes: boolean },
): string {
  const { publishedAt, share, hasUnknownCodes } = edition
  const lines = zones.flatMap(({ id, municipalities }) =>
    municipalities.map((code) => {
      const zone = id === code && chance('joined', code, publishedAt) < 0.02 ? `${code}_AM` : id
      return `${code}|${zone}${hasUnknownCodes ? '|IGN' : ''}`
    }),
  )
  const header = `municipio|municipio_mitma${hasUnknownCodes ? '|fuente' : ''}`
  return `${[header, ...lines.slice(0, Math.floor(lines.length * share))].join('\n')}\n`
}

/**
 * Census sections of an INE district, and the share with one more: full archives have 36,000 in all, as in the ministry's
 * relation.
 */
const SECTIONS = { short: [2, 0.1], full: [3, 0.9] } as const satisfies Record<Archives, unknown>

/** The census sections of zones: `|`, CRLF, `NA` for shared land. Sometimes a section is divided in two. */
export function zoneRelation(
  zones: readonly MobilityZone[],
  edition: { readonly publishedAt: number; readonly share: number; readonly hasUnknownCodes: boolean; readonly archives: Archives },
): string {
  const { publishedAt, share, hasUnknownCodes, archives } = edition
  const [least, often] = SECTIONS[archives]
  const more = (text: string): string => (hasUnknownCodes ? `|${text}` : '')
  const lines = zones.flatMap(({ id, province, municipalities, districts }) =>
    municipalities.flatMap((code) =>
      districts.flatMap((district, at) =>
        Array.from({ length: least + (chance('sections', code, at, publishedAt) < 1 - often ? 0 : 1) }, (_, section) => {
          const of = `${code}0${at + 1}`
          return `${of}00${section + 1}|${of}|${code}|${district}|${id}|${gauOf({ id, province, districts })}${more('IGN')}`
        }),
      ),
    ),
  )
  const shared = SHARED_LAND
  const all = [...lines.slice(0, Math.floor(lines.length * share)), `NA|NA|NA|${shared}|${shared}|${shared}${more('IGN')}`]
  return lineEnded([`seccion_ine|distrito_ine|municipio_ine|distrito_mitma|municipio_mitma|gau_mitma${more('fuente')}`, ...all])
}
