import type { BulletinWeek } from '../world/bulletin.ts'
import { writeXlsx } from './xlsx.ts'

/** The workbook's names of a country's products, and their units of sale. */
const IDS = [
  ['euro95', 'Euro-super 95', '1000 l'],
  ['diesel', 'Automotive gas oil', '1000 l'],
  ['heating_oil', 'Heating gas oil', '1000 l'],
  ['fuel_oil_1', 'Fuel oil - Sulphur less than 1%', 't'],
  ['fuel_oil_2', 'Fuel oil - Sulphur higher than 1%', 't'],
  ['LPG', 'LPG - motor fuel', '1000 l'],
] as const

/** The workbook of all weeks. */
export interface BulletinHistory {
  /** The newest first. */
  readonly weeks: readonly BulletinWeek[]
  /** Countries and averages in the order of their blocks; those with another currency have a rate. */
  readonly countries: readonly { readonly code: string; readonly hasRate: boolean }[]
  readonly at: number
  readonly hasUnknownCodes: boolean
}

/**
 * `Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx`: a sheet of prices with taxes and one without, a block of columns for
 * each country, notes at the end.
 */
export function bulletinHistory({ weeks, countries, at, hasUnknownCodes }: BulletinHistory): Buffer {
  const sheet = (side: 'with' | 'wo') => {
    const ids: string[] = [`Consumer prices of petroleum products ${side === 'with' ? 'inclusive of' : 'net of'} duties and taxes`]
    const labels: (string | null)[] = ['Date']
    const units: (string | null)[] = [null]
    for (const { code, hasRate } of countries) {
      ids.push('CTR', ...(hasRate ? [`${code}_exchange_rate`] : []))
      labels.push(code, ...(hasRate ? ['Exchange rate to €'] : []))
      units.push(null, ...(hasRate ? [null] : []))
      for (const [id, label, unit] of IDS) {
        // The misspelling is in the publisher's file.
        ids.push(`${code}_price_${side}_tax_${code === 'GR' && id === 'heating_oil' ? 'heGRing_oil' : id}`)
        labels.push(label)
        units.push(unit)
      }
    }
    if (hasUnknownCodes) ids.push(`ES_price_${side}_tax_hydrogen`)
    function* rows(): Generator<(string | number | null)[]> {
      yield* [ids, labels, units]
      for (const { serial, prices } of weeks) {
        const cells: (string | number | null)[] = [serial]
        for (const { code, hasRate } of countries) {
          const { rate, amounts } = prices(code)
          cells.push(code, ...(hasRate ? [rate] : []))
          for (const amount of amounts) cells.push(amount && (side === 'with' ? amount.withTax : amount.withoutTax))
        }
        if (hasUnknownCodes) cells.push(side === 'with' ? 9000 : 7500)
        yield cells
      }
      yield [null, 'Notes:']
      yield [null, 'Reproduction is authorised provided the source is acknowledged.']
    }
    return { name: side === 'with' ? 'Prices with taxes' : 'Prices wo taxes', rows: rows() }
  }
  return writeXlsx([sheet('with'), sheet('wo')], at)
}
