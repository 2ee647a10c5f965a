import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { ABOUT_PLACE, changedIncident, type IncidentRow, incidentDetail, toIncidentDetail } from './incident.ts'
import { withPlace } from './incident-place.ts'
import { ROAD_TABLES, roadPosts } from './posts.ts'

/** The incident id as a path parameter. */
export const incidentId = required(textParam('Public id of the incident.', { max: 60, example: 'inc_7Q2M9KX4B1TZ' }))

/** One incident, by its public id. */
export const incidentById = defineEndpoint({
  path: '/api/incidents/{id}',
  domain: 'road',
  plan: 'FREE',
  summary: 'One incident, also after its end',
  summary_es: 'Una incidencia, también después de su fin',
  about: `An ended incident comes from the log of changes or from the lake: status ENDED, the last publication that had it and the one that confirmed its end. ${ABOUT_PLACE}`,
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
