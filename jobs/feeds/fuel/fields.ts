import { foldName } from '../../../lake/places/names.ts'
import { type Diagnostics, FormatError } from '../define.ts'

/** A product and the unit of its price. */
interface PricedProduct {
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

/** Texts that every station of every capture has, by their fields. */
export const ALWAYS = {
  IDEESS: 'station_id',
  Rótulo: 'brand',
  Dirección: 'address',
  Localidad: 'locality',
  'C.P.': 'postal_code',
  Municipio: 'municipality',
  IDProvincia: 'province_code',
  Latitud: 'latitude',
  'Longitud (WGS84)': 'longitude',
  Margen: 'side',
  Horario: 'opening_hours',
  'Tipo Venta': 'sale_type',
} as const
const SOMETIMES = { Remisión: 'reporter', '% BioEtanol': 'bioethanol_pct', '% Éster metílico': 'methyl_ester_pct' } as const
/** Known fields that are not read: IDCCAA swaps two of INE's codes. */
const UNUSED = ['Provincia', 'IDMunicipio', 'IDCCAA']

type Column = (typeof ALWAYS)[keyof typeof ALWAYS] | (typeof SOMETIMES)[keyof typeof SOMETIMES]
const COLUMNS = Object.entries({ ...ALWAYS, ...SOMETIMES }) as [field: string, column: Column][]
/** Station columns by the publisher's fields, folded; null for an unused field. */
const FIELDS: ReadonlyMap<string, Column | null> = new Map([
  ...COLUMNS.map(([field, column]) => [foldName(field), column] as const),
  ...UNUSED.map((field) => [foldName(field), null] as const),
])
const NO_TEXTS = Object.freeze(Object.fromEntries(COLUMNS.map(([, column]) => [column, '']))) as Readonly<Record<Column, string>>

/** Fields of every answer: those texts, and the (possibly empty) prices of products sold all over the country. */
const NEEDED: readonly string[] = [
  ...Object.keys(ALWAYS),
  'Precio Gasolina 95 E5',
  'Precio Gasolina 98 E5',
  'Precio Gasoleo A',
  'Precio Gasoleo B',
  'Precio Gasoleo Premium',
  'Precio Gases licuados del petróleo',
]

/** A station's texts by column, trimmed; '' if the publisher has none. */
export type StationTexts = Record<Column, string>

/** A price as published. */
interface PriceText {
  readonly priced: PricedProduct
  readonly text: string
}

/** Reads one station after another: `read` returns the problem, or null, and fills `texts` and `prices`. */
export interface FieldReader {
  readonly texts: StationTexts
  readonly prices: readonly PriceText[]
  read(station: unknown): string | null
  /** Call after the last station. Throws `FormatError` if no station had a required field: it has been renamed. */
  end(): void
}

/** The meaning of a field: a station column, a product's price, or neither. */
interface Meaning {
  readonly column: Column | null
  readonly priced: PricedProduct | null
}

/**
 * A reader of one answer's stations. Each field is looked up by name once. An unknown field is reported in the notes; an
 * unknown price is read as a product. Throws `FormatError` for an answer about a single product.
 */
export function fieldReader(answer: string, diagnostics: Diagnostics): FieldReader {
  const meanings = new Map<string, Meaning>()
  /** Fields in the order of the previous station, which nearly all stations share. */
  const order: { readonly field: string; readonly meaning: Meaning }[] = []
  const prices: PriceText[] = []
  const reader = { texts: { ...NO_TEXTS } as StationTexts, prices, read, end }

  function meaningOf(field: string, at: number): Meaning {
    const usual = order[at]
    if (usual?.field === field) return usual.meaning
    const meaning = meanings.get(field) ?? interpret(field, answer, diagnostics)
    meanings.set(field, meaning)
    order[at] = { field, meaning }
    return meaning
  }

  function read(station: unknown): string | null {
    if (typeof station !== 'object' || station === null) return 'no JSON object'
    const texts: StationTexts = { ...NO_TEXTS }
    reader.texts = texts
    prices.length = 0
    let at = 0
    for (const field in station) {
      const value = (station as Record<string, unknown>)[field]
      const meaning = meaningOf(field, at++)
      if (value === '' || value === null) continue
      const text = textOf(value)
      if (text === null) diagnostics.warn(`${field} is neither text nor number: left out`)
      else if (meaning.priced !== null) prices.push({ priced: meaning.priced, text })
      else if (meaning.column !== null) texts[meaning.column] = text.trim()
    }
    return null
  }

  function end(): void {
    if (meanings.size === 0) return
    const found = new Set([...meanings.keys()].map(foldName))
    const missing = NEEDED.filter((field) => !found.has(foldName(field)))
    if (missing.length > 0) throw new FormatError(`${answer}: no station has the field ${missing.join(', ')}`)
  }

  return reader
}

/** A value in the publisher's notation, with a decimal comma; null if it is neither text nor number. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value).replace('.', ',')
  return typeof value === 'string' ? value : null
}

function interpret(field: string, answer: string, diagnostics: Diagnostics): Meaning {
  const folded = foldName(field)
  if (folded === 'precioproducto')
    throw new FormatError(`${answer}: an answer for one product (it has PrecioProducto), expected all products`)
  const priced = productOf(field)
  if (priced) return { column: null, priced }
  const column = FIELDS.get(folded)
  if (column === undefined) diagnostics.warn(`unknown field ${JSON.stringify(field.slice(0, 60))} of stations`)
  return { column: column ?? null, priced: null }
}
