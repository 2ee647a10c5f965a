import { INCIDENT_TYPES, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import { codeParam, listOf, oneOf } from '../../define/params.ts'
import { isOneOf } from '../../define/place-sql.ts'

/** Severities that have a rank, from the least. */
const RANKED = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const

/** What chooses incidents by their kind. */
export const incidentParams = {
  type: listOf(codeParam('Kind of incident.', INCIDENT_TYPES, { example: 'ACCIDENT' })),
  severity: listOf(codeParam('Severity, exactly this.', SEVERITIES, { example: 'HIGH' })),
  severity_min: oneOf('Severity, this or a higher one; UNKNOWN has no rank.', RANKED, { example: 'MEDIUM' }),
} as const

/** Values of `incidentParams`. */
interface KindFilter {
  readonly type: readonly string[] | null
  readonly severity: readonly string[] | null
  readonly severity_min: string | null
}

/** True where an incident is of a kind that is asked for. */
export function isOfKind(filter: KindFilter, one: { readonly type: string; readonly severity: string }): boolean {
  if (filter.type && !filter.type.includes(one.type)) return false
  if (filter.severity && !filter.severity.includes(one.severity)) return false
  const ranks: readonly string[] = RANKED
  return filter.severity_min === null || ranks.indexOf(one.severity) >= ranks.indexOf(filter.severity_min)
}

/** Condition that an incident is of a kind that is asked for: `isOfKind` in SQL. */
export function isOfKindSql(filter: KindFilter, one: { readonly type: Sql; readonly severity: Sql }): Sql {
  const parts = [sql`true`]
  if (filter.type) parts.push(isOneOf(one.type, filter.type))
  if (filter.severity) parts.push(isOneOf(one.severity, filter.severity))
  const ranks: readonly string[] = RANKED
  if (filter.severity_min !== null) parts.push(isOneOf(one.severity, ranks.slice(ranks.indexOf(filter.severity_min))))
  return sql`(${join(parts, sql` AND `)})`
}
