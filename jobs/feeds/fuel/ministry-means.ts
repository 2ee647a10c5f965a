import { fuelMinistryDays } from '../../../lake/datasets/fuel/prices.ts'
import { miteco } from '../../../lake/datasets/fuel/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { readCsv } from '../../formats/csv.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { productOf } from './fields.ts'

type Mean = FeedRow<typeof fuelMinistryDays>

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * The ministry's national means by day, of the last 120 days. Its page is a form for people (ASP.NET) without a file: its
 * table is read as CSV, in the two layouts recorded by third parties. So `--live` requests nothing unless the operator
 * configures a copy of the table.
 */
export const fuelMinistryMeans = defineFeed({
  id: 'fuel_ministry_means',
  source: miteco,
  into: [fuelMinistryDays],
  every_s: 86_400,
  get: { name: 'means', url: 'https://energia.serviciosmin.gob.es/shpCarburantes/vista/shp.aspx', maxBytes: 1_000_000, expects: 'csv' },
  freshBy: 'fetch',
  liveByDefault: false,
  bands: { fuel_ministry_days: { atLeast: 20, minRatio: 0.9, maxRatio: 1.2 } },
  rows: readMeans,
})

function* readMeans(bodies: readonly FeedBody[], _clock: FeedClock, diagnostics: Diagnostics): Generator<Batch> {
  for (const { bytes } of bodies) {
    const table = readCsv(decodeText(bytes), { delimiter: ',', requires: ['fecha'], endsLines: true })
    for (const { line, text } of table.misshapen) diagnostics.reject(fuelMinistryDays, 'another number of fields', `line ${line}: ${text}`)
    const dayAt = table.at('fecha')
    // Headers are `gasoleo_a` in one layout and `Gasóleo A` in the other.
    const columns = table.header.flatMap((name, at) => {
      const priced = at === dayAt ? null : productOf(`Precio ${name.replaceAll('_', ' ')}`)
      return priced ? [{ at, product: priced.product }] : []
    })
    if (columns.length === 0) throw new FormatError(`the header has no product; it has ${table.header.join(', ').slice(0, 200)}`)
    const seen = new Set<string>()
    const means: Mean[] = []
    for (const record of table.records) {
      const day = (record[dayAt] as string).trim()
      const isDay = DAY.test(day) && !Number.isNaN(Date.parse(day))
      if (!isDay || seen.has(day)) {
        diagnostics.reject(fuelMinistryDays, isDay ? 'fecha comes twice' : 'fecha is no day', record.join())
        continue
      }
      seen.add(day)
      for (const { at, product } of columns) {
        const text = (record[at] as string).trim()
        // NaN is rejected by the row check.
        if (text !== '') means.push({ day, period_start: dayBounds(day).start, product, price_mean: pointNumber(text) ?? Number.NaN })
      }
    }
    yield batch(fuelMinistryDays, means)
  }
}
