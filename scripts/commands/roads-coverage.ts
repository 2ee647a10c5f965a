import { roadAxes } from '../../lake/datasets/road/road-axes.ts'
import { roadPosts, roadSections } from '../../lake/datasets/road/road-network.ts'
import type { Lake } from '../../lake/open.ts'
import { provinceByCode, provinces } from '../../lake/places/provinces.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import type { Json } from '../../lake/schema/columns.ts'
import { table } from './table.ts'

/** The imported road network by province, as lines for people: what was imported, and how much of it is measured. */
export async function coverageLines(lake: Lake): Promise<string[]> {
  const found = await lake.use({ timeout_ms: 60_000 }, async (session) => {
    for (const dataset of [roadSections, roadPosts, roadAxes]) if (!(await lake.table(dataset).load())) return []
    return session.values(sql`
      SELECT s.part, s.province_code, s.roads, s.sections, coalesce(p.posts, 0), coalesce(a.roads, 0), coalesce(a.km, 0)
      FROM (SELECT part, province_code, count(DISTINCT road) AS roads, count(*) AS sections FROM ${scan(roadSections)} GROUP BY ALL) s
      LEFT JOIN (SELECT part, count(*) AS posts FROM ${scan(roadPosts)} GROUP BY ALL) p ON p.part = s.part
      LEFT JOIN (SELECT edition, count(DISTINCT road) AS roads, round(sum(length_m) / 1000) AS km FROM ${scan(roadAxes)} GROUP BY ALL) a
        ON a.edition = s.part
      ORDER BY s.part`)
  })
  if (found.length === 0) return ['no road network is imported: scripts/roads import <file>...']
  const rows = found.map(([part, code, ...counts]): Json[] => [
    provinceByCode(String(code))?.name ?? String(code),
    String(part),
    ...counts.map(Number),
  ])
  const there = new Set(found.map(([, code]) => code))
  const missing = provinces.filter(({ code }) => !there.has(code)).map(({ name }) => name)
  return [
    table(['province', 'part', 'roads', 'sections', 'posts', 'measured roads', 'measured km'], rows),
    missing.length === 0 ? 'no province is missing' : `${missing.length} provinces are missing: ${missing.join(', ')}`,
  ]
}
