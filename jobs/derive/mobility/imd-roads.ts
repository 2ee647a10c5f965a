import { imdRoads } from '../../../lake/datasets/mobility/imd-roads.ts'
import { imdSections } from '../../../lake/datasets/mobility/imd-sections.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { type DerivedPart, defineDerived } from '../define.ts'

const YEAR = /^\d{4}$/

/** Daily traffic of roads by year, with the change from the previous year. */
export const imdRoadsDerived = defineDerived({
  by: 'versions',
  into: imdRoads,
  from: [imdSections],
  revision: 1,
  parts: yearPairs,
  rows: roadsOf,
})

/** Each year, paired with the previous one if it exists. */
function yearPairs(editions: readonly string[]): DerivedPart[] {
  const years = editions.filter((edition) => YEAR.test(edition)).sort()
  return years.map((version) => {
    const before = String(Number(version) - 1)
    return { version, from: years.includes(before) ? [before, version] : [version] }
  })
}

/** The usable sections of an edition, each once: a section published in parts is one. */
function sectionsOf(edition: string): Sql {
  return sql`
    SELECT road, coalesce(province_code, '00') AS province_code, section_id, count(*) AS parts,
      count(*) FILTER (WHERE veh_km_check = 'DIFFERS') AS differing,
      sum(length_km) AS length_km, sum(veh_km) AS veh_km, CASE WHEN bool_and(veh_km_heavy IS NOT NULL) THEN sum(veh_km_heavy) END AS veh_km_heavy,
      max(year_days) AS year_days
    FROM ${scan(imdSections, { edition: { eq: edition } })}
    WHERE veh_km IS NOT NULL AND length_km > 0
    GROUP BY ALL`
}

/** Mean daily vehicles of some sections. */
const meanOf = (of: Sql): Sql =>
  sql`CAST(CAST(sum(${of}.veh_km) AS DOUBLE) / nullif(CAST(sum(${of}.length_km * ${of}.year_days) AS DOUBLE), 0) AS DECIMAL(9, 1))`

function roadsOf({ version, from }: DerivedPart): Sql {
  const before = from.length === 2 ? (from[0] as string) : null
  const previous = before === null ? sql`SELECT * FROM now WHERE false` : sectionsOf(before)
  return sql`
    WITH now AS MATERIALIZED (${sectionsOf(version)}),
    before AS MATERIALIZED (${previous}),
    without AS (
      SELECT road, coalesce(province_code, '00') AS province_code, CAST(count(*) AS INTEGER) AS sections_without
      FROM ${scan(imdSections, { edition: { eq: version } })}
      WHERE veh_km IS NULL OR length_km = 0
      GROUP BY ALL
    ),
    roads AS (
      SELECT road, province_code,
        CAST(sum(parts) AS INTEGER) AS sections,
        CAST(sum(differing) AS INTEGER) AS sections_differing,
        CAST(sum(length_km) AS DECIMAL(9, 3)) AS length_km,
        max(year_days) AS year_days,
        CAST(sum(veh_km) AS DECIMAL(15, 1)) AS veh_km,
        ${meanOf(sql`now`)} AS imd,
        CASE WHEN bool_and(veh_km_heavy IS NOT NULL)
          THEN CAST(100 * CAST(sum(veh_km_heavy) AS DOUBLE) / nullif(CAST(sum(veh_km) AS DOUBLE), 0) AS DECIMAL(9, 2)) END AS heavy_share_pct
      FROM now
      GROUP BY road, province_code
    ),
    matched AS (
      SELECT now.road, now.province_code, CAST(count(*) AS INTEGER) AS matched_sections,
        CAST(sum(now.length_km) AS DECIMAL(9, 3)) AS matched_length_km,
        ${meanOf(sql`now`)} AS matched_imd,
        ${meanOf(sql`before`)} AS previous_imd,
        CAST(100 * (
          CAST(sum(now.veh_km) AS DOUBLE) / sum(now.length_km * now.year_days)
          / nullif(CAST(sum(before.veh_km) AS DOUBLE) / sum(before.length_km * before.year_days), 0) - 1
        ) AS DECIMAL(9, 2)) AS change_pct
      FROM now
      JOIN before USING (section_id)
      GROUP BY now.road, now.province_code
    )
    SELECT ${version} AS edition, ${Number(version)} AS year, ${instant(dayBounds(`${version}-01-01`).start)} AS year_starts_at, roads.*,
      coalesce(sections_without, 0) AS sections_without, coalesce(matched_sections, 0) AS matched_sections,
      matched_length_km, matched_imd, previous_imd, change_pct
    FROM roads
    LEFT JOIN without USING (road, province_code)
    LEFT JOIN matched USING (road, province_code)`
}
