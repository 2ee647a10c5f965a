import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { maritimeDataset } from '../domains.ts'
import { PRICE_ISSUES, PRICE_REPORTERS } from '../fuel/codes.ts'
import { miteco } from '../fuel/sources.ts'

/** Products of the ministry's register of marine fuel, plus fuel oil, which has no published price. */
export const MARINE_FUELS = defineCodes('marine_fuel', 'Fuel sold to vessels.', {
  DIESEL_A: ['Gasóleo A', 'Diesel A'],
  DIESEL_B: ['Gasóleo B', 'Diesel B (fishing and professional use)'],
  MARINE_GASOIL: ['Gasóleo de uso marítimo', 'Marine gasoil'],
  MARINE_FUEL_OIL: ['Fuelóleo de uso marítimo', 'Marine fuel oil'],
  GASOLINE_95_E5: ['Gasolina 95 E5', 'Petrol 95 E5'],
  GASOLINE_95_E10: ['Gasolina 95 E10', 'Petrol 95 E10'],
  GASOLINE_95_E25: ['Gasolina 95 E25', 'Petrol 95 E25'],
  GASOLINE_95_E85: ['Gasolina 95 E85', 'Petrol 95 E85'],
  GASOLINE_RENEWABLE: ['Gasolina renovable', 'Renewable petrol'],
  DIESEL_RENEWABLE: ['Diésel renovable', 'Renewable diesel'],
  BIO_CNG: ['Biogás natural comprimido', 'Compressed biogas'],
  BIO_LNG: ['Biogás natural licuado', 'Liquefied biogas'],
  METHANOL: ['Metanol', 'Methanol'],
  AMMONIA: ['Amoniaco', 'Ammonia'],
  ADBLUE: ['AdBlue', 'AdBlue'],
})

/** Units of a price of marine fuel, as published. */
export const MARINE_PRICE_UNITS = defineCodes('marine_price_unit', 'Unit of a price of marine fuel, as published.', {
  'EUR/L': ['euros por litro', 'euros per litre'],
  'EUR/kL': ['euros por 1000 litros', 'euros per 1000 litres'],
  'EUR/kg': ['euros por kilogramo', 'euros per kilogram'],
})

/** Which vessels a marine fuel station supplies. */
export const MARINE_USES = defineCodes('marine_use', 'Which vessels a marine fuel station supplies.', {
  LEISURE: ['Barcos deportivos o de recreo', 'Leisure craft'],
  FISHING: ['Pesqueros', 'Fishing vessels'],
  MIXED: ['Pesqueros y barcos de recreo', 'Fishing vessels and leisure craft'],
})

/** Stations that sell fuel to vessels: the catalogue, without prices. */
export const marineStations = maritimeDataset({
  id: 'marine_stations',
  title: 'Marine fuel stations',
  about: 'Every station of the national register that supplies leisure craft or fishing vessels: port, address, opening hours, position.',
  sources: [miteco],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco' }),
    station_id: col.string(2, 'Id made of municipality, address and use, since the two layouts of the register have no id in common.', {
      example: 'mar_3f1c09a2b7de',
    }),
    observed_at: col.instant(3, 'Publication that gave this state.', { example: '2026-06-20T08:02:54.000Z' }),
    register_id: col.string(4, "The register's own id (IDPosteMaritimo); null if the publication was the spreadsheet.", orNull('275')),
    port: col.string(5, 'Port as published; null if the publication was the spreadsheet.', orNull('MARINA LANZAROTE')),
    brand: col.string(6, 'Sign of the station as published; null if it has none.', orNull('REPSOL')),
    address: col.string(7, 'Street address.', { example: 'AVENIDA OLOF PALME S/N' }),
    locality: col.string(8, 'Locality as published.', orNull('ARRECIFE')),
    postal_code: col.string(9, 'Postal code, 5 digits.', orNull('35500')),
    municipality: col.string(10, 'Municipality as published.', orNull('Arrecife')),
    municipality_code: col.string(11, 'INE code of the municipality.', orNull('35004')),
    province_code: col.string(12, 'INE code of the province.', orNull('35')),
    position: col.point([13, 14], 'Position; null if none is published.', orNull({ lat: 28.966944, lon: -13.534722 })),
    use: col.code(15, 'Which vessels it supplies.', MARINE_USES, { example: 'LEISURE' }),
    opening_hours: col.string(16, 'Opening hours as published; days L M X J V S D.', orNull('L-D: 08:00-20:00')),
    reporter: col.code(17, 'Reporter of the prices.', PRICE_REPORTERS, orNull('RETAILER')),
  },
  entity: ['station_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

/** Prices of marine fuel: a row when a price changes, appears or disappears. */
export const marinePrices = maritimeDataset({
  id: 'marine_prices',
  title: 'Marine fuel prices by station',
  about: 'Price of each fuel at each marine fuel station in Spain.',
  sources: [miteco],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco' }),
    station_id: col.string(2, 'Id of the station, as in the catalogue of marine fuel stations.', { example: 'mar_3f1c09a2b7de' }),
    product: col.code(3, 'Fuel.', MARINE_FUELS, { example: 'DIESEL_A' }),
    price: col.decimal(4, 'Price as published.', { scale: 3, unitIn: 'price_unit', example: 1.459, min: 0.001, max: 10_000 }),
    price_unit: col.code(
      5,
      'EUR/L, or EUR/kL: the register states no unit; a price above 10 is for 1000 litres. Biogas is sold by weight (EUR/kg).',
      MARINE_PRICE_UNITS,
      { example: 'EUR/L' },
    ),
    price_eur_l: col.decimal(6, 'The same price per litre; null if sold by weight or not plausible.', {
      scale: 6,
      unit: 'EUR/L',
      nullable: true,
      example: 1.459,
    }),
    observed_at: col.instant(7, 'Publication time of the price.', { example: '2026-06-20T08:02:54.000Z' }),
    province_code: col.string(8, 'INE code of the province of the station.', orNull('35')),
    use: col.code(9, 'Which vessels the station supplies.', MARINE_USES, { example: 'LEISURE' }),
    price_issue: col.code(10, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['station_id', 'product'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
})
