import { foldRoad, foldRoadSql } from '../../../lake/places/road-key.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { type RoadFilter, roadParams } from '../params/params-place.ts'
import { allOf, defineFilter, defineMemoryFilter, type TableColumns } from '../reads/filter.ts'

/** A thing at a kilometre point of a road, or between two. */
interface OnRoad {
  readonly road: string | null
  readonly km: number | null
  readonly km_to?: number | null
}

/** `road`, `km_from` and `km_to`: selects what touches the stretch, its ends included. */
export const roadFilter = defineFilter({
  name: 'stretch',
  param: roadParams,
  matches:
    ({ road, km_from, km_to }) =>
    (at: OnRoad) => {
      if (road !== null && (at.road === null || foldRoad(at.road) !== road)) return false
      if (km_from === null && km_to === null) return true
      if (at.km === null) return false
      const other = at.km_to ?? at.km
      return Math.max(at.km, other) >= (km_from ?? 0) && Math.min(at.km, other) <= (km_to ?? Number.POSITIVE_INFINITY)
    },
  present: { road: (at) => at.road },
  columns: ['road', 'km', 'km_to'],
  where: onRoad,
})

function onRoad({ road, km_from, km_to }: RoadFilter, columns: TableColumns): Sql {
  const km = columns('km')
  const other = sql`coalesce(${columns('km_to')}, ${km})`
  const parts: Sql[] = []
  if (road !== null) parts.push(sql`coalesce(${foldRoadSql(columns('road'))} = ${road}, false)`)
  if (km_from !== null) parts.push(sql`coalesce(greatest(${km}, ${other}) >= ${km_from}, false)`)
  if (km_to !== null) parts.push(sql`coalesce(least(${km}, ${other}) <= ${km_to}, false)`)
  // A stretch with only an end has no position on the road.
  if (km_from !== null || km_to !== null) parts.push(sql`${km} IS NOT NULL`)
  return allOf(parts)
}

/** A section of a road, with a kilometre at each end. */
interface OfRoad {
  readonly road: string
  readonly km_from: number
  readonly km_to: number
}

/** `road`, `km_from` and `km_to` for adjoining sections. */
export const sectionFilter = defineMemoryFilter({
  name: 'stretch',
  param: roadParams,
  matches: (stretch) => (section: OfRoad) => isSectionOn(stretch, section),
  present: { road: ({ road }) => road },
})

/**
 * True if a section of a road is part of the requested stretch, the stretch's ends included. A kilometre at the border of two
 * sections belongs to the one that begins with it.
 */
export function isSectionOn(stretch: RoadFilter, section: OfRoad): boolean {
  const [begin, end] = [Math.min(section.km_from, section.km_to), Math.max(section.km_from, section.km_to)]
  return (
    roadFilter.matches(stretch, 0)({ road: section.road, km: begin, km_to: end }) &&
    (stretch.km_from === null || end > stretch.km_from || begin === end)
  )
}
