import { defineDomain } from '../../kernel/domain.ts'
import { accidentDictionary } from './dictionary.ts'
import { hotspotDetail, hotspotList } from './hotspots.ts'
import { accidentMicrodata } from './microdata.ts'
import { riskByRoad, riskList } from './risk.ts'
import { accidentStats } from './stats.ts'

/** Endpoints about accidents and their risk, in the order in which documentation shows them. */
export const safety = defineDomain({
  id: 'safety',
  title: { es: 'Seguridad vial', en: 'Road safety' },
  endpoints: [accidentMicrodata, accidentDictionary, accidentStats, hotspotList, hotspotDetail, riskList, riskByRoad],
})
