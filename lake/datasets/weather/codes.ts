import { defineCodes } from '../../schema/codes.ts'

/** What makes driving harder, as a weather station measures it; the thresholds are those of the answers that show it. */
export const DRIVING_CONDITIONS = defineCodes('driving_condition', 'What makes driving harder at a weather station.', {
  RAIN: ['Lluvia', 'Rain'],
  SNOWFALL: ['Nevada', 'Snowfall'],
  SNOW_ON_GROUND: ['Nieve en el suelo', 'Snow on the ground'],
  FOG: ['Niebla', 'Fog'],
  STRONG_WIND: ['Viento fuerte', 'Strong wind'],
})

/** What AEMET writes in place of an amount of precipitation. */
export const PRECIPITATION_FLAGS = defineCodes('precipitation_flag', 'What is special about a precipitation.', {
  TRACE: ['Inapreciable: menos de 0,1 mm', 'Trace: less than 0.1 mm'],
  ACCUMULATED: ['Acumulada en un día posterior', 'In the sum of a later day'],
})

/** Which hours a step of a series of weather is made of. */
export const DAY_DEFINITIONS = defineCodes('day_definition', 'Hours that a step of a weather series is made of.', {
  HOUR: ['Una hora', 'One hour'],
  MADRID_DAY: ['Día de 0 a 24 h de Madrid, de observaciones horarias', 'Day from 00 to 24 h in Madrid, of hourly observations'],
  AEMET_DAY: [
    'Día climatológico de AEMET: precipitación de 07 a 07 UTC, lo demás de 0 a 24 h UTC',
    'Climatological day of AEMET: precipitation from 07 to 07 UTC, all else from 00 to 24 h UTC',
  ],
})
