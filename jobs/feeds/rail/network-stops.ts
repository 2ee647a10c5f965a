import { railStations } from '../../../lake/datasets/rail/timetable.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import { accessOf, refuse, type Timetable } from '../transit/timetable.ts'
import { positionOf } from './timetable-places.ts'

/** The columns of a station that a stop gives. */
type Station = Pick<FeedRow<typeof railStations>, 'name' | 'position' | 'has_wheelchair_boarding' | 'timezone'>

/** Stops, platforms and entrances of an archive by their published ids. */
export interface Stops {
  readonly ids: ReadonlySet<string>
  /** The station of a stop or platform: the stop itself, if it has none. */
  stationOf(stop_id: string): string
  /** A station; null if no line of stops.txt describes it. */
  station(id: string): Station | null
}

const COLUMNS = {
  requires: ['stop_id', 'stop_name', 'stop_lat', 'stop_lon'],
  takes: ['parent_station', 'wheelchair_boarding', 'stop_timezone'],
}

/** Reads stops.txt. A station can be boarded in a wheelchair if one of its platforms can and the station does not state it. */
export async function readStops(timetable: Timetable, stationOf: ((stop_id: string) => string) | undefined): Promise<Stops> {
  const { zip, diagnostics } = timetable
  const stops = new Map<string, Station>()
  const parents = new Map<string, string>()
  for await (const records of readGtfs(zip, 'stops.txt', COLUMNS))
    while (records.next()) {
      const [id, name, parent] = [records.text(0), records.text(1), records.text(4)]
      if (!records.isWhole || id === null) {
        refuse(timetable, railStations, records)
        continue
      }
      if (stops.has(id)) diagnostics.warn('a stop_id is twice in stops.txt: the last record counts')
      if (parent !== null) parents.set(id, parent)
      stops.set(id, {
        name: name ?? id,
        position: positionOf(records.number(2), records.number(3), diagnostics),
        has_wheelchair_boarding: accessOf(records.text(5), diagnostics),
        timezone: records.text(6),
      })
    }
  const resolved = new Map(
    [...stops.keys()].map((id) => [id, [parents.get(id), stationOf?.(id)].find((one) => one && stops.has(one)) ?? id]),
  )
  const platforms = Map.groupBy(resolved.keys(), (id) => resolved.get(id))
  return {
    ids: new Set(stops.keys()),
    stationOf: (id) => resolved.get(id) ?? id,
    station(id) {
      const own = stops.get(id)
      if (!own) return null
      const access = (platforms.get(id) ?? []).map((one) => stops.get(one)?.has_wheelchair_boarding ?? null)
      const stated = own.has_wheelchair_boarding ?? (access.includes(true) ? true : access.includes(false) ? false : null)
      return { ...own, has_wheelchair_boarding: stated }
    },
  }
}
