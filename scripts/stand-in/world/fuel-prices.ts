import { chance, wander } from '../random.ts'
import { localTime } from './rhythm.ts'
import type { Station } from './stations.ts'

/** A price column of the register. */
export interface FuelColumn {
  /** Field name in the JSON. */
  readonly field: string
  /** Share of the stations that sell it. */
  readonly share: number
  /** The national price level that it follows, and its difference from that level. */
  readonly follows: 'petrol' | 'diesel' | 'none'
  readonly above: number
}

/** The 23 price columns, in the order of the JSON of 2025. */
export const FUEL_COLUMNS: readonly FuelColumn[] = `
Precio Adblue=0.228 none 0.75|Precio Amoniaco=0 none 1|Precio Biodiesel=0.01 diesel 0.02|Precio Bioetanol=0.0003 petrol -0.1|Precio Biogas Natural Comprimido=0.0005 none 1.6|
Precio Biogas Natural Licuado=0.0005 none 1.5|Precio Diésel Renovable=0.104 diesel 0.16|Precio Gas Natural Comprimido=0.012 none 1.55|Precio Gas Natural Licuado=0.0085 none 1.45|
Precio Gases licuados del petróleo=0.081 none 0.94|Precio Gasoleo A=0.968 diesel 0|Precio Gasoleo B=0.238 diesel -0.34|Precio Gasoleo Premium=0.513 diesel 0.09|
Precio Gasolina 95 E10=0.0025 petrol -0.01|Precio Gasolina 95 E25=0.0003 petrol -0.03|Precio Gasolina 95 E5=0.907 petrol 0|Precio Gasolina 95 E5 Premium=0.1 petrol 0.08|
Precio Gasolina 95 E85=0.001 petrol -0.2|Precio Gasolina 98 E10=0.001 petrol 0.13|Precio Gasolina 98 E5=0.462 petrol 0.15|Precio Gasolina Renovable=0.006 petrol 0.18|
Precio Hidrogeno=0.0004 none 9.9|Precio Metanol=0 none 1`
  .replaceAll('\n', '')
  .split('|')
  .map((item) => {
    const [field = '', facts = ''] = item.split('=')
    const [share, follows, above] = facts.split(' ')
    return { field, share: Number(share), follows: follows as FuelColumn['follows'], above: Number(above) }
  })

/** Share of the stations that change their prices on any one day. */
const CHANGES_A_DAY = 0.34
/** Longest time without a price change, in days. */
const LONGEST = 40

// Taxes differ: islands and the two cities are cheaper, in € per litre.
const TAXES: Readonly<Record<string, number>> = { '35': -0.33, '38': -0.31, '51': -0.14, '52': -0.2, '07': 0.03 }

/** The day (days since 1970 by Madrid's clock) of the last price change at a station before an instant (ms). */
export function priceDay(seed: number, station: Station, instant: number): number {
  const { dayNumber, hour, minute } = localTime(instant)
  for (let back = 0; back < LONGEST; back++) {
    const day = dayNumber - back
    if (chance(seed, 'reprice', station.index, day) >= CHANGES_A_DAY) continue
    if (back === 0 && changeMinute(seed, station, day) > hour * 60 + minute) continue
    return day
  }
  return Math.floor(dayNumber / LONGEST - 1) * LONGEST
}

/**
 * A station's price of a product from one of its days of change on, € with three decimals and comma; empty if it does not sell
 * it.
 */
export function priceText(seed: number, station: Station, column: FuelColumn, day: number): string {
  if (chance(seed, column.field, station.index) >= column.share) return ''
  const province = station.municipality.province
  const tax = column.follows === 'none' ? 0 : (TAXES[province] ?? 0)
  const spread = 0.03 * (chance(seed, 'spread', station.index) * 2 - 1)
  const own = column.follows === 'none' ? 0.15 * column.above * (chance(seed, column.field, 'own', station.index) * 2 - 1) : spread
  const price = level(seed, column, day) + column.above + station.brand.delta + tax + own
  return rounded(seed, station, price).toFixed(3).replace('.', ',')
}

/** The national price of a product on a day (days since 1970), €, without the differences between stations. */
export function nationalPrice(seed: number, field: string, day: number): number {
  const column = FUEL_COLUMNS.find((one) => one.field === field)
  if (!column) throw new Error(`no price column ${field}`)
  return level(seed, column, day) + column.above
}

/** The national level on a day: a slow wave, a faster one, and occasional steps. */
function level(seed: number, column: FuelColumn, day: number): number {
  if (column.follows === 'none') return 0.03 * wander(day / 60, seed, column.field)
  const base = column.follows === 'petrol' ? 1.52 : 1.46
  const step = chance(seed, 'step', Math.floor(day / 90)) * 0.12
  return base + step + 0.07 * wander(day / 50, seed, column.follows) + 0.02 * wander(day / 8, seed, column.follows, 'week')
}

/** Three stations in four have prices that end in 9. */
function rounded(seed: number, station: Station, price: number): number {
  const floor = Math.max(0.2, price)
  return chance(seed, 'nine', station.index) < 0.75 ? Math.floor(floor * 100) / 100 + 0.009 : Math.round(floor * 1000) / 1000
}

/** Minute of the day at which a change takes effect: at midnight, in the morning, or later. */
function changeMinute(seed: number, station: Station, day: number): number {
  const u = chance(seed, 'minute', station.index, day)
  const v = chance(seed, 'when', station.index, day)
  if (u < 0.15) return 0
  return u < 0.5 ? 300 + Math.floor(v * 240) : u < 0.8 ? 540 + Math.floor(v * 300) : 840 + Math.floor(v * 480)
}
