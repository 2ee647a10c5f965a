import { priceIssue } from '../../../lake/datasets/fuel/price-bounds.ts'
import { foldName } from '../../../lake/places/names.ts'

/** A price as stored. */
interface MarinePrice {
  readonly price: number
  readonly price_unit: string
  readonly price_eur_l: number | null
  readonly price_issue: string | null
}

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
export function marineProduct(column: string): string | null {
  const folded = foldName(column)
  if (!folded.startsWith(PREFIX)) return null
  return PRODUCTS.get(folded.slice(PREFIX.length)) ?? column.trim().replace(/\s+/gu, ' ')
}

/** A price of a product, with its unit. */
export function marinePrice(product: string, price: number): MarinePrice {
  if (BY_WEIGHT.has(product)) return { price, price_unit: 'EUR/kg', price_eur_l: null, price_issue: priceIssue(product, price) }
  const isPerLitre = price <= MAX_PER_LITRE
  const perLitre = isPerLitre ? price : Math.round(price * 1000) / 1_000_000
  const price_issue = priceIssue(product, perLitre)
  return { price, price_unit: isPerLitre ? 'EUR/L' : 'EUR/kL', price_eur_l: price_issue === null ? perLitre : null, price_issue }
}
