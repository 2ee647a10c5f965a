import { NO_DETAILS } from '../../../api/endpoints/road/along/route-item.ts'
import type { Thing } from '../../../api/endpoints/road/along/things.ts'
import { Posts } from '../../../api/endpoints/road/posts.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'
import { chance } from '../../stand-in/random.ts'

/** Towns between which trips go, lon and lat. */
const TOWNS = {
  madrid: [-3.7038, 40.4168],
  burgos: [-3.6969, 42.3439],
  vitoria: [-2.6727, 42.8467],
  irun: [-1.789, 43.338],
  zaragoza: [-0.8773, 41.6561],
  lleida: [0.6206, 41.6176],
  barcelona: [2.1734, 41.3851],
  tarragona: [1.2445, 41.1189],
  castello: [-0.0376, 39.9864],
  valencia: [-0.3774, 39.4699],
  alicante: [-0.481, 38.3452],
  murcia: [-1.1307, 37.9922],
  albacete: [-1.8564, 38.9943],
  cordoba: [-4.7794, 37.8882],
  sevilla: [-5.9845, 37.3891],
  merida: [-6.3437, 38.9161],
  granada: [-3.5986, 37.1773],
  malaga: [-4.4214, 36.7213],
  bailen: [-3.7785, 38.0966],
  zamora: [-5.7467, 41.5033],
  ourense: [-7.8639, 42.3358],
  vigo: [-8.7207, 42.2406],
  santander: [-3.8044, 43.4623],
  bilbao: [-2.935, 43.263],
  coruna: [-8.4115, 43.3623],
  lugo: [-7.556, 43.0097],
  ponferrada: [-6.5906, 42.5499],
} as const satisfies Record<string, Line[0]>
type Town = keyof typeof TOWNS

/** Ten trips by the towns that they pass. */
const TRIPS: readonly (readonly Town[])[] = [
  ['madrid', 'burgos', 'vitoria', 'irun'],
  ['barcelona', 'tarragona', 'castello', 'valencia'],
  ['madrid', 'zaragoza', 'lleida', 'barcelona'],
  ['madrid', 'merida', 'sevilla'],
  ['madrid', 'bailen', 'granada', 'malaga'],
  ['madrid', 'albacete', 'murcia', 'alicante', 'valencia'],
  ['madrid', 'zamora', 'ourense', 'vigo'],
  ['coruna', 'lugo', 'ponferrada', 'madrid'],
  ['sevilla', 'cordoba', 'bailen', 'madrid'],
  ['bilbao', 'santander', 'burgos', 'madrid'],
]

/** Metres between the vertices of a trip. */
const VERTEX_M = 120
const DEG_M = 111_195
const KM_PER_POST = 2

/**
 * How many things there are of each kind, as the publishers have them: places are spread along the trips and over the country.
 */
const COUNTS = [
  ['INCIDENT', 1200],
  ['BEACON', 400],
  ['PANEL', 2500],
  ['SENSOR', 10_000],
  ['WEATHER_STATION', 900],
  ['FUEL_STATION', 24_000],
] as const
const WARNINGS = 100

/** The lines of ten trips, everything that is shown along roads at full scale, and the posts of the roads. */
export function routeWorld(seed: number): {
  readonly trips: readonly Line[]
  readonly things: readonly (readonly Thing[])[]
  readonly posts: Posts
} {
  let drawn = 0
  const random = (): number => chance('route', seed, drawn++)
  const trips = TRIPS.map((towns) => winding(towns, random))
  const things = COUNTS.map(([kind, count]) =>
    Array.from({ length: count }, (_, nth) => thingNear(trips, { id: `${kind} ${nth}`, kind, random })),
  )
  const warnings = Array.from({ length: WARNINGS }, (_, nth) => warning(`WEATHER_WARNING ${nth}`, random))
  return { trips, things: [...things, warnings], posts: new Posts(trips.flatMap((line, nth) => postsOf(line, `X-${nth + 1}`))) }
}

/** A line through towns that winds like a road. */
function winding(towns: readonly Town[], random: () => number): Line {
  const line: (readonly [number, number])[] = []
  for (const [at, town] of towns.entries()) {
    const next = towns[at + 1]
    if (!next) break
    const [from, to] = [TOWNS[town], TOWNS[next]]
    const scale = Math.cos((from[1] * Math.PI) / 180)
    const metres = Math.hypot((to[0] - from[0]) * scale, to[1] - from[1]) * DEG_M
    const steps = Math.ceil(metres / VERTEX_M)
    const [across, phase] = [500 + 4000 * random(), 6 * random()]
    for (let step = 0; step < steps; step++) {
      const share = step / steps
      // No bend at the towns, so that stretches join.
      const off = (across * Math.sin(phase + share * 40) * Math.sin(share * Math.PI)) / DEG_M
      line.push([from[0] + share * (to[0] - from[0]) + off, from[1] + share * (to[1] - from[1]) + off / 2])
    }
  }
  return line
}

function thingNear(
  trips: readonly Line[],
  { id, kind, random }: { readonly id: string; readonly kind: Thing['kind']; readonly random: () => number },
): Thing {
  const isOnRoad = random() < 0.5
  const nth = Math.floor(random() * trips.length)
  const line = trips[nth] as Line
  const at = Math.floor(random() * (line.length - 120))
  const [lon, lat] = isOnRoad ? (line[at] as Line[0]) : ([-9 + 12 * random(), 36 + 7.5 * random()] as const)
  const off = isOnRoad ? (random() - 0.5) * 0.012 : 0
  const position: Point = { lon: lon + off, lat: lat + off / 3 }
  const isStretch = kind === 'INCIDENT' && isOnRoad && random() < 0.65
  return {
    ...{ kind, id, titles: { es: id, en: id }, road: isOnRoad ? `X-${nth + 1}` : null, km: null, km_to: null, area: null, prices: null },
    direction: ['POSITIVE', 'NEGATIVE', 'BOTH', 'UNKNOWN'][Math.floor(4 * random())] as string,
    position: isStretch ? { lon, lat } : position,
    to: null,
    line: isStretch ? line.slice(at, at + 2 + Math.floor(100 * random())) : null,
    ...{ url: `/${id}`, details: NO_DETAILS, source: 'dgt', updated_at: 0 },
  }
}

function warning(id: string, random: () => number): Thing {
  const [lon, lat, size] = [-9 + 11 * random(), 36.5 + 6.5 * random(), 0.3 + 0.7 * random()]
  const ring = Array.from({ length: 61 }, (_, at) => {
    const angle = (at % 60) * (Math.PI / 30)
    return [lon + size * Math.cos(angle), lat + 0.7 * size * Math.sin(angle)] as const
  })
  return {
    ...{ kind: 'WEATHER_WARNING', id, titles: { es: id, en: id }, road: null, km: null, km_to: null, direction: null, position: null },
    ...{ to: null, line: null, area: [[ring]], prices: null, url: `/${id}`, details: NO_DETAILS, source: 'aemet', updated_at: 0 },
  }
}

function postsOf(line: Line, road: string): Post[] {
  const every = Math.round((1000 * KM_PER_POST) / VERTEX_M)
  return line.flatMap(([lon, lat], at) =>
    at % every === 0
      ? [{ road, province_code: '28', km: 0.1 + (at * VERTEX_M) / 1000, position: { lon, lat }, source: 'dgt', records: 1, error_m: 100 }]
      : [],
  )
}
