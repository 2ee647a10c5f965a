/**
 * `route_short_name` in the long-distance timetable: all 13 values of 2026. That of 2022 had 13 more, mostly of single trips.
 */
export const TIMETABLE_PRODUCTS: Readonly<Record<string, string>> = {
  AVE: 'AVE',
  'AVE INT': 'AVE_INT',
  AVLO: 'AVLO',
  AVANT: 'AVANT',
  'AVANT EXP': 'AVANT_EXP',
  ALVIA: 'ALVIA',
  EUROMED: 'EUROMED',
  Intercity: 'INTERCITY',
  TRENCELTA: 'TRENCELTA',
  MD: 'MD',
  REGIONAL: 'REGIONAL',
  // So it is spelt.
  PROXIMDAD: 'PROXIMIDAD',
  'REG.EXP.': 'REGIONAL_EXPRESS',
}

/**
 * `codProduct` of the map, found by joining its captures of 2026-03-11 and 12 to the timetable by train number. Nine codes
 * stand for thirteen products: 2 is AVE and AVE INT, 3 AVANT and AVANT EXP, 13 Intercity and TRENCELTA, 18 REGIONAL and
 * PROXIMDAD.
 */
export const MAP_PRODUCTS: Readonly<Record<string, string>> = {
  2: 'AVE',
  3: 'AVANT',
  10: 'EUROMED',
  11: 'ALVIA',
  13: 'INTERCITY',
  16: 'MD',
  18: 'REGIONAL',
  19: 'REGIONAL_EXPRESS',
  28: 'AVLO',
}
