import { defineCodes } from '../../schema/codes.ts'

/** Levels of the national air quality index, the best first: its categories 1 to 6. */
export const AIR_QUALITY_LEVELS = defineCodes('air_quality_level', 'Level of the national air quality index (ICA).', {
  GOOD: ['Buena', 'Good', 'Bona', 'Ona', 'Boa'],
  FAIRLY_GOOD: ['Razonablemente buena', 'Fairly good', 'Raonablement bona', 'Nahiko ona', 'Razoablemente boa'],
  MODERATE: ['Regular', 'Moderate', 'Regular', 'Erdipurdikoa', 'Regular'],
  POOR: ['Desfavorable', 'Poor', 'Desfavorable', 'Txarra', 'Desfavorable'],
  VERY_POOR: ['Muy desfavorable', 'Very poor', 'Molt desfavorable', 'Oso txarra', 'Moi desfavorable'],
  EXTREMELY_POOR: [
    'Extremadamente desfavorable',
    'Extremely poor',
    'Extremadament desfavorable',
    'Izugarri txarra',
    'Extremadamente desfavorable',
  ],
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
  NO2: ['Dióxido de nitrógeno', 'Nitrogen dioxide', 'Diòxid de nitrogen', 'Nitrogeno dioxidoa', 'Dióxido de nitróxeno'],
  O3: ['Ozono', 'Ozone', 'Ozó', 'Ozonoa', 'Ozono'],
  PM10: [
    'Partículas de menos de 10 µm',
    'Particles below 10 µm',
    'Partícules de menys de 10 µm',
    '10 µm baino gutxiagoko partikulak',
    'Partículas de menos de 10 µm',
  ],
  PM2_5: [
    'Partículas de menos de 2,5 µm',
    'Particles below 2.5 µm',
    'Partícules de menys de 2,5 µm',
    '2,5 µm baino gutxiagoko partikulak',
    'Partículas de menos de 2,5 µm',
  ],
  SO2: ['Dióxido de azufre', 'Sulphur dioxide', 'Diòxid de sofre', 'Sufre dioxidoa', 'Dióxido de xofre'],
  CO: ['Monóxido de carbono', 'Carbon monoxide', 'Monòxid de carboni', 'Karbono monoxidoa', 'Monóxido de carbono'],
  NO: ['Monóxido de nitrógeno', 'Nitrogen monoxide', 'Monòxid de nitrogen', 'Nitrogeno monoxidoa', 'Monóxido de nitróxeno'],
  NOX: [
    'Óxidos de nitrógeno, como NO2',
    'Nitrogen oxides, as NO2',
    'Òxids de nitrogen, com a NO2',
    'Nitrogeno oxidoak, NO2 gisa',
    'Óxidos de nitróxeno, como NO2',
  ],
  BENZENE: ['Benceno', 'Benzene', 'Benzè', 'Bentzenoa', 'Benceno'],
  TOLUENE: ['Tolueno', 'Toluene', 'Toluè', 'Toluenoa', 'Tolueno'],
  ETHYLBENZENE: ['Etilbenceno', 'Ethylbenzene', 'Etilbenzè', 'Etilbentzenoa', 'Etilbenceno'],
  TOTAL_HYDROCARBONS: [
    'Hidrocarburos totales, como hexano',
    'Total hydrocarbons, as hexane',
    'Hidrocarburs totals, com a hexà',
    'Hidrokarburo guztiak, hexano gisa',
    'Hidrocarburos totais, como hexano',
  ],
  METHANE: ['Metano', 'Methane', 'Metà', 'Metanoa', 'Metano'],
  NON_METHANE_HYDROCARBONS: [
    'Hidrocarburos no metánicos, como hexano',
    'Non-methane hydrocarbons, as hexane',
    'Hidrocarburs no metànics, com a hexà',
    'Metanoaz besteko hidrokarburoak, hexano gisa',
    'Hidrocarburos non metánicos, como hexano',
  ],
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
