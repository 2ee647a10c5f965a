import { defineCodes } from '../../schema/codes.ts'

/**
 * Conditions that make driving harder, as measured by weather stations. Their thresholds are in the endpoints that report them.
 */
export const DRIVING_CONDITIONS = defineCodes('driving_condition', 'Difficult driving condition at a weather station.', {
  RAIN: ['Lluvia', 'Rain'],
  SNOWFALL: ['Nevada', 'Snowfall'],
  SNOW_ON_GROUND: ['Nieve en el suelo', 'Snow on the ground'],
  FOG: ['Niebla', 'Fog'],
  STRONG_WIND: ['Viento fuerte', 'Strong wind'],
})

/** Special precipitation values of AEMET. */
export const PRECIPITATION_FLAGS = defineCodes('precipitation_flag', 'Special precipitation value.', {
  TRACE: ['Inapreciable: menos de 0,1 mm', 'Trace: less than 0.1 mm'],
  ACCUMULATED: ['Acumulada en un día posterior', 'Included in the sum of a later day'],
})

/** Hours that a step of a weather series covers. */
export const DAY_DEFINITIONS = defineCodes('day_definition', 'Hours that a step of a weather series covers.', {
  HOUR: ['Una hora', 'One hour'],
  MADRID_DAY: ['Día de 0 a 24 h de Madrid, de observaciones horarias', 'Day from 00 to 24 h in Madrid, from hourly observations'],
  AEMET_DAY: [
    'Día climatológico de AEMET: precipitación de 07 a 07 UTC, lo demás de 0 a 24 h UTC',
    'Climatological day of AEMET: precipitation from 07 to 07 UTC, everything else from 00 to 24 h UTC',
  ],
})
