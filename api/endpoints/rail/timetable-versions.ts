import { RENFE_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { NETWORKS, networkInId } from '../../../lake/datasets/rail/networks.ts'
import { railCalendar, railRoutes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import type { RestsOn } from '../../kernel/reads/memory-read.ts'
import { timetableSpansOf, timetableTables } from '../transit/timetable-versions.ts'

/** The timetables of the railway. */
export const railTimetables = timetableTables({
  title: 'rail',
  stops: railStations,
  routes: railRoutes,
  trips: railTrips,
  stopTimes: railStopTimes,
  calendar: railCalendar,
})

/** The tables of every timetable version; not all have shapes. */
export const TIMETABLE_TABLES = railTimetables.all

/** The times that stored versions cover. */
export const timetableSpans = timetableSpansOf(railTimetables)

/** The feeds that suffice for requests about one network; without a network Renfe's, so that no other one delays a reply. */
export function timetableFeeds(network: string | null): readonly string[] {
  return (network === null ? RENFE_NETWORKS : [network]).flatMap((code) => NETWORKS[code]?.feed ?? [])
}

/** The feeds that suffice for stations of a network: a station of Renfe may be in both of its timetables. */
export function stationFeeds(network: string | null): readonly string[] {
  return timetableFeeds(network !== null && RENFE_NETWORKS.includes(network) ? null : network)
}

/** The feeds that may have a station or route, by its id. */
export function feedsOfId(id: string): readonly string[] {
  return timetableFeeds(networkInId(id))
}

/** Sources of timetables that a reply about a network is not based on; null stands for all networks. */
export function sourcesBeside(network: string | null): readonly Source[] {
  const own = network === null ? null : NETWORKS[network]?.source
  return own === null ? [] : Object.values(NETWORKS).flatMap(({ source }) => (source === own ? [] : [source]))
}

/** The same for trains, alerts and núcleos, which only Renfe has. */
export const besideRenfe = (): readonly Source[] => sourcesBeside('CERCANIAS')

/** The same for a station or route, by its id. */
export function sourcesBesideId(id: string): readonly Source[] {
  return sourcesBeside(networkInId(id) ?? 'CERCANIAS')
}

/** What a reply about some networks is based on: their timetables and, for Renfe's, `live` too. */
export function restsOnTimetables(networks: readonly string[], live: readonly Dataset[] = []): readonly RestsOn[] {
  const sources = new Set(networks.flatMap((code) => NETWORKS[code]?.source ?? []))
  const isRenfe = networks.some((code) => RENFE_NETWORKS.includes(code))
  return [...[...sources].map((source) => ({ dataset: railTrips, source })), ...(isRenfe ? live.map((dataset) => ({ dataset })) : [])]
}
