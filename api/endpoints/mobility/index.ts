import { defineDomain } from '../../kernel/domain.ts'
import { corridorById, corridorList } from './corridors.ts'
import { countStationById, countStationList } from './count-station.ts'
import { mobilityList } from './flows.ts'
import { imdList } from './imd.ts'
import { mobilityMatrix } from './od.ts'
import { zoneList } from './zones.ts'

/** Endpoints about trips and traffic volumes, in the order in which documentation shows them. */
export const mobility = defineDomain({
  id: 'mobility',
  title: { es: 'Movilidad', en: 'Mobility' },
  endpoints: [imdList, countStationList, countStationById, corridorList, corridorById, mobilityList, mobilityMatrix, zoneList],
})
