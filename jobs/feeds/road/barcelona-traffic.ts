import { barcelonaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { SECTION_CITIES, trafficSectionStates, trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { cityLine, levelOf, type SectionReport, sectionOf, sectionStates } from './city-sections.ts'

/** States by the city's documentation: 0 no data, 1 very fluid, 2 fluid, 3 dense, 4 very dense, 5 congestion, 6 closed. */
export const BARCELONA_LEVELS = {
  '0': 'UNKNOWN',
  '1': 'FREE',
  '2': 'FREE',
  '3': 'DENSE',
  '4': 'VERY_DENSE',
  '5': 'CONGESTED',
  '6': 'CLOSED',
} as const satisfies Readonly<Record<string, string>>

const [SECTION, STAMP] = [/^\d+$/, /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/]

/**
 * States of Barcelona's sections: lines of `id#yyyymmddHHMMSS#state#state in 15 minutes`, local time, overwritten every five
 * minutes.
 */
export const barcelonaTraffic = defineFeed({
  id: 'barcelona_traffic',
  source,
  into: [trafficSectionStates],
  every_s: 300,
  get: [
    'https://opendata-ajuntament.barcelona.cat/data/dataset/8319c2b1-4c21-4962-9acd-6db4c5ff1148/resource/2d456eb5-4ea6-4f68-9794-2f3f1a58a933/download',
    'https://www.bcn.cat/transit/dades/dadestrams.dat',
  ].map((url) => ({ name: 'sections', url, accept: 'text/plain, */*;q=0.5', maxBytes: 2_000_000, timeout_ms: 30_000, expects: 'csv' })),
  bands: { traffic_section_states: { atLeast: 200, minRatio: 0.8, maxRatio: 1000 } },
  *rows(bodies, { fetched_at, near = fetched_at }, diagnostics) {
    const reports: SectionReport[] = []
    for (const { name, bytes } of bodies) {
      const lines = decodeText(bytes)
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
      for (const line of lines) {
        const report = reportOf(line, near, diagnostics)
        if (typeof report === 'string') diagnostics.reject(trafficSectionStates, report, line.slice(0, 200))
        else reports.push(report)
      }
      if (reports.length === 0) throw new FormatError(`${name} has no line of the form id#yyyymmddHHMMSS#state#forecast`)
    }
    const { newest, states } = sectionStates(SECTION_CITIES.barcelona, reports, { fetchedAt: fetched_at, diagnostics })
    diagnostics.publishedAt(newest)
    yield batch(trafficSectionStates, states)
  },
})

/** The report of a line, or the reason why it is invalid. */
function reportOf(line: string, near: number, diagnostics: Diagnostics): SectionReport | string {
  const [section_id = '', stamp = '', state, forecast = '', ...others] = line.split('#')
  if (state === undefined || others.length > 0) return 'another number of fields'
  if (state === '') return 'the state is empty'
  if (!SECTION.test(section_id)) return 'the id of the section is no number'
  const [, year, month, day, hour, minute, second] = STAMP.exec(stamp) ?? []
  const observed_at = year === undefined ? Number.NaN : instantOf(`${year}-${month}-${day}`, `${hour}:${minute}:${second}`, { near })
  if (Number.isNaN(observed_at)) return 'the time is no yyyymmddHHMMSS'
  return {
    ...{ section_id, observed_at, level: levelOf(BARCELONA_LEVELS, state, diagnostics), source_state: state },
    forecast_15min_level: forecast === '' ? null : levelOf(BARCELONA_LEVELS, forecast, diagnostics),
    source_forecast_state: forecast || null,
  }
}

const PLACE = SECTION_CITIES.barcelona
const POINT_COLUMNS = ['Tram', 'Tram_Components', 'Descripció', 'Longitud', 'Latitud'] as const
const SECTION_COLUMNS = ['Tram', 'Descripció', 'Coordenades'] as const

/**
 * The lines of Barcelona's sections. The newer edition has a row for each point; the older one has a row for each section,
 * with all coordinates in one cell.
 */
export const barcelonaSections = defineFeed({
  id: 'barcelona_sections',
  source,
  into: [trafficSections],
  every_s: 86_400,
  get: {
    name: 'sections',
    url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/0e3b6840-7dff-4731-a556-44fac28a7873/resource/c97072a3-3619-4547-84dd-f1999d2a3fec/download/transit_relacio_trams_format_long.csv',
    maxBytes: 8_000_000,
    expects: 'csv',
  },
  freshBy: 'fetch',
  bands: { traffic_sections: { atLeast: 200, minRatio: 0.8, maxRatio: 1000 } },
  rows: readSections,
})

/** The content of a section's rows: its name, and its coordinates as alternating longitude and latitude. */
interface Drawn {
  readonly name: string | null
  readonly degrees: readonly string[]
}

function* readSections(bodies: readonly FeedBody[], _clock: FeedClock, diagnostics: Diagnostics): Generator<Batch> {
  for (const { bytes } of bodies) {
    const table = readCsv(decodeText(bytes), { delimiter: ',', requires: [], endsLines: true })
    const isOlder = table.header.includes('Coordenades')
    const columns: readonly string[] = isOlder ? SECTION_COLUMNS : POINT_COLUMNS
    // A section without a name is of use.
    const missing = columns.filter((name) => name !== 'Descripció' && !table.header.includes(name))
    if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${table.header.join(', ')}`)
    for (const name of table.header) if (!columns.includes(name)) diagnostics.unknownCode('barcelona_sections_column', name)
    for (const { line, text } of table.misshapen) diagnostics.reject(trafficSections, 'another number of fields', `line ${line}: ${text}`)
    const drawn = isOlder ? rowASection(table) : rowAPoint(table, diagnostics)
    yield batch(
      trafficSections,
      [...drawn].map(([section_id, { name, degrees }]) =>
        sectionOf(PLACE, { section_id, name }, { line: cityLine(PLACE, pairs(degrees, diagnostics), diagnostics) }),
      ),
    )
  }
}

/** The older edition, `Tram,Descripció,Coordenades`. */
function rowASection({ records, at }: CsvTable): Map<string, Drawn> {
  const [id, name, degrees] = SECTION_COLUMNS.map(at) as [number, number, number]
  return new Map(
    records.map((record) => [record[id] as string, { name: record[name]?.trim() || null, degrees: (record[degrees] ?? '').split(',') }]),
  )
}

/** The newer edition, `Tram,Tram_Components,Descripció,Longitud,Latitud`; points are sorted by their number. */
function rowAPoint({ records, at }: CsvTable, diagnostics: Diagnostics): Map<string, Drawn> {
  const [id, number, name, lon, lat] = POINT_COLUMNS.map(at) as [number, number, number, number, number]
  const bySection = Map.groupBy(records, (record) => record[id] as string)
  return new Map(
    [...bySection].map(([section, rows]) => {
      const points = rows.toSorted((one, other) => Number(one[number]) - Number(other[number]))
      if (points.some((row, nth) => row !== rows[nth])) diagnostics.warn('points of a section that are not in order: sorted')
      return [section, { name: points[0]?.[name]?.trim() || null, degrees: points.flatMap((row) => [row[lon] ?? '', row[lat] ?? '']) }]
    }),
  )
}

/** Longitudes and latitudes as points; a final longitude without latitude is dropped. */
function pairs(degrees: readonly string[], diagnostics: Diagnostics): (number | null)[][] {
  const numbers = degrees.map((text) => pointNumber(text.trim()))
  if (numbers.length % 2 === 1) diagnostics.warn('an odd number of coordinates: the last is left out')
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, nth) => numbers.slice(2 * nth, 2 * nth + 2))
}
