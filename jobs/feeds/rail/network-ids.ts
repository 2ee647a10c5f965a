import type { railRoutes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Timetable, TimetableRules } from '../transit/timetable.ts'

/** How a network's ids are read; the rest of its timetable is plain GTFS. */
export interface NetworkIds extends TimetableRules {
  readonly network: 'CERCANIAS' | 'AVLDMD'
  /** Product codes of routes named after products; null if routes are named after lines, which stay as they are. */
  readonly products: Readonly<Record<string, string>> | null
  /** Commuter network at the start of a route, service, trip or shape id; null if ids have none. */
  readonly nucleoOf: (id: string) => string | null
  /** Stations that a route's id names. */
  readonly terminiOf: (id: string) => Pick<FeedRow<typeof railRoutes>, 'origin_stop_id' | 'destination_stop_id'>
  /** Number, variant and date in a trip's id and short name. */
  readonly trainOf: (id: string, shortName: string | null) => Pick<FeedRow<typeof railTrips>, 'train_number' | 'variant' | 'validity_start'>
}

/** A railway timetable while it is read. */
export interface RailTimetable extends Timetable {
  readonly ids: NetworkIds
}
