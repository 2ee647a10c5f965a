import type { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import type { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import type { GtfsRecords } from '../../formats/gtfs.ts'
import type { Zip } from '../../formats/zip.ts'
import type { Notes } from '../define.ts'
import { lookUp } from '../look-up.ts'
import type { GtfsCalendar } from './gtfs-calendar.ts'

/** What the ids of a network say; everything else of its timetable is plain GTFS. */
export interface NetworkIds {
  readonly network: 'CERCANIAS' | 'AVLDMD'
  /** What the names of its versions begin with. */
  readonly prefix: string
  /** True where calendar.txt runs all days and the exceptions alone are the timetable: without them an archive is not whole. */
  readonly needsExceptions: boolean
  /** Codes of the products that routes have for names; null where their names are lines, which stay as they are. */
  readonly products: Readonly<Record<string, string>> | null
  /** Commuter network that a route, service, trip or shape id begins with; null where ids have none. */
  readonly nucleoOf: (id: string) => string | null
  /** Stations that a route's id names. */
  readonly terminiOf: (id: string) => Pick<FeedRow<typeof railRoutes>, 'origin_stop_id' | 'destination_stop_id'>
  /** Number, variant and date that a trip's id and short name tell. */
  readonly trainOf: (id: string, shortName: string | null) => Pick<FeedRow<typeof railTrips>, 'train_number' | 'variant' | 'validity_start'>
}

/** A timetable that is being read. */
export interface Timetable {
  readonly ids: NetworkIds
  readonly zip: Zip
  readonly calendar: GtfsCalendar
  /** What each of its rows begins with. */
  readonly version: { readonly network: string; readonly timetable_version: string; readonly valid_from: number }
  readonly notes: Notes
}

const ACCESS: Readonly<Record<string, boolean | null>> = { '0': null, '1': true, '2': false }

/** Counts a record that makes no row. */
export function refuse({ notes }: Timetable, dataset: Dataset, records: GtfsRecords): void {
  notes.quarantine(dataset, records.isWhole ? 'no id' : 'another number of fields', records.line)
}

/** GTFS's answer to whether a wheelchair can be used: 1 yes, 2 no, 0 and blank nothing said; others are counted. */
export function accessOf(code: string | null, notes: Notes): boolean | null {
  if (code === null) return null
  const known = lookUp(ACCESS, code)
  if (known === undefined) notes.unknownCode('gtfs_wheelchair', code)
  return known ?? null
}
