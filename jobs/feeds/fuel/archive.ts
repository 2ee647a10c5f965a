import { priceIssue } from '../../../lake/datasets/fuel/price-bounds.ts'
import { fuelArchivePrices } from '../../../lake/datasets/fuel/prices.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { type Batch, batch, type Diagnostics, defineFeed } from '../define.ts'
import { daysFrom } from '../periods.ts'
import { type FuelAnswer, isEmptyAnswer, listOfAnswer, readAnswer } from './answer.ts'
import { fieldReader, type StationTexts } from './fields.ts'
import { coded, SALES } from './stations.ts'

type Price = FeedRow<typeof fuelArchivePrices>

const ADDRESS = 'https://energia.serviciosmin.gob.es/ServiciosRestCarburantes/PreciosCarburantes/EstacionesTerrestresHist/'
/** The first day of the archive; 2006 is empty. */
const FIRST = '2007-01-01'
const PERIOD = /^\d{4}-\d{2}-\d{2}$/

/**
 * The ministry's archive of prices: all stations on any day up to yesterday. A day has the prices of its last hours: for some
 * 320 stations of three provinces they match a capture of the same day in 80 to 95 %. A capture from the first hours of a day
 * matches the day before in 93 %.
 */
export const fuelArchive = defineFeed({
  id: 'fuel_archive',
  source: miteco,
  into: [fuelArchivePrices],
  every_s: 86_400,
  get: { name: 'day', url: addressOf('2025-01-01'), maxBytes: 64_000_000, timeout_ms: 120_000, expects: 'json' },
  archive: {
    unit: 'day',
    index: [],
    files: daysFrom(FIRST, addressOf),
    recent: 4,
    history: 130,
    isAbsent: isEmptyAnswer,
    contentOf: listOfAnswer,
  },
  freshBy: 'fetch',
  bands: { fuel_archive_prices: { atLeast: 100, minRatio: 0.95, maxRatio: 1000 } },
  *rows(bodies, clock, diagnostics) {
    for (const body of bodies) {
      // A file belongs to the requested day, whatever time it states; a file loaded by hand belongs to the day it states.
      const asked = PERIOD.test(body.name) ? body.name : null
      const answer = readAnswer(body, clock, { needsTime: asked === null })
      yield* pricesOf(answer, asked ?? madridDate(answer.published), diagnostics)
    }
  },
})

/** The address of a day, YYYY-MM-DD; the ministry writes the day first, with hyphens. */
function addressOf(day: string): string {
  return `${ADDRESS}${day.split('-').reverse().join('-')}`
}

function* pricesOf(answer: FuelAnswer, day: string, diagnostics: Diagnostics): Generator<Batch> {
  const day_starts_at = dayBounds(day).start
  const fields = fieldReader(answer.name, diagnostics)
  const seen = new Set<string>()
  for (const items of answer.batches) {
    const prices: Price[] = []
    for (const given of items) {
      const reason = fields.read(given) ?? refusal(fields.texts, seen)
      if (reason !== null) {
        diagnostics.reject(fuelArchivePrices, reason, JSON.stringify(given))
        continue
      }
      const { station_id, province_code, brand, sale_type } = fields.texts
      seen.add(station_id)
      const station = { day, day_starts_at, station_id, province_code, brand: brand || null, sale_type: coded(SALES, sale_type) }
      for (const { priced, text } of fields.prices) {
        const price = commaNumber(text)
        const { product, price_unit } = priced
        if (price !== null) prices.push({ ...station, product, price, price_unit, price_issue: priceIssue(product, price) })
        else diagnostics.warn('a price is marked as absent, where the field has always been empty')
      }
    }
    yield batch(fuelArchivePrices, prices)
  }
  fields.end()
}

/** Returns the rejection reason, or null if the station is usable. */
function refusal({ station_id, province_code }: StationTexts, seen: ReadonlySet<string>): string | null {
  if (station_id === '') return 'no IDEESS'
  if (!provinceByCode(province_code)) return 'IDProvincia is no province'
  return seen.has(station_id) ? 'IDEESS comes twice in one day' : null
}
