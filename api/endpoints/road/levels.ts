import { TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import { maybe } from '../../kernel/fields.ts'

/** Names of Madrid's traffic centre, as stored, with the levels of all traffic; freest first. */
const LEVEL_PAIRS = [
  ['FLUID', 'FREE'],
  ['SLOW', 'DENSE'],
  ['QUEUES', 'VERY_DENSE'],
  ['CONGESTION', 'CONGESTED'],
] as const

const LEVELS: ReadonlyMap<string, string> = new Map(LEVEL_PAIRS)

/** The field `level_of_service` of all traffic. */
export const serviceField = maybe.code('State of traffic, in the vocabulary of all traffic; null if unknown.', TRAFFIC_LEVELS, 'FREE')

/** Converts a stored name of Madrid's traffic centre to a level; null without one. */
export function serviceOf(stored: string | null): string | null {
  return stored === null ? null : (LEVELS.get(stored) ?? null)
}

/** The same in SQL; NULL without a level. */
export function serviceSql(stored: Sql): Sql {
  const cases = LEVEL_PAIRS.map(([name, level]) => sql`WHEN ${name} THEN ${level}`)
  return sql`CASE ${stored} ${join(cases, sql` `)} END`
}

/** Converts a stored name to a level; UNKNOWN without one. */
export function levelOf(stored: string | null): string {
  return serviceOf(stored) ?? 'UNKNOWN'
}

/** A level that is known; null for UNKNOWN. */
export function knownLevel(level: string): string | null {
  return level === 'UNKNOWN' ? null : level
}
