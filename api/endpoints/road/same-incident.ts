import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { foldRoad, foldRoadSql } from '../../../lake/places/road-key.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { isOneOf } from '../../kernel/reads/filter.ts'

/** Authoritative sources by province (INE codes), the first preferred: lists leave out the same incident of a later one. */
const AUTHORITIES: readonly { readonly sources: readonly string[]; readonly provinces: readonly string[] }[] = [
  { sources: ['sct', 'sct_situations'], provinces: ['08', '17', '25', '43'] },
  { sources: ['trafikoa'], provinces: ['01', '20', '48'] },
  { sources: ['mallorca'], provinces: ['07'] },
]

/** Description for lists and figures. */
export const ABOUT_DUPLICATES = 'An incident that several sources report is shown once.'

/** Maximum distance between two reports of one incident, km. */
const NEAR_KM = 1
const KM_PER_DEGREE = 111.2
/** Kinds that describe the effect of an incident: the other source may state its cause. */
const EFFECTS: readonly string[] = ['CONGESTION', 'CLOSURE', 'RESTRICTION', 'OTHER']

/** Properties that decide whether two reports describe one incident. */
type Reported = Readonly<
  Pick<Row<typeof incidents>, 'source' | 'type' | 'road' | 'km' | 'km_to' | 'direction' | 'province_code' | 'position'>
>

/** Removes incidents that a more authoritative source of their province reports too. */
export function withoutDuplicates<I extends Reported>(all: readonly I[]): readonly I[] {
  const others = new Map<string, I[]>()
  for (const one of all) {
    if (one.road === null || !sourcesOf(one).includes(one.source)) continue
    const road = foldRoad(one.road)
    others.set(road, [...(others.get(road) ?? []), one])
  }
  if (others.size === 0) return all
  return all.filter((one) => {
    const better = betterThan(one.source, sourcesOf(one))
    if (better.length === 0 || one.road === null) return true
    return !others.get(foldRoad(one.road))?.some((other) => better.includes(other.source) && isSame(one, other))
  })
}

function sourcesOf({ province_code }: Reported): readonly string[] {
  return AUTHORITIES.find(({ provinces }) => province_code !== null && provinces.includes(province_code))?.sources ?? []
}

/** The sources that are preferred to one: those before it, or all if it is none of them. */
function betterThan(source: string, sources: readonly string[]): readonly string[] {
  return sources.includes(source) ? sources.slice(0, sources.indexOf(source)) : sources
}

/** True if two reports on one road may describe one incident. */
function isSame(one: Reported, other: Reported): boolean {
  if (isOpposite(one.direction, other.direction)) return false
  if (one.type !== other.type && !EFFECTS.includes(one.type) && !EFFECTS.includes(other.type)) return false
  if (one.km === null || other.km === null) return isNear(one.position, other.position)
  const [ends, otherEnds] = [endsOf(one.km, one.km_to), endsOf(other.km, other.km_to)]
  return ends.low - otherEnds.high < NEAR_KM && otherEnds.low - ends.high < NEAR_KM
}

function isNear(one: Point | null, other: Point | null): boolean {
  if (!one || !other) return false
  const east = (other.lon - one.lon) * Math.cos((one.lat * Math.PI) / 180)
  return (other.lat - one.lat) ** 2 + east ** 2 < (NEAR_KM / KM_PER_DEGREE) ** 2
}

function isOpposite(one: string, other: string): boolean {
  return (one === 'POSITIVE' && other === 'NEGATIVE') || (one === 'NEGATIVE' && other === 'POSITIVE')
}

function endsOf(km: number, km_to: number | null): { low: number; high: number } {
  const to = km_to ?? km
  return { low: Math.min(km, to), high: Math.max(km, to) }
}

/** Columns that `duplicatesIn` reads. */
export const REPORTED_COLUMNS = [
  'source',
  'type',
  'road',
  'km',
  'km_to',
  'direction',
  'province_code',
  'position_lat',
  'position_lon',
  'first_seen_at',
  'observed_at',
] as const

/**
 * An SQL query of the ids that `withoutDuplicates` removes. `lives` is a query of all incidents of a time with the columns above,
 * `status` and `id`. Two reports match only if both were active at some common time.
 */
export function duplicatesIn(lives: Sql, id: Sql): Sql {
  const pairs = AUTHORITIES.flatMap(({ sources, provinces }) =>
    sources.map((source, at) => ({ source, above: sources.slice(0, at), provinces })),
  )
  const cases = pairs.map(({ source, above, provinces }) => {
    const located = (whose: Sql): Sql => sql`(
      SELECT
        *,
        ${foldRoadSql(sql`road`)} AS folded,
        least(km, coalesce(km_to, km)) AS low,
        greatest(km, coalesce(km_to, km)) AS high
      FROM (${lives})
      WHERE ${whose} AND ${isOneOf(sql`province_code`, provinces)} AND road IS NOT NULL
    )`
    return sql`
      SELECT DISTINCT one.${id} AS ${id}
      FROM ${located(sql`NOT ${isOneOf(sql`source`, [source, ...above])}`)} AS one
      JOIN ${located(sql`source = ${source}`)} AS other
        ON other.folded = one.folded
        AND CASE WHEN one.km IS NULL OR other.km IS NULL
          THEN (other.position_lat - one.position_lat) ** 2
            + ((other.position_lon - one.position_lon) * cos(radians(one.position_lat))) ** 2 < ${(NEAR_KM / KM_PER_DEGREE) ** 2}
          ELSE other.low - one.high < ${NEAR_KM} AND one.low - other.high < ${NEAR_KM}
        END
        AND NOT (other.direction = 'POSITIVE' AND one.direction = 'NEGATIVE')
        AND NOT (other.direction = 'NEGATIVE' AND one.direction = 'POSITIVE')
        AND (other.type = one.type OR ${isOneOf(sql`other.type`, EFFECTS)} OR ${isOneOf(sql`one.type`, EFFECTS)})
        AND (other.status <> 'ENDED' OR other.observed_at > one.first_seen_at)
        AND (one.status <> 'ENDED' OR one.observed_at > other.first_seen_at)`
  })
  return join(cases, sql` UNION `)
}
