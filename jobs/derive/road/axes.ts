import { setImmediate } from 'node:timers/promises'
import { roadAxes, roadPosts, roadSections } from '../../../lake/datasets/road/road-network.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { type DerivedPart, defineDerived } from '../define.ts'
import { axesOf } from './axes/measure.ts'

type Section = Row<typeof roadSections>
type Post = Row<typeof roadPosts>

/** A part with fewer sections than this share of the largest is a fragment: the national file lacks some provinces. */
const WHOLE_SHARE = 0.5

/** The measured axes of roads: one part for each province with an imported network. */
export const roadAxesDerived = defineDerived({
  by: 'model',
  into: roadAxes,
  from: [roadSections, roadPosts],
  revision: 2,
  parts: partsOf,
  reads: ({ from }) => sql`
    SELECT * FROM ${scan(roadSections, { part: { in: from } })}
    WHERE section_type = 'MAIN_LINE' AND is_in_service ORDER BY part, road, section_id`,
  rows: async ({ version }, { given, read, signal }) => {
    const sections = Map.groupBy(given as unknown as readonly Section[], ({ part }) => part)
    const edition = bestPart(sections)
    if (edition === null) return []
    const query = sql`SELECT * FROM ${scan(roadPosts, { part: { eq: edition } })} ORDER BY road, km, post_id`
    const posts = Map.groupBy((await read(query, tableColumns(roadPosts))) as unknown as readonly Post[], ({ road }) => road)
    const rows: Row<typeof roadAxes>[] = []
    for (const [road, own] of Map.groupBy(sections.get(edition) ?? [], (section) => section.road)) {
      await setImmediate()
      signal.throwIfAborted()
      const { published_at } = own[0] as Section
      for (const { line, kilometres, errors_m, length_m, ...axis } of axesOf(own, posts.get(road) ?? []))
        rows.push({
          ...{
            province: version,
            road,
            ...axis,
            kilometres,
            errors_m,
            geometry: line,
            length_m: Math.round(length_m),
            edition,
            published_at,
          },
          ...{ km_from: kilometres[0] as number, km_to: kilometres.at(-1) as number },
        })
    }
    return rows
  },
})

/** For each province the newest edition of its own file, and of the national one: which is used depends on their content. */
function partsOf(versions: readonly string[]): DerivedPart[] {
  const provinces = Map.groupBy(versions, (version) => version.slice(0, 2))
  return [...provinces].map(([version, parts]) => ({
    version,
    from: ['province', 'national'].flatMap(
      (scope) =>
        parts
          .filter((part) => part.endsWith(scope))
          .sort()
          .at(-1) ?? [],
    ),
  }))
}

/** The newest of the parts that are no fragments; of one edition that of the province. */
export function bestPart(sections: ReadonlyMap<string, { readonly length: number }>): string | null {
  const most = Math.max(0, ...[...sections.values()].map((own) => own.length))
  const whole = [...sections].filter(([, own]) => own.length >= WHOLE_SHARE * most).map(([part]) => part)
  return whole.sort().at(-1) ?? null
}
