import { ALERT_LEVELS, ALERT_PHENOMENA } from '../../../lake/datasets/weather/alert-codes.ts'
import { columnFilter, defineMemoryFilter } from '../../define/filter.ts'
import { codeParam, listOf } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import { shapeFilter } from '../../filters/area.ts'

const provinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  matches:
    (code) =>
    ({ province_codes }: { readonly province_codes: readonly string[] }) =>
      province_codes.includes(code),
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
