import type { Dataset } from '../../schema/dataset.ts'
import { ferryCalendar } from './ferry-calendar.ts'
import { ferryRoutes } from './ferry-routes.ts'
import { ferryStopTimes } from './ferry-stop-times.ts'
import { ferryStops } from './ferry-stops.ts'
import { ferryTrips } from './ferry-trips.ts'
import { marinePrices } from './marine-prices.ts'
import { marineStations } from './marine-stations.ts'
import { ports } from './ports.ts'
import { vesselPositions } from './vessel-positions.ts'
import { vessels } from './vessels.ts'

/** Datasets about the sea, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  marineStations,
  marinePrices,
  ports,
  ferryStops,
  ferryRoutes,
  ferryTrips,
  ferryStopTimes,
  ferryCalendar,
  vessels,
  vesselPositions,
])
