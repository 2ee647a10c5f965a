/** The units a number may have, with their meaning; symbols follow UCUM where it has one. A count has unit `1`. */
export const UNITS = {
  '1': 'count, or a ratio without unit',
  m: 'metres',
  km: 'kilometres',
  'km/h': 'kilometres per hour',
  'm/s': 'metres per second',
  'veh/h': 'vehicles per hour',
  '%': 'per cent',
  s: 'seconds',
  min: 'minutes',
  h: 'hours',
  deg: 'degrees',
  t: 'tonnes',
  L: 'litres',
  kg: 'kilograms',
  'EUR/L': 'euros per litre',
  'EUR/kg': 'euros per kilogram',
} as const
