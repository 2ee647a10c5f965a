import { foldName } from '../../../lake/places/names.ts'

/** A product and the unit of its price. */
export interface PricedProduct {
  readonly product: string
  readonly price_unit: 'EUR/L' | 'EUR/kg'
}

/**
 * Products by the price fields of the ministry's JSON, folded, since accents vary (`Gasoleo`, `Diésel`). 14 existed in 2024,
 * 23 in 2025.
 */
const PRODUCTS: ReadonlyMap<string, string> = new Map(
  [
    ['Precio Gasolina 95 E5', 'GASOLINE_95_E5'],
    ['Precio Gasolina 95 E5 Premium', 'GASOLINE_95_E5_PREMIUM'],
    ['Precio Gasolina 95 E10', 'GASOLINE_95_E10'],
    ['Precio Gasolina 95 E25', 'GASOLINE_95_E25'],
    ['Precio Gasolina 95 E85', 'GASOLINE_95_E85'],
    ['Precio Gasolina 98 E5', 'GASOLINE_98_E5'],
    ['Precio Gasolina 98 E10', 'GASOLINE_98_E10'],
    ['Precio Gasolina Renovable', 'GASOLINE_RENEWABLE'],
    ['Precio Gasoleo A', 'DIESEL_A'],
    ['Precio Gasoleo Premium', 'DIESEL_PREMIUM'],
    ['Precio Gasoleo B', 'DIESEL_B'],
    ['Precio Diésel Renovable', 'DIESEL_RENEWABLE'],
    ['Precio Biodiesel', 'BIODIESEL'],
    ['Precio Bioetanol', 'BIOETHANOL'],
    ['Precio Gases licuados del petróleo', 'LPG'],
    ['Precio Gas Natural Comprimido', 'CNG'],
    ['Precio Gas Natural Licuado', 'LNG'],
    ['Precio Biogas Natural Comprimido', 'BIO_CNG'],
    ['Precio Biogas Natural Licuado', 'BIO_LNG'],
    ['Precio Hidrogeno', 'HYDROGEN'],
    ['Precio Adblue', 'ADBLUE'],
    ['Precio Metanol', 'METHANOL'],
    ['Precio Amoniaco', 'AMMONIA'],
  ].map(([field, product]) => [foldName(field as string), product as string]),
)

/** Products sold by weight: natural gas and biogas, compressed or liquefied, and hydrogen; LPG is sold by the litre. */
const BY_WEIGHT = /\b(gas natural|biogas|hidrogeno)\b/

/**
 * The product of a price field such as `Precio Gasoleo A`; null for other fields. An unknown product keeps the field's name,
 * so its prices still land, with the unit that its name suggests.
 */
export function productOf(field: string): PricedProduct | null {
  const folded = foldName(field)
  if (!folded.startsWith('precio ')) return null
  return { product: PRODUCTS.get(folded) ?? field.trim().replace(/\s+/gu, ' '), price_unit: BY_WEIGHT.test(folded) ? 'EUR/kg' : 'EUR/L' }
}
