import type { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { State } from '../../kernel/endpoint.ts'
import { memo } from '../../kernel/reads/memo.ts'
import type { PortCatalogue } from './port-catalogue.ts'

/** Radius around a port in which vessels count, m: harbours and their anchorages; the World Port Index rounds to the minute. */
export const VESSELS_WITHIN_M = 5_000
/** Degrees of latitude that are farther than that radius; a degree is more than 110 km. */
const LATITUDES = VESSELS_WITHIN_M / 110_000

/** The number of vessels around each port with a position, by port id; empty if no feed delivers vessels. */
export const vesselsByPort = memo((vessels: State<typeof vesselPositions>, { ports }: PortCatalogue): ReadonlyMap<string, number> => {
  if (vessels.parts.length === 0) return new Map()
  // Several sources may have the same vessel.
  const newest = new Map<string, (typeof vessels.rows)[number]>()
  for (const row of vessels.rows) {
    const other = newest.get(row.mmsi)
    if (!other || other.observed_at < row.observed_at) newest.set(row.mmsi, row)
  }
  const positions = [...newest.values()].map(({ position }) => position).sort((one, other) => one.lat - other.lat)
  return new Map(
    [...ports.values()].flatMap(({ id, position: at }) => {
      if (at === null) return []
      let count = 0
      for (let next = firstFrom(positions, at.lat - LATITUDES); next < positions.length; next++) {
        const position = positions[next] as (typeof positions)[number]
        if (position.lat > at.lat + LATITUDES) break
        if (distanceM(at, position) <= VESSELS_WITHIN_M) count++
      }
      return [[id, count] as const]
    }),
  )
})

/** Index of the first position, sorted by latitude, that is not south of a latitude. */
function firstFrom(positions: readonly { readonly lat: number }[], lat: number): number {
  let [from, to] = [0, positions.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((positions[middle] as { readonly lat: number }).lat < lat) from = middle + 1
    else to = middle
  }
  return from
}
