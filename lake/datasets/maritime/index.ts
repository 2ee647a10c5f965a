import type { Dataset } from '../../schema/dataset.ts'
import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from './ferry-timetable.ts'
import { marinePrices, marineStations } from './marine-fuel.ts'
import { ports } from './ports.ts'
import { vesselPositions, vessels } from './vessels.ts'

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
