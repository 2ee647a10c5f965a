import { allMunicipalities, municipalityByCode, municipalityByName } from '../../../lake/places/municipalities.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import { isIsland, nameOfRegion, provincesOf, type Region, regionNames, regionOf } from '../../../lake/places/regions.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { InvalidParam } from '../problems.ts'
import type { Area, Box } from '../reads/geo.ts'
import { nearest } from '../reads/suggest.ts'
import { type Group, group, numberParam, type Param, param, plainText, type ValuesOf } from './params.ts'

/** Maximum radius around a point, and its default, in metres. */
const MAX_RADIUS = 100_000
const RADIUS_M = 5_000

/** Maximum length of a place name, in characters; the longest in use has some 50. */
const MAX_NAME = 80

const ABOUT_REGION =
  'Province or autonomous community: its name in any official language, the INE code of a province (28) or the ISO 3166-2 code of a community (ES-CT). Case and accents are ignored; a community means its provinces.'

/** A province, an autonomous community or an island by its name in any official language or its code; the value has INE codes. */
export const provinceParam: Param<Region | null> = param({
  about: `${ABOUT_REGION} Or an island by its name or INE code (384): its municipalities, and positions in them or within 2 km.`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  parse: readRegion,
  example: 'Madrid',
})

/** The same without islands, for data of whole provinces. */
export const wholeProvinceParam: Param<Region | null> = param({
  about: `${ABOUT_REGION} An island is rejected: this is known by province only.`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  parse: (text) => {
    const region = readRegion(text)
    if (!isIsland(region)) return region
    const own = provinces.filter(({ code }) => provincesOf(region).includes(code)).map(({ name }) => name)
    throw new InvalidParam(
      `expected a province or an autonomous community: this is known by province only; the island is in ${own.join()}`,
      {
        allowed: own,
      },
    )
  },
  example: 'Madrid',
})

function readRegion(text: string): Region {
  const name = plainText(text, MAX_NAME)
  const found = regionOf(name)
  if (found) return found
  const { official: allowed, all } = regionNames()
  throw new InvalidParam(
    `expected a province or its INE code (01 to 52), an autonomous community (or ES-AN to ES-VC) or an island (or 071 to 384): ${allowed.join(', ')}`,
    { allowed, near: () => nearest(name, all) },
  )
}

/** A place by its administrative names; null for parts that the caller leaves open. */
export interface PlaceFilter {
  readonly region: Region | null
  /** INE codes of the municipalities with the name, usually one. */
  readonly municipality_codes: readonly string[] | null
}

/** The parameter `municipality` as text; `municipalitiesOf` resolves it. */
export const municipalityParam: Param<string | null> = param({
  about:
    'Municipality: its name (case and accents are ignored; several may share it, and `province` selects among them), or its INE code of five digits.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  parse: (text) => plainText(text, MAX_NAME),
  example: 'Getafe',
})

/** The parameters `province` and `municipality`. */
export const placeParams: Group<PlaceFilter> = group(
  {
    province: provinceParam,
    municipality: municipalityParam,
  },
  ({ province, municipality }) => ({
    region: province,
    municipality_codes: municipality === null ? null : municipalitiesOf(municipality, province),
  }),
)

/** A box parameter; `what` describes what it selects. */
export function boxParam(what: string): Param<Box | null> {
  return param({
    about: `${what}: \`minLon,minLat,maxLon,maxLat\` in WGS84 degrees.`,
    schema: { type: 'string', pattern: '^-?[0-9.]+(,-?[0-9.]+){3}$' },
    parse: readBox,
    example: '-4.0,40.2,-3.4,40.6',
  })
}

const GEO_MEMBERS = {
  bbox: boxParam('Box to search in, not together with lat, lon, radius'),
  lat: numberParam('Latitude of the point to search around, WGS84.', { min: -90, max: 90, unit: 'deg', example: '40.4168' }),
  lon: numberParam('Longitude of the point to search around, WGS84.', { min: -180, max: 180, unit: 'deg', example: '-3.7038' }),
  radius: numberParam(`Radius around the point; ${RADIUS_M} by default.`, { min: 1, max: MAX_RADIUS, unit: 'm', example: '2000' }),
}

/** The parameters `bbox`, or `lat`, `lon` and `radius`. The value is null without any. */
export const geoParams: Group<Area | null> = group(GEO_MEMBERS, areaOf)

/** The same, with one of them required. */
export const requiredGeoParams: Group<Area> = group(GEO_MEMBERS, (values) => {
  const area = areaOf(values)
  if (area !== null) return area
  throw new InvalidParam('is required: bbox=minLon,minLat,maxLon,maxLat, or lat and lon with an optional radius in metres', {
    parameter: 'bbox',
  })
})

function areaOf({ bbox, lat, lon, radius }: ValuesOf<typeof GEO_MEMBERS>): Area | null {
  if (bbox !== null && (lat !== null || lon !== null || radius !== null))
    throw new InvalidParam('cannot be combined with lat, lon or radius; allowed: either bbox, or lat and lon with an optional radius', {
      parameter: 'bbox',
    })
  if (bbox !== null) return bbox
  if (lat !== null && lon !== null) return { kind: 'circle', lat, lon, radius_m: radius ?? RADIUS_M }
  if (lat !== null) throw new InvalidParam('is required together with lat', { parameter: 'lon' })
  if (lon !== null) throw new InvalidParam('is required together with lon', { parameter: 'lat' })
  if (radius !== null) throw new InvalidParam('is required together with radius', { parameter: 'lat' })
  return null
}

const MAX_ROAD = 30

/** A part of a road; null for parts that the caller leaves open. */
export interface RoadFilter {
  /** Designation in the form of `foldRoad`. */
  readonly road: string | null
  readonly km_from: number | null
  readonly km_to: number | null
}

/** Characters of road designations. A slash is part of some (LU-P-S/N, EP-8001/DI) but not between digits: A-2/1 is not A-21. */
const DESIGNATION = /^(?:[\p{L}\p{M}\p{N}\p{Pd}\s.'’·ºª()]|(?<=\p{L}\s?)\/(?=.)|(?<=.)\/(?=\s?\p{L}))+$/u

/** A road by its designation; the value has the form of `foldRoad`. */
export const roadParam: Param<string | null> = param({
  about: 'Road designation; hyphens, blanks and case are ignored (A-1 = A1, N-II = N-2).',
  schema: { type: 'string', minLength: 1, maxLength: MAX_ROAD },
  parse: (text) => {
    const road = foldRoad(plainText(text, MAX_ROAD))
    if (road === '' || !DESIGNATION.test(text))
      throw new InvalidParam('expected a road designation of letters, digits, hyphens and blanks, such as A-1, M-30 or GR-5202')
    return road
  },
  example: 'A-7',
})

/** The parameters `road`, `km_from` and `km_to`. */
export const roadParams: Group<RoadFilter> = group(
  {
    road: roadParam,
    km_from: numberParam('Begin of the stretch.', { min: 0, max: 2000, unit: 'km', example: '10' }),
    km_to: numberParam('End of the stretch, inclusive.', { min: 0, max: 2000, unit: 'km', example: '25.5' }),
  },
  ({ road, km_from, km_to }) => {
    if (km_from !== null && km_to !== null && km_from > km_to)
      throw new InvalidParam(`expected at most km_to (${km_to})`, { parameter: 'km_from' })
    return { road, km_from, km_to }
  },
)

/** Parts of a designation in the form of `foldRoad`: its letters, in groups as written (EX-A1, LU-P-2901), and the rest. */
const PARTS = /^(?:(EX)(A)|(LU)(P)|(\p{L}+))(\d.*)$/u

/**
 * A road designation as replies write it, for any spelling: A7 as A-7. Designations without letters followed by a number stay
 * unchanged.
 */
export function roadName(road: string): string {
  const [, ex, a, lu, p, letters, rest] = PARTS.exec(foldRoad(road)) ?? []
  if (rest === undefined) return road
  return ex ? `${ex}-${a}${rest}` : lu ? `${lu}-${p}-${rest}` : `${letters}-${rest}`
}

function readBox(text: string): Box {
  const parts = text.split(',')
  const [west, south, east, north] = parts.map((part) => (/^-?\d{1,3}(\.\d{1,15})?$/.test(part) ? Number(part) : Number.NaN)) as [
    number,
    number,
    number,
    number,
  ]
  const isBox = parts.length === 4 && west >= -180 && east <= 180 && south >= -90 && north <= 90 && west < east && south < north
  if (!isBox)
    throw new InvalidParam('expected minLon,minLat,maxLon,maxLat with -180 <= minLon < maxLon <= 180 and -90 <= minLat < maxLat <= 90')
  return { kind: 'box', west, south, east, north }
}

/** The codes of the municipalities with a name or code, of a region or, if null, of all; none without a match. */
export function municipalityCodes(text: string, region: Region | null): string[] {
  const isInside = isMunicipalityOf(region)
  const byCode = municipalityByCode(text)
  if (byCode && isInside(byCode)) return [byCode.code]
  const searched = region === null ? provinces.map((one) => one.code) : provincesOf(region)
  return searched.flatMap((code) => municipalityByName(text, code) ?? []).flatMap((one) => (isInside(one) ? [one.code] : []))
}

const isMunicipalityOf =
  (region: Region | null) =>
  ({ code }: { readonly code: string }): boolean =>
    region === null || region.some((part) => code.startsWith(part))

/** The codes of the municipalities with a name or code. Throws `InvalidParam` without a match. */
export function municipalitiesOf(text: string, region: Region | null): string[] {
  const codes = municipalityCodes(text, region)
  if (codes.length > 0) return codes
  const names = allMunicipalities()
    .filter(isMunicipalityOf(region))
    .map((one) => one.name)
  const inside = region === null ? '' : ` of ${nameOfRegion(region)}`
  throw new InvalidParam(`expected the name or INE code (5 digits) of a municipality${inside}`, {
    parameter: 'municipality',
    near: () => nearest(text, names),
  })
}
