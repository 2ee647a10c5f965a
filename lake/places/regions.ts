import type { Point } from '../schema/columns.ts'
import { communities, singleCommunities } from './communities.ts'
import { allIslands, type Island } from './islands.ts'
import { placeAt } from './municipalities.ts'
import { foldName, nameKeys } from './names.ts'
import { type Province, provinceByCode, provinceByName, provinces } from './provinces.ts'

/** A part of Spain: INE codes of whole provinces (two digits), or of the municipalities of an island (five). */
export type Region = readonly string[]

const ownNames = ({ name, names }: Province): readonly string[] => [name, ...name.split('/'), ...Object.values(names)]

let byName: ReadonlyMap<string, Region> | undefined

/**
 * The region with a name in any official language, ignoring case and accents, or a code: INE's of a province or an island, or
 * that of a community by ISO 3166-2 (INE numbers communities like provinces). Undefined for any other text.
 */
export function regionOf(text: string): Region | undefined {
  const province = provinceByCode(text)
  if (province) return [province.code]
  byName ??= new Map([
    ...communities.flatMap(({ iso_code, names, province_codes }) => entries([iso_code, ...names], province_codes)),
    ...singleCommunities.flatMap(([iso_code, code, names]) => entries([iso_code, ...names], [code])),
    ...allIslands().flatMap(({ code, name, names, municipality_codes }) => entries([code, name, ...names], municipality_codes)),
    // A province's own name takes precedence over an island's, and that over a province's short form: Tenerife is the island.
    ...provinces.flatMap((one) => entries(ownNames(one), [one.code])),
  ])
  const found = byName.get(foldName(text)) ?? nameKeys(text).flatMap((key) => [byName?.get(key) ?? []])[0]
  if (found && found.length > 0) return found
  const other = provinceByName(text)
  return other && [other.code]
}

const entries = (names: readonly string[], region: Region): (readonly [string, Region])[] =>
  names.map((name) => [foldName(name), region] as const)

/** The names of all regions: official names first, the others to find what a misspelt one means. */
export function regionNames(): { readonly official: readonly string[]; readonly all: readonly string[] } {
  const official = [...provinces, ...communities.map(({ names: [name] }) => ({ name: name as string })), ...allIslands()].map(
    ({ name }) => name,
  )
  const others = [
    ...provinces.flatMap(ownNames),
    ...communities.flatMap(({ names }) => names),
    ...allIslands().flatMap(({ names }) => names),
  ]
  return { official: [...new Set(official)], all: [...new Set([...official, ...others])] }
}

/** The official name of a region. */
export function nameOfRegion(region: Region): string {
  const [first = ''] = region
  const own = islandOf(region)?.name ?? (region.length === 1 ? provinceByCode(first)?.name : undefined)
  return own ?? communities.find(({ province_codes }) => province_codes.includes(first))?.names[0] ?? first
}

/** The code that `regionOf` accepts for a region: of its province, its community or its island. */
export function codeOfRegion(region: Region): string {
  const [first = ''] = region
  const own = islandOf(region)?.code ?? (region.length === 1 ? first : undefined)
  return own ?? communities.find(({ province_codes }) => province_codes.includes(first))?.iso_code ?? first
}

/** A box around an island and no other; null for other regions. */
export function boxOfRegion(region: Region): Island['box'] | null {
  return islandOf(region)?.box ?? null
}

const islandOf = (region: Region): Island | undefined =>
  isIsland(region) ? allIslands().find(({ municipality_codes }) => municipality_codes.includes(region[0] as string)) : undefined

/** True for an island: part of a province. */
export function isIsland(region: Region): boolean {
  return (region[0] ?? '').length === 5
}

/** The INE codes of the provinces that a region is in. */
export function provincesOf(region: Region): string[] {
  return [...new Set(region.map((code) => code.slice(0, 2)))]
}

/** A condition on records with both codes; a municipality of null is on no island. */
export function isOfRegion(
  region: Region,
): (at: { readonly province_code: string | null; readonly municipality_code: string | null }) => boolean {
  const codes = new Set<string | null>(region)
  return isIsland(region) ? ({ municipality_code }) => codes.has(municipality_code) : ({ province_code }) => codes.has(province_code)
}

/** A condition on records with a position: on an island is what is on the land of its municipalities, or within 2 km of it. */
export function isWithinRegion(
  region: Region,
): (at: { readonly province_code: string | null; readonly position: Point | null }) => boolean {
  const [codes, provinceCodes] = [new Set<string | null>(region), new Set<string | null>(provincesOf(region))]
  if (!isIsland(region)) return ({ province_code }) => codes.has(province_code)
  return ({ province_code, position }) =>
    position !== null && (province_code === null || provinceCodes.has(province_code)) && codes.has(placeAt(position).municipality_code)
}
