import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import { isOneOf } from '../../define/filter.ts'
import { foldRoad } from '../../define/params-place.ts'

/** Authoritative sources by province (INE codes): another source's report of the same incident there is not shown. */
export const AUTHORITIES = [
  { source: 'sct', provinces: ['08', '17', '25', '43'] },
  { source: 'trafikoa', provinces: ['01', '20', '48'] },
] as const

/** Description for lists and figures. */
export const ABOUT_DOUBLES =
  'An incident that both DGT and the authority of its region report (the Servei Català de Trànsit, Trafikoa) is shown once, from the latter: the same road, kilometres less than 1 km apart, no opposite direction, and no different kind of incident. By id and in the change feed each remains.'

/** Maximum distance between two reports of one incident, km. */
const NEAR_KM = 1
/** Kinds that describe the effect of an incident: the other source may state its cause. */
const EFFECTS: readonly string[] = ['CONGESTION', 'CLOSURE', 'RESTRICTION', 'OTHER']

/** Properties that decide whether two reports are of one incident. */
interface Reported {
  readonly source: string
  readonly type: string
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly direction: string
  readonly province_code: string | null
}

/** Removes incidents that the authority of their province reports too. */
export function withoutDuplicates<I extends Reported>(all: readonly I[]): readonly I[] {
  const others = new Map<string, I[]>()
  for (const one of all) {
    const authority = authorityOf(one)
    if (authority !== one.source || one.road === null) continue
    const road = foldRoad(one.road)
    others.set(road, [...(others.get(road) ?? []), one])
  }
  if (others.size === 0) return all
  return all.filter((one) => {
    const authority = authorityOf(one)
    if (authority === null || authority === one.source || one.road === null) return true
    return !others.get(foldRoad(one.road))?.some((other) => other.source === authority && isSame(one, other))
  })
}

function authorityOf({ province_code }: Reported): string | null {
  return AUTHORITIES.find(({ provinces }) => (provinces as readonly (string | null)[]).includes(province_code))?.source ?? null
}

/** True if two reports on one road may be of one incident. */
function isSame(one: Reported, other: Reported): boolean {
  if (one.km === null || other.km === null) return false
  if (isOpposite(one.direction, other.direction)) return false
  if (one.type !== other.type && !EFFECTS.includes(one.type) && !EFFECTS.includes(other.type)) return false
  const [ends, otherEnds] = [endsOf(one.km, one.km_to), endsOf(other.km, other.km_to)]
  return ends.low - otherEnds.high < NEAR_KM && otherEnds.low - ends.high < NEAR_KM
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
  'first_seen_at',
  'observed_at',
] as const

/**
 * An SQL query of the ids that `withoutDuplicates` removes. `lives` is a query of all incidents of a time with the columns above,
 * `status` and `id`. Two reports match only if both were active at some common time.
 */
export function duplicatesIn(lives: Sql, id: Sql): Sql {
  const cases = AUTHORITIES.map(({ source, provinces }) => {
    const located = (whose: Sql): Sql => sql`(
      SELECT
        *,
        ${foldRoadSql(sql`road`)} AS folded,
        least(km, coalesce(km_to, km)) AS low,
        greatest(km, coalesce(km_to, km)) AS high
      FROM (${lives})
      WHERE ${whose} AND ${isOneOf(sql`province_code`, provinces)} AND km IS NOT NULL AND road IS NOT NULL
    )`
    return sql`
      SELECT DISTINCT one.${id} AS ${id}
      FROM ${located(sql`source <> ${source}`)} AS one
      JOIN ${located(sql`source = ${source}`)} AS other
        ON other.folded = one.folded
        AND other.low - one.high < ${NEAR_KM}
        AND one.low - other.high < ${NEAR_KM}
        AND NOT (other.direction = 'POSITIVE' AND one.direction = 'NEGATIVE')
        AND NOT (other.direction = 'NEGATIVE' AND one.direction = 'POSITIVE')
        AND (other.type = one.type OR ${isOneOf(sql`other.type`, EFFECTS)} OR ${isOneOf(sql`one.type`, EFFECTS)})
        AND (other.status <> 'ENDED' OR other.observed_at > one.first_seen_at)
        AND (one.status <> 'ENDED' OR one.observed_at > other.first_seen_at)`
  })
  return join(cases, sql` UNION `)
}
