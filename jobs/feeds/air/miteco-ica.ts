import { airQualityIndex, airQualityStations } from '../../../lake/datasets/air/air-quality.ts'
import { LEVELS } from '../../../lake/datasets/air/national-index.ts'
import { mitecoIca as source } from '../../../lake/datasets/air/sources.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { parseInstant } from '../../../lake/schema/time.ts'
import { readCsv } from '../../formats/csv.ts'
import { decodeText } from '../../formats/text.ts'
import { batch, defineFeed, FormatError } from '../define.ts'
import { Binder, columnsOf } from '../kit/binder.ts'
import { RecordReader } from '../kit/reader.ts'
import { csvFile } from '../kit/record-feed.ts'

type Station = FeedRow<typeof airQualityStations>
type Index = FeedRow<typeof airQualityIndex>

const COLUMNS = columnsOf(
  {
    id: 'cod_estacion',
    name: 'nombre',
    type: 'tipo',
    latitude: 'latitud',
    longitude: 'longitud',
    active: 'activa',
    hour: 'fecha',
    index: 'indice',
    pollutants: 'debido_a',
  },
  [],
)
const NEEDS = ['id', 'name', 'active', 'hour'] as const
type Reader = RecordReader<(typeof COLUMNS.fields)[number], (typeof NEEDS)[number]>

/** Some editions have other text before the header. */
const HEADER = /^"?cod_estacion"?,/m
/** INE's code of the municipality without its leading zero, and three digits of the station. */
const STATION = /^\d{7,8}$/
/** A full hour of UTC, without an offset. */
const HOUR = /^\d{4}-\d{2}-\d{2}T\d{2}:00:00$/
/** The category, times ten if computed from fewer pollutants. */
const CATEGORY = /^([1-6])(0?)$/
/** No index: the publisher leaves the cell empty or writes 0. */
const NO_INDEX: readonly (string | null)[] = [null, '0']
const TYPES = { FONDO: 'BACKGROUND', INDUSTRIAL: 'INDUSTRIAL', TRAFICO: 'TRAFFIC' } as const

/** The national air quality index: one file with every station, replaced hourly, about two hours late. */
export const mitecoIca = defineFeed({
  id: 'miteco_ica',
  source,
  into: [airQualityStations, airQualityIndex],
  every_s: 1200,
  get: { name: 'records', url: 'https://ica.miteco.es/datos/ica-ultima-hora.csv', maxBytes: 2_000_000, expects: 'csv' },
  freshBy: 'fetch',
  bands: {
    air_quality_stations: { atLeast: 0, minRatio: 0.8, maxRatio: 1000, mayBeEmpty: true },
    air_quality_index: { atLeast: 0, minRatio: 0.5, maxRatio: 1000, mayBeEmpty: true },
  },
  *rows(bodies, clock, diagnostics) {
    const binder = new Binder(COLUMNS)
    const reader: Reader = new RecordReader({
      columns: COLUMNS,
      needs: NEEDS,
      decimal: 'point',
      emptyValues: [],
      diagnostics,
      clock,
    })
    const stations: Station[] = []
    const index: Index[] = []
    for (const { name, bytes } of bodies) {
      const { header, records, misshapen = [] } = csvFile(name, readCsv(tableOf(name, decodeText(bytes)), CSV))
      binder.bind(header ?? [])
      const missing = binder.missing([...NEEDS, 'index', 'pollutants'])
      if (missing.length > 0) throw new FormatError(`${name} has no ${missing.join(', ')}`)
      for (const text of misshapen) diagnostics.reject(airQualityStations, 'another number of fields', text)
      for (const record of records) {
        reader.turnTo(binder.valuesOf(record))
        const reject = (dataset: typeof airQualityStations | typeof airQualityIndex, error: unknown): void => {
          if (!(error instanceof FormatError)) throw error
          diagnostics.reject(dataset, error.message, record.values.join())
        }
        let station: Station
        try {
          station = stationOf(reader)
          stations.push(station)
        } catch (error) {
          reject(airQualityStations, error)
          continue
        }
        try {
          // The file still gives an index for some inactive stations.
          if (station.is_active) index.push(...indexOf(reader, station.station_id))
        } catch (error) {
          reject(airQualityIndex, error)
        }
      }
    }
    binder.countUnknown(mitecoIca.id, diagnostics)
    yield batch(airQualityStations, stations)
    yield batch(airQualityIndex, index)
  },
})

const CSV = { delimiter: ',', requires: [], endsLines: true } as const

/** The text from the header on. Throws `FormatError` without a header. */
function tableOf(name: string, text: string): string {
  const at = text.search(HEADER)
  if (at < 0) throw new FormatError(`${name} has no line that begins with cod_estacion`)
  return text.slice(at)
}

function stationOf(r: Reader): Station {
  const code = r.text('id')
  if (!STATION.test(code)) throw new FormatError('cod_estacion is no number of 7 or 8 digits')
  const station_id = code.padStart(8, '0')
  const municipality = station_id.slice(0, 5)
  const place = r.place({ provinceCode: station_id.slice(0, 2), position: r.position('latitude', 'longitude') })
  return {
    ...{ source: source.id, station_id, name: r.text('name'), type: r.code('type', TYPES), is_active: isTrue(r.text('active')) },
    ...place,
    municipality_code: municipalityByCode(municipality) ? municipality : place.municipality_code,
  }
}

function isTrue(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new FormatError('activa is neither true nor false')
  return text === 'true'
}

/** The index of a record, if it has one. Throws `FormatError` for an invalid index. */
function indexOf(r: Reader, station_id: string): Index[] {
  const text = r.cell('index')
  if (NO_INDEX.includes(text)) return []
  const [, category, ten] = CATEGORY.exec(text as string) ?? []
  if (category === undefined) throw new FormatError('indice is no category')
  const hour = r.text('hour')
  const observed_at = HOUR.test(hour) ? parseInstant(`${hour}Z`) : null
  if (observed_at === null) throw new FormatError('fecha is no full hour')
  const pollutants = (r.text('pollutants') ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim().replace('.', '_')]))
  return [
    { source: source.id, station_id, observed_at, level: LEVELS[Number(category) - 1] as string, is_partial: ten === '0', pollutants },
  ]
}
