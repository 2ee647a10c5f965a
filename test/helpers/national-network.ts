import { type LayerToWrite, writeGeoPackageFile } from '../../scripts/stand-in/formats/geopackage.ts'
import { hash } from '../../scripts/stand-in/random.ts'

/** A national file: as many sections as IGN's of July 2026, five of six with a road code, and as many posts. */
export const NATIONAL = Object.freeze({ sections: 1_000_000, posts: 107_000, coded: 5 / 6, roads: 16_000 })

type Corner = readonly [number, number]
type Size = typeof NATIONAL
type Feature = LayerToWrite['features'] extends Iterable<infer F> ? F : never
const KM_DEG = 1 / 111.195
/** Corners of a section, as in the publisher's files of some 1.5 GB; its length, km. */
const CORNERS = 24
const SECTION_KM = 0.2
/** Where roads begin: a grid over the middle of the peninsula. */
const [WEST, SOUTH, WIDE, HIGH] = [-6.5, 38, 6, 4.5]

/** Writes a generated national file: winding roads of sections that meet end to end, with a post every kilometre or two. */
export function writeNationalFile(path: string, size: typeof NATIONAL, changed: number): void {
  const perRoad = Math.floor((size.sections * size.coded) / size.roads)
  const texts = (names: string): Record<string, 'TEXT'> => Object.fromEntries(names.split(' ').map((name) => [name, 'TEXT']))
  const layers: LayerToWrite[] = [
    {
      ...{ name: 'rt_tramo_vial', geometry: 'LINESTRING', hasHeights: true },
      columns: texts('id_tramo id_vial nombre nombre_alt codigo tipo_tramo tipo_tramd titular sentido ncarriles estadofisd firme acceso'),
      features: sectionsOf(size, perRoad),
    },
    {
      ...{ name: 'rt_ppkk_p', geometry: 'POINT', hasHeights: true },
      columns: texts('id_ppkk id_vial nombre numero'),
      features: postsOf(size, perRoad),
    },
  ]
  writeGeoPackageFile(path, layers, changed)
}

function* sectionsOf(size: Size, perRoad: number): Generator<Feature> {
  for (let nth = 0; nth < size.sections; nth++) {
    const road = Math.floor(nth / perRoad)
    const from = (nth % perRoad) * SECTION_KM
    const line = Array.from({ length: CORNERS }, (_, at) => placeOf(road, from + (SECTION_KM * at) / (CORNERS - 1)))
    const name = road < size.roads ? nameOf(road) : nth % 2 === 0 ? 'DESCONOCIDO' : `CALLE ${nth}`
    const common = ['1', 'Troncal', String(1 + (road % 3)), '3', '2', 'En servicio', '-997', '-998']
    yield { values: [String(nth), `v${road}`, name, '', name, ...common], line: nth % 3 === 0 ? line.toReversed() : line }
  }
}

function* postsOf(size: Size, perRoad: number): Generator<Feature> {
  const each = Math.ceil(size.posts / size.roads)
  const length = perRoad * SECTION_KM
  for (let nth = 0; nth < size.posts; nth++) {
    const road = Math.floor(nth / each)
    const km = Math.floor(((nth % each) * length) / each)
    yield { values: [String(nth), `v${road}`, nameOf(road), `${km},0`], line: [placeOf(road, km)] }
  }
}

const nameOf = (road: number): string => `ZZ-${10_000 + road}`

function placeOf(road: number, km: number): Corner {
  const [x, y] = [WEST + (WIDE * hash('x', road)) / 2 ** 32, SOUTH + (HIGH * hash('y', road)) / 2 ** 32]
  return [x + 0.002 * Math.sin(2 * km) + 0.0001 * km, y + km * KM_DEG]
}
