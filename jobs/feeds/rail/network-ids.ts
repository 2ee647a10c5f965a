import type { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import type { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Timetable, TimetableRules } from '../transit/timetable.ts'

/** What the ids of a network say; everything else of its timetable is plain GTFS. */
export interface NetworkIds extends TimetableRules {
  readonly network: 'CERCANIAS' | 'AVLDMD'
  /** Codes of the products that routes have for names; null where their names are lines, which stay as they are. */
  readonly products: Readonly<Record<string, string>> | null
  /** Commuter network that a route, service, trip or shape id begins with; null where ids have none. */
  readonly nucleoOf: (id: string) => string | null
  /** Stations that a route's id names. */
  readonly terminiOf: (id: string) => Pick<FeedRow<typeof railRoutes>, 'origin_stop_id' | 'destination_stop_id'>
  /** Number, variant and date that a trip's id and short name tell. */
  readonly trainOf: (id: string, shortName: string | null) => Pick<FeedRow<typeof railTrips>, 'train_number' | 'variant' | 'validity_start'>
}

/** A railway timetable that is being read. */
export interface RailTimetable extends Timetable {
  readonly ids: NetworkIds
}
