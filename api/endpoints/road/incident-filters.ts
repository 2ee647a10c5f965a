import { INCIDENT_TYPES, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import { MEASURE_KINDS } from '../../../lake/datasets/road/incident-codes.ts'
import { sql } from '../../../lake/query/sql.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { booleanParam, codeParam, listOf, oneOf } from '../../kernel/params/params.ts'
import { columnFilter, defineFilter, hasOneOf, isOneOf } from '../../kernel/reads/filter.ts'

/** Ranked severities, lowest first. */
const RANKED = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const

/** Severities of at least a given rank; UNKNOWN has no rank. */
const atLeast = (severity: (typeof RANKED)[number]): readonly string[] => RANKED.slice(RANKED.indexOf(severity))

const typeFilter = columnFilter('type', listOf(codeParam('Kind of incident.', INCIDENT_TYPES, { example: 'ACCIDENT' })), 'type')
const severityFilter = columnFilter('severity', listOf(codeParam('Severity, exactly this.', SEVERITIES, { example: 'HIGH' })), 'severity')
const severityMinFilter = defineFilter({
  name: 'severity_min',
  param: oneOf('Minimum severity; UNKNOWN has no rank.', RANKED, { example: 'MEDIUM' }),
  matches: (least) => {
    const severities = atLeast(least)
    return (one: { readonly severity: string }) => severities.includes(one.severity)
  },
  present: { severity_min: (one) => one.severity },
  columns: ['severity'],
  where: (least, columns) => isOneOf(columns('severity'), atLeast(least)),
})

const measureFilter = defineFilter({
  name: 'measure',
  param: listOf(
    codeParam('Measure or effect of any of its records, such as a road closure, whatever its cause.', MEASURE_KINDS, {
      example: 'ROAD_CLOSED',
    }),
  ),
  matches: (kinds) => {
    const wanted = new Set(kinds)
    return (one: { readonly measures: readonly { readonly kind: string }[] }) => one.measures.some(({ kind }) => wanted.has(kind))
  },
  present: { measure: (one) => one.measures.map(({ kind }) => kind) },
  columns: ['measures'],
  where: (kinds, columns) => hasOneOf(sql`json_extract_string(${columns('measures')}, '$[*].kind')`, kinds),
})

const CLOSURES: readonly string[] = ['ROAD_CLOSED', 'CLOSED_FOR_WINTER', 'CARRIAGEWAY_CLOSED']
/** Measures that close a carriageway if they apply to all of its lanes. */
const LANE_CLOSURES: readonly string[] = ['LANES_CLOSED', 'NO_PASSAGE']

/** The members of a record that decide whether it closes a road. */
interface ClosingMeasure {
  readonly kind: string
  readonly lanes: readonly string[]
  readonly carriageways: readonly string[]
  readonly vehicles: readonly string[]
  readonly limits: readonly { readonly kind: string }[]
}

/** True for a measure that closes the road, or a whole carriageway, to all traffic. */
export function closesRoad({ kind, lanes, carriageways, vehicles, limits }: ClosingMeasure): boolean {
  if (!CLOSURES.includes(kind) && !(LANE_CLOSURES.includes(kind) && lanes.includes('ALL'))) return false
  if (carriageways.length > 0 && !carriageways.includes('MAIN')) return false
  return vehicles.length === 0 && limits.every((limit) => limit.kind === 'SPEED')
}

/** The same in SQL, of a record with lists; older rows lack some of them. */
const closesRoadSql = sql`
  (${isOneOf(sql`one.kind`, CLOSURES)} OR (${isOneOf(sql`one.kind`, LANE_CLOSURES)} AND ${hasOneOf(sql`one.lanes`, ['ALL'])}))
  AND (coalesce(len(one.carriageways), 0) = 0 OR ${hasOneOf(sql`one.carriageways`, ['MAIN'])})
  AND coalesce(len(one.vehicles), 0) = 0
  AND coalesce(len(list_filter(one.limits, lambda bound: bound.kind <> 'SPEED')), 0) = 0`
const CLOSING_MEMBERS =
  '[{"kind":"VARCHAR","lanes":["VARCHAR"],"carriageways":["VARCHAR"],"vehicles":["VARCHAR"],"limits":[{"kind":"VARCHAR"}]}]'

/** The filter of closures. */
export const closedFilter = defineFilter({
  name: 'closed',
  param: booleanParam(
    'Only incidents that close a road or carriageway to all traffic, whatever their type and cause (true), or only others (false). Closed lanes, slip roads and closures for some vehicles are others.',
  ),
  matches: (isClosed) => (one: { readonly measures: readonly ClosingMeasure[] }) => one.measures.some(closesRoad) === isClosed,
  present: { closed: (one) => one.measures.some(closesRoad) },
  columns: ['measures'],
  where: (isClosed, columns) =>
    sql`(len(list_filter(from_json(${columns('measures')}, ${CLOSING_MEMBERS}), lambda one: ${closesRoadSql})) > 0) = ${isClosed}`,
})

/** Filters of incidents by place, kind and road; lists add filters by area. */
export const changedIncidentFilters = [
  placeFilter,
  typeFilter,
  measureFilter,
  closedFilter,
  severityFilter,
  severityMinFilter,
  roadFilter,
] as const
export const incidentFilters = [...changedIncidentFilters, areaFilter] as const
