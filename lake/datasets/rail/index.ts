import type { Dataset } from '../../schema/dataset.ts'
import { railAlerts } from './alerts.ts'
import { railStationRegister } from './station-register.ts'
import { railStock } from './stock.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTimetableChanges, railTrips } from './timetable.ts'
import { railFleet, railPositions, railTripUpdates } from './trains.ts'

/** Datasets about rail, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  railAlerts,
  railTripUpdates,
  railPositions,
  railFleet,
  railStations,
  railRoutes,
  railShapes,
  railTrips,
  railStopTimes,
  railCalendar,
  railTimetableChanges,
  railStationRegister,
  railStock,
])
