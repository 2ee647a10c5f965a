import type { Dataset } from '../../schema/dataset.ts'
import { railAlerts } from './alerts.ts'
import { railCalendar } from './calendar.ts'
import { railFleet } from './fleet.ts'
import { railPositions } from './positions.ts'
import { railRoutes } from './routes.ts'
import { railShapes } from './shapes.ts'
import { railStationRegister } from './station-register.ts'
import { railStations } from './stations.ts'
import { railStock } from './stock.ts'
import { railStopTimes } from './stop-times.ts'
import { railTimetableChanges } from './timetable-changes.ts'
import { railTripUpdates } from './trip-updates.ts'
import { railTrips } from './trips.ts'

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
