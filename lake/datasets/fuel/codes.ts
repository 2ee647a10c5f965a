import { defineCodes } from '../../schema/codes.ts'

/** Products of the ministry's register: every price field of its JSON, plus heating oil C of its spreadsheet. */
export const FUEL_PRODUCTS = defineCodes('fuel_product', 'Product sold at a filling station.', {
  GASOLINE_95_E5: ['Gasolina 95 E5', 'Petrol 95 E5', 'Gasolina 95 E5', '95 E5 gasolina', 'Gasolina 95 E5'],
  GASOLINE_95_E5_PREMIUM: [
    'Gasolina 95 E5 Premium',
    'Petrol 95 E5 premium',
    'Gasolina 95 E5 Premium',
    '95 E5 Premium gasolina',
    'Gasolina 95 E5 Premium',
  ],
  GASOLINE_95_E10: ['Gasolina 95 E10', 'Petrol 95 E10', 'Gasolina 95 E10', '95 E10 gasolina', 'Gasolina 95 E10'],
  GASOLINE_95_E25: ['Gasolina 95 E25', 'Petrol 95 E25', 'Gasolina 95 E25', '95 E25 gasolina', 'Gasolina 95 E25'],
  GASOLINE_95_E85: ['Gasolina 95 E85', 'Petrol 95 E85', 'Gasolina 95 E85', '95 E85 gasolina', 'Gasolina 95 E85'],
  GASOLINE_98_E5: ['Gasolina 98 E5', 'Petrol 98 E5', 'Gasolina 98 E5', '98 E5 gasolina', 'Gasolina 98 E5'],
  GASOLINE_98_E10: ['Gasolina 98 E10', 'Petrol 98 E10', 'Gasolina 98 E10', '98 E10 gasolina', 'Gasolina 98 E10'],
  GASOLINE_RENEWABLE: ['Gasolina renovable', 'Renewable petrol', 'Gasolina renovable', 'Gasolina berriztagarria', 'Gasolina renovable'],
  DIESEL_A: ['Gasóleo A', 'Diesel A', 'Gasoil A', 'A gasolioa', 'Gasóleo A'],
  DIESEL_PREMIUM: ['Gasóleo Premium', 'Premium diesel', 'Gasoil Premium', 'Premium gasolioa', 'Gasóleo Premium'],
  DIESEL_B: ['Gasóleo B', 'Diesel B (agricultural)', 'Gasoil B', 'B gasolioa', 'Gasóleo B'],
  DIESEL_RENEWABLE: ['Diésel renovable', 'Renewable diesel', 'Dièsel renovable', 'Diesel berriztagarria', 'Diésel renovable'],
  BIODIESEL: ['Biodiésel', 'Biodiesel', 'Biodièsel', 'Biodiesela', 'Biodiésel'],
  BIOETHANOL: ['Bioetanol', 'Bioethanol', 'Bioetanol', 'Bioetanola', 'Bioetanol'],
  LPG: [
    'Gases licuados del petróleo',
    'Liquefied petroleum gas',
    'Gasos liquats del petroli',
    'Petrolio-gas likidotuak',
    'Gases licuados do petróleo',
  ],
  CNG: ['Gas natural comprimido', 'Compressed natural gas', 'Gas natural comprimit', 'Gas natural konprimitua', 'Gas natural comprimido'],
  LNG: ['Gas natural licuado', 'Liquefied natural gas', 'Gas natural liquat', 'Gas natural likidotua', 'Gas natural licuado'],
  BIO_CNG: [
    'Biogás natural comprimido',
    'Compressed biogas',
    'Biogàs natural comprimit',
    'Biogas natural konprimitua',
    'Biogás natural comprimido',
  ],
  BIO_LNG: ['Biogás natural licuado', 'Liquefied biogas', 'Biogàs natural liquat', 'Biogas natural likidotua', 'Biogás natural licuado'],
  HYDROGEN: ['Hidrógeno', 'Hydrogen', 'Hidrogen', 'Hidrogenoa', 'Hidróxeno'],
  ADBLUE: ['AdBlue', 'AdBlue', 'AdBlue', 'AdBlue', 'AdBlue'],
  METHANOL: ['Metanol', 'Methanol', 'Metanol', 'Metanola', 'Metanol'],
  AMMONIA: ['Amoniaco', 'Ammonia', 'Amoníac', 'Amoniakoa', 'Amoníaco'],
})

/** Units of a pump price. */
export const PRICE_UNITS = defineCodes('price_unit', 'Unit of a pump price.', {
  'EUR/L': ['euros por litro', 'euros per litre'],
  'EUR/kg': ['euros por kilogramo', 'euros per kilogram'],
})

/** Why a price is not plausible. */
export const PRICE_ISSUES = defineCodes('price_issue', 'Why a price is not plausible; it is in no mean and no ranking.', {
  TOO_LOW: ['Más bajo que los precios reales del producto', 'Lower than real prices of the product'],
  TOO_HIGH: ['Más alto que los precios reales del producto', 'Higher than real prices of the product'],
})

/** Who may buy at a station. */
export const SALE_TYPES = defineCodes('sale_type', 'Who may buy at a filling station.', {
  PUBLIC: ['Venta al público', 'Open to the public'],
  RESTRICTED: ['Venta restringida a socios o cooperativistas', 'Members or co-operatives only'],
})

/** Side of the road. */
export const ROAD_SIDES = defineCodes('road_side', 'Side of the road of a station, in the direction of increasing km.', {
  RIGHT: ['Derecho', 'Right'],
  LEFT: ['Izquierdo', 'Left'],
  NOT_APPLICABLE: ['No aplica', 'Not applicable'],
})

/** Who reports the prices of a station. */
export const PRICE_REPORTERS = defineCodes('price_reporter', 'Who reports the prices of a station to the register.', {
  WHOLESALE_OPERATOR: ['Operador mayorista', 'Wholesale operator'],
  RETAILER: ['Distribuidor minorista', 'Retailer'],
})

/** Problems of a published position. */
export const POSITION_ISSUES = defineCodes('position_issue', 'Problem of a published position, and how it was handled.', {
  MISSING: ['Sin coordenadas', 'None was published'],
  ZERO: ['Coordenadas 0, 0: se omiten', '0, 0: omitted'],
  UNREADABLE: ['Coordenadas ilegibles: se omiten', 'Not numeric: omitted'],
  OUTSIDE_SPAIN: ['Fuera de España: se omiten', 'Outside Spain: omitted'],
  SWAPPED: ['Latitud y longitud intercambiadas: corregidas', 'Latitude and longitude were swapped: corrected'],
  NO_MUNICIPALITY: ['Fuera de todo municipio: no se busca por ella', 'In no municipality: excluded from searches'],
  OTHER_PROVINCE: ['Fuera de la provincia indicada: no se busca por ella', 'Outside the stated province: excluded from searches'],
  OTHER_MUNICIPALITY: ['Fuera del municipio indicado: no se busca por ella', 'Outside the stated municipality: excluded from searches'],
})

/** Issues where the position contradicts the station's address, most serious first. */
export const ELSEWHERE: readonly string[] = Object.freeze(['OTHER_PROVINCE', 'OTHER_MUNICIPALITY', 'NO_MUNICIPALITY'])

/** The position to search a station by; null if the published one contradicts its address. */
export function reliablePosition<P>(one: { readonly position: P | null; readonly position_issue?: string | null | undefined }): P | null {
  return one.position_issue && ELSEWHERE.includes(one.position_issue) ? null : one.position
}

/** What price statistics cover. */
export const FUEL_AREAS = defineCodes('fuel_area', 'Area or group that a fuel price statistic covers.', {
  NATION: ['Toda España', 'All of Spain'],
  PROVINCE: ['Una provincia', 'A province'],
  OPERATOR: ['Las estaciones de un rótulo', 'The stations of a brand'],
})

/** Basis of a day's prices. Each day has exactly one. */
export const FUEL_DAY_BASES = defineCodes('fuel_day_basis', "Basis of a day's fuel prices.", {
  PUBLICATIONS: ['Publicaciones del registro durante el día', 'Publications of the register on that day'],
  ARCHIVE: ['Histórico diario del registro', 'Archive of the register by day'],
})

/** Origin of a price series. A reply never mixes two. */
export const FUEL_SERIES = defineCodes('fuel_series', 'Origin of a series of fuel prices.', {
  BULLETIN: ['Boletín semanal de la Comisión Europea', 'Weekly Oil Bulletin of the European Commission'],
  MINISTRY_DAILY: ['Media diaria que publica el ministerio', 'Daily mean that the ministry publishes'],
  STATION_MEAN: ['Media de las estaciones del registro', 'Mean of the stations of the register'],
})

/** Products of the Weekly Oil Bulletin. */
export const BULLETIN_PRODUCTS = defineCodes('bulletin_product', 'Product of the Weekly Oil Bulletin.', {
  EURO_SUPER_95: ['Gasolina 95', 'Euro-super 95'],
  LEAD_SUBSTITUTE_PETROL: ['Gasolina con sustituto del plomo', 'Lead substitute petrol'],
  AUTOMOTIVE_GAS_OIL: ['Gasóleo de automoción', 'Automotive gas oil'],
  HEATING_GAS_OIL: ['Gasóleo de calefacción', 'Heating gas oil'],
  FUEL_OIL_LOW_SULPHUR: ['Fuelóleo con hasta un 1 % de azufre', 'Fuel oil with up to 1 % of sulphur'],
  FUEL_OIL_HIGH_SULPHUR: ['Fuelóleo con más de un 1 % de azufre', 'Fuel oil with more than 1 % of sulphur'],
  LPG_MOTOR_FUEL: ['GLP para automoción', 'LPG, motor fuel'],
})

/** Products whose prices are forecast: those of the register, and bulletin products that filling stations do not sell. */
export const FORECAST_FUELS = defineCodes('forecast_fuel', 'Product whose price is forecast.', {
  ...FUEL_PRODUCTS.codes,
  LEAD_SUBSTITUTE_PETROL: ['Gasolina con sustituto del plomo', 'Lead substitute petrol'],
  HEATING_GAS_OIL: ['Gasóleo de calefacción', 'Heating gas oil'],
  FUEL_OIL_LOW_SULPHUR: ['Fuelóleo con hasta un 1 % de azufre', 'Fuel oil with up to 1 % of sulphur'],
  FUEL_OIL_HIGH_SULPHUR: ['Fuelóleo con más de un 1 % de azufre', 'Fuel oil with more than 1 % of sulphur'],
})

/** Bulletin products sold by the tonne; all others are sold by the litre. */
export const SOLD_BY_TONNE = ['FUEL_OIL_LOW_SULPHUR', 'FUEL_OIL_HIGH_SULPHUR'] as const

/** Units of prices that are forecast. */
export const FORECAST_UNITS = defineCodes('forecast_unit', 'Unit of a price that is forecast.', {
  'EUR/L': ['euros por litro', 'euros per litre'],
  'EUR/t': ['euros por tonelada', 'euros per tonne'],
})

/** Register products that correspond to bulletin products. */
export const BULLETIN_FUELS: Readonly<Record<string, string>> = Object.freeze({
  EURO_SUPER_95: 'GASOLINE_95_E5',
  AUTOMOTIVE_GAS_OIL: 'DIESEL_A',
  LPG_MOTOR_FUEL: 'LPG',
})

/** Why there is no forecast of a price. */
export const FUEL_FORECAST_ABSENCES = defineCodes('fuel_forecast_absence', 'Why there is no forecast of the price of a fuel.', {
  FEW_PRICES: ['Muy pocos precios', 'Too few prices'],
  ENDED: ['Sin precios recientes', 'No recent prices'],
})

/** Units of the bulletin's prices. */
export const BULLETIN_UNITS = defineCodes('bulletin_unit', 'Unit of a price of the Weekly Oil Bulletin.', {
  'EUR/kL': ['euros por 1000 litros', 'euros per 1000 litres'],
  'EUR/t': ['euros por tonelada', 'euros per tonne'],
})

/** Directions of a price trend. */
export const FUEL_TRENDS = defineCodes('fuel_trend', 'Trend of a fuel price.', {
  RISING: ['Sube', 'Rising'],
  FALLING: ['Baja', 'Falling'],
  STABLE: ['Ni sube ni baja con un 95 % de confianza', 'Neither with 95 % confidence'],
})
