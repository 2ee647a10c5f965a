import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { nested, record } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
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
import { ABOUT_DUPLICATES } from './same-incident.ts'

/** The specification's list of active incidents. */
export const incidentList = defineEndpoint({
  path: '/api/incidents',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active incidents on Spanish roads',
  summary_es: 'Incidencias activas en las carreteras españolas',
  about: `Accidents, works, congestion and more, refreshed every minute. Without \`limit\` the reply contains all incidents. ${ABOUT_DUPLICATES} ${ABOUT_PLACE} \`meta.coverage\` names provinces whose source is off.`,
  explained: INCIDENTS_PAGE,
  params: {},
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
export const incidentId = required(textParam('Public id of the incident.', { max: 60, example: 'inc_7Q2M9KX4B1TZ' }))

/** One incident, by its public id. */
export const incidentById = defineEndpoint({
  path: '/api/incidents/{id}',
  domain: 'road',
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
  domain: 'road',
  plan: 'FREE',
  summary: 'Incidents that began, changed or ended since a cursor',
  summary_es: 'Incidencias que empezaron, cambiaron o terminaron desde un cursor',
  about: ABOUT_CHANGES,
  explained: CHANGES_PAGE,
  params: {},
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
