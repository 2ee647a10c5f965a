import { chance, hash } from '../random.ts'
import { positionAt, type Road, type RoadNetwork, type Stretch } from './road-network.ts'

type Corner = readonly [lon: number, lat: number]

/** A section of a road as the national network has it, in the order in which it was drawn. */
export interface NetworkSection {
  readonly id: string
  readonly vial: string
  readonly road: string
  readonly type: 'Troncal' | 'Enlace' | 'Vía de servicio'
  /** 1 with growing kilometres, 2 with falling ones, 3 both. */
  readonly sense: 1 | 2 | 3
  readonly isState: boolean
  readonly line: readonly Corner[]
}

/** A kilometre post. */
export interface NetworkPost {
  readonly id: string
  readonly vial: string
  readonly km: number
  readonly at: Corner
}

/** The network of a province. */
export interface ProvinceNetwork {
  readonly sections: readonly NetworkSection[]
  readonly posts: readonly NetworkPost[]
}

const DUAL = /^(?:A|AP|R|M|V|SE|GR|MA|C|B|Z)-\d{1,2}$/
const STATE = /^(?:A|AP|R|N)-/
/** Half of the distance between carriageways, and of their posts, m. */
const [LANE_M, POST_M] = [9, 14]
const CORNER_KM = 0.1
/** Of a hundred: missing pieces, pieces drawn against the kilometres, ends that stop short, missing posts. */
const [GAPS, TURNED, SHORT, NO_POST] = [1, 30, 10, 4]
/** How far an end may stop short, and a post may stand from its kilometre, m. */
const [SHORT_M, NOISE_M] = [18, 12]
const LINK_EVERY = 9
/** Provinces end between two samples of the road network. */
const BORDER_KM = 2

/**
 * The sections and posts of a province's roads, with what the real network has: two carriageways, junctions and service roads,
 * gaps, ends that do not meet, and posts a few metres off.
 */
export function networkOf(roads: Pick<RoadNetwork, 'stretches'>, seed: number, province: string): ProvinceNetwork {
  const sections: NetworkSection[] = []
  const posts: NetworkPost[] = []
  for (const stretch of roads.stretches.get(province) ?? []) {
    const { road } = stretch
    const vial = String(100_000_000_000 + hash('vial', road.name, province, stretch.from_km))
    const words = [seed, 'network', road.name, province, stretch.from_km] as const
    const senses = DUAL.test(road.name) ? ([1, 2] as const) : ([3] as const)
    for (const sense of senses) sections.push(...sectionsOf(stretch, { sense, vial, words }))
    posts.push(...postsOf(stretch, { sides: senses.length, vial, words }))
  }
  return { sections, posts }
}

type Words = readonly (string | number)[]
type Of = { readonly vial: string; readonly words: Words }

function sectionsOf({ road, from_km, to_km }: Stretch, { sense, vial, words }: Of & { readonly sense: 1 | 2 | 3 }): NetworkSection[] {
  const aside = sense === 1 ? LANE_M : sense === 2 ? -LANE_M : 0
  const isState = STATE.test(road.name)
  const found: NetworkSection[] = []
  const end = positionAt(road, to_km + BORDER_KM) ? to_km + BORDER_KM / 2 : to_km
  for (let [km, nth] = [from_km, 0]; km < end; nth++) {
    const luck = (what: string): number => 100 * chance(...words, what, sense, nth)
    const to = Math.min(end, km + 1.2 + luck('length') / 80)
    const short_km = luck('short') < SHORT ? (SHORT_M / 1000) * chance(...words, 'by', nth) : 0
    const line = lineOf(road, { from: km, to: to - short_km, aside })
    const id = String(200_000_000_000 + hash(...words, 'section', sense, nth))
    const common = { vial, road: road.name, sense, isState }
    if (line.length >= 2 && (luck('gap') >= GAPS || nth === 0))
      found.push({ ...common, id, type: 'Troncal', line: luck('turned') < TURNED ? line.toReversed() : line })
    if (nth % LINK_EVERY === LINK_EVERY - 1) {
      const type = nth % 2 === 0 ? 'Enlace' : 'Vía de servicio'
      found.push({ ...common, id: `${id}1`, type, line: lineOf(road, { from: km, to: Math.min(to, km + 0.4), aside: aside + 40 }) })
    }
    km = to
  }
  return found
}

function lineOf(road: Road, { from, to, aside }: { readonly from: number; readonly to: number; readonly aside: number }): Corner[] {
  const steps = Math.max(1, Math.round((to - from) / CORNER_KM))
  return Array.from({ length: steps + 1 }, (_, step) => positionAt(road, from + ((to - from) * step) / steps, aside)).flatMap((at) =>
    at ? [[at.lon, at.lat] as const] : [],
  )
}

function postsOf({ road, from_km, to_km }: Stretch, { sides, vial, words }: Of & { readonly sides: number }): NetworkPost[] {
  const found: NetworkPost[] = []
  for (let km = Math.ceil(from_km); km <= to_km; km++)
    for (let side = 0; side < sides; side++) {
      const off_km = ((2 * chance(...words, 'off', km, side) - 1) * NOISE_M) / 1000
      const aside = sides === 1 ? POST_M / 2 : side === 0 ? POST_M : -POST_M
      const at = positionAt(road, km + off_km, aside) ?? positionAt(road, km, aside)
      if (!at || 100 * chance(...words, 'post', km, side) < NO_POST) continue
      found.push({ id: String(300_000_000_000 + hash(...words, 'post id', km, side)), vial, km, at: [at.lon, at.lat] })
    }
  return found
}
