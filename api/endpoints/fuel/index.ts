import { defineDomain } from '../../kernel/domain.ts'
import { fuelAverages } from './averages.ts'
import { cheapestList } from './cheapest.ts'
import { fuelForecastList } from './forecasts.ts'
import { gasStationChanges } from './gas-station-changes.ts'
import { gasStationHistory } from './gas-station-history.ts'
import { gasStationStats } from './gas-station-stats.ts'
import { gasStationById, gasStationList } from './gas-stations.ts'
import { fuelHistory } from './series.ts'
import { fuelTrend } from './trend.ts'

/** Endpoints about filling stations and fuel prices, in the order in which documentation shows them. */
export const fuel = defineDomain({
  id: 'fuel',
  title: { es: 'Gasolineras', en: 'Filling stations' },
  endpoints: [
    gasStationList,
    gasStationById,
    gasStationHistory,
    cheapestList,
    gasStationChanges,
    gasStationStats,
    fuelAverages,
    fuelHistory,
    fuelTrend,
    fuelForecastList,
  ],
})
