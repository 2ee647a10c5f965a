import { between, chance, type Dice, hash, pick } from '../random.ts'
import { type Gazetteer, type Municipality, readGazetteer } from './municipalities.ts'
import { LESSER_ROADS, MAIN_ROADS } from './roads.ts'
import { defineWorldPart } from './world.ts'

/** A road: its designation and the positions of its kilometres. */
export interface Road {
  readonly name: string
  readonly isMain: boolean
  readonly ways: readonly Way[]
}

interface Way {
  readonly km: number
  readonly lon: number
  readonly lat: number
}

/** A part of a road within one province. */
export interface Stretch {
  readonly road: Road
  readonly province: string
  readonly from_km: number
  readonly to_km: number
}

/** A kilometre of a road, on the map. */
export interface RoadPoint {
  readonly km: number
  readonly lon: number
  readonly lat: number
  readonly municipality: Municipality
}

/** The roads of the generated Spain. */
export interface RoadNetwork {
  /** By INE code of the province. */
  readonly stretches: ReadonlyMap<string, readonly Stretch[]>
  /** A kilometre on the map; null if the road has no such kilometre, or it is on water. */
  pointAt(road: Road, km: number): RoadPoint | null
  /** A stretch in the province, preferring long ones and main roads. Null if the province has no road. */
  stretchIn(province: string, dice: Dice, options?: { mainShare?: number }): Stretch | null
}

const SAMPLE_KM = 2
/** Roads are this much longer than the straight lines between their towns. */
const WINDING = 1.25
/** Between towns a road swings to both sides of the straight line: this far, as a share of its length too, and this often. */
const [SWING_KM, SWING_SHARE, SWING_EVERY_KM] = [0.15, 0.03, 4]
const KM_PER_DEGREE = 111.19

// Islands: the prefix of a road determines its island.
const ISLAND_STARTS: Readonly<Record<string, string>> = {
  GC: 'Telde',
  FV: 'Puerto del Rosario',
  LZ: 'Teguise',
  TF: 'La Orotava',
  LP: 'El Paso',
  GM: 'San Sebastián de la Gomera',
  HI: 'Valverde',
  Ma: 'Inca',
  Me: 'Alaior',
  C: 'Santa Eulària des Riu',
  PM: 'Santa Eulària des Riu',
}

/** The roads. About 0.2 s. */
export const roadNetwork = defineWorldPart(({ seed }) => layRoads(readGazetteer(), seed))

function layRoads(gazetteer: Gazetteer, seed: number): RoadNetwork {
  const roads = [...mainRoads(gazetteer), ...lesserRoads(gazetteer, seed)]
  const pointAt = (road: Road, km: number): RoadPoint | null => {
    const position = positionAt(road, km)
    const municipality = position && gazetteer.at(position.lon, position.lat)
    return municipality ? { km, lon: position.lon, lat: position.lat, municipality } : null
  }
  const stretches = Map.groupBy(
    roads.flatMap((road) => stretchesOf(road, pointAt)),
    (stretch) => stretch.province,
  )
  return {
    stretches,
    pointAt,
    stretchIn(province, dice, { mainShare = 0.5 } = {}) {
      const all = stretches.get(province) ?? []
      const wanted = dice() < mainShare
      const fitting = all.filter((stretch) => stretch.road.isMain === wanted)
      const candidates = fitting.length > 0 ? fitting : all
      const total = candidates.reduce((sum, stretch) => sum + stretch.to_km - stretch.from_km, 0)
      let rest = dice() * total
      for (const stretch of candidates) {
        rest -= stretch.to_km - stretch.from_km
        if (rest < 0) return stretch
      }
      return candidates.at(-1) ?? null
    },
  }
}

/** Direction in which the kilometres of a road increase, as degrees clockwise from north. */
export function bearingAt(road: Road, km: number): number {
  const at = Math.max(
    1,
    road.ways.findIndex((way) => way.km >= km),
  )
  const from = road.ways[at - 1] as Way
  const to = road.ways[at] as Way
  const degrees = (Math.atan2((to.lon - from.lon) * Math.cos((from.lat * Math.PI) / 180), to.lat - from.lat) * 180) / Math.PI
  return (degrees + 360) % 360
}

/** The position of a kilometre, `aside_m` metres to the right of growing kilometres; null outside the road. */
export function positionAt(road: Road, km: number, aside_m = 0): { lon: number; lat: number } | null {
  const at = road.ways.findIndex((way) => way.km >= km)
  if (at < 0 || km < (road.ways[0] as Way).km) return null
  const to = road.ways[at] as Way
  const from = road.ways[Math.max(0, at - 1)] as Way
  const share = to.km === from.km ? 0 : (km - from.km) / (to.km - from.km)
  const scale = Math.cos((from.lat * Math.PI) / 180)
  const [east, north] = [(to.lon - from.lon) * scale * KM_PER_DEGREE, (to.lat - from.lat) * KM_PER_DEGREE]
  const length = Math.hypot(east, north)
  const waves = Math.max(1, Math.round(length / SWING_EVERY_KM))
  const aside = Math.min(SWING_KM, SWING_SHARE * length) * Math.sin(2 * Math.PI * waves * share) + aside_m / 1000
  const [right, up] = length === 0 ? [0, 0] : [(aside * north) / length, (-aside * east) / length]
  return {
    lon: round6(from.lon + (to.lon - from.lon) * share + right / KM_PER_DEGREE / scale),
    lat: round6(from.lat + (to.lat - from.lat) * share + up / KM_PER_DEGREE),
  }
}

function stretchesOf(road: Road, pointAt: (road: Road, km: number) => RoadPoint | null): Stretch[] {
  const first = (road.ways[0] as Way).km
  const last = (road.ways.at(-1) as Way).km
  const found: { road: Road; province: string; from_km: number; to_km: number }[] = []
  let open: { road: Road; province: string; from_km: number; to_km: number } | null = null
  for (let km = first; km <= last; km += SAMPLE_KM) {
    const province = pointAt(road, km)?.municipality.province
    if (open && province === open.province) {
      open.to_km = km
      continue
    }
    open = province ? { road, province, from_km: km, to_km: km } : null
    if (open) found.push(open)
  }
  return found.filter((stretch) => stretch.to_km > stretch.from_km)
}

function mainRoads(gazetteer: Gazetteer): Road[] {
  return lines(MAIN_ROADS).map(([name, text]) => ({
    name,
    isMain: true,
    ways: text.split(', ').map((item) => {
      const blank = item.indexOf(' ')
      const km = Number(item.slice(0, blank))
      const place = item.slice(blank + 1)
      if (place.startsWith('(')) {
        const [lon = 0, lat = 0] = place.slice(1, -1).split(' ').map(Number)
        return { km, lon, lat }
      }
      const [town = '', province] = place.split('@')
      return { km, ...gazetteer.named(town, province).centre }
    }),
  }))
}

function lesserRoads(gazetteer: Gazetteer, seed: number): Road[] {
  return lines(LESSER_ROADS).flatMap(([province, text]) =>
    text.split(', ').map((name) => {
      const towns = chainOfTowns(gazetteer, { province, name, seed })
      const ways: Way[] = []
      for (const town of towns) {
        const before = ways.at(-1)
        const step = before ? Math.max(1, Math.round(distance_km(before, town.centre) * WINDING)) : 0
        ways.push({ km: (before?.km ?? 0) + step, ...town.centre })
      }
      return { name, isMain: false, ways }
    }),
  )
}

/** Four to six different towns, each near the previous one. */
function chainOfTowns(gazetteer: Gazetteer, from: { province: string; name: string; seed: number }): Municipality[] {
  const towns = gazetteer.ofProvince.get(from.province) ?? []
  const start = ISLAND_STARTS[from.name.replace(/-.*/, '')]
  const isIsland = start !== undefined && ['07', '35', '38'].includes(from.province)
  const chain = [isIsland ? gazetteer.named(start, from.province) : pick(towns, chance(from.seed, 'road', from.name, from.province))]
  const length = between(4, 6, chance(from.seed, 'towns', from.name))
  while (chain.length < length) {
    const last = chain.at(-1) as Municipality
    const near = towns
      .filter((town) => !chain.includes(town) && farApart(last, town) < 20)
      .sort((a, b) => farApart(last, a) - farApart(last, b))
      .slice(0, 5)
    if (near.length === 0) break
    chain.push(near[hash(from.seed, 'next', from.name, chain.length) % near.length] as Municipality)
  }
  return chain
}

function farApart(a: Municipality, b: Municipality): number {
  return distance_km(a.centre, b.centre)
}

function distance_km(a: { lon: number; lat: number }, b: { lon: number; lat: number }): number {
  const dx = (b.lon - a.lon) * 111.32 * Math.cos((a.lat * Math.PI) / 180)
  const dy = (b.lat - a.lat) * 110.57
  return Math.hypot(dx, dy)
}

function lines(text: string): [string, string][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
}

function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
