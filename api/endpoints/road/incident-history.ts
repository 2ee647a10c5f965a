import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday, idOfListed } from '../../kernel/example.ts'
import { record } from '../../kernel/fields.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { activeDuring, endedDuring } from '../../kernel/reads/active-during.ts'
import { columnsOf } from '../../kernel/reads/filter.ts'
import { field } from '../../kernel/reply-fields.ts'
import { PAST_FIELDS, type PastRow, pastOf, pastRecord } from '../lifecycle-fields.ts'
import {
  ABOUT_PLACE,
  changedOf,
  INCIDENTS_PAGE,
  type IncidentRow,
  incident,
  incidentDetail,
  localise,
  toIncidentDetail,
} from './incident.ts'
import { incidentFilters } from './incident-filters.ts'
import { incidentId } from './incidents.ts'
import { ABOUT_DUPLICATES, duplicatesIn, REPORTED_COLUMNS } from './same-incident.ts'

const VERSION = field.integer('Number of the version, from 1.', '1', 1)
const CHANGED = field.list(
  'Members that differ from the previous version (both members of a position); empty in the first version.',
  field.text('Name of a member.'),
  ['severity', 'updated_at'],
)

/** One past state of an incident. */
const version = record(
  'IncidentVersion',
  'One past state of an incident.',
  { version: VERSION, changed: CHANGED, ...incidentDetail.fields },
  {
    localise: (one, lang) => (lang === 'en' ? { ...one, description: one.descriptions.en } : one),
  },
)

/** Per column, its name in each version where its value differs from the previous one. */
const differences = [...Object.keys(incidents.columns), 'status'].map((name) => {
  const isPoint = incidents.columns[name as 'km']?.kind === 'point'
  const fields = isPoint ? [`${name}_lat`, `${name}_lon`] : [name]
  const differs = join(
    fields.map((field) => sql`${column(incidents, field)} IS DISTINCT FROM lag(${column(incidents, field)}) OVER story`),
    sql` OR `,
  )
  return sql`CASE WHEN ${differs} THEN ${name} END`
})

/** The versions of one incident. */
export const incidentHistory = defineEndpoint({
  path: '/api/incidents/{id}/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'History of an incident: each version and its changes',
  summary_es: 'Historia de una incidencia: cada versión y qué cambió',
  about: `From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. ${ABOUT_PLACE}`,
  explained: INCIDENTS_PAGE,
  params: { id: incidentId },
  returns: {
    kind: 'list',
    name: 'versions',
    record: version,
    key: ['version'],
    sorts: ['version'],
    order: 'version',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [incidents],
    query: ({ id }) => sql`
      SELECT
        *,
        ${column(incidents, 'status')} = 'ENDED' AS is_stale,
        CAST(row_number() OVER story AS INTEGER) AS version,
        CASE WHEN row_number() OVER story = 1 THEN '' ELSE concat_ws(',', ${join(differences)}) END AS changed
      FROM ${scan(incidents, { incident_id: { eq: id }, is_baseline: { eq: false } })}
      WINDOW story AS (ORDER BY ${column(incidents, 'observed_at')})`,
    rows: {
      columns: { ...tableColumns(incidents), version: VERSION, changed: field.text('Names of columns, separated by commas.') },
      finish: (row: IncidentRow & { version: number; changed: string }) => ({
        ...toIncidentDetail(row),
        version: row.version,
        changed: row.changed === '' ? [] : changedOf(row.changed.split(',')),
      }),
    },
    existenceCheck: {
      of: incidents,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as IncidentRow).incident_id === id),
    },
  },
  example: { id: idOfListed('inc_7Q2M9KX4B1TZ') },
})

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
  about: `Each incident once, by its last end: one that comes back within 30 minutes continues. From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. Filters apply to the last state; /api/incidents/{id}/history lists the versions. ${ABOUT_DUPLICATES}`,
  explained: INCIDENTS_PAGE,
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
