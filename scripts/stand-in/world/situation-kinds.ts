import type { Stream } from './births.ts'
import { COMMUNITIES, PROVINCES } from './provinces.ts'
import { RHYTHMS } from './rhythm.ts'
import type { Cause, Measure, Severity, Situation } from './situation-types.ts'

type Grades = readonly (readonly [Severity | null, number])[]

const UNGRADED: Grades = [[null, 1]]
const SELDOM: Grades = [
  [null, 0.88],
  ['low', 0.06],
  ['medium', 0.06],
]
const HIGH: Grades = [['high', 1]]

// Severities of a record's measure; unlisted measures rarely have one.
const GRADES: Readonly<Record<string, Grades>> = {
  roadClosed: [
    ['high', 0.5],
    ['highest', 0.5],
  ],
  carriagewayClosures: [
    ['high', 0.85],
    ['highest', 0.15],
  ],
  slowTraffic: [
    ['medium', 0.9],
    ['high', 0.1],
  ],
  heavyTraffic: [['low', 1]],
  speedRestrictionInOperation: [
    [null, 0.7],
    ['high', 0.3],
  ],
  visibilityReduced: [
    [null, 0.65],
    ['low', 0.35],
  ],
  useSnowChainsOrTyres: HIGH,
  'doNotUseSpecifiedLanesOrCarriageways!': HIGH,
  useOfSpecifiedLanesOrCarriagewaysAllowed: UNGRADED,
  weightRestrictionInOperation: UNGRADED,
  intermittentShortTermClosures: UNGRADED,
  keepToTheLeft: UNGRADED,
  obstructionOnTheRoad: UNGRADED,
  roadSurfaceInPoorCondition: UNGRADED,
  slipperyRoad: UNGRADED,
  incident: UNGRADED,
}

// The record type and element of a value; the others are road or lane management.
const ELEMENTS: Readonly<Record<string, readonly [type: string, element: string]>> = {
  slowTraffic: ['AbnormalTraffic', 'abnormalTrafficType'],
  heavyTraffic: ['AbnormalTraffic', 'abnormalTrafficType'],
  speedRestrictionInOperation: ['SpeedManagement', 'speedManagementType'],
  visibilityReduced: ['PoorEnvironmentConditions', 'poorEnvironmentType'],
  useSnowChainsOrTyres: ['WinterDrivingManagement', 'winterEquipmentManagementType'],
  obstructionOnTheRoad: ['GeneralObstruction', 'obstructionType'],
  roadSurfaceInPoorCondition: ['NonWeatherRelatedRoadConditions', 'nonWeatherRelatedRoadConditionType'],
  slipperyRoad: ['NonWeatherRelatedRoadConditions', 'nonWeatherRelatedRoadConditionType'],
  incident: ['GenericSituationRecord', 'genericSituationRecordName'],
}

/** The measure of a value of its type's enumeration; a `!` suffix gives it the severities of snow. */
function measureOf(value: string): Measure {
  const bare = value.replace('!', '')
  const [type, element] = ELEMENTS[bare] ?? ['RoadOrCarriagewayOrLaneManagement', 'roadOrCarriagewayOrLaneManagementType']
  return { type, element, value: bare, severities: GRADES[value] ?? SELDOM }
}

// Exceptions from the rule that a cause's detailed element is its type with the suffix `Type`.
const DETAIL: Readonly<Record<string, string>> = {
  infrastructureDamageObstruction: 'infrastructureDamageType',
}

/** A cause from `type/value`. */
function causeOf(text: string): Cause {
  const [type = '', value = ''] = text.split('/')
  return [type, DETAIL[type] ?? `${type}Type`, value]
}

/** A kind of situations: their frequency, duration, places and content. */
export interface SituationKind extends Stream {
  readonly name: string
  readonly source: Situation['source']
  readonly cause: Cause
  /** Mean time between two versions; null if its records never change. */
  readonly revised_s: number | null
  readonly where: readonly (readonly [province: string, weight: number])[]
  /** Share on main roads. */
  readonly mainShare: number
  /** Share of its records that are a stretch instead of a point, and the mean length of a stretch. */
  readonly linearShare: number
  readonly length_km: number
  /** Form of `situationRecordCreationReference`. */
  readonly reference: 'none' | 'works' | 'renewal' | 'beacon' | '112'
  /** Number of records: weight of 1, 2, 3 … */
  readonly records: readonly number[]
  readonly measures: readonly (readonly [Measure, number])[]
}

// Provinces by weight; a community's weight is divided equally among its provinces. As on a winter's day, the south and the east
// have most beacons, Catalonia a few and nothing else, the Basque Country none. Emergency centres of three communities report by
// themselves.
const PLACES: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  beacons: across('01:38 07:24 10:19 09:18 12:17 08:14 14:13 05:12 11:9 13:9 06:6 03:5 02:5 04:4 15:2 17:1'),
  roads: across('01:73 10:60 07:56 12:40 02:33 05:31 08:29 11:23 03:21 13:20 15:15 14:12 06:10 04:7 17:5'),
  centres112: across('10:44 12:14 14:13'),
  mountains: provinces('33 24 34 39 05 40 22 44 26 42 18 09 31 10 27 02'),
  basins: provinces('47 37 49 34 09 24 42 50 22 40 13 45 06 23 27 32'),
  coasts: provinces('15 36 11 04 39 33 35 38 07'),
  cliffs: provinces('33 39 35 38 18 29 22 24 03 46 07 10 32 16'),
}

// One kind per line. Times in s, m, h, d; `revised` and `reference` may be none; records: weight of 1, 2, 3 … of them.
const KINDS = `
name          | source | cause                                             | active | slot | least | mean | cap   | rhythm  | revised | where      | main | linear | km | reference | records             | measures
beacon        | DGT3.0 | vehicleObstruction/vehicleStuck                   | 192    | 1m   | 12s   | 28m  | 70m   | traffic | none    | beacons    | 0.75 | 0      | 0  | beacon    | 1                   | incident 1
object        | 112    | obstruction/objectOnTheRoad                       | 60     | 10m  | 5m    | 2.6h | 22h   | traffic | none    | centres112 | 0.5  | 0      | 0  | 112       | 1                   | incident 1
accident-112  | 112    | accident/accident                                 | 12     | 10m  | 10m   | 3h   | 19h   | traffic | none    | centres112 | 0.5  | 0      | 0  | 112       | 1                   | incident 1
fire-112      | 112    | vehicleObstruction/vehicleOnFire                  | 3      | 10m  | 10m   | 1h   | 3h    | traffic | none    | centres112 | 0.5  | 0      | 0  | 112       | 1                   | incident 1
stuck-112     | 112    | vehicleObstruction/vehicleStuck                   | 1      | 10m  | 10m   | 1h   | 3h    | traffic | none    | centres112 | 0.5  | 0      | 0  | 112       | 1                   | incident 1
smoke-112     | 112    | poorEnvironment/smokeHazard                       | 1      | 10m  | 20m   | 3h   | 9h    | steady  | none    | centres112 | 0.5  | 0      | 0  | 112       | 1                   | incident 1
congestion    | DGT    | abnormalTraffic/slowTraffic                       | 22     | 10m  | 10m   | 1.3h | 5h    | rush    | 12m     | roads      | 0.9  | 1      | 3  | none      | 20 1                | slowTraffic 1
dense         | DGT    | abnormalTraffic/heavyTraffic                      | 1      | 10m  | 10m   | 1h   | 4h    | rush    | 15m     | roads      | 1    | 1      | 5  | none      | 1                   | heavyTraffic 1
accident      | DGT    | accident/accident                                 | 6      | 10m  | 15m   | 1.2h | 8h    | traffic | 25m     | roads      | 0.7  | 0.4    | 2  | none      | 1                   | laneClosures 3, slowTraffic 3, carriagewayClosures 2, roadClosed 2, narrowLanes 1
stuck         | DGT    | vehicleObstruction/vehicleStuck                   | 14     | 10m  | 10m   | 3.5h | 30h   | traffic | 2h      | roads      | 0.8  | 0.3    | 1  | none      | 12 1                | laneClosures 8, narrowLanes 5, slowTraffic 2
fire          | DGT    | vehicleObstruction/vehicleOnFire                  | 1      | 10m  | 20m   | 2h   | 6h    | traffic | none    | roads      | 0.8  | 0      | 0  | none      | 1                   | laneClosures 1, carriagewayClosures 1
snow          | DGT    | poorEnvironment/snowfall                          | 11     | 6h   | 3h    | 3d   | 12d   | snow    | 18h     | mountains  | 0.3  | 1      | 18 | none      | 5 0 0 6             | doNotUseSpecifiedLanesOrCarriageways! 6, useSnowChainsOrTyres 3, speedRestrictionInOperation 3, roadClosed 3
fog           | DGT    | poorEnvironment/fog                               | 16     | 1h   | 1h    | 9h   | 3d    | fog     | 5h      | basins     | 0.5  | 1      | 22 | none      | 15 1                | visibilityReduced 1
wind          | DGT    | poorEnvironment/strongWinds                       | 4      | 1h   | 2h    | 10h  | 2d    | wind    | none    | coasts     | 0.5  | 0.9    | 6  | none      | 1                   | roadClosed 2, speedRestrictionInOperation 1
frost         | DGT    | poorEnvironment/frost                             | 2      | 1h   | 2h    | 7h   | 2d    | frost   | none    | mountains  | 0.5  | 0.8    | 9  | none      | 1                   | doNotUseSpecifiedLanesOrCarriageways 1, speedRestrictionInOperation 1, slipperyRoad 1
rockfall      | DGT    | environmentalObstruction/rockfalls                | 24     | 1d   | 6h    | 110d | 590d  | steady  | 60d     | cliffs     | 0.15 | 0.45   | 2  | none      | 23 1                | narrowLanes 8, roadClosed 7, singleAlternateLineTraffic 5, lanesDeviated 2, laneClosures 3
damage        | DGT    | infrastructureDamageObstruction/damagedRoadSurface | 8     | 1d   | 1d    | 190d | 430d  | steady  | 90d     | roads      | 0.3  | 0.5    | 3  | none      | 6 2                 | roadClosed 3, lanesDeviated 3, roadSurfaceInPoorCondition 2, narrowLanes 1
obstacle      | DGT    | obstruction/objectOnTheRoad                       | 6      | 1d   | 4h    | 60d  | 400d  | steady  | 40d     | roads      | 0.3  | 0.5    | 2  | none      | 4 2                 | roadClosed 3, lanesDeviated 2, carriagewayClosures 1
spillage      | DGT    | obstruction/spillageOnTheRoad                     | 1      | 1h   | 1h    | 5h   | 30h   | traffic | none    | roads      | 0.5  | 0.5    | 1  | none      | 1                   | laneClosures 1
other         | DGT    | roadOrCarriagewayOrLaneManagement/other           | 5      | 1d   | 6h    | 150d | 1200d | steady  | none    | roads      | 0.5  | 0.8    | 4  | none      | 1                   | useOfSpecifiedLanesOrCarriagewaysAllowed 3, weightRestrictionInOperation 1, roadClosed 1
event         | DGT    | publicEvent/majorEvent                            | 2      | 6h   | 3h    | 30h  | 5d    | steady  | none    | roads      | 0.2  | 0.8    | 4  | none      | 1 2                 | roadClosed 1, lanesDeviated 1
works         | DGT    | roadMaintenance/roadworks                         | 78     | 1d   | 8h    | 150d | 1460d | steady  | 120d    | roads      | 0.35 | 0.8    | 4  | none      | 88 10 1 1           | roadClosed 22, singleAlternateLineTraffic 14, laneClosures 14, useOfSpecifiedLanesOrCarriagewaysAllowed 10, lanesDeviated 12, narrowLanes 10, newRoadworksLayout 6, carriagewayClosures 5, intermittentShortTermClosures 2, speedRestrictionInOperation 2, obstructionOnTheRoad 1, keepToTheLeft 1
planned-works | DGT    | roadMaintenance/roadworks                         | 62     | 1d   | 8h    | 55d  | 500d  | steady  | 14d     | roads      | 0.7  | 0.85   | 4  | works     | 30 45 10 8 2 1 1 0 0 1 | laneClosures 38, carriagewayClosures 20, doNotUseSpecifiedLanesOrCarriageways 15, newRoadworksLayout 15, speedRestrictionInOperation 13, singleAlternateLineTraffic 7, narrowLanes 7, useOfSpecifiedLanesOrCarriagewaysAllowed 4, lanesDeviated 3, weightRestrictionInOperation 1
renewal-works | DGT    | roadMaintenance/roadworks                         | 10     | 1d   | 8h    | 40d  | 200d  | steady  | 10d     | roads      | 0.9  | 1      | 1  | renewal   | 5 2 1 1 0 1         | laneClosures 14, obstructionOnTheRoad 10
day-works     | DGT    | roadMaintenance/roadworks                         | 30     | 1h   | 1h    | 5h   | 14h   | office  | 4h      | roads      | 0.7  | 0.8    | 4  | none      | 9 1                 | laneClosures 5, singleAlternateLineTraffic 3, narrowLanes 1, slowTraffic 1
`

/** Every kind of situation. Its position in the list is part of its situations' ids: append new kinds at the end. */
export const SITUATION_KINDS: readonly SituationKind[] = KINDS.trim().split('\n').slice(1).map(readKind)

function readKind(line: string): SituationKind {
  const cells = line.split('|').map((cell) => cell.trim())
  const [name = '', source = '', cause = '', active, slot = '', least = '', mean = '', cap = '', ...rest] = cells
  const [rhythm = '', revised = '', where = '', main, linear, km, reference = '', records = '', measures = ''] = rest
  return {
    name,
    source: source as Situation['source'],
    cause: causeOf(cause),
    active: Number(active),
    slot_s: seconds(slot),
    least_s: seconds(least),
    mean_s: seconds(mean),
    cap_s: seconds(cap),
    rhythm: known(RHYTHMS, rhythm),
    revised_s: revised === 'none' ? null : seconds(revised),
    where: known(PLACES, where),
    mainShare: Number(main),
    linearShare: Number(linear),
    length_km: Number(km),
    reference: reference as SituationKind['reference'],
    records: records.split(' ').map(Number),
    measures: measures.split(', ').map((item) => {
      const [value = '', weight] = item.split(' ')
      return [measureOf(value), Number(weight)]
    }),
  }
}

function across(weights: string): [string, number][] {
  return weights.split(' ').flatMap((item) => {
    const [code = '', weight] = item.split(':')
    const inside = [...PROVINCES.values()].filter((province) => province.community === code)
    if (!COMMUNITIES.get(code)?.dgt || inside.length === 0) throw new Error(`across: no community ${JSON.stringify(code)} in DGT's feed`)
    return inside.map((province): [string, number] => [province.code, Number(weight) / inside.length])
  })
}

function provinces(codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, 1])
}

/** A duration such as `12s`, `10m`, `2.6h` or `3d` in seconds. Throws for another unit. */
export function seconds(text: string): number {
  const unit = { s: 1, m: 60, h: 3600, d: 86_400 }[text.slice(-1)]
  if (unit === undefined) throw new Error(`seconds: ${JSON.stringify(text)} has no unit s, m, h or d`)
  return Number(text.slice(0, -1)) * unit
}

function known<T>(table: Readonly<Record<string, T>>, key: string): T {
  const value = table[key]
  if (value === undefined) throw new Error(`no ${JSON.stringify(key)}; expected one of ${Object.keys(table).join(', ')}`)
  return value
}
