import { allOf, columnFilter, defineFilter, isOneOf } from '../define/filter.ts'
import { placeParams, provinceParam } from '../define/params-place.ts'

/** `province`, for lists that have no municipality. */
export const provinceFilter = columnFilter('province', provinceParam, 'province_code')

/** `province` and `municipality`. */
export const placeFilter = defineFilter({
  name: 'place',
  param: placeParams,
  matches:
    ({ province_code, municipality_codes }) =>
    (at: { readonly province_code: string | null; readonly municipality_code: string | null }) =>
      (province_code === null || province_code === at.province_code) &&
      (municipality_codes === null || (at.municipality_code !== null && municipality_codes.includes(at.municipality_code))),
  columns: ['province_code', 'municipality_code'],
  where: ({ province_code, municipality_codes }, columns) =>
    allOf([
      ...(province_code === null ? [] : [isOneOf(columns('province_code'), [province_code])]),
      ...(municipality_codes === null ? [] : [isOneOf(columns('municipality_code'), municipality_codes)]),
    ]),
})
