import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { axesOf, type MeasuredLine } from '../../../jobs/derive/road/axes/measure.ts'
import { openNetwork } from '../../../jobs/feeds/road/network/layers.ts'
import { editionOf, partRows, partsOf, provinceOfFile } from '../../../jobs/feeds/road/network/parts.ts'
import { collectDiagnostics } from '../../../jobs/ingest/diagnostics.ts'
import { roadPosts, roadSections } from '../../../lake/datasets/road/road-network.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import type { Figure } from '../../../models/figures.ts'
import { roadNetwork } from '../../stand-in/world/road-network.ts'
import { networkOf } from '../../stand-in/world/road-sections.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import { accidentFigures } from './accident-places.ts'
import type { Given } from './captures.ts'
import { quantile, roadFigure } from './figures.ts'

type Section = Pick<Row<typeof roadSections>, 'road' | 'direction' | 'geometry'>
type Post = Pick<Row<typeof roadPosts>, 'road' | 'km' | 'position'>
interface Network {
  readonly sections: readonly Section[]
  readonly posts: readonly Post[]
}

/** Every third kilometre is held back. */
const EVERY = 3
const MOST_P90_M = 60
const DIRECTIONS = ['POSITIVE', 'NEGATIVE', 'BOTH'] as const
const SEED = 1

/**
 * Builds the axes without every third kilometre's posts, and measures how far these are from the places that the axes give them:
 * on the networks of a folder (GeoPackages), else on the simulated one, there with accidents too (`accidentFigures`). The
 * baseline is the straight line between the posts around.
 */
export async function evaluateRoads(_lake: unknown, { data, say }: Pick<Given, 'data' | 'say'>): Promise<Figure[]> {
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => /\.gpkg$/i.test(name))
  if (files.length > 0)
    return heldOutFigures(
      files.join(', '),
      files.map((name) => networkOfFile(join(data, name))),
    )
  say(`no GeoPackage in ${data}: the simulated network is measured`)
  const networks = provinces.map(({ code }) => ({ code, network: simulatedNetwork(code) }))
  return [
    ...heldOutFigures(
      'simulated',
      networks.map(({ network }) => network),
    ),
    ...accidentFigures(SEED, networks),
  ]
}

/** The simulated network of a province, as the feed reads it. */
export function simulatedNetwork(province: string): Network {
  const world = makeWorld(SEED)
  const { sections, posts } = networkOf(world.part(roadNetwork), SEED, province)
  const roads = new Map(sections.map(({ vial, road }) => [vial, road]))
  return {
    sections: sections.flatMap(({ road, sense, type, line }) =>
      type === 'Troncal' ? [{ road, direction: DIRECTIONS[sense - 1] as string, geometry: line }] : [],
    ),
    posts: posts.flatMap(({ vial, km, at: [lon, lat] }) =>
      roads.has(vial) ? [{ road: roads.get(vial) as string, km, position: { lat, lon } }] : [],
    ),
  }
}

function networkOfFile(path: string): Network {
  const network = openNetwork(path)
  try {
    const { parts } = partsOf(network, { province: provinceOfFile(path), edition: editionOf(network) })
    const { diagnostics } = collectDiagnostics()
    const batches = parts.flatMap(({ bytes }) => [...partRows(gunzipSync(bytes), diagnostics)])
    const rowsOf = <D extends typeof roadSections | typeof roadPosts>(dataset: D) =>
      batches.flatMap((one) => (one.dataset === dataset ? (one.rows as readonly Row<D>[]) : []))
    const isMain = (one: Row<typeof roadSections>): boolean => one.section_type === 'MAIN_LINE' && one.is_in_service
    return { sections: rowsOf(roadSections).filter(isMain), posts: rowsOf(roadPosts) }
  } finally {
    network.close()
  }
}

/** The errors of the posts that were held back, m, as figures. */
export function heldOutFigures(window: string, networks: readonly Network[]): Figure[] {
  const [axes, straight]: [number[], number[]] = [[], []]
  let held = 0
  for (const { sections, posts } of networks) {
    const postsOf = Map.groupBy(posts, ({ road }) => road)
    for (const [road, own] of Map.groupBy(sections, (section) => section.road)) {
      const all = postsOf.get(road) ?? []
      const isHeld = ({ km }: Post): boolean => Math.round(km) % EVERY === 0
      const known = all.filter((post) => !isHeld(post))
      const lines = axesOf(own, known)
      for (const post of all.filter(isHeld)) {
        held++
        const found = lines.flatMap((line) => placeOn(line, post.km) ?? [])
        if (found.length === 0) continue
        axes.push(nearestM(post.position, found))
        const chord = chordAt(known, post.km)
        if (chord) straight.push(distanceM(chord, post.position))
      }
    }
  }
  const figure = (metric: string, value: number, more: Partial<Figure> = {}): Figure =>
    roadFigure({ series: 'ign', window, metric, value, points: axes.length, ...more })
  if (axes.length === 0) return []
  return [
    figure('p50_m', quantile(axes, 0.5), { baseline: quantile(straight, 0.5) }),
    figure('p90_m', quantile(axes, 0.9), { limit: { max: MOST_P90_M }, baseline: quantile(straight, 0.9) }),
    figure('located_share', axes.length / held),
  ]
}

function placeOn({ line, kilometres }: Pick<MeasuredLine, 'line' | 'kilometres'>, km: number): Point | null {
  const at = kilometres.findIndex((one) => one >= km)
  const [before, after] = [kilometres[at - 1], kilometres[at]]
  if (before === undefined || after === undefined) return null
  const share = after === before ? 0 : (km - before) / (after - before)
  const [from, to] = [line[at - 1] as readonly [number, number], line[at] as readonly [number, number]]
  return { lon: from[0] + share * (to[0] - from[0]), lat: from[1] + share * (to[1] - from[1]) }
}

const nearestM = (position: Point, places: readonly Point[]): number => Math.min(...places.map((place) => distanceM(position, place)))

/** The place on the straight line between the known posts around a kilometre. */
function chordAt(posts: readonly Post[], km: number): Point | null {
  const before = posts.filter((post) => post.km < km).reduce<Post | null>((best, one) => (best && best.km >= one.km ? best : one), null)
  const after = posts.filter((post) => post.km > km).reduce<Post | null>((best, one) => (best && best.km <= one.km ? best : one), null)
  if (!before || !after) return null
  const share = (km - before.km) / (after.km - before.km)
  const along = (name: 'lat' | 'lon'): number => before.position[name] + share * (after.position[name] - before.position[name])
  return { lat: along('lat'), lon: along('lon') }
}
