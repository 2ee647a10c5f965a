import { defineCodes } from '../../schema/codes.ts'

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
