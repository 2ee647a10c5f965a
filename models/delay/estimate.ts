import { distanceM } from '../../lake/places/distance.ts'
import type { Point } from '../../lake/schema/columns.ts'

/**
 * Speed in congestion as a share of the free-flow speed, by the code of MEASURE_KINDS: the middle of what DATEX II (EN 16157-3,
 * AbnormalTrafficTypeEnum) defines the level by: heavy 75 to 90 %, slow 25 to 75 %, queuing 10 to 25 %. Stationary is below 10 %, without a
 * lower bound, so that its upper one is taken and the delay is at least that.
 */
const SHARE_OF_FREE_FLOW: ReadonlyMap<string, number> = new Map([
  ['HEAVY_TRAFFIC', 0.825],
  ['SLOW_TRAFFIC', 0.5],
  ['QUEUING_TRAFFIC', 0.175],
  ['STATIONARY_TRAFFIC', 0.1],
])

/** Free-flow speeds, km/h: what cars may drive at most by the Reglamento General de Circulación, article 48: on motorways, and on any other road between towns. */
const FREE_FLOW_KMH = { motorway: 120, other: 90 } as const
/** Motorways of the state by name; those of regions are not told from their other roads by name. */
const MOTORWAY = /^(?:A|R)-?\d{1,2}$|^AP-?\d{1,2}$/i
/** Two ends that are so near to each other are one place, m. */
const ONE_PLACE_M = 50
/** How far the straight line between two ends may be longer than the road between them, m: posts are of whole kilometres, mostly. */
const SLACK_M = 1000

/** A record of an incident, as far as a delay follows from it. */
export interface CongestionRecord {
  /** Code of MEASURE_KINDS, or the source's own. */
  readonly kind: string
  readonly road: string | null
  readonly from_km: number | null
  readonly to_km: number | null
  readonly from: Point | null
  readonly to: Point | null
}

/**
 * The delay of an incident in whole minutes, by its records: length / speed in congestion less length / free-flow speed, of the record that
 * gives most, as several may tell of the same queue. Null where no record has both a level of congestion and a length.
 */
export function estimatedDelay(records: readonly CongestionRecord[]): number | null {
  const delays = records.flatMap((record) => {
    const share = SHARE_OF_FREE_FLOW.get(record.kind)
    const length_km = lengthOf(record)
    return share === undefined || length_km === null ? [] : [((60 * length_km) / freeFlowKmh(record.road)) * (1 / share - 1)]
  })
  return delays.length === 0 ? null : Math.round(Math.max(...delays))
}

function freeFlowKmh(road: string | null): number {
  return road !== null && MOTORWAY.test(road) ? FREE_FLOW_KMH.motorway : FREE_FLOW_KMH.other
}

/** The kilometres between both ends; null where one is not told, they are the same, or the positions of the ends contradict them. */
function lengthOf({ from_km, to_km, from, to }: CongestionRecord): number | null {
  if (from_km === null || to_km === null || from_km === to_km) return null
  const length_km = Math.abs(to_km - from_km)
  if (from === null || to === null) return length_km
  const apart_m = distanceM(from, to)
  return apart_m < ONE_PLACE_M || apart_m > 1000 * length_km + SLACK_M ? null : length_km
}
