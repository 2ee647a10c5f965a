import { type Area, loadAtlas } from '../../../lake/places/atlas.ts'
import type { OwnAnswers } from '../../engine/answers/own-answers.ts'

/** A still picture of Spain: an SVG without texts, and how many points of each kind it has. */
export interface SpainPicture {
  readonly svg: string
  /** By the name of each kind, in the order of `KINDS`; null if they are not available. */
  readonly counts: Readonly<Record<PointKind, number | null>>
}

/** What the picture shows as points, each kind over the ones before. */
const KINDS = {
  incident: { path: '/api/incidents', list: 'incidents' },
  beacon: { path: '/api/v16', list: 'beacons' },
} as const
export type PointKind = keyof typeof KINDS

/** Units of the picture per degree of latitude: one is some 1.2 km, and no position in it is more exact. */
const PER_DEGREE = 92
const WIDTH = 970
const HEIGHT = 840
/** Degrees of longitude are narrower, as at 40° north. */
const NARROWER = Math.cos((40 * Math.PI) / 180)
/** The Canary Islands are drawn smaller in the lower left corner, which this is the upper side of. */
const CANARY = { below: 30, top: 702, left: 12, scale: 0.68 } as const

/** Returns the place of a position (WGS84 degrees) in the picture, rounded to its units. */
function placeOf(lon: number, lat: number): readonly [x: number, y: number] {
  if (lat < CANARY.below) {
    const scale = PER_DEGREE * CANARY.scale
    return [Math.round(CANARY.left + (lon + 18.3) * NARROWER * scale), Math.round(CANARY.top + (29.5 - lat) * scale)]
  }
  return [Math.round((lon + 9.45) * NARROWER * PER_DEGREE), Math.round((43.95 - lat) * PER_DEGREE)]
}

/** Returns the path data of an area: its rings in whole units, without those that are smaller than a point. */
function pathOf({ rings }: Area): string {
  return rings
    .map((ring) => {
      const places: (readonly [number, number])[] = []
      for (let at = 0; at < ring.length; at += 2) {
        const [x, y] = placeOf(ring[at] as number, ring[at + 1] as number)
        const last = places.at(-1)
        // Steps of one unit are left out: nobody sees them.
        if (!last || Math.abs(x - last[0]) + Math.abs(y - last[1]) > 2) places.push([x, y])
      }
      if (places.length < 4) return ''
      const [first, ...rest] = places as [readonly [number, number], ...(readonly [number, number])[]]
      let [x, y] = first
      const steps = rest.map(([toX, toY]) => {
        const step = `${toX - x}${toY - y < 0 ? '' : ' '}${toY - y}`
        ;[x, y] = [toX, toY]
        return step
      })
      return `M${first[0]} ${first[1]}l${steps.join(' ').replaceAll(' -', '-')}z`
    })
    .join('')
}

let land: string | undefined

/** Draws the provinces and the current incidents and beacons, as our own API lists them. */
export async function drawSpain(ask: OwnAnswers): Promise<SpainPicture> {
  land ??= loadAtlas().provinces.map(pathOf).join('')
  const kinds = Object.entries(KINDS) as [PointKind, (typeof KINDS)[PointKind]][]
  const drawn = await Promise.all(
    kinds.map(async ([kind, { path, list }]) => {
      try {
        const reply = await ask(`${path}?fields=lat,lon`)
        const points = (reply[list] as readonly { readonly lat: number | null; readonly lon: number | null }[]).flatMap(({ lat, lon }) =>
          lat === null || lon === null ? [] : [placeOf(lon, lat)],
        )
        const places = new Set(points.filter(([x, y]) => x >= 0 && y >= 0 && x <= WIDTH && y <= HEIGHT).map(([x, y]) => `M${x} ${y}h0`))
        return { kind, count: points.length, path: `<path class="${kind}" d="${[...places].join('')}"/>` }
      } catch {
        return { kind, count: null, path: '' }
      }
    }),
  )
  const frame = `<path class="inset" d="M0 ${CANARY.top - 14}h236l18 20V${HEIGHT}"/>`
  return {
    svg: `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><path class="land" d="${land}"/>${frame}${drawn.map(({ path }) => path).join('')}</svg>`,
    counts: Object.fromEntries(drawn.map(({ kind, count }) => [kind, count])) as SpainPicture['counts'],
  }
}
