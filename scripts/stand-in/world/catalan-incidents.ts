import { chance, type Dice, diceOf, exponential, pick, pickWeighted } from '../random.ts'
import { bornIn } from './births.ts'
import { CATALAN_KINDS, type CatalanCause, type CatalanKind } from './catalan-kinds.ts'
import type { Road, RoadNetwork, RoadPoint, Stretch } from './road-network.ts'

/** The affected direction of a road, as published. */
export type CatalanDirection = 'Ambdos sentits' | 'Creixent' | 'Decreixent'

/** One incident on a road of Catalonia, in its state at one instant. */
export interface CatalanIncident {
  readonly id: number
  readonly kind: CatalanKind
  readonly cause: CatalanCause
  readonly road: Road
  readonly from: RoadPoint
  /** The other end, in km. */
  readonly to_km: number
  readonly direction: CatalanDirection
  /** The effect on the road; empty if unknown. */
  readonly effect: string
  readonly level: number
  /** Destination, remark or both; null if the source has neither. */
  readonly heading: string | null
  /** Last report, ms since the epoch. */
  readonly reportedAt: number
}

/** Ids are counted from here: 64 a minute, eight of each kind. */
const IDS_SINCE = Date.UTC(2020, 0, 1)
const IDS_FROM = 100_000_000
const IDS_A_MINUTE = 64
const IDS_A_KIND = 8

/** Provinces by INE code, weighted as the incidents of February 2026. */
const PROVINCES = [
  ['08', 94],
  ['17', 25],
  ['43', 23],
  ['25', 10],
] as const

const DESTINATIONS = [
  'BARCELONA',
  'BARCELONA',
  'TARRAGONA',
  'LLEIDA',
  'GIRONA',
  'FRANÇA',
  'VIC',
  'TERRASSA',
  'NUS TRINITAT',
  'VILANOVA I LA GELTRÚ',
]
const HOURS = ['HORARI: 7 a 15h', 'HORARI: 7 a 15h', 'HORARI: 7:30 a 18h', 'HORARI: 8 a 18h', 'HORARI: 22 a 6h', 'HORARI DIÜRN']
const REMARKS = [
  'RESTRICCIÓ A CAMIONS',
  'RESTRICCIÓ A CAMIONS ',
  'TÚNEL DE PARPERS - HORARI: 22 a 6h',
  'DIVENDRES i DISSABTE: ACCÉS EXCLUSIU VEÏNS',
  'HORARI NOCTURN i DIÜRN  TALLS DE CARRIL',
]
const CLOSURES = [
  'UN CARRIL TALLAT',
  'DOS CARRILS TALLATS',
  'SORTIDA CAP A N-150 TALLADA',
  'DESVIAMENT PER SORTIDA 6 I REINCORPORACIÓ PER SORTIDA 7',
  'DESVIAMENTS PER  A-2 / TANCATS ACCESSOS A AP-7',
]
const ALONE = ['SORTIDA  A N-II', "PER TALL DE L' AP-7", 'ACCÉS A-2/AP-7', ...HOURS.slice(0, 3)]

/** Incidents with more frequent reports change with each report, s. */
const QUICK_S = 1800

/** The source truncates headings to this many characters. */
const MAX_HEADING = 50

/** Active incidents at an instant, the last reported first: a pure function of the seed, the roads and the instant. */
export function catalanIncidentsAt(network: RoadNetwork, seed: number, instant: number): CatalanIncident[] {
  return CATALAN_KINDS.flatMap((kind, index) => livesOf(kind, { index, seed, instant }))
    .map((life) => incidentOf(network, seed, { life, instant }))
    .filter((incident) => incident !== null)
    .sort((a, b) => b.reportedAt - a.reportedAt || a.id - b.id)
}

interface Life {
  readonly kind: CatalanKind
  readonly id: number
  readonly bornAt: number
}

function livesOf(kind: CatalanKind, { index, seed, instant }: { index: number; seed: number; instant: number }): Life[] {
  const roll = (what: string, ...at: number[]): number => chance(seed, `catalan ${what}`, kind.name, ...at)
  return bornIn(kind, instant, { most: IDS_A_KIND, roll }).map(({ nth, bornAt }) => {
    const minute = Math.floor((bornAt - IDS_SINCE) / 60_000)
    return { kind, id: IDS_FROM + minute * IDS_A_MINUTE + index * IDS_A_KIND + nth, bornAt }
  })
}

function incidentOf(network: RoadNetwork, seed: number, at: { life: Life; instant: number }): CatalanIncident | null {
  const { life } = at
  const { kind, id } = life
  const dice = diceOf(seed, 'catalan incident', id)
  const stretch = network.stretchIn(pickWeighted(PROVINCES, dice()), dice, { mainShare: kind.mainShare })
  if (!stretch) return null
  const direction = directionOf(kind, dice)
  const cause = pickWeighted(kind.causes, dice())
  const heading = headingOf(kind, direction, dice)
  const { reportedAt, nth } = reportAt(seed, at)
  // Traffic differs from report to report, works do not.
  const revised = kind.reported_s < QUICK_S ? diceOf(seed, 'catalan report', id, nth) : dice
  const [effect, level] = pickWeighted(kind.effects, revised())
  const start = startOf(stretch, dice)
  const from = pointNear(network, stretch, start)
  if (!from) return null
  const length = Math.max(0.1, tenths(exponential(kind.length_km, revised())))
  const to_km = direction === 'Decreixent' ? Math.max(0, tenths(from.km - length)) : tenths(from.km + length)
  return { id, kind, cause, road: stretch.road, from, to_km, direction, effect, level, heading, reportedAt }
}

/** The last report at an instant, and its number. */
function reportAt(seed: number, { life, instant }: { life: Life; instant: number }): { reportedAt: number; nth: number } {
  let reportedAt = life.bornAt
  for (let nth = 0; ; nth++) {
    const wait_s = 60 + exponential(life.kind.reported_s, chance(seed, 'catalan reported', life.id, nth))
    const next = reportedAt + Math.floor(wait_s) * 1000
    if (next > instant) return { reportedAt, nth }
    reportedAt = next
  }
}

function directionOf(kind: CatalanKind, dice: Dice): CatalanDirection {
  if (dice() < kind.bothShare) return 'Ambdos sentits'
  return dice() < 0.58 ? 'Creixent' : 'Decreixent'
}

function headingOf(kind: CatalanKind, direction: CatalanDirection, dice: Dice): string | null {
  const u = dice()
  const held = kind.type[0] === 2
  if (direction === 'Ambdos sentits') return u < 0.28 ? pick(dice() < 0.8 ? HOURS : REMARKS, dice()) : null
  if (u < 0.1) return pick(held ? ALONE.slice(0, 3) : ALONE, dice())
  if (u > (held ? 0.97 : 0.75)) return null
  const destination = pick(DESTINATIONS, dice())
  if (dice() < 0.55) return destination
  return `${destination}-${pick(held ? CLOSURES : HOURS, dice())}`.slice(0, MAX_HEADING)
}

/** Works on lesser roads often start at the beginning of the road. */
function startOf(stretch: Stretch, dice: Dice): number {
  const isFromZero = stretch.from_km === 0 && dice() < 0.3
  const share = dice()
  return isFromZero ? 0 : tenths(stretch.from_km + share * (stretch.to_km - stretch.from_km))
}

/** The point of a kilometre, or the nearest one towards the middle of its stretch that is on land and in the province. */
function pointNear(network: RoadNetwork, stretch: Stretch, km: number): RoadPoint | null {
  const middle = (stretch.from_km + stretch.to_km) / 2
  for (let tries = 0; tries <= 4; tries++) {
    const point = network.pointAt(stretch.road, tenths(km + ((middle - km) * tries) / 4))
    if (point?.municipality.province === stretch.province) return point
  }
  return null
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
