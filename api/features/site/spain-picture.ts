import { isOnPicture, picturePaths } from '../../browser/spain-picture.ts'
import type { OwnAnswers } from '../../engine/answers/own-answers.ts'
import { spainSvg } from './spain-outline.ts'

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

/** Draws the current incidents and beacons over the provinces, as our own API lists them. */
export async function drawSpain(ask: OwnAnswers): Promise<SpainPicture> {
  const kinds = Object.entries(KINDS) as [PointKind, (typeof KINDS)[PointKind]][]
  const drawn = await Promise.all(
    kinds.map(async ([kind, { path, list }]) => {
      try {
        const reply = await ask(`${path}?limit=10000&fields=lat,lon`)
        const points = (reply[list] as readonly { readonly lat: number | null; readonly lon: number | null }[]).flatMap(({ lat, lon }) =>
          lat === null || lon === null || !isOnPicture(lon, lat) ? [] : [{ type: 'Point', coordinates: [lon, lat] }],
        )
        return { kind, count: points.length, path: `<path class="${kind}" d="${picturePaths(points).dots}"/>` }
      } catch {
        return { kind, count: null, path: '' }
      }
    }),
  )
  return {
    svg: spainSvg(drawn.map(({ path }) => path).join(''), null),
    counts: Object.fromEntries(drawn.map(({ kind, count }) => [kind, count])) as SpainPicture['counts'],
  }
}
