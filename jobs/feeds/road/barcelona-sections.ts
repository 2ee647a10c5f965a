import { SECTION_CITIES } from '../../../lake/datasets/road/section-cities.ts'
import { barcelonaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { cityLine, sectionOf } from './section-shapes.ts'

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
