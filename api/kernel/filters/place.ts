import { isIsland, isOfRegion, isWithinRegion, type Region } from '../../../lake/places/regions.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import { placeParams, provinceParam, wholeProvinceParam } from '../params/params-place.ts'
import { allOf, columnFilter, defineFilter, defineMemoryFilter, isOneOf, type TableColumns } from '../reads/filter.ts'

/** `province`, for lists of whole provinces: without municipalities or positions. */
export const wholeProvinceFilter = columnFilter('province', wholeProvinceParam, 'province_code')

/** `province`, for lists with positions but without municipalities. */
export const provinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  matches: isWithinRegion,
  present: { province: ({ province_code }) => province_code },
})

/** `province` and `municipality`. */
export const placeFilter = defineFilter({
  name: 'place',
  param: placeParams,
  matches: ({ region, municipality_codes }) => {
    const isInside = region && isOfRegion(region)
    return (at: { readonly province_code: string | null; readonly municipality_code: string | null }) =>
      (isInside === null || isInside(at)) &&
      (municipality_codes === null || (at.municipality_code !== null && municipality_codes.includes(at.municipality_code)))
  },
  columns: ['province_code', 'municipality_code'],
  where: ({ region, municipality_codes }, columns) =>
    allOf([
      ...(region === null ? [] : [isOfRegionSql(region, columns)]),
      ...(municipality_codes === null ? [] : [isOneOf(columns('municipality_code'), municipality_codes)]),
    ]),
})

/** The condition of `isOfRegion` in SQL. */
export function isOfRegionSql(region: Region, columns: TableColumns): Sql {
  return isOneOf(columns(isIsland(region) ? 'municipality_code' : 'province_code'), region)
}
