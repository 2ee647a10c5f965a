import { INCIDENT_TYPES, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import { MEASURE_KINDS } from '../../../lake/datasets/road/incident-codes.ts'
import { sql } from '../../../lake/query/sql.ts'
import { columnFilter, defineFilter, hasOneOf, isOneOf } from '../../define/filter.ts'
import { codeParam, listOf, oneOf } from '../../define/params.ts'
import { areaFilter } from '../../filters/area.ts'
import { placeFilter } from '../../filters/place.ts'
import { roadFilter } from '../../filters/road.ts'

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

/** Filters of incidents by place, kind and road; lists add filters by area. */
export const changedIncidentFilters = [placeFilter, typeFilter, measureFilter, severityFilter, severityMinFilter, roadFilter] as const
export const incidentFilters = [...changedIncidentFilters, areaFilter] as const
