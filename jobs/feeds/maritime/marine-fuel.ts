import { createHash } from 'node:crypto'
import { priceIssue } from '../../../lake/datasets/fuel/price-bounds.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'
import { marinePrices, marineStations } from '../../../lake/datasets/maritime/marine-fuel.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readCsv } from '../../formats/csv.ts'
import { dayFirstInstant } from '../../formats/dates.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { readXls } from '../../formats/xls.ts'
import { type Batch, batch, bodyOf, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { readAnswer } from '../fuel/answer.ts'
import { coded, REPORTERS } from '../fuel/stations.ts'
import { Binder, columnsOf, type RawRecord } from '../kit/binder.ts'
import { RecordReader } from '../kit/reader.ts'
import { watchPresence } from '../presence.ts'
import type { Get } from '../request.ts'

/** Products by the price columns of both layouts, folded. */
const PRODUCTS: ReadonlyMap<string, string> = new Map(
  [
    ['gasolina 95 E5', 'GASOLINE_95_E5'],
    ['gasolina 95 E10', 'GASOLINE_95_E10'],
    ['gasolina 95 E25', 'GASOLINE_95_E25'],
    ['gasolina 95 E85', 'GASOLINE_95_E85'],
    ['gasolina renovable', 'GASOLINE_RENEWABLE'],
    ['Gasoleo A habitual', 'DIESEL_A'],
    ['gasóleo A', 'DIESEL_A'],
    ['gasóleo B', 'DIESEL_B'],
    ['gasóleo de uso marítimo', 'MARINE_GASOIL'],
    ['Gasóleo para uso marítimo', 'MARINE_GASOIL'],
    ['diesel renovable', 'DIESEL_RENEWABLE'],
    ['BGNC', 'BIO_CNG'],
    ['BGNL', 'BIO_LNG'],
    ['metanol', 'METHANOL'],
    ['amoniaco', 'AMMONIA'],
    ['AdBlue', 'ADBLUE'],
  ].map(([column, product]) => [foldName(column as string), product as string]),
)

const PREFIX = 'precio '
const BY_WEIGHT: ReadonlySet<string> = new Set(['BIO_CNG', 'BIO_LNG'])
/** A price above this is per 1000 litres: in all captures prices per litre are 1.1 to 2.1, the others 570 to 1,599. */
const MAX_PER_LITRE = 10

/** The product of a price column; an unknown product keeps the column's name. Null for a column without prices. */
function marineProduct(column: string): string | null {
  const folded = foldName(column)
  if (!folded.startsWith(PREFIX)) return null
  return PRODUCTS.get(folded.slice(PREFIX.length)) ?? column.trim().replace(/\s+/gu, ' ')
}

/** A price of a product, with its unit. */
function marinePrice(product: string, price: number) {
  if (BY_WEIGHT.has(product)) return { price, price_unit: 'EUR/kg', price_eur_l: null, price_issue: priceIssue(product, price) }
  const isPerLitre = price <= MAX_PER_LITRE
  const perLitre = isPerLitre ? price : Math.round(price * 1000) / 1_000_000
  const price_issue = priceIssue(product, perLitre)
  return { price, price_unit: isPerLitre ? 'EUR/L' : 'EUR/kL', price_eur_l: price_issue === null ? perLitre : null, price_issue }
}

/** A publication of the register: its time (ms), and its records under the layout's names. */
interface MarineDocument {
  readonly published: number
  readonly records: readonly RawRecord[]
}

/** Begin of an Excel 97 workbook (OLE2). */
const OLE2 = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/**
 * Opens a publication in either layout: the answer of the REST service, or the spreadsheet, possibly as semicolon-separated
 * text. Throws `FormatError`.
 */
async function openMarine(body: FeedBody, clock: FeedClock): Promise<MarineDocument> {
  const { bytes } = body
  if (bytes.subarray(0, OLE2.length).equals(OLE2)) return spreadsheet(await readXls(bytes), clock)
  const begin = bytes.subarray(0, 64).toString('latin1').replace('\u00ef\u00bb\u00bf', '').trimStart()
  if (begin.startsWith('{')) {
    const { published, batches } = readAnswer(body, clock)
    const records = [...batches].flat().filter((record) => typeof record === 'object' && record !== null)
    return { published, records: records.map((record) => ({ names: Object.keys(record), values: Object.values(record) })) }
  }
  const { header, records } = readCsv(decodeText(bytes), { delimiter: ';', requires: [], endsLines: true })
  return spreadsheet([header, ...records], clock)
}

/** The rows of the spreadsheet: some lines about the file, the column names, then one post per line. */
function spreadsheet(rows: readonly (readonly string[])[], { fetched_at, near = fetched_at }: FeedClock): MarineDocument {
  const at = rows.findIndex((row) => row[0]?.trim() === 'Provincia')
  if (at < 0) throw new FormatError('the spreadsheet has no line that begins with Provincia')
  const stamp = rows.slice(0, at).find((row) => row[0]?.trim() === 'Fecha:')?.[1] ?? ''
  const published = dayFirstInstant(stamp, near)
  if (Number.isNaN(published)) throw new FormatError(`Fecha is ${JSON.stringify(stamp)}, expected dd/MM/yyyy H:mm`)
  const names = (rows[at] as readonly string[]).map((name) => name.trim())
  const records = rows.slice(at + 1).filter((row) => row.some((cell) => cell.trim() !== ''))
  return { published, records: records.map((values) => ({ names, values })) }
}

type Station = FeedRow<typeof marineStations>
type Price = FeedRow<typeof marinePrices>

const NEEDS = ['province', 'municipality', 'address', 'sale'] as const

/** The columns of both layouts, except prices. */
const COLUMNS = columnsOf(
  {
    register_id: 'IDPosteMaritimo',
    port: 'Puerto',
    province: 'Provincia',
    province_code: 'IDProvincia',
    municipality: 'Municipio',
    locality: 'Localidad',
    postal_code: 'C.P. | Código postal',
    address: 'Dirección',
    longitude: 'Longitud (WGS84) | Longitud',
    latitude: 'Latitud',
    sign: 'Rótulo',
    sale: 'Tipo Venta',
    reporter: 'Remisión | Rem.',
    hours: 'Horario',
  },
  ['IDMunicipio', 'IDCCAA'],
)
type Reader = RecordReader<(typeof COLUMNS.fields)[number], (typeof NEEDS)[number]>

/** Uses by the publisher's words, folded; the legend has letters, and either grammatical gender. */
const USES: ReadonlyMap<string, string> = new Map([
  ['suministro a pesqueros', 'FISHING'],
  ['suministro a barcos deportivos o de recreo', 'LEISURE'],
  ['suministro a barcos deportivos y de recreo', 'LEISURE'],
  ['mixto', 'MIXED'],
  ['mixta', 'MIXED'],
  ['p', 'FISHING'],
  ['r', 'LEISURE'],
  ['m', 'MIXED'],
])

/** Texts that mean "none", folded. */
const NO_SIGN: ReadonlySet<string> = new Set(['ninguno', 'no hay', 'no figura', 'no tiene', 'por rellenar', 'sin rotulo'])

const REST = 'PostesMaritimos/'

/** The ministry's register of marine fuel: the REST service at either of its addresses, else the spreadsheet. */
export const marineFuel = defineFeed({
  id: 'marine_fuel',
  source: miteco,
  into: [marineStations, marinePrices],
  every_s: 1800,
  get: [
    request('posts', `https://energia.serviciosmin.gob.es/ServiciosRestCarburantes/PreciosCarburantes/${REST}`),
    request('posts-older', `https://sedeaplicaciones.minetur.gob.es/ServiciosRESTCarburantes/PreciosCarburantes/${REST}`),
    {
      ...request('spreadsheet', 'https://geoportalgasolineras.es/resources/files/embarcacionesPrecios_es.xls'),
      accept: 'application/vnd.ms-excel',
      // Neither markup nor JSON: the parser recognizes a workbook by its first bytes.
      expects: 'csv',
    },
  ],
  bands: {
    marine_stations: { atLeast: 100, minRatio: 0.85, maxRatio: 1000 },
    marine_prices: { atLeast: 100, minRatio: 0.8, maxRatio: 1000 },
  },
  rows,
})

function request(name: string, url: string): Get {
  return { name, url, maxBytes: 8_000_000, expects: 'json' }
}

async function* rows(bodies: readonly FeedBody[], clock: FeedClock, diagnostics: Diagnostics): AsyncGenerator<Batch> {
  const body = bodyOf(bodies)
  const { published, records } = await openMarine(body, clock)
  diagnostics.publishedAt(published)
  const binder = new Binder(COLUMNS)
  const reader: Reader = new RecordReader({
    columns: COLUMNS,
    needs: NEEDS,
    decimal: 'comma',
    emptyValues: [],
    diagnostics,
    clock,
  })
  const presence = watchPresence<Station>('posts', { Latitud: ({ position }) => position !== null })
  const stations: Station[] = []
  const prices: Price[] = []
  for (const record of records) {
    reader.turnTo(binder.valuesOf(without(record, isPrice)))
    try {
      const station = stationOf(reader)
      presence.see(station)
      stations.push(station)
      prices.push(
        ...pricesOf(
          station,
          without(record, (name) => !isPrice(name)),
          diagnostics,
        ),
      )
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      diagnostics.reject(marineStations, error.message, JSON.stringify(record.values).slice(0, 300))
    }
  }
  const missing = binder.missing(NEEDS)
  if (missing.length > 0) throw new FormatError(`${body.name} has no ${missing.join(', ')}`)
  presence.end()
  if (prices.length === 0) throw new FormatError(`none of the ${body.name} has a price`)
  binder.countUnknown(marineFuel.id, diagnostics)
  yield batch(marineStations, stations)
  yield batch(marinePrices, prices)
}

const isPrice = (name: string): boolean => marineProduct(name) !== null

/** A record without the columns of some names. */
function without({ names, values }: RawRecord, isLeftOut: (name: string) => boolean): RawRecord {
  const kept = names.flatMap((name, at) => (isLeftOut(name) ? [] : [at]))
  return { names: kept.map((at) => names[at] as string), values: kept.map((at) => values[at]) }
}

function stationOf(r: Reader): Station {
  const [municipality, address, sale] = [r.text('municipality'), r.text('address'), r.text('sale')]
  const stated = {
    province: r.text('province'),
    provinceCode: r.text('province_code'),
    municipality,
    position: r.position('latitude', 'longitude'),
  }
  const place = r.place(stated)
  const use = USES.get(foldName(sale)) ?? sale
  const sign = r.text('sign')
  return {
    source: miteco.id,
    station_id: stationId([place.province_code ?? stated.province, municipality, address, use]),
    register_id: r.text('register_id'),
    port: r.text('port'),
    brand: sign === null || NO_SIGN.has(foldName(sign)) ? null : sign,
    address,
    locality: r.text('locality'),
    postal_code: r.text('postal_code'),
    municipality,
    ...place,
    use,
    opening_hours: r.text('hours'),
    reporter: coded(REPORTERS, r.text('reporter') ?? ''),
  }
}

/** An id that is equal in both layouts; only one of them has the register's. */
function stationId(words: readonly string[]): string {
  return `mar_${createHash('sha256').update(words.map(foldName).join('\n')).digest('hex').slice(0, 12)}`
}

function pricesOf(station: Station, { names, values }: RawRecord, diagnostics: Diagnostics): Price[] {
  return names.flatMap((name, at) => {
    const price = commaNumber(String(values[at] ?? ''))
    if (price === null) return []
    const product = marineProduct(name) as string
    if (Number.isNaN(price)) {
      diagnostics.warn(`${name} is no number`)
      return []
    }
    const { source, station_id, province_code, use } = station
    return [{ source, station_id, product, ...marinePrice(product, price), province_code, use }]
  })
}
