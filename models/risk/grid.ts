import { SECTION_KM, type SectionAccident } from './accidents.ts'

/** A road of a province, from its first to its last section with an accident. */
export interface RoadSections {
  readonly province_code: string
  readonly road: string
  /** Index of its first section: kilometre ÷ 5, rounded down. */
  readonly first: number
  /** Number of sections. */
  readonly length: number
  /** Index of its first section among all. */
  readonly offset: number
}

/** All sections, road by road. */
export interface Grid {
  readonly roads: readonly RoadSections[]
  readonly size: number
  /** The section index of an accident; -1 if there is none. */
  indexOf(accident: SectionAccident): number
}

/** The 5 km sections between the first and the last kilometre with accidents on each road of each province. */
export function gridOf(accidents: readonly SectionAccident[]): Grid {
  const ends = new Map<string, { province_code: string; road: string; first: number; last: number }>()
  for (const { province_code, road, km } of accidents) {
    const at = Math.floor(km / SECTION_KM)
    const key = `${province_code}/${road}`
    const known = ends.get(key)
    if (known === undefined) ends.set(key, { province_code, road, first: at, last: at })
    else {
      known.first = Math.min(known.first, at)
      known.last = Math.max(known.last, at)
    }
  }
  const roads: RoadSections[] = []
  const places = new Map<string, RoadSections>()
  let size = 0
  for (const [key, { first, last, ...names }] of [...ends].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const road = { ...names, first, length: last - first + 1, offset: size }
    size += road.length
    places.set(key, road)
    roads.push(road)
  }
  const indexOf = ({ province_code, road, km }: SectionAccident): number => {
    const known = places.get(`${province_code}/${road}`)
    const at = Math.floor(km / SECTION_KM) - (known?.first ?? 0)
    return known === undefined || at < 0 || at >= known.length ? -1 : known.offset + at
  }
  return { roads, size, indexOf }
}
