import { SPANISH_MONTHS } from '../../../../jobs/formats/dates.ts'
import { instantOf } from '../../../../lake/schema/time.ts'
import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { madridCounts } from '../../formats/madrid-counts.ts'
import { historySensors, madridHistory } from '../../formats/madrid-history.ts'
import { madridEdition } from '../../formats/madrid-points.ts'
import { type Edition, type FeedStandIn, keptOf } from '../../publisher.ts'
import { type CountStation, countStations } from '../../world/madrid-counts.ts'
import { KEPT_IDS, madridSensors } from '../../world/madrid-sensors.ts'
import { localTime } from '../../world/rhythm.ts'
import type { World } from '../../world/world.ts'

/** Day of the month on which the previous month is published. */
const PUBLISHED_ON = 10
/** Months in the list; older files still exist. */
const LISTED = 24
const HOUR_MS = 3_600_000
/** Hours that the current month needs before it is listed, and the number of newest months that all exist. */
const RUNNING_HOURS = 3
const NO_GAPS = 6
/**
 * A dataset of the portal with a file for each month: the first file's number and month; each later month has the next number.
 */
interface Monthly {
  readonly dataset: number
  readonly name: string
  readonly format: 'csv' | 'zip'
  /** True for a month (YYYY-MM) whose file is a workbook. */
  readonly isWorkbook?: (month: string) => boolean
  /**
   * True if the current month is listed too, up to its last completed hour. The publisher only lists completed months; without
   * the current one, a simulated service would have no forecasts on its first day.
   */
  readonly reachesNow?: true
  readonly first: { readonly number: number; readonly year: number; readonly month: number }
}

const LIST = '/api/3/action/package_show'
/** One in this many months was never published. */
const GAP_EVERY = 11
const tenth = monthlyOn(PUBLISHED_ON)

/** A feed of monthly files. `write` writes the file of a month (YYYY-MM); `recorded` has the folder and months of captures. */
function monthlyStandIn(
  feed: string,
  monthly: Monthly,
  {
    write,
    recorded,
    ...rest
  }: {
    readonly write: (world: World, edition: Edition, month: string) => ReturnType<FeedStandIn['write']>
    readonly recorded?: { readonly folder: string; readonly monthOf: (file: string) => readonly [year: number, month: number] | null }
    readonly contentType?: string
  },
): FeedStandIn {
  const { dataset, name, first } = monthly
  return defineStandIn(feed, {
    path: `${LIST}?id=${dataset}-0-${name}`,
    route(path, query) {
      if (path === LIST && query.get('id') === `${dataset}-0-${name}`) return 'list'
      return fileIn(monthly, path)
    },
    publishedAt: (seed, now, resource) => (monthly.reachesNow ? publishedAt(monthly, now, resource) : tenth(seed, now)),
    contentTypes: { list: 'application/json; charset=utf-8' },
    write: (world, edition) =>
      edition.resource === 'list'
        ? listOf(monthly, edition.publishedAt, edition.variant.hasUnknownCodes)
        : write(world, edition, monthOf(monthly, Number(edition.resource) - first.number)),
    ...(recorded && {
      captures: {
        folder: recorded.folder,
        archive: {
          resourceOf(file: string) {
            const found = recorded.monthOf(file)
            return found && String(numberOf(monthly, ...found))
          },
          index: 'list',
          list: (numbers: readonly string[]) =>
            listOfMonths(
              monthly,
              numbers.map((number) => Number(number) - first.number),
              false,
            ),
        },
      },
    }),
    ...rest,
  })
}

const COUNTS: Monthly = {
  ...{ dataset: 300233, name: 'aforo-trafico-permanentes', format: 'csv', reachesNow: true },
  first: { number: 85, year: 2018, month: 4 },
}
const counts = monthlyStandIn('madrid_counts', COUNTS, {
  write: ({ seed, part }, { publishedAt, variant }, month) =>
    madridCounts({ ...variant, seed, month, stations: part(countStations), until: publishedAt }),
  recorded: {
    folder: 'madrid-historico/permanentes',
    // DatosEstacionesAbril2022.csv.
    monthOf(file) {
      const [, name = '', year] = /^DatosEstaciones([A-Z][a-z]+)(\d{4})\.csv(?:\.gz)?$/.exec(file) ?? []
      const month = SPANISH_MONTHS.indexOf(name.toLowerCase())
      return year === undefined || month < 0 ? null : [Number(year), month + 1]
    },
  },
})

const HISTORY: Monthly = {
  ...{ dataset: 208627, name: 'transporte-ptomedida-historico', format: 'zip', reachesNow: true },
  first: { number: 20, year: 2017, month: 4 },
}
const history = monthlyStandIn('madrid_history', HISTORY, {
  write({ seed, archives, part }, { publishedAt, variant }, month) {
    const sensors = historySensors(part(madridSensors), KEPT_IDS, archives)
    const { name, text } = madridHistory({ ...variant, seed, month, sensors, publishedAt })
    return { text, zip: { name, at: publishedAt } }
  },
})

const EDITIONS: Monthly = {
  ...{ dataset: 202468, name: 'intensidad-trafico', format: 'csv' },
  isWorkbook: (month) => month >= '2019' && /-(?:01|12)$/.test(month),
  // 156 is then December 2024. The newest edition is served under 263, which would be a month in the 2030s.
  first: { number: 64, year: 2017, month: 4 },
}
const editions = monthlyStandIn('madrid_sensor_editions', EDITIONS, {
  contentType: 'application/octet-stream',
  write({ seed, part }, { publishedAt, variant }, month) {
    const sensors = keptOf(part(madridSensors), variant)
    const editionAt = instantOf(`${month}-01`, '00:00')
    return madridEdition({ ...variant, sensors, seed, editionAt, isWorkbook: isWorkbook(EDITIONS, month), publishedAt })
  },
  recorded: {
    folder: 'madrid-historico/pmed',
    // 01-2025-posiciones-medidores.xlsx.
    monthOf(file) {
      const [, month, year] = /^(\d\d)-(\d{4})-posiciones-medidores\.xlsx$/.exec(file) ?? []
      return year === undefined ? null : [Number(year), Number(month)]
    },
  },
})

const commaText = (degrees: number): string => String(degrees).replace('.', ',')
const stations = fixtureStandIn<CountStation & { readonly at: 0 | 1 }>('madrid_count_stations', {
  publishedAt: tenth,
  file: 'stations.csv',
  items: (world) => world.part(countStations).flatMap((one) => ([0, 1] as const).map((at) => ({ ...one, at }))),
  fields: {
    Estación: (_number, { item }) => item.number,
    Nombre: (_name, { item }) => item.street,
    Latitud: (_lat, { item }) => commaText(item.lat),
    Longitud: (_lon, { item }) => commaText(item.lon),
    // A direction that a one-way street lacks has no number.
    Sentido: (_sense, { item }) => (item.peaks[item.at] === null ? '' : item.at + 1),
    'Orient.': (_heading, { item }) => (item.peaks[item.at] === null ? '' : item.headings[item.at]),
  },
  captures: {
    folder: 'madrid-historico/permanentes',
    // The date of its commit (provenance in the notes).
    capturedAt: capturesNamed(/^UbicacionEstacionesPermanentesSentidos\.csv$/, '2023-10-19'),
  },
})

/** Ayuntamiento de Madrid's monthly archives: hourly counts and their stations, sensors' measurements and positions. */
export const madridArchive: readonly FeedStandIn[] = [counts, stations, history, editions]

/**
 * Publication time of a file (or the list) of an archive that reaches the present: the current month each hour, the previous one
 * at its end.
 */
function publishedAt(monthly: Monthly, now: number, resource = 'list'): number {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  if (resource === 'list') return hour
  const { year, month } = localTime(hour)
  const behind = numberOf(monthly, year, month) - Number(resource)
  if (behind <= 0) return hour
  const begin = instantOf(`${String(year)}-${String(month).padStart(2, '0')}-01`, '00:00')
  return behind === 1 ? Math.max(begin, tenth(0, now)) : tenth(0, now)
}

const isGap = (at: number): boolean => at % GAP_EVERY === 5

/** The number of the file of a month. */
function numberOf({ first }: Monthly, year: number, month: number): number {
  return first.number + (year - first.year) * 12 + month - first.month
}

/** The file of a path; null if there is none. Unlisted files can be requested too. */
function fileIn(monthly: Monthly, path: string): string | null {
  const [, found, number = ''] = /^\/egob\/catalogo\/(\d+)-(\d{1,4})-/.exec(path) ?? []
  if (found !== String(monthly.dataset) || Number(number) < monthly.first.number) return null
  return path === pathOf(monthly, Number(number)) ? number : null
}

function pathOf(monthly: Monthly, number: number): string {
  const { dataset, name, format, first } = monthly
  const ending = isWorkbook(monthly, monthOf(monthly, number - first.number)) ? '-xlsx.xlsx' : `.${format}`
  return `/egob/catalogo/${dataset}-${number}-${name}${ending}`
}

const isWorkbook = (monthly: Monthly, month: string): boolean => monthly.isWorkbook?.(month) ?? false

function monthOf({ first }: Monthly, at: number): string {
  return new Date(Date.UTC(first.year, first.month - 1 + at, 1)).toISOString().slice(0, 7)
}

/** The portal's list in CKAN's format, as of a publication (ms): its newest month is the previous or the current one. */
function listOf(monthly: Monthly, publishedAt: number, hasMore: boolean): string {
  const { year, month, day, hour } = localTime(publishedAt)
  const isRunning = monthly.reachesNow && (day - 1) * 24 + hour >= RUNNING_HOURS
  const newest = numberOf(monthly, year, month) - monthly.first.number - (isRunning ? 0 : 1)
  const isThere = (at: number): boolean => at >= 0 && (!isGap(at) || (monthly.reachesNow === true && at > newest - NO_GAPS))
  const months = Array.from({ length: LISTED }, (_, back) => newest - back).filter(isThere)
  return listOfMonths(monthly, months, hasMore)
}

/** The list of some months, by their number after the first. */
function listOfMonths(monthly: Monthly, months: readonly number[], hasMore: boolean): string {
  const { dataset, name, format, first } = monthly
  const url = (number: number): string => `https://datos.madrid.es${pathOf(monthly, number)}`
  const files = months.map((at) => {
    const [ofYear, ofMonth] = monthOf(monthly, at).split('-').map(Number) as [number, number]
    const called = SPANISH_MONTHS[ofMonth - 1] as string
    return {
      name: `${ofYear}. ${called.charAt(0).toUpperCase()}${called.slice(1)}`,
      format: format.toUpperCase(),
      url: url(first.number + at),
    }
  })
  const others = monthly === COUNTS ? [{ name: 'Ubicación de las estaciones permanentes y sentidos', format: 'CSV', url: url(70) }] : []
  if (hasMore)
    others.push({ name: 'Edición nueva', format: 'PARQUET', url: `https://datos.madrid.es/egob/catalogo/${dataset}-999.parquet` })
  return JSON.stringify({ success: true, result: { name: `${dataset}-0-${name}`, resources: [...others, ...files] } })
}
