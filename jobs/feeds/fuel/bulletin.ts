import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { oilBulletin } from '../../../lake/datasets/fuel/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { readCsv } from '../../formats/csv.ts'
import { numberIn } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Cell, openXlsx, serialDate, type Workbook } from '../../formats/xlsx.ts'
import {
  type Batch,
  batch,
  type Diagnostics,
  type DownloadStep,
  defineFeed,
  type FeedBody,
  type FeedClock,
  FormatError,
} from '../define.ts'

const SITE = 'https://energy.ec.europa.eu'
const PAGE = `${SITE}/data-and-analysis/weekly-oil-bulletin_en`
/** The workbook of all weeks, by the file name in the page's links. */
const HISTORY = 'Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx'
const LINK = /href\s*=\s*(["'])(.*?)\1/gi

/** The workbook's request, the same at both addresses. */
const WORKBOOK = {
  name: 'history',
  accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/html',
  maxBytes: 32_000_000,
  maxDecodedBytes: 256_000_000,
  timeout_ms: 180_000,
  expects: 'zip',
} as const

/**
 * The European Commission's Weekly Oil Bulletin: one workbook of all weeks since 2005, renewed weekly, usually on Thursday.
 * Its address has a document number and is read from the page; if the page names none, the last known address is used.
 */
export const fuelBulletinFeed = defineFeed({
  id: 'fuel_bulletin',
  source: oilBulletin,
  into: [fuelBulletin],
  every_s: 7 * 86_400,
  get: [
    { ...WORKBOOK, url: PAGE, twoStep: { hosts: [new URL(SITE).host], to: historyLink } },
    { ...WORKBOOK, url: `${SITE}/document/download/906e60ca-8b6a-44e7-8589-652854d2fd3f_en?filename=${HISTORY}` },
  ],
  freshBy: 'fetch',
  bands: { fuel_bulletin: { atLeast: 100, minRatio: 0.95, maxRatio: 3000 } },
  rows: readBulletin,
})

/** The address of the workbook of all weeks in the page. */
function historyLink(page: Buffer): DownloadStep {
  for (const [, , link = ''] of page.toString('utf8').matchAll(LINK)) {
    const address = link.replaceAll('&amp;', '&')
    if (URL.canParse(address, PAGE) && new URL(address, PAGE).searchParams.get('filename') === HISTORY)
      return { url: new URL(address, PAGE).href }
  }
  return { refused: `the page has no link to ${HISTORY}`, retryable: false }
}

type Price = FeedRow<typeof fuelBulletin>
type Unit = 'EUR/kL' | 'EUR/t'

const MOST_UNPACKED = 256_000_000
const BATCH = 4096
/** First bytes of a zip, and so of a workbook. */
const ZIP = Buffer.from('PK')

/** Product names in the history's machine ids and the weekly table; Greece's heating oil is misspelt (`heGRing_oil`). */
const PRODUCTS: readonly (readonly [string, RegExp])[] = [
  ['EURO_SUPER_95', /^(euro95|euro-super 95)$/i],
  ['AUTOMOTIVE_GAS_OIL', /^(diesel|automotive gas oil)$/i],
  ['HEATING_GAS_OIL', /^(he\w+ing_oil|heating gas oil)$/i],
  ['FUEL_OIL_LOW_SULPHUR', /^(fuel_oil_1|fuel oil - sulphur less than 1 ?%)$/i],
  ['FUEL_OIL_HIGH_SULPHUR', /^(fuel_oil_2|fuel oil - sulphur higher than 1 ?%)$/i],
  ['LPG_MOTOR_FUEL', /^(lpg|lpg - motor fuel)$/i],
  ['LEAD_SUBSTITUTE_PETROL', /^lead substitute petrol$/i],
]
/** EU codes that differ from ISO 3166. */
const COUNTRIES: Readonly<Record<string, string>> = { EL: 'GR', UK: 'GB' }

/** Prices of the bulletin, in any layout: the history of all weeks, the table of one, or a series as CSV. */
async function* readBulletin(bodies: readonly FeedBody[], _clock: FeedClock, diagnostics: Diagnostics): AsyncGenerator<Batch> {
  for (const { bytes } of bodies) {
    if (bytes.subarray(0, 2).equals(ZIP)) yield* inBatches(await readWorkbook(bytes, diagnostics))
    else yield* inBatches(readSeries(bytes, diagnostics))
  }
}

function* inBatches(rows: readonly Price[]): Generator<Batch> {
  if (rows.length === 0) throw new FormatError('the bulletin has no price')
  for (let at = 0; at < rows.length; at += BATCH) yield batch(fuelBulletin, rows.slice(at, at + BATCH))
}

async function readWorkbook(bytes: Buffer, diagnostics: Diagnostics): Promise<Price[]> {
  const workbook = await openXlsx(bytes, { maxBytes: MOST_UNPACKED })
  const { dayZero } = workbook
  const prices = new Map<string, Price>()
  const sides = new Set<string>()
  for (const sheet of workbook.sheets) {
    let columns: readonly (HistoryColumn | null)[] | null = null
    let places: ReadonlyMap<string, number> | null = null
    for await (const rows of workbook.rows(sheet))
      for (const cells of rows) {
        if (columns) historyRow(cells, { columns, prices, diagnostics, dayZero })
        else if (places) tableRow(cells, { places, prices, diagnostics, dayZero })
        else if (cells.some((cell) => HISTORY_ID.test(String(cell)))) {
          columns = cells.map((cell) => historyColumn(cell, diagnostics))
          for (const column of columns) if (column?.side) sides.add(column.side)
        } else if (cells.includes(TABLE[0])) places = placesOf(cells, diagnostics)
      }
    if (places) sides.add('price_with_tax').add('price_without_tax')
  }
  if (sides.size < 2) throw unlike(workbook, sides)
  return [...prices.values()]
}

function unlike({ sheets }: Workbook, sides: ReadonlySet<string>): FormatError {
  const names = sheets.join(', ').slice(0, 300)
  return new FormatError(
    sides.size === 0
      ? `no sheet has a header of the bulletin; there are ${names}`
      : `no sheet but those of ${[...sides]}; there are ${names}`,
  )
}

/**
 * A column of the history, by its machine id: `ES_price_with_tax_euro95`, `SE_exchange_rate`. A rate applies to all prices of
 * its country.
 */
interface HistoryColumn {
  readonly country_code: string
  readonly product: string | null
  readonly side: 'price_with_tax' | 'price_without_tax' | null
  /** From the row of units, else the product's usual unit. */
  price_unit: Unit
}

const HISTORY_ID = /^([A-Z]{2,3})_(?:price_(with|wo)_tax_(\w+)|exchange_rate)$/

function historyColumn(cell: Cell, diagnostics: Diagnostics): HistoryColumn | null {
  const id = String(cell ?? '').trim()
  const [, country, side, product] = HISTORY_ID.exec(id) ?? []
  if (country === undefined) {
    // The column of dates has the sheet's title, and `CTR` starts the block of a country.
    if (/^[A-Z]{2,3}_/.test(id)) diagnostics.unknownCode('bulletin_column', id)
    return null
  }
  const country_code = COUNTRIES[country] ?? country
  if (product === undefined) return { country_code, product: null, side: null, price_unit: 'EUR/kL' }
  const code = productOf(product)
  return { country_code, product: code, side: side === 'with' ? 'price_with_tax' : 'price_without_tax', price_unit: unitOf(code) }
}

interface Reading {
  readonly prices: Map<string, Price>
  readonly diagnostics: Diagnostics
  /** Day 0 of the workbook's dates. */
  readonly dayZero: number
}

/** A week of the history, or the row of units. Other rows without a leading date are labels and notes. */
function historyRow(
  cells: readonly Cell[],
  { columns, prices, diagnostics, dayZero }: Reading & { columns: readonly (HistoryColumn | null)[] },
): void {
  const date = dateOf(cells[0], dayZero)
  if (date === null) {
    for (const [at, column] of columns.entries()) if (column) column.price_unit = unitNamed(cells[at]) ?? column.price_unit
    return
  }
  const rates = new Map<string, number>()
  for (const [at, column] of columns.entries()) {
    const rate = column && column.side === null ? numberIn(cells[at]) : null
    if (column && rate) rates.set(column.country_code, rate)
  }
  for (const [at, column] of columns.entries()) {
    if (!column?.side || column.product === null) continue
    const value = priceOf(cells[at], diagnostics)
    if (value === null) continue
    const { country_code, product, side, price_unit } = column
    const key = `${country_code}|${product}|${date}`
    const known = prices.get(key) ?? {
      ...blank({ edition: `history-${date.slice(0, 4)}`, country_code, product, date, diagnostics }),
      price_unit,
    }
    known[side] = value
    known.currency_in_eur ??= rates.get(country_code) ?? null
    prices.set(key, known)
  }
}

/** The columns of the table of a week. */
const TABLE = [
  'Prices in force on',
  'Country EU Code',
  'Product Name',
  'Currency Code',
  'Prices Unit',
  'Euro exchange rate',
  'Weekly price with taxes',
  'Weekly price without taxes',
] as const

function placesOf(cells: readonly Cell[], diagnostics: Diagnostics): ReadonlyMap<string, number> {
  const places = new Map(cells.map((cell, at) => [String(cell ?? '').trim(), at]))
  const missing = TABLE.filter((name) => !places.has(name))
  if (missing.length > 0) throw new FormatError(`the header of the table lacks ${missing.join(', ')}`)
  for (const name of places.keys()) if (!['', 'Country Name', ...TABLE].includes(name)) diagnostics.unknownCode('bulletin_column', name)
  return places
}

/** A line of a weekly table. Amounts are in euros, whatever currency the line names. */
function tableRow(
  cells: readonly Cell[],
  { places, prices, diagnostics, dayZero }: Reading & { places: ReadonlyMap<string, number> },
): void {
  const cell = (name: (typeof TABLE)[number]): Cell => cells[places.get(name) as number] ?? null
  const text = (name: (typeof TABLE)[number]): string => String(cell(name) ?? '').trim()
  const date = dateOf(cell('Prices in force on'), dayZero)
  const country = text('Country EU Code')
  const price_unit = unitNamed(cell('Prices Unit'))
  const refuse = (reason: string): void => diagnostics.reject(fuelBulletin, reason, cells.join(';').slice(0, 200))
  if (date === null) return
  if (country === '' || text('Product Name') === '') return refuse('no Country EU Code or Product Name')
  if (!price_unit) return refuse('Prices Unit is neither 1000L nor t')
  const [with_tax, without_tax] = [
    priceOf(cell('Weekly price with taxes'), diagnostics),
    priceOf(cell('Weekly price without taxes'), diagnostics),
  ]
  if (with_tax === null && without_tax === null) return
  const [country_code, product] = [COUNTRIES[country] ?? country, productOf(text('Product Name'))]
  prices.set(`${country_code}|${product}|${date}`, {
    ...blank({ edition: `raw-${date}`, country_code, product, date, diagnostics }),
    price_unit,
    price_with_tax: with_tax,
    price_without_tax: without_tax,
    currency_code: text('Currency Code') || null,
    currency_in_eur: numberIn(cell('Euro exchange rate')),
  })
}

/** Product names of the series. Prices are euros per litre, for heavy fuel oil per tonne. */
const SERIES = {
  pb95: 'EURO_SUPER_95',
  diesel: 'AUTOMOTIVE_GAS_OIL',
  heating_gasoil: 'HEATING_GAS_OIL',
  heavy_fuel_oil: 'FUEL_OIL_LOW_SULPHUR',
  lpg: 'LPG_MOTOR_FUEL',
} as const

/** A third-party series of the bulletin: prices with taxes, by column name. */
function readSeries(bytes: Buffer, diagnostics: Diagnostics): Price[] {
  const names = Object.keys(SERIES) as (keyof typeof SERIES)[]
  const table = readCsv(decodeText(bytes), { delimiter: ',', requires: ['country_code', 'date', ...names], endsLines: true })
  for (const { line, text } of table.misshapen) diagnostics.reject(fuelBulletin, 'another number of fields', `line ${line}: ${text}`)
  const [countryAt, dateAt] = [table.at('country_code'), table.at('date')]
  return table.records.flatMap((record) => {
    const [country, date] = [(record[countryAt] as string).trim(), dateOf(record[dateAt] as string)]
    if (country === '' || date === null) {
      diagnostics.reject(fuelBulletin, 'no country_code or date', record.join(','))
      return []
    }
    return names.flatMap((name) => {
      const row = blank({
        edition: `series-${date.slice(0, 4)}`,
        country_code: COUNTRIES[country] ?? country,
        product: SERIES[name],
        date,
        diagnostics,
      })
      const price = priceOf(record[table.at(name)] as string, diagnostics)
      if (price === null) return []
      return [{ ...row, price_with_tax: row.price_unit === 'EUR/t' ? price : thousandths(1000 * price) }]
    })
  })
}

/** A row without prices. */
function blank(of: {
  readonly edition: string
  readonly country_code: string
  readonly product: string
  readonly date: string
  readonly diagnostics: Diagnostics
}): Price {
  const { diagnostics, ...named } = of
  if (new Date(of.date).getUTCDay() !== 1) diagnostics.warn('prices of a day that is no Monday')
  return {
    ...named,
    period_start: dayBounds(of.date).start,
    price_unit: unitOf(of.product),
    price_with_tax: null,
    price_without_tax: null,
    currency_code: null,
    currency_in_eur: null,
  }
}

/** A product's usual unit, if the layout does not state it: fuel oils by weight. */
function unitOf(product: string): Unit {
  return product.startsWith('FUEL_OIL_') ? 'EUR/t' : 'EUR/kL'
}

/** The unit in a cell (`1000L`, `1000 l`, `t`); null for anything else. */
function unitNamed(cell: Cell | undefined): Unit | null {
  const text = String(cell ?? '')
    .replaceAll(' ', '')
    .toLowerCase()
  return text === '1000l' ? 'EUR/kL' : text === 't' ? 'EUR/t' : null
}

/** The product of a name; an unlisted name is kept, and counted by the row check. */
function productOf(name: string): string {
  return PRODUCTS.find(([, pattern]) => pattern.test(name))?.[0] ?? name
}

/**
 * The date of a cell: a number of days, or text, as third parties found it in some weeks (`22/08/22`, `2022-08-22`). Null for
 * anything else.
 */
function dateOf(cell: Cell | undefined, dayZero?: number): string | null {
  if (typeof cell === 'number') return cell > 0 && cell < 100_000 ? serialDate(cell, dayZero) : null
  const text = String(cell ?? '').trim()
  const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(?:20)?(\d{2})$/.exec(text) ?? []
  const date = year === undefined ? text : `20${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  return /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date)) ? date : null
}

/** A price; null if missing, which some weeks write as 0. */
function priceOf(cell: Cell | undefined, diagnostics: Diagnostics): number | null {
  const value = numberIn(cell)
  if (value !== 0) return value === null ? null : thousandths(value)
  diagnostics.warn('a price of 0: left out')
  return null
}

/** Rounds to the three decimals of prices, which removes spreadsheet noise. */
function thousandths(value: number): number {
  return Math.round(1000 * value) / 1000
}
