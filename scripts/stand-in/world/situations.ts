import { between, chance, type Dice, diceOf, exponential, pick, pickWeighted, weights } from '../random.ts'
import { bornIn } from './births.ts'
import { localText } from './rhythm.ts'
import { bearingAt, type RoadNetwork, type RoadPoint, type Stretch } from './road-network.ts'
import { SITUATION_KINDS, type SituationKind } from './situation-kinds.ts'
import type { RoadDirection, Situation, SituationRecord, VehicleLimit } from './situation-types.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TOKENS = weights('counter:30 uuid:12 token:58')

/** The id of a record in its original system, in that system's format; null if DGT's own operators entered it. */
function referenceOf(of: {
  readonly form: SituationKind['reference']
  readonly seed: number
  readonly id: number
  readonly nth: number
  readonly bornAt: number
}): string | null {
  const { form, seed, id, nth, bornAt } = of
  if (form === 'none') return null
  const dice = diceOf(seed, 'reference', id)
  const local = (pattern: string): string => localText(bornAt, pattern)
  const day = local('YYYYMMDD')
  const number = (digits: number): string => String(Math.floor(dice() * 10 ** digits)).padStart(digits, '0')
  if (form === 'works') return `TRZ_OB${day}/${number(6)}.${number(7)}.${nth % 3}.${1 + (nth >> 1)}`
  if (form === 'renewal') return `REN_OB${day}/${number(6)}·${Number(number(3)) + nth}`
  if (form === '112') return dice() < 0.8 ? `112_112_GV·5_${number(8)}` : `112_112_RM·${day}${local('hh')}${number(7)}`
  // The maker of a beacon assigns the token; the prefix is DGT's, and has changed.
  const prefix = dice() < 0.04 ? 'V16' : 'D30'
  const token = pickWeighted(TOKENS, dice())
  if (token === 'counter') return `${prefix}_${local('YYYY')}-${number(7)}_9`
  if (token === 'uuid') return `${prefix}_${hex(dice, 8)}-${hex(dice, 4)}-3${hex(dice, 3)}-9${hex(dice, 3)}-${hex(dice, 12)}_1`
  const name = Array.from({ length: 12 }, () => LETTERS.charAt(Math.floor(dice() * LETTERS.length))).join('')
  return `${prefix}_${name}-${bornAt + Math.floor(dice() * 9000)}_1`
}

function hex(dice: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(dice() * 16).toString(16)).join('')
}

/** The lifetime of a situation, in ms since the epoch. */
export interface Life {
  readonly kind: SituationKind
  readonly id: number
  readonly bornAt: number
  readonly diesAt: number
}

/** Ids are counted from here: 64 a minute; beacons have the first 36 and every other kind one. */
const IDS_SINCE = Date.UTC(2010, 0, 1)
const IDS_A_MINUTE = 64
const BEACON_IDS = 36

const COMPASS = [
  'northBound',
  'northEastBound',
  'eastBound',
  'southEastBound',
  'southBound',
  'southWestBound',
  'westBound',
  'northWestBound',
]
const DESTINATIONS = [
  'MADRID',
  'VALENCIA',
  'valencia',
  'ALICANTE',
  'MURCIA',
  'SEVILLA',
  'AMBOS SENTIDOS',
  'AMBOS',
  'ambos sentidos',
  'BURGOS',
]
const REMARKS = [
  'norte, altura salida 12',
  'sur, 100m antes de la gasolinera',
  'centro urbano -> A-7',
  'SENT. SUR ',
  'en la rotonda / salida del polígono',
  "L'Alcora & Onda",
]
const LIMITS = weights<VehicleLimit['element']>('widthCharacteristic:15 lengthCharacteristic:3 grossWeightCharacteristic:3')
const SPEEDS = weights('30:6 60:5 1:3 40:2 20:2 80:3', Number)
const VEHICLES = weights('anyVehicle:325 bus:7 heavyVehicle:6 +authorizedVehicle:2 car:2 +nonAuthorizedVehicle:1')
const DIGITS = weights('0:55 1:25 2:15', Number)
const DIRECTIONS = weights<RoadDirection>('positive:42 negative:33 both:25')
const LANES = weights('rightLane:46 leftLane:22 +rightHardShoulder:36 +leftHardShoulder:3 middleLane:1')
// Zero is an error of the source.
const WIDTHS = [3, 3, 3, 3, 3, 3, 3.5, 0, 5, 5, 2]
const PASSES = ['PUERTO DE PAJARES', 'ALTO DEL LEON', 'PUERTO DE LEITARIEGOS', 'MONREPOS', 'PUERTO DE LA RAGUA']

/** Active situations at an instant, by id: a pure function of the seed, the roads and the instant. */
export function situationsAt(network: RoadNetwork, seed: number, instant: number): Situation[] {
  return livesAt(seed, instant)
    .map((life) => situationOf(network, seed, { life, instant }))
    .filter((situation) => situation !== null)
}

/** The lifetimes that contain an instant, by id. */
export function livesAt(seed: number, instant: number): Life[] {
  const lives = SITUATION_KINDS.flatMap((kind, index) => livesOf({ kind, index, seed, instant }))
  return lives.sort((a, b) => a.id - b.id)
}

function livesOf({ kind, index, seed, instant }: { kind: SituationKind; index: number; seed: number; instant: number }): Life[] {
  const roll = (what: string, ...at: number[]): number => chance(seed, kind.name, what, ...at)
  return bornIn(kind, instant, { most: BEACON_IDS, roll }).map(({ nth, bornAt, diesAt }) => {
    const minute = Math.floor((bornAt - IDS_SINCE) / 60_000)
    return { kind, id: minute * IDS_A_MINUTE + (index === 0 ? nth : BEACON_IDS + index), bornAt, diesAt }
  })
}

function situationOf(network: RoadNetwork, seed: number, { life, instant }: { life: Life; instant: number }): Situation | null {
  const { kind, id } = life
  const dice = diceOf(seed, 'situation', id)
  const stretch = network.stretchIn(pickWeighted(kind.where, dice()), dice, { mainShare: kind.mainShare })
  if (!stretch) return null
  const count =
    1 +
    pickWeighted(
      kind.records.map((weight, at) => [at, weight] as const),
      dice(),
    )
  const records: SituationRecord[] = []
  for (let nth = 0; nth < count; nth++) {
    const record = recordOf({ network, seed, life, stretch, nth, instant })
    if (record) records.push(record)
  }
  return records.length === 0 ? null : { id, source: kind.source, cause: kind.cause, records }
}

interface RecordPart {
  readonly network: RoadNetwork
  readonly seed: number
  readonly life: Life
  readonly stretch: Stretch
  readonly nth: number
  readonly instant: number
}

function recordOf(part: RecordPart): SituationRecord | null {
  const { seed, life, nth, stretch } = part
  const { kind, id } = life
  const dice = diceOf(seed, 'record', id, nth)
  // The records of one situation mostly have the same content for both directions.
  const measure = pickWeighted(kind.measures, diceOf(seed, 'measure', id, kind.name === 'snow' ? nth : nth >> 1)())
  const direction = directionOf(part, dice)
  const { version, versionedAt } = versionAt(part)
  const revised = diceOf(seed, 'version', id, nth, version)
  const place = placeOf(part, { dice, revised, direction, isPointable: POINTABLE.has(measure.type) })
  if (!place) return null
  const speed_kmh = measure.type === 'SpeedManagement' ? pickWeighted(SPEEDS, dice()) : null
  const isManaged = ['RoadOrCarriagewayOrLaneManagement', 'SpeedManagement', 'WinterDrivingManagement'].includes(measure.type)
  const isNamed = measure.type !== 'GenericSituationRecord' && !(measure.value === 'newRoadworksLayout' && dice() < 0.6)
  return {
    // Ten ids for each situation's records.
    id: id * 10 + nth,
    version,
    reference: referenceOf({ form: kind.reference, seed, id, nth, bornAt: life.bornAt }),
    // The source almost always changes the creation time with the version.
    createdAt: chance(seed, 'created', id) < 0.02 ? life.bornAt : versionedAt,
    versionedAt,
    startsAt: startOf(life, dice()),
    endsAt: plannedEnd(life, dice()),
    severity: pickWeighted(measure.severities, kind.revised_s !== null && kind.revised_s < 3600 ? revised() : dice()),
    measure,
    road: stretch.road,
    destination: destinationOf(kind, dice),
    pass: kind.name === 'snow' && stretch.road.isMain === false && dice() < 0.25 ? pick(PASSES, dice()) : null,
    ...place,
    direction,
    compass: compassOf({ kind, direction, stretch, km: place.from.km, u: dice() }),
    besides: isNamed && dice() < 0.06 ? pick(['exitSlipRoad', 'exitSlipRoad', 'entrySlipRoad', 'serviceRoad'], dice()) : null,
    lane: isNamed ? laneOf(measure.value, kind.revised_s === null ? dice : revised) : null,
    isMandatory: isManaged ? dice() < 0.97 : null,
    vehicle: pickWeighted(VEHICLES, dice()),
    limit: measure.type === 'RoadOrCarriagewayOrLaneManagement' ? limitOf(dice) : null,
    speed_kmh,
  }
}

/** Version at an instant and its time. */
function versionAt({ seed, life, nth, instant }: RecordPart): { version: number; versionedAt: number } {
  const every_s = life.kind.revised_s
  let version = 1
  let at = life.bornAt + nth * 4000
  if (every_s === null) return { version, versionedAt: Math.min(at, instant) }
  for (;;) {
    const wait_s = 60 + exponential(every_s, chance(seed, 'revised', life.id, nth, version))
    const next = at + Math.floor(wait_s) * 1000
    if (next > instant) return { version, versionedAt: Math.min(at, instant) }
    at = next
    version += 1
  }
}

function placeOf(
  part: RecordPart,
  how: { dice: Dice; revised: Dice; direction: RoadDirection; isPointable: boolean },
): Pick<SituationRecord, 'from' | 'to'> | null {
  const { dice, revised, direction, isPointable } = how
  const { network, seed, life, stretch, nth } = part
  const { kind } = life
  const shared = chance(seed, 'km', life.id)
  // Beacons have metres, works mostly whole kilometres or tenths.
  const digits = kind.reference === 'beacon' ? 3 : pickWeighted(DIGITS, chance(seed, 'digits', life.id))
  const length = stretch.to_km - stretch.from_km
  const start = rounded(stretch.from_km + shared * length + (nth >> 1) * 1.5, digits)
  const from = pointNear(network, stretch, start)
  if (!from) return null
  if (isPointable && chance(seed, 'linear', life.id) >= kind.linearShare) return { from, to: null }
  // The extent of a moving situation, such as a queue, changes with each version.
  const u = kind.revised_s !== null && kind.revised_s < 20_000 ? revised() : dice()
  const extent = Math.max(digits === 0 ? 1 : 0.1, rounded(exponential(kind.length_km, u), Math.max(1, digits)))
  const sign = direction === 'negative' ? -1 : 1
  const to = pointNear(network, stretch, rounded(start + sign * extent, 3), start)
  return { from, to: to ?? from }
}

/** The point of a kilometre, or the nearest one towards `anchor` that is on land and in the feed's own provinces. */
function pointNear(network: RoadNetwork, stretch: Stretch, km: number, anchor = (stretch.from_km + stretch.to_km) / 2): RoadPoint | null {
  for (let tries = 0; tries <= 4; tries++) {
    const point = network.pointAt(stretch.road, rounded(km + ((anchor - km) * tries) / 4, 3))
    // The Basque Country and Catalonia publish their own roads.
    if (point && (point.municipality.province === stretch.province || !OWN_FEEDS.has(point.municipality.province))) return point
  }
  return null
}

/** Types of record that may be at a point; the others are always a stretch. */
const POINTABLE = new Set(['RoadOrCarriagewayOrLaneManagement', 'GenericSituationRecord', 'NonWeatherRelatedRoadConditions'])

/** Provinces whose roads other authorities publish. */
const OWN_FEEDS = new Set(['01', '20', '48', '08', '17', '25', '43', '51', '52'])

function directionOf({ seed, life, nth }: RecordPart, dice: Dice): RoadDirection {
  const u = dice()
  if (life.kind.reference === 'beacon') return u < 0.53 ? 'positive' : 'negative'
  // The second record of a pair has the opposite direction.
  const first = pickWeighted(DIRECTIONS, chance(seed, 'direction', life.id))
  if (first === 'both' || nth % 2 === 0) return first
  return first === 'positive' ? 'negative' : 'positive'
}

function compassOf(of: { kind: SituationKind; direction: RoadDirection; stretch: Stretch; km: number; u: number }): string {
  if (of.direction === 'both' || (of.kind.reference !== 'beacon' && of.u < 0.08)) return 'unknown'
  const bearing = bearingAt(of.stretch.road, of.km) + (of.direction === 'negative' ? 180 : 0)
  return COMPASS[Math.round(bearing / 45) % 8] as string
}

function startOf(life: Life, u: number): number {
  if (life.kind.reference === 'works' || life.kind.reference === 'renewal') return Math.floor(life.bornAt / 60_000) * 60_000
  // Some long works are entered years after they began; a few incidents have a beginning in the near future.
  if (life.kind.cap_s > 400 * 86_400 && u < 0.1) return life.bornAt - Math.floor(u * 2000) * 86_400_000
  return u > 0.97 ? life.bornAt + 120_000 : life.bornAt
}

function plannedEnd(life: Life, u: number): number | null {
  if (life.kind.reference !== 'works' && life.kind.reference !== 'renewal') return null
  // One in ten exceeds its planned duration.
  const share = u < 0.35 ? 0.6 + u : 0.95 + u * 0.6
  const day = 86_400_000
  const planned = Math.ceil((life.bornAt + (life.diesAt - life.bornAt) * share) / day) * day
  return planned + between(16, 19, u) * 3_600_000
}

function destinationOf(kind: SituationKind, dice: Dice): string | null {
  const share = kind.reference === '112' ? 0.75 : kind.reference === 'beacon' ? 0 : 0.22
  if (dice() >= share) return null
  return kind.reference === '112' && dice() < 0.5 ? pick(REMARKS, dice()) : pick(DESTINATIONS, dice())
}

function laneOf(measure: string, dice: Dice): string {
  if (measure !== 'laneClosures' && measure !== 'narrowLanes' && measure !== 'obstructionOnTheRoad') {
    return dice() < 0.97 ? 'allLanesCompleteCarriageway' : pick(['tidalFlowLane', 'carPoolLane'], dice())
  }
  return pickWeighted(LANES, dice())
}

function limitOf(dice: Dice): VehicleLimit | null {
  if (dice() >= 0.055) return null
  const element = pickWeighted(LIMITS, dice())
  if (element === 'lengthCharacteristic') return { element, value: 10 }
  return { element, value: element === 'widthCharacteristic' ? pick(WIDTHS, dice()) : pick([5.5, 20], dice()) }
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
