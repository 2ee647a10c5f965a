import { defineDomain } from '../../kernel/domain.ts'
import { airQualityList } from './air-quality.ts'
import { airStationHistory } from './history.ts'
import { airStationById, airStationList } from './stations.ts'

/** Endpoints about the quality of the air, in the order in which documentation shows them. */
export const air = defineDomain({
  id: 'air',
  title: { es: 'Calidad del aire', en: 'Air quality' },
  endpoints: [airQualityList, airStationList, airStationById, airStationHistory],
})
