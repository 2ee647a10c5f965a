import { barcelonaAir as source } from '../../../lake/datasets/air/sources.ts'
import { dayFileFeed } from './day-file.ts'

/** The last three days of Barcelona's stations. The file also has weather and calibrations, which are dropped. */
export const barcelonaAir = dayFileFeed({
  id: 'barcelona_air',
  source,
  every_s: 1800,
  url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/0582a266-ea06-4cc5-a219-913b22484e40/resource/c2032e7c-10ee-4c69-84d3-9e8caf9ca97a/download',
  // At midnight a file loses the first of its three days.
  band: { atLeast: 50, minRatio: 0.55, maxRatio: 1000 },
  columns: {
    province: 'CODI_PROVINCIA',
    municipality: 'CODI_MUNICIPI',
    station: 'ESTACIO',
    pollutant: 'CODI_CONTAMINANT',
    year: 'ANY',
    month: 'MES',
    day: 'DIA',
  },
  knows: ['PROVINCIA', 'MUNICIPI'],
  leavesOut: ['11', '22', ...Array.from({ length: 14 }, (_, at) => String(101 + at)), '901', '995', '996', '997', '998', '999'],
})
