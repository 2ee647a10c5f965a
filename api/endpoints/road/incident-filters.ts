import { INCIDENT_TYPES, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import { columnFilter, defineFilter, isOneOf } from '../../define/filter.ts'
import { codeParam, listOf, oneOf } from '../../define/params.ts'
import { areaFilter } from '../../filters/area.ts'
import { placeFilter } from '../../filters/place.ts'
import { roadFilter } from '../../filters/road.ts'

/** Severities that have a rank, from the least. */
const RANKED = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const

/** Severities from one on; UNKNOWN has no rank. */
const atLeast = (severity: (typeof RANKED)[number]): readonly string[] => RANKED.slice(RANKED.indexOf(severity))

const typeFilter = columnFilter('type', listOf(codeParam('Kind of incident.', INCIDENT_TYPES, { example: 'ACCIDENT' })), 'type')
const severityFilter = columnFilter('severity', listOf(codeParam('Severity, exactly this.', SEVERITIES, { example: 'HIGH' })), 'severity')
const severityMinFilter = defineFilter({
  name: 'severity_min',
  param: oneOf('Severity, this or a higher one; UNKNOWN has no rank.', RANKED, { example: 'MEDIUM' }),
  matches: (least) => {
    const severities = atLeast(least)
    return (one: { readonly severity: string }) => severities.includes(one.severity)
  },
  columns: ['severity'],
  where: (least, columns) => isOneOf(columns('severity'), atLeast(least)),
})

/** Filters of incidents by place, kind and road; those of lists by area, too. */
export const changedIncidentFilters = [placeFilter, typeFilter, severityFilter, severityMinFilter, roadFilter] as const
export const incidentFilters = [...changedIncidentFilters, areaFilter] as const
