import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { activeDuring, endedDuring } from '../../kernel/reads/active-during.ts'
import { columnsOf } from '../../kernel/reads/filter.ts'
import { PAST_FIELDS, type PastRow, pastOf, pastRecord } from '../lifecycle-fields.ts'
import { ABOUT_PLACE, type IncidentRow, incident, localise, toIncidentDetail } from './incident.ts'
import { incidentFilters } from './incident-filters.ts'
import { ABOUT_DOUBLES, duplicatesIn, REPORTED_COLUMNS } from './same-incident.ts'

/** An ended incident with its last state. */
const pastIncident = pastRecord('PastIncident', 'An ended incident with its last state.', incident.fields, {
  examples: {
    ...{ began_at: '2026-01-02T11:40:00.000Z', last_seen_at: '2026-01-02T12:50:28.413Z' },
    ...{ ended_at: '2026-01-02T12:53:28.413Z', duration_minutes: 70 },
  },
  localise,
})

/** How long before the period another source's report of an incident may have ended, ms. */
const OTHERS_MS = 31 * 86_400_000

/** Incidents that ended in a period. */
export const pastIncidentList = defineEndpoint({
  path: '/api/incidents/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'Incidents that ended in a period, with their duration',
  summary_es: 'Incidencias que terminaron en un periodo, con su duración',
  about: `Each incident once, by its last end: one that comes back within 30 minutes continues. From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. Filters apply to the last state, and /api/incidents/{id}/history lists the versions. ${ABOUT_PLACE} ${ABOUT_DOUBLES}`,
  params: { period: periodParams({ span: '1 day' }) },
  filters: incidentFilters,
  returns: listReturn('incidents', pastIncident, {
    sorts: ['ended_at', 'began_at', 'duration_minutes', 'road', 'km'],
    order: '-ended_at',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [incidents],
    query: (p, lake) => {
      const { from, to } = lake.period(p.period, 1)
      const wanted = lake.where(columnsOf(incidents))
      const lives = activeDuring(incidents, { from: from - OTHERS_MS, to }, REPORTED_COLUMNS)
      return sql`
        WITH lives AS MATERIALIZED (${lives})
        SELECT *
        FROM (${endedDuring(incidents, { from, to }, { wanted, starts: 'starts_at' })})
        ANTI JOIN (${duplicatesIn(sql`FROM lives`, column(incidents, 'incident_id'))}) AS doubles USING (incident_id)`
    },
    rows: {
      columns: { ...tableColumns(incidents), id: incident.fields.id, ...PAST_FIELDS },
      finish: (row: IncidentRow & PastRow) => ({ ...toIncidentDetail(row), ...pastOf(row) }),
    },
  },
  example: { from: dayFromToday(-1, '2026-01-02'), to: dayFromToday(1, '2026-01-03'), province: 'Granada' },
})
