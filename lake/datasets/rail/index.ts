import type { Dataset } from '../../schema/dataset.ts'
import { railAlerts } from './alerts.ts'
import { railFleet } from './fleet.ts'
import { railPositions } from './positions.ts'
import { railStationRegister } from './station-register.ts'
import { railStock } from './stock.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from './timetable.ts'
import { railTimetableChanges } from './timetable-changes.ts'
import { railTripUpdates } from './trip-updates.ts'

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
