import { imdRoads } from '../../../lake/datasets/mobility/imd.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { optional } from '../../kernel/fields.ts'
import type { Period } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { provinceField } from '../common-fields.ts'

const { columns } = imdRoads
const c = (name: keyof typeof columns): Sql => column(imdRoads, name)
const onlyImd = (about: string): string => `${about} Only with view=imd.`

/** Columns of the rows of view=imd. */
export const IMD_FLAT = {
  road: optional(columns.road, onlyImd('Road designation.')),
  province_code: optional(columns.province_code, onlyImd('INE code of the province of the sections; null if the map names no known one.')),
  year: optional(columns.year, onlyImd('Year of the map.')),
  imd_veh_day: optional(columns.imd, onlyImd('Mean daily vehicles: vehicle-kilometres divided by length and days.')),
  heavy_share_pct: optional(
    columns.heavy_share_pct,
    onlyImd('Heavy vehicles in per cent of vehicle-kilometres; null if a section lacks them.'),
  ),
  length_km: optional(columns.length_km, onlyImd('Length of the sections.')),
  veh_km_year: optional(columns.veh_km, onlyImd('Vehicle-kilometres of the year.')),
  sections: optional(columns.sections, onlyImd('Sections with vehicle-kilometres and a length, the basis of the other figures.')),
  matched_sections: optional(columns.matched_sections, onlyImd('Sections that are also in the year before.')),
  previous_imd_veh_day: optional(columns.previous_imd, onlyImd('Mean daily vehicles in the year before, on sections in both years.')),
  change_pct: optional(columns.change_pct, onlyImd('Change from the year before, on sections in both years.')),
} as const

/** Fields of a record of view=imd. */
export const IMD_FIELDS = { province: provinceField(columns.province_code), ...IMD_FLAT } as const

/** Method of view=imd. */
export const IMD_METHOD =
  "imd: vehicle-km of the sections of a road in a province, divided by their length and days, from the ministry's traffic maps. Changes cover sections in both years."

/** Rows of view=imd: roads by province and year, for years that begin in the period. Throws for an unsupported step. */
export function imdRows(of: { readonly road: string | null; readonly time: Period }, lake: LakeView): Sql {
  const { road, time } = of
  if (time.interval === '1d' || time.interval === '1w')
    throw new InvalidParam('expected 1y, the step of view=imd', { parameter: 'interval', value: time.interval, allowed: ['1y'] })
  const isOpen = time.from === null && time.to === null
  const { from, to } = lake.period({ ...time, ...(isOpen ? { from: lake.covered_from ?? 0 } : {}), interval: '1y' }, 'all')
  return sql`
    SELECT
      ${c('year_starts_at')} AS period_start,
      '1y' AS "interval",
      CAST(${c('year')} AS VARCHAR) AS date,
      ${c('road')} AS road,
      nullif(${c('province_code')}, '00') AS province_code,
      ${c('year')} AS year,
      ${c('imd')} AS imd_veh_day,
      ${c('heavy_share_pct')} AS heavy_share_pct,
      ${c('length_km')} AS length_km,
      ${c('veh_km')} AS veh_km_year,
      ${c('sections')} AS sections,
      ${c('matched_sections')} AS matched_sections,
      ${c('previous_imd')} AS previous_imd_veh_day,
      ${c('change_pct')} AS change_pct
    FROM ${scan(imdRoads, { year_starts_at: { gte: from, lt: to } })}
    WHERE ${road === null ? sql`true` : sql`${foldRoadSql(c('road'))} = ${road}`}`
}
