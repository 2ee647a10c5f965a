import { defineCodes } from '../../schema/codes.ts'

/** Levels of the national air quality index, the best first: its categories 1 to 6. */
export const AIR_QUALITY_LEVELS = defineCodes('air_quality_level', 'Level of the national air quality index (ICA).', {
  GOOD: ['Buena', 'Good'],
  FAIRLY_GOOD: ['Razonablemente buena', 'Fairly good'],
  MODERATE: ['Regular', 'Moderate'],
  POOR: ['Desfavorable', 'Poor'],
  VERY_POOR: ['Muy desfavorable', 'Very poor'],
  EXTREMELY_POOR: ['Extremadamente desfavorable', 'Extremely poor'],
})
export type AirQualityLevel = keyof typeof AIR_QUALITY_LEVELS.codes

/** Main influences on the air at a station. */
export const AIR_STATION_TYPES = defineCodes('air_station_type', 'What mainly pollutes the air at a station.', {
  BACKGROUND: ['Fondo', 'Background'],
  INDUSTRIAL: ['Industrial', 'Industrial'],
  TRAFFIC: ['Tráfico', 'Traffic'],
})

/** Measured pollutants; the first five make the index. */
export const AIR_POLLUTANTS = defineCodes('air_pollutant', 'Pollutant.', {
  NO2: ['Dióxido de nitrógeno', 'Nitrogen dioxide'],
  O3: ['Ozono', 'Ozone'],
  PM10: ['Partículas de menos de 10 µm', 'Particles below 10 µm'],
  PM2_5: ['Partículas de menos de 2,5 µm', 'Particles below 2.5 µm'],
  SO2: ['Dióxido de azufre', 'Sulphur dioxide'],
  CO: ['Monóxido de carbono', 'Carbon monoxide'],
  NO: ['Monóxido de nitrógeno', 'Nitrogen monoxide'],
  NOX: ['Óxidos de nitrógeno, como NO2', 'Nitrogen oxides, as NO2'],
  BENZENE: ['Benceno', 'Benzene'],
  TOLUENE: ['Tolueno', 'Toluene'],
  ETHYLBENZENE: ['Etilbenceno', 'Ethylbenzene'],
  TOTAL_HYDROCARBONS: ['Hidrocarburos totales, como hexano', 'Total hydrocarbons, as hexane'],
  METHANE: ['Metano', 'Methane'],
  NON_METHANE_HYDROCARBONS: ['Hidrocarburos no metánicos, como hexano', 'Non-methane hydrocarbons, as hexane'],
})
export type AirPollutant = keyof typeof AIR_POLLUTANTS.codes

/** Units of concentrations. */
export const CONCENTRATION_UNITS = defineCodes('concentration_unit', 'Unit of a concentration.', {
  'ug/m3': ['Microgramos por metro cúbico', 'Micrograms per cubic metre'],
  'mg/m3': ['Miligramos por metro cúbico', 'Milligrams per cubic metre'],
})

/** Whether a measurement counts. */
export const AIR_VALIDITY = defineCodes('air_validity', 'Whether the publisher calls a measurement valid.', {
  VALID: ['Válida', 'Valid'],
  INVALID: ['No válida', 'Not valid'],
})
