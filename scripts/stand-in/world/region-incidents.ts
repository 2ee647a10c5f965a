import { chance, diceOf, exponential, pick, pickWeighted } from '../random.ts'
import { bornIn, type Stream } from './births.ts'
import { RHYTHMS } from './rhythm.ts'
import type { Road, RoadNetwork, RoadPoint } from './road-network.ts'

/** A stream of incidents on a region's roads, as DATEX II 1.0 has them. */
interface RegionKind extends Stream {
  readonly name: string
  /** Type of the record, the element of its detail, and details. */
  readonly record: readonly [type: string, element: string, details: readonly string[]]
  readonly impacts: readonly (readonly [impact: string, weight: number])[]
  readonly layouts: readonly (readonly [layout: string, weight: number])[]
}

/** One incident of a region at one instant. */
export interface RegionIncident {
  readonly id: string
  readonly kind: Pick<RegionKind, 'record'>
  readonly detail: string
  readonly road: Road
  readonly from: RoadPoint
  /** Its end, for a stretch. */
  readonly to: RoadPoint | null
  /** A third has only a road and a kilometre. */
  readonly hasCoordinates: boolean
  readonly direction: 'positive' | 'negative' | 'both' | 'unknown'
  readonly impact: string
  readonly layout: string
  readonly createdAt: number
  readonly version: number
  readonly versionAt: number
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const { steady, rush } = RHYTHMS
const UNCHANGED = [['roadLayoutUnchanged', 1]] as const
const WORKS = {
  impacts: [
    ['congested', 9],
    ['impossible', 1],
  ],
  layouts: [
    ['roadLayoutUnchanged', 6],
    ['laneClosures', 3],
    ['lanesDeviated', 1],
  ],
  ...{ slot_s: HOUR, least_s: DAY, mean_s: 20 * DAY, cap_s: 90 * DAY, rhythm: steady },
} as const

const KINDS: readonly RegionKind[] = [
  { ...WORKS, name: 'construction', active: 60, record: ['ConstructionWorks', 'constructionWorkType', ['constructionWork']] },
  { ...WORKS, name: 'maintenance', active: 45, record: ['MaintenanceWorks', 'roadMaintenanceType', ['roadworks', 'maintenanceWork']] },
  {
    ...{ name: 'traffic', active: 12, slot_s: 10 * MINUTE, least_s: 5 * MINUTE, mean_s: 40 * MINUTE, cap_s: 4 * HOUR, rhythm: rush },
    record: ['AbnormalTraffic', 'abnormalTrafficType', ['slowTraffic', 'queuingTraffic', 'stationaryTraffic']],
    ...{ impacts: [['congested', 1]], layouts: UNCHANGED },
  },
  {
    ...{ name: 'event', active: 8, slot_s: HOUR, least_s: 2 * HOUR, mean_s: 8 * HOUR, cap_s: 2 * DAY, rhythm: steady },
    record: ['Activities', 'publicEventType', ['bicycleRace', 'marathon', 'majorEvent']],
    impacts: [
      ['impossible', 1],
      ['congested', 1],
    ],
    layouts: UNCHANGED,
  },
]

/** A region whose authority publishes incidents of its own. */
export interface RegionOfIncidents {
  readonly prefix: string
  /** INE codes of its provinces, weighted. */
  readonly provinces: readonly (readonly [code: string, weight: number])[]
  /** How many incidents it has, as a share of the Basque Country's 125. */
  readonly share: number
  /** Share of those with coordinates. */
  readonly located: number
}

/** Active incidents at an instant, in order of their ids: a pure function of the seed, the roads and the instant. */
export function regionIncidentsAt(network: RoadNetwork, seed: number, instant: number, region: RegionOfIncidents): RegionIncident[] {
  const found = KINDS.flatMap((each) => {
    const kind = { ...each, active: each.active * region.share }
    const roll = (what: string, ...at: number[]): number => chance(seed, `${region.prefix} ${what}`, kind.name, ...at)
    return bornIn(kind, instant, { most: 8, roll }).flatMap(
      ({ nth, bornAt }) => incidentOf(network, seed, { region, kind, nth, bornAt, instant }) ?? [],
    )
  })
  return found.sort((one, other) => (one.id < other.id ? -1 : 1))
}

function incidentOf(
  network: RoadNetwork,
  seed: number,
  at: { region: RegionOfIncidents; kind: RegionKind; nth: number; bornAt: number; instant: number },
): RegionIncident | null {
  const { region, kind, nth, bornAt, instant } = at
  const id = `${region.prefix}_${kind.name}_${Math.floor(bornAt / 1000)}_${nth}`
  const dice = diceOf(seed, id)
  const stretch = network.stretchIn(pickWeighted(region.provinces, dice()), dice)
  if (!stretch) return null
  const km = Math.round(stretch.from_km + dice() * (stretch.to_km - stretch.from_km))
  const from = network.pointAt(stretch.road, km)
  if (!from) return null
  const isStretch = dice() < 0.4
  const to = isStretch ? network.pointAt(stretch.road, Math.min(stretch.to_km, km + Math.ceil(exponential(1.5, dice())))) : null
  const version = 1 + Math.floor((instant - bornAt) / (DAY * 1000))
  return {
    ...{ id, kind, detail: pick(kind.record[2], dice()), road: stretch.road, from, to: to && to.km > from.km ? to : null },
    hasCoordinates: dice() < region.located,
    direction: pick(['positive', 'negative', 'both', 'unknown'] as const, dice()),
    impact: pickWeighted(kind.impacts, dice()),
    layout: pickWeighted(kind.layouts, dice()),
    ...{ createdAt: bornAt, version, versionAt: bornAt + (version - 1) * DAY * 1000 },
  }
}
