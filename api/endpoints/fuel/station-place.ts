import { reliablePosition } from '../../../lake/datasets/fuel/codes.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { foldName, nameKeys } from '../../../lake/places/names.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { type Group, group, textParam } from '../../kernel/params/params.ts'
import { municipalitiesOf, municipalityParam, type PlaceFilter, provinceParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { distanceM, isInside } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { nearest } from '../../kernel/reads/suggest.ts'

/** The requested place of stations, by name; null for parts that the caller leaves open. */
interface Town extends PlaceFilter {
  readonly locality: string | null
  /** Set for a municipality that does not exist; the records may have a locality with this name. */
  readonly unknown: { readonly name: string; readonly refused: InvalidParam } | null
}

/** The known place of a station. */
interface Addressed {
  readonly province_code: string | null
  readonly municipality_code: string | null
  readonly locality: string | null
}

const townParams: Group<Town> = group(
  {
    province: provinceParam,
    municipality: municipalityParam,
    locality: textParam(
      'Town or village of the address, a municipality or part of one; case, accents and the position of the article are ignored.',
      { max: 80, example: 'Abrera' },
    ),
  },
  ({ province, municipality, locality }) => {
    const place = { region: province, locality }
    if (municipality === null) return { ...place, municipality_codes: null, unknown: null }
    try {
      return { ...place, municipality_codes: municipalitiesOf(municipality, province), unknown: null }
    } catch (refused) {
      if (!(refused instanceof InvalidParam)) throw refused
      return { ...place, municipality_codes: [], unknown: { name: municipality, refused } }
    }
  },
)

const keysOf = memo((station: Addressed) => (station.locality === null ? [] : nameKeys(station.locality)))

/** The filters `province`, `municipality` and `locality` of stations. */
export const townFilter = defineMemoryFilter({
  name: 'place',
  param: townParams,
  matches: (town) => {
    const inPlace = placeFilter.matches(town, 0)
    const key = town.locality === null ? null : foldName(town.locality)
    return (station: Addressed) => inPlace(station) && (key === null || keysOf(station).includes(key))
  },
})

/** The filters `bbox`, or `lat`, `lon` and `radius`, by the reliable positions of stations. */
export const stationAreaFilter = defineMemoryFilter({
  ...areaFilter,
  matches: (area) => (station: Parameters<typeof reliablePosition<Point>>[0]) => isInside(area, reliablePosition(station)),
  distance: (centre) => (station) => {
    const at = reliablePosition(station)
    return at && distanceM(centre, at)
  },
})

/** Rejects an unknown municipality or locality, with a suggestion. */
export function checkTown(stations: readonly Addressed[], { place }: { readonly place: Town | null }): void {
  if (place?.unknown) {
    const { name, refused } = place.unknown
    const village = stations.find(townFilter.matches({ ...place, municipality_codes: null, locality: name }, 0))
    if (!village) throw new InvalidParam(refused.message, { parameter: 'municipality', value: name, near: refused.near })
    const of = village.municipality_code === null ? undefined : municipalityByCode(village.municipality_code)
    const where = [of?.name, village.province_code && `(${provinceByCode(village.province_code)?.name})`].filter((part) => part).join(' ')
    const expected = `expected a municipality; this is a locality of ${where}: locality=${village.locality}`
    throw new InvalidParam(expected, { parameter: 'municipality', value: name })
  }
  const locality = place?.locality ?? null
  if (locality === null || stations.some(townFilter.matches(place as Town, 0))) return
  const around = placeFilter.matches(place as Town, 0)
  throw new InvalidParam('no station there is in a locality with this name', {
    ...{ parameter: 'locality', value: locality },
    near: () => nearest(locality, new Set(stations.filter(around).flatMap((one) => one.locality ?? []))),
  })
}
