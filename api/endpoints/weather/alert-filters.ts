import { ALERT_LEVELS, ALERT_PHENOMENA } from '../../../lake/datasets/weather/alert-codes.ts'
import { boxOfRegion, provincesOf } from '../../../lake/places/regions.ts'
import type { MultiPolygon } from '../../../lake/schema/columns.ts'
import { shapeFilter } from '../../kernel/filters/area.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { touches } from '../../kernel/reads/geo.ts'

const provinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  // An island is selected by its box: the zones of warnings cross municipalities.
  matches: (region) => {
    const box = boxOfRegion(region)
    const codes = provincesOf(region)
    return ({ province_codes, geometry }: { readonly province_codes: readonly string[]; readonly geometry: MultiPolygon | null }) =>
      province_codes.some((code) => codes.includes(code)) &&
      (box === null || (geometry !== null && touches({ kind: 'box', ...box }, geometry)))
  },
})
const levelFilter = columnFilter('level', listOf(codeParam('Level, exactly this.', ALERT_LEVELS, { example: 'ORANGE' })), 'level')
const phenomenonFilter = columnFilter(
  'phenomenon',
  listOf(codeParam('Phenomenon of the warning.', ALERT_PHENOMENA, { example: 'WIND' })),
  'phenomenon',
)

/** Filters of warnings by province, level and phenomenon; lists add filters by area. */
export const changedAlertFilters = [provinceFilter, levelFilter, phenomenonFilter] as const
export const alertFilters = [...changedAlertFilters, shapeFilter] as const
