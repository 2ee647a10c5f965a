import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, keyedList, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday, idOfListed } from '../../kernel/example.ts'
import { field, nested, record } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { periodParams } from '../../kernel/params/params-time.ts'
import { activeDuring, endedDuring } from '../../kernel/reads/active-during.ts'
import { columnsOf } from '../../kernel/reads/filter.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { PAST_FIELDS, type PastRow, pastOf, pastRecord } from '../lifecycle-fields.ts'
import {
  ABOUT_PLACE,
  changedIncident,
  changedOf,
  INCIDENTS_PAGE,
  type IncidentRow,
  incident,
  incidentDetail,
  localise,
  toIncidentDetail,
} from './incident.ts'
import { changedIncidentFilters, incidentFilters } from './incident-filters.ts'
import { placedIncidents, withPlace } from './incident-place.ts'
import { ROAD_TABLES, roadPosts } from './posts.ts'
import { ABOUT_DUPLICATES, duplicatesIn, REPORTED_COLUMNS } from './same-incident.ts'

/** The specification's list of active incidents. */
export const incidentList = defineEndpoint({
  path: '/api/incidents',
  plan: 'FREE',
  summary: 'Active incidents on Spanish roads',
  summary_es: 'Incidencias activas en las carreteras españolas',
  about: `Accidents, works, congestion and more, refreshed every minute. Without \`limit\` the reply contains all incidents. ${ABOUT_DUPLICATES} ${ABOUT_PLACE} \`meta.coverage\` names provinces whose source is off.`,
  explained: INCIDENTS_PAGE,
  filters: incidentFilters,
  returns: listReturn('incidents', incident, {
    sorts: ['id', 'created_at', 'updated_at', 'road', 'km'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: [incidents],
    lake: ROAD_TABLES,
    needs: [],
    answer: async ({ states: [state], optional }) => placedIncidents(state, await optional(roadPosts, '')),
  },
  example: { province: 'Granada', type: 'ROADWORKS' },
})

/** The incident id as a path parameter. */
const incidentId = required(textParam('Public id of the incident.', { max: 60, example: 'inc_7Q2M9KX4B1TZ' }))

/** One incident, by its public id. */
export const incidentById = defineEndpoint({
  path: '/api/incidents/{id}',
  plan: 'FREE',
  summary: 'One incident, also after its end',
  summary_es: 'Una incidencia, también después de su fin',
  about: `An ended incident has the status ENDED, its last publication and the one that confirmed its end. It comes from the log of changes or from the lake. ${ABOUT_PLACE}`,
  explained: INCIDENTS_PAGE,
  params: { id: incidentId },
  returns: { kind: 'one', record: incidentDetail },
  read: {
    kind: 'memory',
    from: [incidents],
    lake: ROAD_TABLES,
    needs: [],
    answer: async ({ states: [state], optional }, { id }) => {
      const found = state.rows.find((row) => row.incident_id === id)
      return found ? withPlace(toIncidentDetail(found), await optional(roadPosts, '')) : null
    },
    past: {
      ended: (change, { id }) => (change.kind === 'ENDED' && change.row['incident_id'] === id ? changedIncident(change) : null),
      query: ({ id }) => sql`
        SELECT *, true AS is_stale
        FROM ${scan(incidents, { incident_id: { eq: id } })}
        ORDER BY ${column(incidents, 'observed_at')} DESC
        LIMIT 1`,
      columns: tableColumns(incidents),
      // An incident still active in the lake is not in the current state: its end has not landed yet.
      finish: (row: IncidentRow) => ({ ...toIncidentDetail(row), status: 'ENDED', end_reason: 'DISAPPEARED' }),
    },
  },
  example: { id: idOfListed('inc_7Q2M9KX4B1TZ') },
})

/** One change of an incident. */
const incidentChange = record(
  'IncidentChange',
  'A change of an incident.',
  {
    id: incidents.columns.incident_id,
    ...changeFields(incidents.columns.observed_at),
    incident: nested.object('The incident after the change; for an ended one, its last state.', incidentDetail.fields),
  },
  { localise: (change, lang) => ({ ...change, incident: localise(change.incident, lang) }) },
)

/** The change feed of incidents. */
export const incidentChanges = defineEndpoint({
  path: '/api/incidents/changes',
  plan: 'FREE',
  summary: 'Incidents that began, changed or ended since a cursor',
  summary_es: 'Incidencias que empezaron, cambiaron o terminaron desde un cursor',
  about: ABOUT_CHANGES,
  explained: CHANGES_PAGE,
  filters: changedIncidentFilters,
  returns: changesReturn(incidentChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: [incidents],
    thing: changedIncident,
    entry: (incident, change) => ({ id: incident.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), incident }),
  },
  example: { limit: '10' },
})

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
  { localise },
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
  plan: 'PRO',
  summary: 'History of an incident: each version and its changes',
  summary_es: 'Historia de una incidencia: cada versión y qué cambió',
  about: `From the lake, at most ten minutes behind the live state; \`meta.covered_until\` says how far. ${ABOUT_PLACE}`,
  explained: INCIDENTS_PAGE,
  params: { id: incidentId },
  returns: keyedList('versions', version, ['version'], { sorts: ['version'], limit: { default: 100, max: 1000 } }),
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
