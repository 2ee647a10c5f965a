import { defineDomain } from '../../kernel/domain.ts'
import { ferryById, ferryList } from './ferries.ts'
import { marineHistory } from './marine-history.ts'
import { marinePriceList } from './marine-prices.ts'
import { portById, portList } from './ports.ts'
import { vesselByMmsi, vesselList, vesselTrack } from './vessels.ts'

/** Endpoints about the sea, in the order in which documentation shows them. */
export const maritime = defineDomain({
  id: 'maritime',
  title: { es: 'Mar', en: 'Sea' },
  endpoints: [marinePriceList, marineHistory, portList, portById, ferryList, ferryById, vesselList, vesselByMmsi, vesselTrack],
})
