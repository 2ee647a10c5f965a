import { distanceM } from '../../lake/places/distance.ts'
import type { Point } from '../../lake/schema/columns.ts'

/**
 * Congested speed as a share of free-flow speed, by code of MEASURE_KINDS: the midpoints of DATEX II (EN 16157-3,
 * AbnormalTrafficTypeEnum): heavy 75 to 90 %, slow 25 to 75 %, queuing 10 to 25 %. Stationary is below 10 % without a lower
 * bound, so its upper bound is used and the delay is a minimum.
 */
const SHARE_OF_FREE_FLOW: ReadonlyMap<string, number> = new Map([
  ['HEAVY_TRAFFIC', 0.825],
  ['SLOW_TRAFFIC', 0.5],
  ['QUEUING_TRAFFIC', 0.175],
  ['STATIONARY_TRAFFIC', 0.1],
])

/**
 * Free-flow speeds, km/h: the limits for cars in the Reglamento General de Circulación, article 48, on motorways and on other
 * interurban roads.
 */
const FREE_FLOW_KMH = { motorway: 120, other: 90 } as const
/** State motorways by name; names of regional motorways do not differ from those of other roads. */
const MOTORWAY = /^(?:A|R)-?\d{1,2}$|^AP-?\d{1,2}$/i
/** Two ends at most this far apart are one place, m. */
const ONE_PLACE_M = 50
/** Greatest excess of the straight line between two ends over the road between them, m: posts mostly have whole kilometres. */
const SLACK_M = 1000

/** The parts of an incident record that determine a delay. */
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
 * The delay of an incident in whole minutes: length / congested speed minus length / free-flow speed, of the record with the
 * greatest result, as several may describe one queue. Null if no record has both a congestion level and a length.
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

/** The kilometres between both ends; null if one is missing, they are equal, or the positions contradict them. */
function lengthOf({ from_km, to_km, from, to }: CongestionRecord): number | null {
  if (from_km === null || to_km === null || from_km === to_km) return null
  const length_km = Math.abs(to_km - from_km)
  if (from === null || to === null) return length_km
  const apart_m = distanceM(from, to)
  return apart_m < ONE_PLACE_M || apart_m > 1000 * length_km + SLACK_M ? null : length_km
}
