import type { Point } from '../schema/columns.ts'
import { type AreaIndex, distanceTo, indexAreas } from './areas.ts'
import { type Area, loadAtlas } from './atlas.ts'
import { MUNICIPALITY_ALIASES } from './municipality-aliases.ts'
import { indexNames, type NameIndex } from './names.ts'
import { provinceByCode } from './provinces.ts'

/** A municipality. */
export interface Municipality {
  /** INE code, five digits; the first two are the province. */
  readonly code: string
  readonly name: string
}

/** The location of a point. Codes are null if no area is near; the municipality alone is null on land that several share. */
export interface Place {
  readonly province_code: string | null
  readonly municipality_code: string | null
}

/** Municipalities missing from the atlas: Usansolo left Galdakao (48036) in 2022, and its land is still drawn as Galdakao's. */
const WITHOUT_BOUNDARY: readonly Municipality[] = [{ code: '48916', name: 'Usansolo' }]

/** A point off the coast, or in a gap of the atlas's coarse borders, belongs to the nearest area within this distance. */
const SHORE_M = 2_000

interface Gazetteer {
  readonly byCode: ReadonlyMap<string, Municipality>
  readonly byProvince: ReadonlyMap<string, NameIndex>
  readonly areas: ReadonlyMap<string, Area>
  readonly municipalities: AreaIndex
  readonly provinces: AreaIndex
}

let gazetteer: Gazetteer | undefined

/** The municipality with an INE code; undefined for any other text. This module reads the atlas on first use. */
export function municipalityByCode(code: string): Municipality | undefined {
  return open().byCode.get(code)
}

/**
 * The municipality with a name in a province, by its current name in any official language or a former one; undefined if none or
 * several match.
 */
export function municipalityByName(name: string, provinceCode: string): Municipality | undefined {
  const code = open().byProvince.get(provinceCode)?.find(name)
  return code ? open().byCode.get(code) : undefined
}

/** Places by latitude, with the requested longitude: objects in feeds rarely move, and recur every minute. */
const asked = new Map<number, { readonly lon: number; readonly place: Place }>()
const REMEMBERED = 20_000

/**
 * The province and municipality that contain a point, or are within 2 km of it. About 5 µs inside, 50 µs off the coast; less if
 * repeated.
 */
export function placeAt(point: Point): Place {
  const before = asked.get(point.lat)
  if (before?.lon === point.lon) return before.place
  const place = findPlace(point)
  if (asked.size >= REMEMBERED) asked.clear()
  asked.set(point.lat, { lon: point.lon, place })
  return place
}

function findPlace(point: Point): Place {
  const { municipalities, provinces } = open()
  const found = municipalities.nearest(point, SHORE_M)?.area.code
  if (found === undefined) return { province_code: null, municipality_code: null }
  const province = found.slice(0, 2)
  if (provinceByCode(province)) return { province_code: province, municipality_code: found }
  const around = provinces.nearest(point, SHORE_M)?.area.code
  return { province_code: around !== undefined && provinceByCode(around) ? around : null, municipality_code: null }
}

/** Metres from a point to a province (two digits) or municipality (five), 0 inside; undefined without a boundary. */
export function metresTo(code: string, point: Point): number | undefined {
  const area = open().areas.get(code)
  return area && distanceTo(area, point)
}

/** Every municipality, ordered by code. */
export function allMunicipalities(): readonly Municipality[] {
  return [...open().byCode.values()]
}

function open(): Gazetteer {
  gazetteer ??= build()
  return gazetteer
}

function build(): Gazetteer {
  const atlas = loadAtlas()
  const own = atlas.municipalities.filter((area) => provinceByCode(area.code.slice(0, 2)))
  const list = [...own.map(({ code, name }) => ({ code, name })), ...WITHOUT_BOUNDARY].sort((a, b) => (a.code < b.code ? -1 : 1))
  const byProvince = Map.groupBy(list, (one) => one.code.slice(0, 2))
  return {
    byCode: new Map(list.map((one) => [one.code, one])),
    byProvince: new Map(
      [...byProvince].map(([province, members]) => [
        province,
        indexNames(members.map((one) => [one.code, [one.name, ...(MUNICIPALITY_ALIASES[one.code] ?? [])]])),
      ]),
    ),
    areas: new Map([...own, ...atlas.provinces].map((area) => [area.code, area])),
    municipalities: indexAreas(atlas.municipalities),
    provinces: indexAreas(atlas.provinces),
  }
}
