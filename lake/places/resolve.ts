import type { Point } from '../schema/columns.ts'
import { type LocateProblem, locate } from './locate.ts'
import { metresTo, municipalityByName, placeAt } from './municipalities.ts'
import { provinceByCode, provinceByName } from './provinces.ts'

/** A record's own location data; null and absent are equivalent. */
export interface StatedPlace {
  readonly province?: string | null
  /** INE code, if the record has it; takes precedence over the name. */
  readonly provinceCode?: string | null
  readonly municipality?: string | null
  readonly position?: Point | null
}

/** A record's place as INE codes. */
export interface ResolvedPlace {
  readonly province_code: string | null
  readonly municipality_code: string | null
  /** The stated position, corrected if unambiguous, else null. */
  readonly position: Point | null
}

/** Counted problems of a place. */
export type PlaceProblem =
  | LocateProblem
  | 'province is not known by that name'
  | 'municipality is not known by that name in its province'
  | 'position lies in no municipality'
  | 'position lies outside the province that is named'
  | 'position lies outside the municipality that is named'

/** The atlas is accurate to some 200 m and roads follow borders: within this distance, name and position agree. */
const TOLERANCE_M = 1_000
/** Maximum number of cached lookups: records repeat names, but a hostile feed could bring any number. */
const REMEMBERED = 20_000
const known = new Map<string, Map<string, NamedPlace>>()
let remembered = 0

interface NamedPlace {
  readonly province: string | null
  readonly municipality: string | null
}

/**
 * Finds a place's codes from its names and position, and checks each against the other. Names take precedence, as they are what
 * the publisher means; the position fills gaps. Calls `count` with every contradiction and correction.
 */
export function resolvePlace(stated: StatedPlace, count: (problem: PlaceProblem) => void): ResolvedPlace {
  const { position, problem } = stated.position ? locate(stated.position) : { position: null, problem: null }
  if (problem) count(problem)
  const named = lookUp(stated, count)
  const around = position && placeAt(position)
  if (around && around.province_code === null) count('position lies in no municipality')
  if (!position || !around) return { province_code: named.province, municipality_code: named.municipality, position }

  const province_code = named.province ?? around.province_code
  if (province_code !== around.province_code && isFar(province_code, position)) count('position lies outside the province that is named')
  else if (named.municipality && named.municipality !== around.municipality_code && isFar(named.municipality, position))
    count('position lies outside the municipality that is named')
  const near = around.province_code === province_code ? around.municipality_code : null
  return { province_code, municipality_code: named.municipality ?? near, position }
}

function lookUp(stated: StatedPlace, count: (problem: PlaceProblem) => void): NamedPlace {
  const found = rememberedPlace(stated)
  if (!found.province && (stated.province || stated.provinceCode)) count('province is not known by that name')
  if (found.province && !found.municipality && stated.municipality) count('municipality is not known by that name in its province')
  return found
}

function rememberedPlace(stated: StatedPlace): NamedPlace {
  const province = stated.province ? `${stated.provinceCode ?? ''}\u001f${stated.province}` : (stated.provinceCode ?? '')
  const municipality = stated.municipality ?? ''
  const found = known.get(province)?.get(municipality)
  if (found) return found
  if (remembered >= REMEMBERED) {
    known.clear()
    remembered = 0
  }
  const made = namedPlace(stated)
  const inProvince = known.get(province) ?? new Map<string, NamedPlace>()
  known.set(province, inProvince.set(municipality, made))
  remembered++
  return made
}

function namedPlace(stated: StatedPlace): NamedPlace {
  const byCode = stated.provinceCode ? provinceByCode(stated.provinceCode) : undefined
  const province = (byCode ?? (stated.province ? provinceByName(stated.province) : undefined))?.code ?? null
  const municipality = (province && stated.municipality && municipalityByName(stated.municipality, province)?.code) || null
  return { province, municipality }
}

function isFar(code: string | null, position: Point): boolean {
  const metres = code === null ? undefined : metresTo(code, position)
  return metres !== undefined && metres > TOLERANCE_M
}
