/** Levels by AEMET's names; `verde` means "no warning". */
export const LEVELS: Readonly<Record<string, string>> = { amarillo: 'YELLOW', naranja: 'ORANGE', rojo: 'RED' }

/** Levels by CAP's severity, for a message without one. */
export const LEVELS_BY_SEVERITY: Readonly<Record<string, string>> = { Moderate: 'YELLOW', Severe: 'ORANGE', Extreme: 'RED' }

/** Phenomena by AEMET's code of the event. `VI` is wind here. */
export const PHENOMENA: Readonly<Record<string, string>> = {
  PR: 'RAIN',
  TO: 'THUNDERSTORM',
  VI: 'WIND',
  NE: 'SNOW',
  AT: 'HIGH_TEMPERATURE',
  BT: 'LOW_TEMPERATURE',
  CO: 'COASTAL',
  VS: 'DUST',
  AL: 'AVALANCHE',
  GA: 'GALERNA',
  RI: 'RISSAGA',
  NI: 'FOG',
  DH: 'THAW',
}

/** Quantities by AEMET's code of the parameter. `VI` is visibility here. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  P1: 'PRECIPITATION_1H',
  P2: 'PRECIPITATION_12H',
  NV: 'SNOW_24H',
  RM: 'GUST',
  TO: 'THUNDERSTORM',
  TA: 'TEMPERATURE_MAX',
  TI: 'TEMPERATURE_MIN',
  CO: 'COASTAL',
  VI: 'VISIBILITY',
  AL: 'AVALANCHE',
  GA: 'GALERNA',
  RI: 'RISSAGA',
  NI: 'FOG',
  DH: 'THAW',
}

/** Units by how AEMET writes them. */
export const UNIT_CODES: Readonly<Record<string, string>> = { mm: 'mm', cm: 'cm', m: 'm', 'km/h': 'km/h', ºC: 'Cel', '°C': 'Cel' }
