import { madridAir as source } from '../../../lake/datasets/air/sources.ts'
import { dayFileFeed } from './day-file.ts'

/**
 * Madrid's hours of the current day, replaced about 15, 35 and 55 minutes past each hour. It has no row until the first hour
 * ends.
 */
export const madridAir = dayFileFeed({
  id: 'madrid_air',
  source,
  every_s: 1200,
  url: 'https://datos.madrid.es/egob/catalogo/212531-10515086-calidad-aire-tiempo-real.csv',
  band: { atLeast: 0, minRatio: 0, maxRatio: 1000 },
  columns: {
    province: 'PROVINCIA',
    municipality: 'MUNICIPIO',
    station: 'ESTACION',
    pollutant: 'MAGNITUD',
    year: 'ANO',
    month: 'MES',
    day: 'DIA',
  },
  knows: ['PUNTO_MUESTREO'],
})
