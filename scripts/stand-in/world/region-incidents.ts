import { chance, diceOf, exponential, pick, pickWeighted, weights } from '../random.ts'
import { bornIn, type Stream } from './births.ts'
import { RHYTHMS } from './rhythm.ts'
import { type Road, type RoadNetwork, type RoadPoint, roadNetwork } from './road-network.ts'
import type { World } from './world.ts'

/** A stream of incidents on a region's roads, as DATEX II 1.0 has them. */
interface RegionKind extends Stream {
  readonly name: string
  /** Mean time between versions; the detail of a shortlived kind changes with the version. */
  readonly revised_s: number
  /** Type of the record, the element of its detail, and details. */
  readonly record: readonly [type: string, element: string, details: readonly string[]]
  readonly impacts: readonly (readonly [impact: string, weight: number])[]
  readonly layouts: readonly (readonly [layout: string, weight: number])[]
}

/** One incident of a region at one instant. */
export interface RegionIncident {
  /** Unique in its region. */
  readonly number: number
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
const { steady, rush, snow } = RHYTHMS
const UNCHANGED = weights('roadLayoutUnchanged:1')
const WORKS = {
  impacts: weights('congested:9 impossible:1'),
  layouts: weights('roadLayoutUnchanged:6 laneClosures:3 lanesDeviated:1'),
  ...{ slot_s: HOUR, least_s: DAY, mean_s: 20 * DAY, cap_s: 90 * DAY, revised_s: DAY, rhythm: steady },
} as const

const KINDS: readonly RegionKind[] = [
  { ...WORKS, name: 'construction', active: 60, record: ['ConstructionWorks', 'constructionWorkType', ['constructionWork']] },
  { ...WORKS, name: 'maintenance', active: 45, record: ['MaintenanceWorks', 'roadMaintenanceType', ['roadworks', 'maintenanceWork']] },
  {
    ...{ name: 'traffic', active: 12, slot_s: 10 * MINUTE, least_s: 5 * MINUTE, mean_s: 40 * MINUTE, cap_s: 4 * HOUR },
    ...{ revised_s: 10 * MINUTE, rhythm: rush },
    record: ['AbnormalTraffic', 'abnormalTrafficType', ['slowTraffic', 'queuingTraffic', 'stationaryTraffic']],
    ...{ impacts: weights('congested:1'), layouts: UNCHANGED },
  },
  {
    ...{ name: 'event', active: 8, slot_s: HOUR, least_s: 2 * HOUR, mean_s: 8 * HOUR, cap_s: 2 * DAY },
    ...{ revised_s: DAY, rhythm: steady },
    record: ['Activities', 'publicEventType', ['bicycleRace', 'marathon', 'majorEvent']],
    impacts: weights('impossible:1 congested:1'),
    layouts: UNCHANGED,
  },
  {
    ...{ name: 'weather', active: 3, slot_s: 6 * HOUR, least_s: 3 * HOUR, mean_s: 2 * DAY, cap_s: 9 * DAY, revised_s: DAY, rhythm: snow },
    record: ['PoorEnvironmentConditions', 'poorEnvironmentType', ['badWeather']],
    ...{ impacts: weights('congested:1'), layouts: UNCHANGED },
  },
]

/** A region whose authority publishes incidents of its own. */
interface RegionOfIncidents {
  /** Its provinces by INE code, weighted. */
  readonly provinces: readonly (readonly [code: string, weight: number])[]
  /** How many incidents it has, as a share of the Basque Country's 128. */
  readonly share: number
  /** Share of those with coordinates. */
  readonly located: number
}

const REGIONS = {
  EUS: { provinces: weights('20:5 48:6 01:3'), share: 1, located: 0.64 },
  SCT: { provinces: weights('08:94 17:25 25:10 43:23'), share: 1.5, located: 0.86 },
  MLL: { provinces: weights('07:1'), share: 0.16, located: 1 },
} as const satisfies Readonly<Record<string, RegionOfIncidents>>

/** Numbers count minutes since 2020: 64 for each minute, 8 of them for each kind. */
const NUMBERS = { since: Date.UTC(2020, 0, 1), from: 100_000_000, aMinute: 64, aKind: 8 } as const

/** Active incidents of a region at an instant, by number: a pure function of the seed, the roads and the instant. */
export function regionIncidentsAt({ seed, part }: World, instant: number, region: keyof typeof REGIONS): RegionIncident[] {
  const network = part(roadNetwork)
  const found = KINDS.flatMap((kind, index) => {
    const roll = (what: string, ...at: number[]): number => chance(seed, `${region} ${what}`, kind.name, ...at)
    const stream = { ...kind, active: kind.active * REGIONS[region].share }
    return bornIn(stream, instant, { most: NUMBERS.aKind, roll }).flatMap(({ nth, bornAt }) => {
      const minute = Math.floor((bornAt - NUMBERS.since) / 60_000)
      const number = NUMBERS.from + minute * NUMBERS.aMinute + index * NUMBERS.aKind + nth
      return incidentOf(network, seed, { region, kind, number, bornAt, instant }) ?? []
    })
  })
  return found.sort((one, other) => one.number - other.number)
}

function incidentOf(
  network: RoadNetwork,
  seed: number,
  at: { region: keyof typeof REGIONS; kind: RegionKind; number: number; bornAt: number; instant: number },
): RegionIncident | null {
  const { region, kind, number, bornAt, instant } = at
  const { provinces, located } = REGIONS[region]
  const id = `${region}_${number}`
  const dice = diceOf(seed, id)
  const stretch = network.stretchIn(pickWeighted(provinces, dice()), dice)
  if (!stretch) return null
  const km = Math.round(stretch.from_km + dice() * (stretch.to_km - stretch.from_km))
  const from = network.pointAt(stretch.road, km)
  if (!from) return null
  const isStretch = dice() < 0.4
  const to = isStretch ? network.pointAt(stretch.road, Math.min(stretch.to_km, km + Math.ceil(exponential(1.5, dice())))) : null
  const version = 1 + Math.floor((instant - bornAt) / (kind.revised_s * 1000))
  return {
    ...{ number, id, kind, road: stretch.road, from, to: to && to.km > from.km ? to : null },
    detail: pick(kind.record[2], chance(seed, id, kind.revised_s < HOUR ? version : 0)),
    hasCoordinates: dice() < located,
    direction: pick(['positive', 'negative', 'both', 'unknown'] as const, dice()),
    impact: pickWeighted(kind.impacts, dice()),
    layout: pickWeighted(kind.layouts, dice()),
    ...{ createdAt: bornAt, version, versionAt: bornAt + (version - 1) * kind.revised_s * 1000 },
  }
}
