import { defineDomain } from '../../kernel/domain.ts'
import { fuelForecastList } from './forecasts.ts'
import { gasStationChanges } from './gas-station-changes.ts'
import { gasStationHistory } from './gas-station-history.ts'
import { cheapestList, gasStationById, gasStationList } from './gas-stations.ts'
import { fuelAverages, gasStationStats } from './price-figures.ts'
import { fuelHistory } from './series.ts'
import { fuelTrend } from './trend.ts'

/** Endpoints about filling stations and fuel prices, in the order in which documentation shows them. */
export const fuel = defineDomain({
  id: 'fuel',
  title: { es: 'Gasolineras', en: 'Filling stations' },
  endpoints: [
    ...[gasStationList, gasStationById, gasStationHistory, cheapestList, gasStationChanges, gasStationStats],
    ...[fuelAverages, fuelHistory, fuelTrend, fuelForecastList],
  ],
})
