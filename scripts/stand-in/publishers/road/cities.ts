import { instantOf } from '../../../../lake/schema/time.ts'
import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import {
  BARCELONA_TIME,
  barcelonaArchiveLine,
  barcelonaCatalogue,
  barcelonaStates,
  bilbaoLayer,
  valenciaLayer,
} from '../../formats/city-sections.ts'
import { inPieces } from '../../formats/lines.ts'
import { type Edition, everyPeriod, type FeedStandIn, keptOf, type TextToPack } from '../../publisher.ts'
import { chance, hash } from '../../random.ts'
import { citySections, fullnessAt, levelsAt, type StreetSection } from '../../world/city-sections.ts'
import { localText, localTime } from '../../world/rhythm.ts'
import type { World } from '../../world/world.ts'

const [FIVE_MINUTES, QUARTER, HOUR] = [300_000, 900_000, 3_600_000]
const BCN = 'opendata-ajuntament.barcelona.cat'
const LIVE = '/data/dataset/8319c2b1-4c21-4962-9acd-6db4c5ff1148/resource/2d456eb5-4ea6-4f68-9794-2f3f1a58a933/download'
const MIRROR = '/transit/dades/dadestrams.dat'

const barcelonaLive = defineStandIn('barcelona_traffic', {
  hosts: [BCN, 'www.bcn.cat'],
  route: (path) => (path === LIVE || path === MIRROR ? 'states' : null),
  publishedAt: everyPeriod(FIVE_MINUTES, 50, 8),
  contentType: 'application/octet-stream',
  write(world, { publishedAt, stampedAt, variant }) {
    const sections = keptOf(world.part(citySections).barcelona, variant)
    const [now, soon] = [publishedAt, publishedAt + QUARTER].map((at) => levelsAt(world.seed, 'barcelona', at)) as [LevelOf, LevelOf]
    return barcelonaStates(sections, { now, soon, stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
})
type LevelOf = ReturnType<typeof levelsAt>

const barcelonaPlaces = defineStandIn('barcelona_sections', {
  hosts: [BCN],
  hasOldLayout: true,
  write(world, { variant }) {
    const listed = world.part(citySections).barcelona.filter(({ isListed }) => isListed)
    return barcelonaCatalogue(keptOf(listed, variant), variant)
  },
  captures: {
    folder: 'barcelona-trams',
    capturedAt: (file) => capturesNamed(/_2020\.csv$/, '2020-01-01')(file) ?? capturesNamed(/_202510\.csv$/)(file),
  },
})

const CATALAN_MONTHS = [
  ...['Gener', 'Febrer', 'Marc', 'Abril', 'Maig', 'Juny'],
  ...['Juliol', 'Agost', 'Setembre', 'Octubre', 'Novembre', 'Desembre'],
] as const
const LIST = '/data/api/3/action/package_show'
const MONTH_FILE = /^\/data\/dataset\/trams\/resource\/[\w-]+\/download\/(\d{4})_(\d\d)_\p{L}+_TRAMS_TRAMS\.csv$/u
/** Months in the list. */
const LISTED = 24
/** The portal publishes a month on the fifth of the next. */
const PUBLISHED_ON = 5
/** Sections in a short archive. */
const SHORT_SECTIONS = 10

const barcelonaMonths = defineStandIn('barcelona_history', {
  hosts: [BCN],
  path: `${LIST}?id=trams`,
  route(path, query) {
    if (path === LIST && query.get('id') === 'trams') return 'list'
    const [, year, month] = MONTH_FILE.exec(decodeURI(path)) ?? []
    return year === undefined ? null : `${year}-${month}`
  },
  publishedAt: monthlyOn(PUBLISHED_ON),
  contentTypes: { list: 'application/json; charset=utf-8' },
  write: (world, edition) => (edition.resource === 'list' ? listAt(edition) : monthOf(world, edition)),
})

/** The portal's list in CKAN's format: completed months, among other files. */
function listAt({ publishedAt, variant }: Edition): string {
  const { year, month } = localTime(publishedAt)
  const months = Array.from({ length: LISTED }, (_, back) => new Date(Date.UTC(year, month - 2 - back, 1)))
  const files = months.map((first) => {
    const text = first.toISOString().slice(0, 7)
    const name = `${text.replace('-', '_')}_${CATALAN_MONTHS[first.getUTCMonth()]}_TRAMS_TRAMS.csv`
    const id = text === '2025-04' ? 'd18a6f9e-cd22-4a21-af28-99aa23af1fb2' : `00000000-0000-4000-8000-000000${text.replace('-', '')}`
    return { name, format: 'CSV', url: `https://${BCN}/data/dataset/trams/resource/${id}/download/${name}` }
  })
  const live = { name: 'TRAMS_TRAMS.dat', format: 'DAT', url: `https://${BCN}${LIVE}` }
  const more = variant.hasUnknownCodes ? [{ name: 'Nou format', format: 'PARQUET', url: `https://${BCN}/data/trams.parquet` }] : []
  return JSON.stringify({ success: true, result: { name: 'trams', resources: [live, ...more, ...files] } })
}

/** A month of states: all sections in a full archive, some in a short one. */
function monthOf({ seed, archives, part }: World, { resource, variant }: Edition): TextToPack | string {
  const all = part(citySections).barcelona
  const step = archives === 'full' ? 1 : Math.ceil(all.length / SHORT_SECTIONS)
  const sections = all.filter((_, at) => at % step === 0)
  const text = [...inPieces('idTram,data,estatActual,estatPrevist', linesOf(seed, { month: resource, sections, variant }))]
  return text.join('')
}

function* linesOf(
  seed: number,
  given: { month: string; sections: readonly StreetSection[]; variant: Edition['variant'] },
): Generator<string> {
  const { month, sections, variant } = given
  const first = Date.parse(month)
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const [begin, end] = [first, next.getTime()].map((at) => instantOf(new Date(at).toISOString().slice(0, 10), '00:00')) as [number, number]
  for (let at = begin; at < begin + (end - begin) * variant.share; at += FIVE_MINUTES) {
    const instant = at + 57_000
    const stamp = localText(instant, BARCELONA_TIME)
    const [now, soon] = [levelsAt(seed, 'barcelona', instant), levelsAt(seed, 'barcelona', instant + QUARTER)]
    for (const section of sections) {
      const isOdd = variant.hasUnknownCodes && at % HOUR === 0 && section === sections[0]
      yield barcelonaArchiveLine(section, stamp, isOdd ? null : now(section), soon(section))
    }
  }
}

const VALENCIA = '/server/rest/services/OPENDATA/Trafico/MapServer/192/query'

/** Ajuntament de València: sections with their states. */
export const valenciaTraffic = defineStandIn('valencia_traffic', {
  path: `${VALENCIA}?where=1=1&outFields=*&f=geojson`,
  route: (path, query) => (path === VALENCIA && query.get('f') === 'geojson' ? 'sections' : null),
  publishedAt: everyPeriod(FIVE_MINUTES, 20, 8),
  contentType: 'application/geo+json; charset=utf-8',
  validators: 'none',
  hasOldLayout: true,
  write(world, { publishedAt, variant }) {
    const now = levelsAt(world.seed, 'valencia', publishedAt)
    const order = hash(world.seed, 'valencia order', publishedAt)
    return valenciaLayer(keptOf(world.part(citySections).valencia, variant), { now, order, ...variant })
  },
  captures: {
    folder: 'valencia-trafico',
    capturedAt: capturesNamed(/^mapserver192_\w+\.geojson$/),
  },
})

const BILBAO = '/aytoonline/srvDatasetTrafico'

/** Ayuntamiento de Bilbao: sections with their measurements. */
export const bilbaoTraffic = defineStandIn('bilbao_traffic', {
  path: `${BILBAO}?formato=geojson`,
  route: (path, query) => (path === BILBAO && query.get('formato') === 'geojson' ? 'sections' : null),
  publishedAt: everyPeriod(FIVE_MINUTES),
  contentType: 'application/json; charset=UTF-8',
  validators: 'none',
  write(world, { publishedAt, stampedAt, variant }) {
    const { seed } = world
    const fullness = fullnessAt(seed, 'bilbao', publishedAt)
    const read = (section: StreetSection) => {
      const full = fullness(section)
      const isBroken = chance(seed, 'bilbao broken', section.index) < 0.2
      // The last section has negative counts, like one of Bilbao's.
      const intensity = isBroken ? 0 : Math.round(1400 * full) * (section.index === 59 ? -1 : 1)
      const speed =
        isBroken || chance(seed, 'bilbao speed', section.index, publishedAt) < 0.04 ? 0 : Math.max(1, Math.round(45 - 35 * full))
      return { intensity, occupancy: isBroken ? 0 : Math.min(100, Math.round(40 * full ** 2)), speed }
    }
    return bilbaoLayer(keptOf(world.part(citySections).bilbao, variant), { read, stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'bilbao-trafico',
    // Its newest section reports 15:55 of that day.
    capturedAt: capturesNamed(/^srvDatasetTrafico_20260129\.geojson$/, '2026-01-29T15:57+01:00'),
  },
})

/** Ajuntament de Barcelona: states of sections, their catalogue, and the monthly archive. */
export const barcelonaTraffic: readonly FeedStandIn[] = [barcelonaLive, barcelonaPlaces, barcelonaMonths]
