/** Lowest and highest plausible price of some products, in EUR per litre or kilogram. */
interface Bounds {
  readonly products: readonly string[]
  readonly least: number
  readonly most: number
}

/**
 * Beyond these a price is a slip of the pen: a digit too many, a moved comma, another unit. The register of 2025-11-11 has petrol
 * from 0.965 to 2.5, diesel to 2.06, diesel B from 0.703 to 1.69. Bounds are less than half and about twice of that, because the
 * archive since 2007 has years of cheap oil, the Canary Islands pay little tax and fishing vessels none.
 */
const BOUNDS: readonly Bounds[] = [
  {
    products: [
      ...['GASOLINE_95_E5', 'GASOLINE_95_E5_PREMIUM', 'GASOLINE_95_E10', 'GASOLINE_95_E25', 'GASOLINE_95_E85'],
      ...['GASOLINE_98_E5', 'GASOLINE_98_E10', 'GASOLINE_RENEWABLE', 'DIESEL_A', 'DIESEL_PREMIUM', 'DIESEL_RENEWABLE'],
      ...['BIODIESEL', 'BIOETHANOL'],
    ],
    ...{ least: 0.4, most: 4 },
  },
  { products: ['DIESEL_B', 'MARINE_GASOIL'], least: 0.25, most: 3 },
  // In that register 0.58 to 1.125; natural gas 1.09 to 2.35 per kg, and dearer in 2022.
  { products: ['LPG'], least: 0.25, most: 3 },
  { products: ['CNG', 'LNG', 'BIO_CNG', 'BIO_LNG'], least: 0.3, most: 6 },
  // 0.31 in bulk to 2.46.
  { products: ['ADBLUE'], least: 0.15, most: 5 },
  // 9.9 per kg at the only station.
  { products: ['HYDROGEN'], least: 2, most: 40 },
]

const BY_PRODUCT = new Map(BOUNDS.flatMap(({ products, ...bounds }) => products.map((product) => [product, bounds] as const)))

/** The issue of a price in EUR per litre or kilogram; null if it is plausible, or if the product has no bounds. */
export function priceIssue(product: string, price: number): 'TOO_LOW' | 'TOO_HIGH' | null {
  const bounds = BY_PRODUCT.get(product)
  if (!bounds || (price >= bounds.least && price <= bounds.most)) return null
  return price < bounds.least ? 'TOO_LOW' : 'TOO_HIGH'
}
